import Driver
import XCTest

/// Step 6: paywall, payment, unlock. What was charged is read from the ledger, which is a process of its own.
final class PurchaseTests: EndToEndCase {
  /// One call in the ledger's own file.
  private struct Call: Decodable {
    let key: String
    let charge: String?
  }

  private var ledger: URL { app.home.appending(path: "data/matinee/publication/ledger.jsonl") }

  private func calls() -> [Call] {
    let text = (try? String(contentsOf: ledger, encoding: .utf8)) ?? ""
    return text.split(separator: "\n").compactMap { try? JSONDecoder().decode(Call.self, from: Data($0.utf8)) }
  }

  /// The different charges that were made.
  private func charges() -> Set<String> { Set(calls().compactMap(\.charge)) }

  private func openLockedArticle() throws -> String {
    let title = try Sample.current.get().firstPost(premium: true).title
    try app.open(title)
    try app.waitForScreen("article")
    try app.press("Unlock")
    try app.waitForScreen("paywall")
    return title
  }

  private func choose(_ offer: String) throws {
    try app.press(startingWith: offer)
    try app.waitForScreen("payment")
    try app.wait(for: "a price") { app.first(.button, "Pay").flatMap { $0.isEnabled ? $0 : nil } }
  }

  private func waitUntilUnlocked(_ title: String) throws {
    try app.waitForScreen("article")
    try app.wait(for: "the article without its lock") { app.shows(title) && app.first(.button, "Unlock") == nil ? true : nil }
  }

  func testPayingOpensTheArticleAndTakesTheLocksAway() throws {
    try app.startSignedIn()
    let title = try openLockedArticle()
    try choose("Yearly")
    try app.press("Pay")
    try waitUntilUnlocked(title)
    XCTAssertEqual(charges().count, 1)
    try app.press("Back")
    try app.waitForScreen("feed")
    try app.wait(for: "no lock in the feed") { app.rowNames.isEmpty || app.rowNames.contains { $0.hasSuffix(", premium") } ? nil : true }
  }

  func testAClickBesideASheetIsTheWayBack() throws {
    try app.startSignedIn()
    _ = try openLockedArticle()
    try app.input(["sleep", "1", "mousemove", "--window", "%", "60", "400", "click", "1"])
    try app.waitForScreen("article")
    XCTAssertEqual(charges(), [])
  }

  /// “Pay” may lie where the offer was: the second half of a double click buys nothing.
  func testADoubleClickOnAnOfferPaysNothing() throws {
    try app.startSignedIn()
    _ = try openLockedArticle()
    try choose("For good")
    let pay = try XCTUnwrap(app.find(.button, "Pay").frame)
    try app.key("Escape")
    try app.waitForScreen("paywall")
    let offer = try app.wait(for: "the offer") { app.all { $0.role == .button && $0.name.hasPrefix("For good") }.first?.frame }
    let y = min(max(pay.y + pay.height / 2, offer.y + 4), offer.y + offer.height - 4)
    XCTAssertLessThan(abs(y - pay.y - pay.height / 2), pay.height / 2, "the two do not lie over each other any more")
    for delay in ["60", "180", "350"] {
      // A person looks at the page before: what follows the last press so soon would be no new one.
      try app.input([
        "sleep", "0.6", "mousemove", "--window", "%", "\(offer.x + offer.width / 2)", "\(y)", "click", "--repeat", "2", "--delay", delay,
        "1",
      ])
      try app.waitForScreen("payment")
      _ = try app.find(.button, "Pay")
      try app.key("Escape")
      try app.waitForScreen("paywall")
    }
    XCTAssertEqual(charges(), [])
  }

  /// What lies where "Pay" was is not meant by somebody who presses on: it was "Sign out", which asks nothing.
  func testImpatientPressesOnPayDoNotReachThePageBeneath() throws {
    try app.startSignedIn()
    try app.press("Account")
    try app.waitForScreen("account")
    try app.press("Unlock premium")
    try app.waitForScreen("paywall")
    try choose("Five article passes")
    let pay = try XCTUnwrap(app.find(.button, "Pay").frame)
    try app.input([
      "sleep", "0.6", "mousemove", "--window", "%", "\(pay.x + pay.width / 2)", "\(pay.y + pay.height / 2)", "click", "--repeat", "12",
      "--delay", "400", "1",
    ])
    try app.waitForText("Thank you!")
    XCTAssertEqual(app.screens.last, "account", "\(app.screens)")
    XCTAssertEqual(charges().count, 1)
    // Somewhere else a press is meant, and here too after a while.
    try app.press("Notifications")
    try app.waitForScreen("notifications")
  }

  /// Nor do they try again: that button comes where "Pay" was.
  func testImpatientPressesOnPayTryAgainNothing() throws {
    try app.startSignedIn()
    _ = try openLockedArticle()
    try choose("Monthly")
    try app.press("Declined test card")
    let pay = try XCTUnwrap(app.find(.button, "Pay").frame)
    try app.input([
      "sleep", "0.6", "mousemove", "--window", "%", "\(pay.x + pay.width / 2)", "\(pay.y + pay.height / 2)", "click", "--repeat", "5",
      "--delay", "250", "1",
    ])
    try app.waitForText("Your bank declined the payment.")
    XCTAssertEqual(Set(calls().map(\.key)).count, 1, "\(calls())")
    // After a while it is meant. A busy machine may enable the button later than the person presses.
    try app.wait(for: "another try") {
      try self.app.input(["sleep", "1.6", "click", "1"])
      return Set(self.calls().map(\.key)).count == 2 ? true : nil
    }
  }

