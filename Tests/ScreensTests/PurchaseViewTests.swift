import AppCore
import Foundation
import Gtk
import XCTest

@testable import Screens

/// Paywall and payment sheet, over the sample publication.
final class PurchaseViewTests: ScreensTestCase {
  func testBuyingOpensTheArticleAndTheLocksOfTheFeed() throws {
    try MainActor.assumeIsolated {
      let rig = try AppRig()
      try rig.start()
      try rig.signIn()
      XCTAssertTrue(rig.seen.says("Premium"))
      try rig.go(.post(try XCTUnwrap(rig.lockedPost)))
      XCTAssertTrue(rig.seen.says("The rest is for members"))
      rig.seen.button("Unlock")?.click()
      try rig.settle()
      XCTAssertEqual(rig.shown, "paywall")
      let offer = try XCTUnwrap(rig.seen.buttonNames.first { $0.hasPrefix("Yearly") })
      rig.seen.button(offer)?.click()
      try rig.settle()
      XCTAssertEqual(rig.shown, "payment")
      XCTAssertTrue(rig.seen.says("Total, including tax"))
      XCTAssertTrue(rig.seen.says("€49.00"))
      rig.line.hold("POST /v1/orders")
      rig.seen.button("Pay €49.00")?.click()
      eventually("the charge is asked for") { rig.line.suspended == 1 }
      rig.window.window.painted()
      let sheet = try XCTUnwrap(rig.seen.all.first { $0.hasStyle("sheet") })
      XCTAssertTrue(sheet.isSpinning)
      XCTAssertEqual(sheet.button("Pay €49.00")?.isSensitive, false)
      XCTAssertNil(sheet.button("Cancel"), "the money is on its way")
      rig.line.release()
      eventually("the sheets close") { rig.shown == "article" }
      try rig.settle()
      eventually("thanks") { rig.seen.texts.contains { $0.hasPrefix("Thank you! You have bought “Yearly” for €49.00. Order ") } }
      XCTAssertFalse(rig.seen.says("The rest is for members"))
      XCTAssertNil(rig.seen.button("Unlock"))
      try rig.go(.back)
      XCTAssertEqual(rig.shown, "feed")
      XCTAssertFalse(rig.seen.says("Premium"))
      try rig.go(.tab(.account))
      XCTAssertTrue(rig.seen.texts.contains { $0.hasPrefix("You have premium access") }, "\(rig.seen.texts)")
      try rig.go(.paywall("premium", then: nil))
      XCTAssertTrue(rig.seen.says("This is yours already: there is nothing left to pay for here."))
      XCTAssertNil(rig.seen.button("Not now"))
      rig.seen.button("Close")?.click()
      try rig.settle()
      XCTAssertEqual(rig.shown, "account")
      try rig.close()
    }
  }

  func testASheetCanBeClosedByTheMouseWhileThePaymentIsOnItsWay() throws {
    try MainActor.assumeIsolated {
      let rig = try AppRig()
      try rig.start()
      try rig.signIn()
      try rig.go(.paywall("premium", then: nil))
      try rig.go(.payment("premium.yearly"))
      rig.line.hold("POST /v1/orders")
      rig.seen.button("Pay €49.00")?.click()
      eventually("the charge is asked for") { rig.line.suspended == 1 }
      rig.window.window.painted()
      rig.seen.button("Close")?.click()
      eventually("as with Escape") { rig.shown == "paywall" }
      rig.window.window.painted()
      XCTAssertTrue(rig.seen.says("A payment is being confirmed. It unlocks by itself."))
      rig.line.release()
      try rig.settle()
      try rig.go(.dismiss)
      XCTAssertFalse(rig.seen.says("Premium"), "it was bought all the same")
      try rig.close()
    }
  }

  func testTheChosenWayToPayIsTicked() throws {
    try MainActor.assumeIsolated {
      let rig = try AppRig()
      try rig.start()
      try rig.signIn()
      try rig.go(.payment("premium.yearly"))
      let ways = try ["Test card", "Declined", "Empty"].map { prefix in
        try XCTUnwrap(rig.seen.all.first { $0.hasStyle("method") && $0.texts.first?.hasPrefix(prefix) == true })
      }
      for chosen in ways.indices {
        ways[chosen].click()
        rig.window.window.painted()
        XCTAssertEqual(ways.map { $0.icons == [Icon.done.name] }, ways.indices.map { $0 == chosen })
      }
      try rig.close()
    }
  }

