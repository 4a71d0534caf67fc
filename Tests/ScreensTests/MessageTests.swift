import AppCore
import XCTest

@testable import Gtk
@testable import Screens

/// What is said in passing.
final class MessageTests: ScreensTestCase {
  func testAMessageCoversNothingAndCanBeRead() throws {
    try MainActor.assumeIsolated {
      let rig = try AppRig(width: 360, height: 640)
      try rig.start()
      try rig.signIn()
      let words = "Thank you! You have bought “Five article passes” for €3.50. Order TVVJ-3BGJ."
      XCTAssertGreaterThan(MessageQueue.readingTime(of: words), 15)
      try rig.go(.post(try XCTUnwrap(rig.lockedPost)))
      for (place, needed) in [
        (nil, "Unlock"), (Navigation.paywall("premium", then: nil), "Not now"), (.payment("premium.yearly"), "Cancel"),
      ] {
        if let place { try rig.go(place) }
        rig.window.show(message: words)
        try rig.settle()
        let bar = try XCTUnwrap(rig.seen.all.first { $0.hasStyle("message-bar") }).place(in: rig.seen)
        let button = try XCTUnwrap(rig.seen.button(needed)).place(in: rig.seen)
        XCTAssertTrue(button.y + button.height <= bar.y || bar.y + bar.height <= button.y, "\(needed): \(button), \(bar)")
        XCTAssertGreaterThanOrEqual(bar.y, 0)
        XCTAssertLessThanOrEqual(bar.y + bar.height, Double(rig.window.window.height))
        XCTAssertFalse(try XCTUnwrap(rig.seen.label(words)).isCut)
        rig.seen.button("Dismiss message")?.click()
        try rig.settle()
      }
      try rig.close()
    }
  }

  func testAVeryLongMessageHasRoomInASmallWindow() throws {
    try MainActor.assumeIsolated {
      for height in [400, 560] {
        let rig = try AppRig(width: 360, height: height)
        try rig.start()
        try rig.signIn()
        for letters in [12, 20, 33] {
          for sentences in [1, 4, 6, 8, 12] {
            rig.window.show(
              message: Array(repeating: String(repeating: "m", count: letters) + ".", count: sentences).joined(separator: " "))
            try rig.settle()
            let bar = try XCTUnwrap(rig.seen.all.first { $0.hasStyle("message-bar") }).place(in: rig.seen)
            XCTAssertGreaterThanOrEqual(bar.y, 0, "\(sentences) × \(letters)")
            XCTAssertLessThanOrEqual(bar.y + bar.height, Double(rig.window.window.height))
            rig.seen.button("Dismiss message")?.click()
            try rig.settle()
          }
        }
        try rig.close()
      }
    }
  }

  func testNothingMovesWhenAMessageComesOrGoes() throws {
    try MainActor.assumeIsolated {
      for width in [360, 990] {
        let rig = try AppRig(width: width, height: 640)
        try rig.start()
        let places: [Navigation] = [
          .tab(.home), .tab(.bookmarks), .tab(.fanClubs), .tab(.account), .search(""), .search("rain"), .notifications, .privacy,
          .purchases(order: nil),
          .comments("rain-is-made-of-rice"), .fanClub("unknown"), .post("unknown"), .post("rain-is-made-of-rice"),
          .paywall("premium", then: nil), .payment("premium.yearly"),
        ]
        try checkThatNothingMoves(rig, "\(width) login")
        try rig.signIn()
        // The window's own bar, too.
        rig.line.isCut = true
        rig.seen.button("React")?.click()
        try rig.settle()
        XCTAssertTrue(rig.seen.says("Offline · 1 change waiting"))
        try checkThatNothingMoves(rig, "\(width) offline")
        rig.line.isCut = false
        for place in places {
          try rig.go(place)
          try checkThatNothingMoves(rig, "\(width) \(place)")
        }
        try rig.close()
      }
    }
  }