  func testAPassOpensOneArticleAndThePurchasesSaySo() throws {
    try app.startSignedIn()
    let title = try openLockedArticle()
    try choose("Five article passes")
    try app.press("Pay")
    try app.waitForScreen("article")
    try app.press("Unlock with a pass")
    try waitUntilUnlocked(title)
    XCTAssertEqual(charges().count, 1)
    try app.press("Back")
    try app.waitForScreen("feed")
    try app.wait(for: "the locks of the others") { app.rowNames.contains { $0.hasSuffix(", premium") } ? true : nil }
    try app.press("Account")
    try app.waitForScreen("account")
    try app.press("Purchases")
    try app.waitForScreen("purchases")
    for text in ["Five article passes", "Paid", "You have 4 article passes."] { try app.waitForText(text) }
    try app.press("Back")
    try app.waitForScreen("account")
  }

  func testEveryOfferIsThere() throws {
    try app.startSignedIn()
    _ = try openLockedArticle()
    for offer in ["Yearly", "Monthly", "For good", "Five article passes"] {
      try app.wait(for: offer) { app.all { $0.role == .button && $0.name.hasPrefix(offer) && $0.isEnabled }.first }
    }
  }

  func testCancelReturnsQuietly() throws {
    try app.startSignedIn()
    _ = try openLockedArticle()
    try choose("Monthly")
    try app.press("Cancel")
    try app.waitForScreen("paywall")
    try app.press("Not now")
    try app.waitForScreen("article")
    _ = try app.find(.button, "Unlock")
    XCTAssertTrue(calls().isEmpty)
  }

  func testDeclinedPaymentSaysWhyAndAnotherTryWorks() throws {
    try app.startSignedIn()
    let title = try openLockedArticle()
    try choose("Monthly")
    try app.press("Declined test card")
    try app.press("Pay")
    try app.waitForText("Your bank declined the payment.")
    XCTAssertEqual(app.screens.last, "payment")
    try app.press("Test card")
    try app.press("Pay")
    try waitUntilUnlocked(title)
    XCTAssertEqual(charges().count, 1)
  }

  /// The reader has agreed and the app says so; nothing has reached the publication.
  func testKilledRightAfterPayTheNextStartFinishesThePurchase() throws {
    try app.startSignedIn(app.faults(#"{"fault": "delay", "seconds": 60, "path": "/v1/orders/"}"#))
    let title = try openLockedArticle()
    try choose("Yearly")
    try app.press("Pay")
    try app.waitForText("Paying…")
    try app.wait(for: "the step in the journal") { try self.journal().contains("submitted") ? true : nil }
    app.kill()
    XCTAssertTrue(calls().isEmpty)
    try finishAfterRestart(title)
  }

  /// Too early for anything to have been agreed to, or just not: whoever pays again is charged once all the same.
  func testKilledInTheMomentOfPayNobodyPaysTwice() throws {
    try app.startSignedIn()
    let title = try openLockedArticle()
    try choose("Yearly")
    try app.press("Pay")
    app.kill()
    try app.start()
    try goHome()
    try app.open(title)
    try app.waitForScreen("article")
    let isLocked = try app.wait(for: "the article, locked or not") {
      app.first(.button, "Unlock") != nil ? true : app.rowNames.isEmpty && charges().count == 1 ? false : nil
    }
    if isLocked {
      try app.press("Unlock")
      try app.waitForScreen("paywall")
      try choose("Yearly")
      try app.press("Pay")
    }
    try waitUntilUnlocked(title)
    XCTAssertEqual(charges().count, 1)
  }

  /// The charge is made, and its answer never arrives.
  func testKilledWhileTheChargeIsUnderWayTheNextStartFinishesThePurchase() throws {
    try app.startSignedIn(app.faults(#"{"fault": "drop", "method": "POST", "path": "/v1/orders/"}"#))
    let title = try openLockedArticle()
    try choose("Yearly")
    try app.press("Pay")
    try app.wait(for: "the charge in the ledger") { charges().isEmpty ? nil : true }
    app.kill()
    try finishAfterRestart(title)
  }

  /// What was written down last, with whatever stands between it.
  private func journal() throws -> String {
    let files = FileManager.default.enumerator(at: app.home, includingPropertiesForKeys: nil)
    let logs = files?.compactMap { $0 as? URL }.filter { $0.lastPathComponent.hasPrefix("purchases.sqlite") } ?? []
    return try logs.map { String(decoding: try Data(contentsOf: $0), as: UTF8.self) }.joined()
  }

  /// From where the app was killed, as far as that was written down.
  private func goHome() throws {
    let screen = try app.wait(for: "the first page") { ["article", "feed"].first { $0 == app.screens.last } }
    if screen == "article" { try app.press("Home") }
    try app.waitForScreen("feed")
  }

  private func finishAfterRestart(_ title: String) throws {
    try app.start()
    try goHome()
    try app.wait(for: "the purchase to be finished") {
      app.rowNames.isEmpty || app.rowNames.contains { $0.hasSuffix(", premium") } ? nil : true
    }
    XCTAssertEqual(charges().count, 1)
    // What became of it is said above the rows at the bottom, until it is read.
    try app.press("Dismiss message")
    try app.wait(for: "the message to go") { app.first(.button, "Dismiss message") == nil ? true : nil }
    try app.open(title)
    try waitUntilUnlocked(title)
  }
}