  func testADeclineSaysWhyAndOffersAnotherTry() throws {
    try MainActor.assumeIsolated {
      let rig = try AppRig()
      try rig.start()
      try rig.signIn()
      try rig.go(.payment("premium.yearly"))
      let card = try XCTUnwrap(rig.seen.buttonNames.first { $0.hasPrefix("Declined") })
      rig.seen.button(card)?.click()
      rig.window.window.painted()
      XCTAssertEqual(rig.seen.button(card)?.isOn, true)
      rig.seen.button("Pay €49.00")?.focus()
      rig.seen.button("Pay €49.00")?.click()
      try rig.settle()
      XCTAssertTrue(rig.seen.says("Your bank declined the payment."))
      XCTAssertEqual(rig.seen.button("Try again · €49.00")?.isSensitive, true)
      XCTAssertEqual(rig.seen.button("Try again · €49.00")?.hasFocus, true, "\(rig.seen.buttonNames)")
      rig.seen.button("Cancel")?.click()
      try rig.settle()
      XCTAssertEqual(rig.shown, "feed")
      XCTAssertTrue(rig.seen.says("Premium"))
      try rig.close()
    }
  }

  /// The button that was pressed goes, and what is left has the keyboard.
  func testAPaymentThatIsNotOverLeavesTheKeyboardOnWhatComesNext() throws {
    try MainActor.assumeIsolated {
      let rig = try AppRig(storeBadge: "Test store")
      try rig.start()
      try rig.signIn()
      try rig.go(.payment("premium.yearly"))
      rig.seen.button(try XCTUnwrap(rig.seen.buttonNames.first { $0.hasPrefix("Test card to confirm") }))?.click()
      rig.seen.button("Pay €49.00")?.focus()
      rig.seen.button("Pay €49.00")?.click()
      try rig.settle()
      XCTAssertEqual(rig.seen.button("Open your bank's page")?.hasFocus, true, "\(rig.seen.buttonNames)")
      try rig.close()
    }
  }

  /// Beyond the last one comes "Pay", where a press of Space would buy.
  func testTheArrowsChooseAmongTheWaysToPayAndStayThere() throws {
    try MainActor.assumeIsolated {
      let rig = try AppRig(storeBadge: "Test store")
      try rig.start()
      try rig.signIn()
      try rig.go(.payment("premium.yearly"))
      let cards = rig.seen.all.filter { $0.hasStyle("method") }
      XCTAssertGreaterThan(cards.count, 2)
      @MainActor func chosen() -> [Int] { cards.indices.filter { cards[$0].isOn && cards[$0].hasFocus } }
      cards.first?.focus()
      for expected in Array(1..<cards.count) + [cards.count - 1] {
        XCTAssertTrue(rig.seen.pressAtFocus("Down"))
        XCTAssertEqual(chosen(), [expected])
      }
      XCTAssertEqual(cards.filter(\.isFocusable).count, 1, "Tab leaves them")
      for expected in (0..<cards.count - 1).reversed() + [0] {
        XCTAssertTrue(rig.seen.pressAtFocus("Up"))
        XCTAssertEqual(chosen(), [expected])
      }
      try rig.close()
    }
  }

  func testOffersThatDoNotComeCanBeAskedForAgain() throws {
    try MainActor.assumeIsolated {
      let rig = try AppRig()
      try rig.start()
      try rig.signIn()
      rig.line.hold("GET /v1/paywalls")
      rig.coordinator.perform(.paywall("premium", then: nil))
      eventually("the paywall is asked for") { rig.line.suspended == 1 }
      rig.window.window.painted()
      XCTAssertTrue(rig.seen.isSpinning)
      XCTAssertTrue(rig.seen.says("Fetching the offers…"))
      rig.line.isCut = true
      rig.line.release()
      try rig.settle()
      XCTAssertTrue(rig.seen.says("The offers cannot be shown"))
      XCTAssertTrue(rig.seen.icons.contains(Icon.failed.name))
      rig.line.isCut = false
      rig.seen.button("Try again")?.click()
      try rig.settle()
      XCTAssertTrue(rig.seen.buttonNames.contains { $0.hasPrefix("Monthly") })
      rig.seen.button("Not now")?.click()
      try rig.settle()
      XCTAssertEqual(rig.shown, "feed")
      try rig.close()
    }
  }

