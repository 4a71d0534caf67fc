import AppCore
import Foundation
import Gtk
import LoginFeature
import SessionService
import XCTest

@testable import Screens

/// The login: what is typed arrives, what is wrong is said where it is wrong.
final class LoginViewTests: ScreensTestCase {
  func testWhatIsTypedArrivesAndEnterSubmits() throws {
    try MainActor.assumeIsolated {
      let rig = ReaderRig()
      let (seen, model) = try login(rig)
      XCTAssertTrue(seen.says("The Sample"))
      XCTAssertTrue(seen.says("For tests"))
      seen.entries[0].type("ada@example.org")
      XCTAssertEqual(model.state.email, "ada@example.org")
      seen.entries[1].type("right")
      XCTAssertTrue(model.state.hasPassword)
      seen.entries[1].pressEnter()
      try rig.settle()
      XCTAssertEqual(rig.auth.attempts, ["ada@example.org right"])
      XCTAssertNotNil(rig.session.state.user)
      XCTAssertEqual(seen.entries.map(\.typed), ["", ""], "the next reader sees nothing of this one")
      rig.close()
    }
  }

  func testASignInThatTakesLongSaysSoAndCanBeCancelled() throws {
    try MainActor.assumeIsolated {
      let patience = LoadingWords.patience
      LoadingWords.patience = 0.3
      defer { LoadingWords.patience = patience }
      let rig = ReaderRig(width: 360)
      let (seen, model) = try login(rig)
      seen.entries[0].type("ada@example.org")
      seen.entries[1].type("right")
      rig.auth.hold()
      seen.entries[1].pressEnter()
      rig.window.painted()
      XCTAssertNil(seen.button("Cancel"), "what is over in a moment shows nothing more")
      eventually("it is said") { seen.says(LoadingWords.explanation) && seen.button("Cancel") != nil }
      seen.button("Cancel")?.click()
      rig.auth.release()
      eventually("it is over") { !model.state.isWorking }
      rig.window.painted()
      XCTAssertNil(seen.button("Cancel"))
      rig.close()
    }
  }

  /// The keyboard is where one types next, and nothing of the password's part is in the way.
  func testACodeTakesThePlaceOfThePassword() throws {
    try MainActor.assumeIsolated {
      for width in [360, 990] {
        let rig = ReaderRig(width: width, mailsCodes: true)
        let (seen, model) = try login(rig)
        seen.entries[0].type("ada@example.org")
        try XCTUnwrap(seen.button("Forgot your password?")).click()
        eventually("it is mailed") { model.state.code != nil }
        rig.window.painted()
        XCTAssertEqual(seen.entries.count, 2)
        XCTAssertTrue(seen.entries[0].hasFocus)
        XCTAssertNil(seen.button("Forgot your password?"))
        XCTAssertNil(seen.button("Use the sample account"))
        XCTAssertNotNil(seen.button("Set the password"))
        seen.entries[0].type("111111")
        seen.entries[1].type("a new password")
        seen.entries[1].pressEnter()
        eventually("it is wrong") { seen.says("That is not the code. You have 4 tries left.") }
        rig.window.painted()
        XCTAssertTrue(seen.entries[0].hasFocus, "what has to be corrected")
        XCTAssertEqual(seen.entries[1].typed, "a new password")
        // The way back, and again: nothing of the first code is there.
        try XCTUnwrap(seen.button("Sign in with a password")).click()
        rig.window.painted()
        XCTAssertEqual(seen.entries.map(\.typed), ["ada@example.org", ""])
        try XCTUnwrap(seen.button("Mail me a code")).click()
        eventually("it is mailed") { model.state.code != nil }
        rig.window.painted()
        XCTAssertEqual(seen.entries.map(\.typed), [""])
        XCTAssertNotNil(seen.button("Sign in"))
        seen.entries[0].type("012345")
        seen.entries[0].pressEnter()
        eventually("signed in") { rig.session.state.user != nil }
        XCTAssertEqual(rig.auth.attempts.last, "012345 ")
        rig.close()
      }
    }
  }

  func testEnterInTheFirstFieldSubmitsToo() throws {
    try MainActor.assumeIsolated {
      let rig = ReaderRig()
      let (seen, _) = try login(rig)
      seen.entries[0].type("ada@example.org")
      seen.entries[0].pressEnter()
      rig.window.painted()
      XCTAssertTrue(seen.says("Enter your password."))
      rig.close()
    }
  }