  func testTheGroundOfASheetIsDimmedToTheEdgesWhateverIsSaid() throws {
    try MainActor.assumeIsolated {
      let rig = try AppRig(width: 600, height: 640)
      try rig.start()
      try rig.signIn()
      rig.window.show(message: "This was said before.")
      try rig.go(.signOut)
      for words in ["This was said before.", "This is said now."] {
        if words != "This was said before." { rig.window.show(message: words) }
        try rig.settle()
        XCTAssertTrue(rig.seen.says(words))
        let page = try XCTUnwrap(rig.seen.all.first { $0.hasStyle("page") }).place(in: rig.seen)
        let dim = try XCTUnwrap(rig.seen.all.first { $0.hasStyle("dimmed") }).place(in: rig.seen)
        XCTAssertLessThanOrEqual(dim.y, page.y)
        // But the frame that a window has where nothing composes windows.
        XCTAssertGreaterThanOrEqual(dim.y + dim.height, rig.seen.height - 6)
        XCTAssertGreaterThanOrEqual(dim.width, rig.seen.width - 12)
      }
      try rig.close()
    }
  }

  /// The latest answers what one just did.
  func testTheLatestMessageComesFirstAndNoneIsLost() throws {
    try MainActor.assumeIsolated {
      let rig = try AppRig(width: 600, height: 640)
      try rig.start()
      try rig.signIn()
      for words in ["First.", "Second.", "First.", "Second.", "Third."] { rig.window.show(message: words) }
      for words in ["Third.", "Second.", "First."] {
        try rig.settle()
        XCTAssertEqual(["First.", "Second.", "Third."].filter { rig.seen.says($0) }, [words])
        rig.seen.button("Dismiss message")?.click()
      }
      try rig.settle()
      XCTAssertNil(rig.seen.button("Dismiss message"))
      try rig.close()
    }
  }

  func testEachMessageHasItsOwnReadingTime() {
    MainActor.assumeIsolated {
      let time = Time()
      let messages = MessageQueue(uptime: { time.now }, after: time.after)
      var shown: [String?] = []
      for words in ["A.", "A longer one.", "C."] { messages.show(words) }
      for words in ["C.", "A longer one.", "A."] {
        shown.append(messages.bar.message)
        XCTAssertEqual(time.waits.last?.seconds, MessageQueue.readingTime(of: words))
        time.pass()
      }
      shown.append(messages.bar.message)
      XCTAssertEqual(shown, ["C.", "A longer one.", "A.", nil])
    }
  }

  /// It would be about something else than what the person does by then.
  func testAMessageThatWasSeenDoesNotComeBackWhenItIsOld() {
    MainActor.assumeIsolated {
      let time = Time()
      let messages = MessageQueue(uptime: { time.now }, after: time.after)
      let long = String(repeating: "Long words. ", count: 20)
      messages.show("Seen.")
      time.now += 3
      messages.show("Not seen.")
      time.now += 1
      messages.show(long)
      // Each for the rest of its time.
      XCTAssertEqual(time.waits.last?.seconds, MessageQueue.readingTime(of: long))
      time.pass()
      XCTAssertEqual(messages.bar.message, "Not seen.")
      time.pass()
      XCTAssertNil(messages.bar.message)
      messages.show("Seen.")
      time.now += 3
      messages.show("Short.")
      time.pass()
      XCTAssertEqual(messages.bar.message, "Seen.")
      XCTAssertEqual(time.waits.last?.seconds ?? 0, MessageQueue.readingTime(of: "Seen.") - 3, accuracy: 0.001)
    }
  }

  func testATimeThatBelongedToADismissedMessageEndsNoOther() {
    MainActor.assumeIsolated {
      let time = Time()
      let messages = MessageQueue(uptime: { time.now }, after: time.after)
      for words in ["A.", "B."] { messages.show(words) }
      messages.dismiss()
      XCTAssertEqual(messages.bar.message, "A.")
      for wait in time.waits.dropLast() { wait.body() }
      XCTAssertEqual(messages.bar.message, "A.")
    }
  }