  func testPassesBoughtFromAnArticleOpenIt() throws {
    try MainActor.assumeIsolated {
      let rig = try AppRig()
      try rig.start()
      try rig.signIn()
      try rig.go(.post(try XCTUnwrap(rig.lockedPost)))
      XCTAssertNil(rig.seen.button("Unlock with a pass (5 left)"))
      XCTAssertEqual(rig.seen.prominent, ["Unlock"])
      rig.seen.button("Unlock")?.click()
      try rig.settle()
      let offer = try XCTUnwrap(rig.seen.buttonNames.first { $0.contains("passes") })
      rig.seen.button(offer)?.click()
      try rig.settle()
      let pay = try XCTUnwrap(rig.seen.buttonNames.first { $0.hasPrefix("Pay €") })
      rig.seen.button(pay)?.click()
      eventually("the reader is back at the article, with passes") { rig.seen.button("Unlock with a pass (5 left)") != nil }
      try rig.settle()
      XCTAssertEqual(rig.shown, "article")
      XCTAssertEqual(rig.seen.prominent, ["Unlock with a pass (5 left)"], "what the reader has is nearer than what they can buy")
      rig.line.hold("PUT /v1/posts")
      rig.seen.button("Unlock with a pass (5 left)")?.click()
      rig.seen.button("Unlock with a pass (5 left)")?.click()
      eventually("the pass is being spent") { rig.line.suspended == 1 }
      rig.window.window.painted()
      XCTAssertTrue(rig.seen.isSpinning)
      XCTAssertEqual(rig.seen.button("Unlock with a pass (5 left)")?.isSensitive, false)
      XCTAssertEqual(rig.seen.button("Unlock")?.isSensitive, false)
      XCTAssertEqual(rig.seen.prominent, ["Unlock with a pass (5 left)"])
      rig.line.release()
      eventually("the article opens") { rig.seen.button("Unlock") == nil }
      try rig.settle()
      try rig.go(.back)
      try rig.go(.post(try XCTUnwrap(rig.lockedPost)))
      XCTAssertNotNil(rig.seen.button("Unlock with a pass (4 left)"))
      try rig.close()
    }
  }

  /// The text may come before the sheet goes, or after.
  func testAfterPayingTheKeyboardIsOnTheTextThatWasRead() throws {
    try MainActor.assumeIsolated {
      for comesLate in [false, true] {
        let rig = try AppRig(width: 360, height: 480)
        try rig.start()
        try rig.signIn()
        try rig.go(.post(try XCTUnwrap(rig.lockedPost)))
        let position = rig.seen.scroll(to: 1)
        XCTAssertGreaterThan(position, 50)
        try XCTUnwrap(rig.seen.button("Unlock")).focus()
        rig.seen.button("Unlock")?.click()
        try rig.settle()
        rig.seen.button(try XCTUnwrap(rig.seen.buttonNames.first { $0.hasPrefix("Yearly") }))?.click()
        try rig.settle()
        if comesLate { rig.line.hold("GET /v1/posts/") }
        try XCTUnwrap(rig.seen.button("Pay €49.00")).focus()
        rig.seen.button("Pay €49.00")?.click()
        eventually("the sheets close") { rig.shown == "article" }
        rig.window.window.painted()
        rig.line.release()
        try rig.settle()
        rig.expectReading(from: position)
        try rig.close()
      }
    }
  }