  func testWhatIsWrongIsSaidBesideItsFieldUntilItIsCorrected() throws {
    try MainActor.assumeIsolated {
      let rig = ReaderRig()
      let (seen, _) = try login(rig)
      seen.button("Sign in")?.click()
      rig.window.painted()
      try isBelow(seen, "Enter your email address.", field: 0)
      try isBelow(seen, "Enter your password.", field: 1)
      XCTAssertTrue(seen.entries.allSatisfy { $0.hasStyle("error") })
      XCTAssertTrue(seen.entries[0].hasFocus, "the first that is wrong")
      seen.entries[0].type("ada")
      seen.entries[1].type("wrong")
      rig.window.painted()
      XCTAssertFalse(seen.entries.contains { $0.hasStyle("error") })
      seen.button("Sign in")?.click()
      rig.window.painted()
      try isBelow(seen, "An email address has an @ in it.", field: 0)
      XCTAssertTrue(seen.entries[0].hasFocus)
      seen.entries[0].type("ada@example.org")
      seen.button("Sign in")?.click()
      try rig.settle()
      try isBelow(seen, "Email and password do not match.", field: 1)
      XCTAssertEqual(seen.entries.map(\.hasErrorStyle), [false, true])
      XCTAssertEqual(seen.entries.map(\.typed), ["ada@example.org", "wrong"], "so that it can be corrected")
      XCTAssertTrue(seen.entries[1].hasFocus)
      XCTAssertEqual(seen.entries[1].selection, 0..<5, "what is typed takes its place")
      rig.auth.fail(with: .unreachable("The publication cannot be reached."))
      seen.entries[1].type("right")
      seen.button("Sign in")?.click()
      try rig.settle()
      XCTAssertTrue(seen.says("The publication cannot be reached."))
      XCTAssertFalse(seen.says("Email and password do not match."))
      rig.close()
    }
  }

  func testNothingCanBePressedTwiceWhileItWorks() throws {
    try MainActor.assumeIsolated {
      let rig = ReaderRig()
      let (seen, _) = try login(rig)
      seen.entries[0].type("ada@example.org")
      seen.entries[1].type("right")
      rig.auth.hold()
      seen.entries[1].focus()
      seen.entries[1].pressEnter()
      eventually("the backend is asked") { rig.auth.waiting == 1 }
      rig.window.painted()
      XCTAssertTrue(seen.says("Signing in…"))
      let buttons = ["Signing in…", "Use the sample account"].compactMap { seen.button($0) }
      XCTAssertEqual(buttons.count, 2)
      XCTAssertFalse(buttons.contains { $0.isSensitive })
      XCTAssertFalse(seen.entries.contains { $0.isEditable })
      XCTAssertTrue(seen.entries[1].hasFocus)
      seen.entries[1].pressEnter()
      seen.button("Signing in…")?.click()
      seen.button("Use the sample account")?.click()
      rig.auth.release()
      try rig.settle()
      XCTAssertEqual(rig.auth.attempts.count, 1)
      XCTAssertEqual(seen.button("Sign in")?.isSensitive, true)
      XCTAssertTrue(seen.entries.allSatisfy(\.isEditable))
      rig.close()
    }
  }

  func testTheSampleAccountIsOneButton() throws {
    try MainActor.assumeIsolated {
      let rig = ReaderRig()
      let (seen, _) = try login(rig)
      seen.button("Use the sample account")?.click()
      try rig.settle()
      XCTAssertEqual(rig.auth.attempts, ["a@b.c x"])
      XCTAssertTrue(seen.texts.contains { $0.contains("does not know its sample account") })
      rig.close()
    }
  }

  /// The cursor of a field that loses the keyboard any other way than by the person goes on blinking, and the toolkit complains.
  func testFieldsThatBecomeInsensitiveOrGoWithTheKeyboardCauseNoComplaint() throws {
    try MainActor.assumeIsolated {
      setting("gtk-cursor-blink", true)
      setting("gtk-cursor-blink-time", 100)
      defer { setting("gtk-cursor-blink", false) }
      let rig = try AppRig()
      try rig.start()
      rig.seen.entries[0].type("reader@example.org")
      rig.seen.entries[1].type("matinee")
      rig.seen.entries[1].focus()
      rig.blink()
      rig.line.hold("POST /v1/session")
      rig.seen.entries[1].pressEnter()
      eventually("the backend is asked") { rig.line.suspended == 1 }
      rig.blink()
      rig.line.release()
      eventually("the feed") { rig.shown == "feed" }
      rig.blink()
      try rig.close()
    }
  }
}

@MainActor private func login(_ rig: ReaderRig) throws -> (Seen, LoginViewModel) {
  let screen = rig.screen(.login)
  guard let model = screen.model as? LoginViewModel else { throw TimedOut() }
  return (try rig.show(screen), model)
}

@MainActor private func isBelow(
  _ seen: Seen, _ sentence: String, field: Int, file: StaticString = #filePath, line: UInt = #line
) throws {
  let label = try XCTUnwrap(seen.label(sentence), sentence, file: file, line: line).place(in: seen)
  let entry = seen.entries[field].place(in: seen)
  XCTAssertEqual(label.y, entry.y + entry.height, accuracy: 12, sentence, file: file, line: line)
  XCTAssertEqual(label.x, entry.x, accuracy: 2, sentence, file: file, line: line)
}

extension Seen {
  fileprivate var hasErrorStyle: Bool { hasStyle("error") }
}

extension AppRig {
  /// Turns the loop while a cursor blinks a few times: the toolkit's own timers, which no test can move.
  fileprivate func blink() { MainLoop.run(upTo: 0.4) }
}