  func testAnAddressThatIsNotOpenedCanBeCopied() throws {
    try MainActor.assumeIsolated {
      let rig = try AppRig(width: 360, height: 640)
      try rig.start()
      rig.window.show(message: "Second.")
      rig.window.show(message: "This desktop has no browser to open https://example.org/ with.", offering: "https://example.org/")
      try rig.settle()
      try XCTUnwrap(rig.seen.button("Copy address")).click()
      try rig.settle()
      XCTAssertEqual(rig.seen.copied, "https://example.org/")
      XCTAssertTrue(rig.seen.says("Address copied."))
      XCTAssertNil(rig.seen.button("Copy address"))
      try rig.close()
    }
  }

  /// A text that the person wrote is not lost because they looked elsewhere.
  func testAMessageThatHasToBeAnsweredStaysUntilItIs() {
    MainActor.assumeIsolated {
      let time = Time()
      let messages = MessageQueue(uptime: { time.now }, after: time.after)
      let answers = Answers()
      messages.show("Offer.", untilAnswered: { answers.count += 1 })
      XCTAssertTrue(time.waits.isEmpty)
      time.now += 60
      messages.show("Later.")
      time.pass()
      XCTAssertEqual(messages.bar.message, "Offer.")
      XCTAssertEqual(answers.count, 0)
      messages.dismiss()
      XCTAssertNil(messages.bar.message)
      XCTAssertEqual(answers.count, 1)
      messages.show("Offer.", untilAnswered: { answers.count += 1 })
      messages.clear()
      XCTAssertEqual(answers.count, 1, "whoever signs out has not answered")
    }
  }

  func testATextWithoutAPlaceCanBeCopied() throws {
    try MainActor.assumeIsolated {
      let rig = try AppRig(width: 360, height: 640)
      try rig.start()
      let answers = Answers()
      let words = "Your comment “Well said.” was not saved, and its post is gone."
      rig.window.show(message: words, offeringText: "Well said.") { answers.count += 1 }
      try rig.settle()
      XCTAssertTrue(rig.seen.says(words))
      try XCTUnwrap(rig.seen.button("Copy text")).click()
      try rig.settle()
      XCTAssertEqual(rig.seen.copied, "Well said.")
      XCTAssertTrue(rig.seen.says("Text copied."))
      XCTAssertFalse(rig.seen.says(words))
      XCTAssertEqual(answers.count, 1)
      try rig.close()
    }
  }

  func testAMessageDoesNotHideWhatHasTheKeyboard() throws {
    try MainActor.assumeIsolated {
      let rig = try AppRig(width: 360, height: 640)
      try rig.start()
      try rig.signIn()
      let words = "Something that takes more than one line, so that it takes up some room of a window that has none to spare."
      rig.window.show(message: words)
      try rig.settle()
      let bar = try XCTUnwrap(rig.seen.all.first { $0.hasStyle("message-bar") })
      let before = bar.place(in: rig.seen)
      XCTAssertGreaterThan(before.y, 320, "at the lower edge")
      var beneath: Seen?
      for share in stride(from: 0, to: 0.6, by: 0.01) where beneath == nil {
        rig.seen.scroll(to: share)
        try rig.settle()
        beneath = rig.seen.all.filter { $0.isButton && $0.enclosing("row") != nil }.first { button in
          let place = button.place(in: rig.seen)
          return place.y >= before.y && place.y + place.height <= before.y + before.height
        }
      }
      XCTAssertTrue(try XCTUnwrap(beneath, "a button beneath").focus())
      try rig.settle()
      let (place, after) = (try XCTUnwrap(beneath).place(in: rig.seen), bar.place(in: rig.seen))
      XCTAssertTrue(after.y + after.height <= place.y || place.y + place.height <= after.y, "\(after), \(place)")
      XCTAssertTrue(rig.seen.says(words))
      try rig.close()
    }
  }