  func testAfterUsingAPassTheKeyboardIsOnTheTextThatWasRead() throws {
    try MainActor.assumeIsolated {
      let rig = try AppRig(width: 360, height: 480)
      try rig.start()
      try rig.signIn()
      try rig.go(.payment("passes.5"))
      rig.seen.button(try XCTUnwrap(rig.seen.buttonNames.first { $0.hasPrefix("Pay €") }))?.click()
      try rig.settle()
      try rig.go(.post(try XCTUnwrap(rig.lockedPost)))
      let pass = "Unlock with a pass (5 left)"
      let position = rig.seen.scroll(to: 1)
      XCTAssertGreaterThan(position, 50)
      try XCTUnwrap(rig.seen.button(pass)).focus()
      rig.line.hold("PUT /v1/posts")
      rig.seen.button(pass)?.click()
      eventually("the pass is being spent") { rig.line.suspended == 1 }
      rig.line.isCut = true
      rig.line.release()
      try rig.settle()
      XCTAssertTrue(try XCTUnwrap(rig.seen.button(pass)).hasFocus, "whoever pressed it is still here when it did not work")
      XCTAssertEqual(rig.seen.position, position)
      rig.line.isCut = false
      rig.seen.button(pass)?.click()
      eventually("the article opens") { rig.seen.button("Unlock") == nil }
      try rig.settle()
      rig.expectReading(from: position)
      try rig.close()
    }
  }

  /// Where a sheet has more than fits, its bar is beside what is for sale, and not on it.
  func testTheBarOfASheetIsClearOfThePrices() throws {
    try MainActor.assumeIsolated {
      for width in [360, 1000] {
        let rig = try AppRig(width: width, height: 440)
        try rig.start()
        try rig.signIn()
        for place in [Navigation.paywall("premium", then: nil), .payment("premium.yearly")] {
          try rig.go(place)
          let sheet = try XCTUnwrap(rig.seen.all.first { $0.hasStyle("sheet") })
          let scroller = try XCTUnwrap(sheet.scroller)
          let bar = scroller.bar
          rig.window.window.painted()
          let (edge, widest) = (bar.place(in: sheet), sheet.place(in: sheet).width)
          XCTAssertGreaterThan(edge.width, 0, "\(place) at \(width)")
          XCTAssertGreaterThan(edge.height, 0, "\(place) at \(width)")
          XCTAssertLessThanOrEqual(edge.x + edge.width, widest, "\(place) at \(width)")
          for part in scroller.all where part.isButton || part.text?.isEmpty == false {
            let place = part.place(in: sheet)
            XCTAssertLessThanOrEqual(place.x + place.width, edge.x, "\(part.texts) at \(width)")
          }
        }
        try rig.close()
      }
    }
  }

  func testPurchasesAreListedWithWhatCanBeDone() throws {
    try MainActor.assumeIsolated {
      let rig = try AppRig(width: 360, height: 480)
      try rig.start()
      try rig.signIn()
      try rig.go(.tab(.account))
      rig.seen.button("Purchases")?.click()
      try rig.settle()
      XCTAssertEqual(rig.shown, "purchases")
      XCTAssertTrue(rig.seen.says("Nothing bought yet"))
      try rig.go(.payment("premium.yearly"))
      rig.seen.button("Pay €49.00")?.click()
      eventually("the sheet closes") { rig.shown == "purchases" && rig.seen.says("Paid") }
      try rig.settle()
      XCTAssertTrue(rig.seen.says("Yearly"))
      XCTAssertTrue(rig.seen.texts.contains { $0.hasPrefix("Open until ") })
      XCTAssertTrue(rig.seen.texts.contains { $0.hasPrefix("To cancel your subscription: ") })
      XCTAssertNil(rig.seen.button("Check now"))
      XCTAssertEqual(rig.seen.button("Restore purchases")?.focus(), true)
      rig.seen.button("Dismiss message")?.click()
      rig.seen.button("Restore purchases")?.click()
      try rig.settle()
      let words = "Everything that belongs to your account is here: Yearly."
      let place = try XCTUnwrap(rig.seen.label(words)).place(in: rig.seen)
      XCTAssertLessThanOrEqual(place.y + place.height, 480, "on screen, wherever the page is scrolled to")
      XCTAssertEqual(rig.seen.button("Restore purchases")?.hasFocus, true, "whoever pressed it is still here")
      rig.seen.button("Dismiss message")?.click()
      try rig.settle()
      XCTAssertFalse(rig.seen.says(words))
      try rig.close()
    }
  }

  func testPurchasesThatWaitForThePublicationSaySoAndComeByThemselves() throws {
    try MainActor.assumeIsolated {
      let rig = try AppRig()
      try rig.start()
      try rig.signIn()
      try rig.go(.payment("premium.yearly"))
      rig.seen.button("Pay €49.00")?.click()
      try rig.settle()
      rig.line.hold("GET /v1/orders")
      rig.coordinator.perform(.purchases(order: nil))
      eventually("it says that it is loaded") { rig.seen.says("Refreshing…") }
      rig.line.isCut = true
      rig.line.release()
      try rig.settle()
      let note = "This list may be incomplete. The rest comes as soon as the publication can be reached."
      XCTAssertTrue(rig.seen.says(note), "\(rig.seen.texts)")
      XCTAssertFalse(rig.seen.says("Refreshing…"))
      XCTAssertFalse(rig.seen.texts.contains { $0.contains(" · Order ") })
      rig.line.isCut = false
      rig.coordinator.upkeep.networkIsBack()
      try rig.settle()
      eventually("it comes by itself") { !rig.seen.says(note) && rig.seen.texts.contains { $0.contains(" · Order ") } }
      try rig.close()
    }
  }

  func testAPaywallThatIsOpenedAgainBeginsAtItsBeginning() throws {
    try MainActor.assumeIsolated {
      let rig = try AppRig(width: 360, height: 480)
      try rig.start()
      try rig.signIn()
      for time in 1...2 {
        try rig.go(.paywall("premium", then: nil))
        let sheet = try XCTUnwrap(rig.seen.all.first { $0.hasStyle("sheet") })
        XCTAssertEqual(sheet.position, 0, "time \(time)")
        XCTAssertTrue(try XCTUnwrap(sheet.button("Not now")).hasFocus, "time \(time)")
        try rig.go(.dismiss)
      }
      try rig.close()
    }
  }

  /// The offer that was pressed cannot be pressed again, and what has changed is said above.
  func testAPaywallThatComesBackWithAPaymentThatWaitsBeginsAtItsBeginning() throws {
    try MainActor.assumeIsolated {
      let rig = try AppRig(width: 360, height: 480, storeBadge: "Test store")
      try rig.start()
      try rig.signIn()
      try rig.go(.paywall("premium", then: nil))
      let sheet = try XCTUnwrap(rig.seen.all.first { $0.hasStyle("sheet") })
      sheet.scroll(to: 1)
      rig.window.window.painted()
      XCTAssertGreaterThan(sheet.position, 50)
      let offer = try XCTUnwrap(sheet.button(try XCTUnwrap(sheet.buttonNames.first { $0.hasPrefix("Monthly") })))
      XCTAssertTrue(offer.focus())
      offer.click()
      try rig.settle()
      rig.seen.button(try XCTUnwrap(rig.seen.buttonNames.first { $0.hasPrefix("Test card to confirm") }))?.click()
      rig.seen.button(try XCTUnwrap(rig.seen.buttonNames.first { $0.hasPrefix("Pay €") }))?.click()
      try rig.settle()
      XCTAssertTrue(rig.seen.press("Escape"))
      try rig.settle()
      XCTAssertEqual(rig.shown, "paywall")
      eventually("it says so") { rig.seen.texts.contains { $0.hasPrefix("Your bank wants you to confirm") } }
      rig.window.window.painted()
      let again = try XCTUnwrap(rig.seen.all.first { $0.hasStyle("sheet") })
      XCTAssertEqual(again.position, 0)
      XCTAssertEqual(again.all.last { $0.isButton }?.hasFocus, true, "the button that leaves")
      try rig.close()
    }
  }

  func testPurchasesBeginWithThePaymentThatWaitsForTheReader() throws {
    try MainActor.assumeIsolated {
      let rig = try AppRig(storeBadge: "Test store")
      try rig.start()
      try rig.signIn()
      try rig.go(.payment("premium.yearly"))
      rig.seen.button(try XCTUnwrap(rig.seen.buttonNames.first { $0.hasPrefix("Test card to confirm") }))?.click()
      rig.seen.button("Pay €49.00")?.click()
      try rig.settle()
      try rig.go(.dismiss)
      try rig.go(.purchases(order: nil))
      eventually("it is listed") { rig.seen.button("Open your bank's page") != nil }
      eventually("the keyboard is on what it waits for") { rig.seen.button("Open your bank's page")?.hasFocus == true }
      XCTAssertEqual(rig.seen.prominent, ["Open your bank's page"], "and not beside it")
      XCTAssertNotNil(rig.seen.button("Cancel payment"))
      try rig.close()
    }
  }