  /// The window's message may be about something else, and stay for as long as the offer does.
  func testAMessageDoesNotHideWhatThePageOffers() throws {
    try MainActor.assumeIsolated {
      let rig = try AppRig(width: 600, height: 640)
      try rig.start()
      try rig.signIn()
      rig.window.show(message: "This link leads to something that is not here, or no longer.")
      try rig.settle()
      rig.seen.button("Mark all as read")?.click()
      try rig.settle()
      rig.window.window.painted()
      let bars = rig.seen.all.filter { $0.hasStyle("message-bar") }
      XCTAssertEqual(bars.count, 2)
      let offer = try XCTUnwrap(bars.first { $0.button("Undo") != nil }).place(in: rig.seen)
      let other = try XCTUnwrap(bars.first { $0.button("Undo") == nil }).place(in: rig.seen)
      XCTAssertTrue(other.y + other.height <= offer.y, "\(other), \(offer)")
      rig.seen.button("Undo")?.click()
      try rig.settle()
      XCTAssertTrue(rig.seen.says("This link leads to something that is not here, or no longer."))
      try rig.close()
    }
  }

  func testWhatWaitsToBeSaidToAReaderIsNotSaidToTheNext() throws {
    try MainActor.assumeIsolated {
      let rig = try AppRig(width: 600, height: 640)
      try rig.start()
      try rig.signIn()
      for words in ["First.", "Second."] { rig.window.show(message: words) }
      try rig.go(.login(then: nil))
      try rig.settle()
      XCTAssertFalse(rig.seen.says("First."))
      XCTAssertFalse(rig.seen.says("Second."))
      try rig.close()
    }
  }

  func testAMessageOfAPageMovesNothing() throws {
    try MainActor.assumeIsolated {
      let rig = try AppRig(width: 600, height: 640)
      try rig.start()
      try rig.signIn()
      let list = try XCTUnwrap(rig.seen.scroller).place(in: rig.seen)
      rig.seen.button("Mark all as read")?.click()
      try rig.settle()
      XCTAssertTrue(rig.seen.says("Everything here was marked as read."))
      XCTAssertEqual(try XCTUnwrap(rig.seen.scroller).place(in: rig.seen).height, list.height)
      try rig.close()
    }
  }

  func testAMessageHasOneLineWhereThereIsRoom() throws {
    try MainActor.assumeIsolated {
      let rig = try AppRig(width: 990)
      try rig.start()
      try rig.signIn()
      rig.seen.button("Mark all as read")?.click()
      rig.window.show(message: "This is what one reads in a line.")
      try rig.settle()
      for words in ["Everything here was marked as read.", "This is what one reads in a line."] {
        XCTAssertEqual(try XCTUnwrap(rig.seen.label(words)).lines.count, 1, words)
      }
      try rig.close()
    }
  }
}

/// Says something, and compares where everything is before, meanwhile and afterwards.
@MainActor private func checkThatNothingMoves(_ rig: AppRig, _ name: String, line: UInt = #line) throws {
  let words = "Something that takes more than one line, so that it takes up some room of a window that has none to spare."
  func places() -> [String] {
    rig.seen.all.filter { $0.enclosing("slide") == nil && !$0.description.hasPrefix("slide") && !$0.isSpinner }
      .map { "\($0.texts.first ?? "") \($0.place(in: rig.seen))" }
  }
  try rig.settle()
  let before = places()
  XCTAssertGreaterThan(before.count, 20, name, line: line)
  rig.window.show(message: words)
  try rig.settle()
  XCTAssertTrue(rig.seen.says(words), name, line: line)
  XCTAssertEqual(Set(places()).subtracting(before), [], "\(name): it comes", line: line)
  rig.seen.button("Dismiss message")?.click()
  try rig.settle()
  XCTAssertEqual(Set(places()).symmetricDifference(before), [], "\(name): it went", line: line)
}

/// How often a person has answered.
@MainActor private final class Answers { var count = 0 }

/// Time that passes when it is told to.
@MainActor private final class Time {
  var waits: [(seconds: Double, body: @MainActor () -> Void)] = []
  func after(_ seconds: Double, _ body: @escaping @MainActor () -> Void) { waits.append((seconds, body)) }
  /// In seconds.
  var now = 0.0
  func pass() {
    let wait = waits.removeLast()
    now += wait.seconds
    wait.body()
  }
}