  func testARestoreThatTakesLongSaysSoInSight() throws {
    try MainActor.assumeIsolated {
      let patience = LoadingWords.patience
      LoadingWords.patience = 0.3
      defer { LoadingWords.patience = patience }
      let rig = try AppRig(width: 360, height: 480)
      try rig.start()
      try rig.signIn()
      try rig.go(.payment("premium.yearly"))
      rig.seen.button("Pay €49.00")?.click()
      try rig.settle()
      try rig.go(.purchases(order: nil))
      try XCTUnwrap(rig.seen.button("Restore purchases")).focus()
      rig.window.window.painted()
      let place = try XCTUnwrap(rig.seen.button("Restore purchases")).place(in: rig.seen)
      rig.line.hold("")
      rig.seen.button("Restore purchases")?.click()
      let words = "Restoring… \(LoadingWords.explanation)"
      eventually("it is said") { rig.seen.says(words) }
      rig.window.window.painted()
      XCTAssertEqual(try XCTUnwrap(rig.seen.button("Restore purchases")).place(in: rig.seen).y, place.y)
      rig.line.release()
      try rig.settle()
      XCTAssertFalse(rig.seen.says(words))
      try rig.close()
    }
  }

  func testPurchasesBeginAtTheTopAndAnOrderNumberStaysWhole() throws {
    try MainActor.assumeIsolated {
      let rig = try AppRig(width: 360, height: 560)
      try rig.start()
      try rig.signIn()
      for product in ["passes.5", "premium.yearly", "passes.5"] {
        try rig.go(.payment(product))
        rig.seen.button(try XCTUnwrap(rig.seen.buttonNames.first { $0.hasPrefix("Pay ") }))?.click()
        try rig.settle()
      }
      try rig.go(.purchases(order: nil))
      rig.window.window.painted()
      XCTAssertFalse(try XCTUnwrap(rig.seen.button("Restore purchases")).hasFocus)
      XCTAssertEqual(rig.seen.position, 0)
      let facts = try XCTUnwrap(rig.seen.all.first { $0.text?.contains("Order ") == true && $0.enclosing("slide") == nil })
      let first = try XCTUnwrap(rig.seen.all.first { $0.hasStyle("read-by-keyboard") })
      XCTAssertFalse(rig.seen.all.contains { ($0.isButton || $0.hasStyle("read-by-keyboard")) && $0.hasFocus }, "on the page as a whole")
      XCTAssertTrue(rig.seen.pressTab())
      XCTAssertTrue(first.hasFocus, "the first from above")
      XCTAssertTrue(first.says(try XCTUnwrap(facts.text)))
      let number = try XCTUnwrap(facts.text?.split(separator: " ").last.map(String.init))
      XCTAssertTrue(rig.seen.pressAtFocus("<Control>a"))
      XCTAssertTrue(rig.seen.pressAtFocus("<Control>c"))
      XCTAssertEqual(rig.seen.copied?.hasSuffix(" Order \(number)"), true, rig.seen.copied ?? "")
      XCTAssertTrue(number.contains("-"))
      try rig.close()
      let label = Label(wraps: true)
      label.setMarkup(Markup(nonBreakingCodesIn: "28 May 2026 · Order AKTR-QQ9E and well-known words"))
      label.setMaximumWidth(characters: 26)
      let window = Window(nil, title: "Narrow", width: 100, height: 300)
      for width in [120, 150, 180, 200, 220] {
        let clamp = Clamp(maximumWidth: width, label)
        window.child(clamp)
        window.present()
        window.painted()
        XCTAssertTrue(Seen(label).lineTexts.contains { $0.contains("AKTR-QQ9E") }, "\(width): \(Seen(label).lineTexts)")
        clamp.child(nil)
      }
      window.destroy()
    }
  }

  func testWhatHasTheKeyboardStaysInSightWhenTheBarComes() throws {
    try MainActor.assumeIsolated {
      let rig = try AppRig(width: 360, height: 560)
      try rig.start()
      try rig.signIn()
      rig.seen.button("React")?.click()
      try rig.settle()
      try rig.go(.payment("premium.yearly"))
      rig.seen.button("Pay €49.00")?.click()
      try rig.settle()
      try rig.go(.purchases(order: nil))
      let restore = try XCTUnwrap(rig.seen.button("Restore purchases"))
      XCTAssertTrue(restore.focus())
      try rig.settle()
      rig.line.isCut = true
      rig.coordinator.perform(.back)
      try rig.settle()
      rig.seen.button("React")?.click()
      try rig.go(.purchases(order: nil))
      rig.window.window.painted()
      let again = try XCTUnwrap(rig.seen.button("Restore purchases"))
      again.focus()
      try rig.settle()
      let (page, place) = (try XCTUnwrap(rig.seen.all.first { $0.hasStyle("page") && $0.scroller != nil }), again.place(in: rig.seen))
      let whole = try XCTUnwrap(page.scroller).place(in: rig.seen)
      XCTAssertLessThanOrEqual(place.y + place.height, whole.y + whole.height)
      rig.line.isCut = false
      try rig.close()
    }
  }

  func testTheAccountNamesAPaymentThatWaits() throws {
    try MainActor.assumeIsolated {
      let rig = try AppRig(width: 360, storeBadge: "Test store")
      try rig.start()
      try rig.signIn()
      try rig.go(.payment("premium.yearly"))
      rig.seen.button(try XCTUnwrap(rig.seen.buttonNames.first { $0.hasPrefix("Test card to confirm") }))?.click()
      rig.seen.button("Pay €49.00")?.click()
      try rig.settle()
      try rig.go(.dismiss)
      try rig.go(.tab(.account))
      let words = "1 payment waits for you to confirm it"
      eventually("it is named") { rig.seen.says(words) }
      rig.window.window.painted()
      XCTAssertEqual(rig.seen.label(words)?.isCut, false)
      rig.seen.button("Purchases \(words)")?.click()
      try rig.settle()
      XCTAssertEqual(rig.shown, "purchases")
      XCTAssertTrue(rig.seen.says("Your bank asks you to confirm"))
      try rig.close()
    }
  }

  /// The button that led to the paywall is no more there.
  func testAfterBuyingFromTheAccountTheKeyboardIsOnThePage() throws {
    try MainActor.assumeIsolated {
      let rig = try AppRig(width: 600, height: 700)
      try rig.start()
      try rig.signIn()
      try rig.go(.tab(.account))
      let unlock = try XCTUnwrap(rig.seen.button("Unlock premium"))
      XCTAssertTrue(unlock.focus())
      unlock.click()
      try rig.settle()
      try rig.go(.payment("premium.yearly"))
      rig.seen.button("Pay €49.00")?.click()
      eventually("it is bought") { rig.shown == "account" }
      eventually("the button is gone") { rig.seen.button("Unlock premium") == nil }
      eventually("the keyboard is on what is there now") {
        rig.seen.buttonNames.first { $0.hasPrefix("Purchases") }.flatMap { rig.seen.button($0)?.hasFocus } == true
      }
      try rig.close()
    }
  }

  func testAPaywallLeadsToTheBanksPage() throws {
    try MainActor.assumeIsolated {
      let rig = try AppRig(width: 360, storeBadge: "Test store")
      try rig.start()
      try rig.signIn()
      try rig.go(.paywall("premium", then: nil))
      XCTAssertNil(rig.seen.button("Open your bank's page"))
      try rig.go(.payment("premium.yearly"))
      rig.seen.button(try XCTUnwrap(rig.seen.buttonNames.first { $0.hasPrefix("Test card to confirm") }))?.click()
      rig.seen.button("Pay €49.00")?.click()
      try rig.settle()
      try rig.go(.back)
      eventually("the paywall says so") { rig.shown == "paywall" && rig.seen.button("Open your bank's page") != nil }
      XCTAssertTrue(rig.seen.texts.contains { $0.hasPrefix("Your bank wants you to confirm") }, "\(rig.seen.texts)")
      rig.seen.button("Open your bank's page")?.click()
      XCTAssertEqual(rig.opened.count, 1)
      try rig.close()
    }
  }

  func testAnUnfinishedPurchaseIsCheckedNow() throws {
    try MainActor.assumeIsolated {
      let rig = try AppRig()
      try rig.start()
      try rig.signIn()
      try rig.go(.payment("premium.yearly"))
      rig.line.isCut = true
      rig.seen.button("Pay €49.00")?.click()
      try rig.settle()
      rig.line.isCut = false
      try rig.go(.dismiss)
      try rig.go(.purchases(order: nil))
      eventually("it is listed") { rig.seen.button("Check now") != nil }
      rig.line.hold("PUT /v1/orders")
      rig.seen.button("Check now")?.click()
      rig.seen.button("Check now")?.click()
      eventually("the store is asked") { rig.line.suspended == 1 }
      rig.window.window.painted()
      XCTAssertTrue(rig.seen.isSpinning)
      XCTAssertEqual(rig.seen.button("Check now")?.isSensitive, false)
      rig.line.release()
      eventually("it is paid") { rig.seen.says("Paid") }
      try rig.settle()
      XCTAssertNil(rig.seen.button("Check now"))
      try rig.close()
    }
  }

  func testEveryScreenWithProductsCarriesTheStoresBadge() throws {
    try MainActor.assumeIsolated {
      let badge = "Test store: nothing is charged"
      let rig = try AppRig(width: 420, storeBadge: badge)
      try rig.start()
      try rig.signIn()
      XCTAssertFalse(rig.seen.says(badge))
      let places: [Navigation] = [
        .post(try XCTUnwrap(rig.lockedPost)), .paywall("premium", then: nil), .payment("premium.yearly"), .purchases(order: nil),
      ]
      for place in places {
        try rig.go(place)
        XCTAssertTrue(rig.seen.says(badge), "\(place)")
        try rig.go(.back)
      }
      try rig.close()
    }
  }

  func testUnlockingIsSeenWithoutScrolling() throws {
    try MainActor.assumeIsolated {
      let rig = try AppRig()
      try rig.start()
      try rig.signIn()
      try rig.go(.post(try XCTUnwrap(rig.lockedPost)))
      let place = try XCTUnwrap(rig.seen.button("Unlock")).place(in: rig.seen)
      XCTAssertLessThanOrEqual(place.y + place.height, 720)
      XCTAssertGreaterThan(place.y, 0)
      try rig.close()
    }
  }

  func testSheetsThatAreClosedLeaveNothing() throws {
    try MainActor.assumeIsolated {
      let rig = try AppRig()
      try rig.start()
      try rig.signIn()
      for place in [Navigation.paywall("premium", then: nil), .payment("premium.yearly"), .purchases(order: nil)] {
        try rig.go(place)
        try rig.go(.back)
        let (signals, objects) = (Diagnostics.liveSignals, Diagnostics.liveObjects)
        try rig.go(place)
        XCTAssertGreaterThan(Diagnostics.liveObjects, objects)
        if case .payment = place {
          rig.seen.buttonNames.first { $0.hasPrefix("Declined") }.flatMap { rig.seen.button($0) }?.click()
          rig.seen.button("Pay €49.00")?.click()
          try rig.settle()
        }
        try rig.go(.back)
        eventually("\(place) is gone") { Diagnostics.liveSignals <= signals && Diagnostics.liveObjects <= objects }
        XCTAssertLessThanOrEqual(Diagnostics.liveSignals, signals, "\(place)")
        XCTAssertLessThanOrEqual(Diagnostics.liveObjects, objects, "\(place)")
      }
      try rig.close()
    }
  }
}

extension AppRig {
  /// The keyboard scrolls the article from where one read.
  fileprivate func expectReading(from position: Double) {
    XCTAssertFalse(seen.all.contains { $0.isButton && $0.hasFocus }, "the space bar shall not press anything")
    XCTAssertEqual(seen.position, position)
    XCTAssertTrue(seen.pressAtFocus("space"))
    eventually("a page further") { seen.position > position + 100 }
    let further = seen.position
    XCTAssertTrue(seen.pressAtFocus("End"))
    eventually("at the end") { seen.position > further }
    XCTAssertTrue(seen.pressAtFocus("Home"))
    eventually("at the start") { seen.position == 0 }
  }
}

extension Seen {
  /// The buttons in it that stand out.
  fileprivate var prominent: [String] { all.filter { $0.isButton && $0.hasStyle("suggested-action") }.flatMap(\.buttonNames) }
}
