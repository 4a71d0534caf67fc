import AppCore
import CGtk
import PublicationAPI
import TestSupport
import XCTest

@testable import Gtk
@testable import Screens

/// What people wrote begins at the side of its own script, whichever way the interface is read.
final class DirectionTests: ScreensTestCase {
  private static let english = String(repeating: "Some words in English. ", count: 30)
  private static let hebrew = String(repeating: "כמה מילים בעברית. ", count: 30)

  func testEachParagraphBeginsAtTheSideOfItsOwnScript() throws {
    try MainActor.assumeIsolated {
      defer { gtk_widget_set_default_direction(GTK_TEXT_DIR_LTR) }
      let (english, hebrew) = (Self.english, Self.hebrew)
      for direction in [GTK_TEXT_DIR_LTR, GTK_TEXT_DIR_RTL] {
        gtk_widget_set_default_direction(direction)
        var post = Post.sample(
          1, body: "<p>123 \(english)</p><p>\(hebrew)</p><blockquote>\(hebrew)</blockquote><ul><li>\(english)</li><li>short</li></ul>")
        (post.title, post.teaser) = ("כותרת", english)
        let rig = ReaderRig(posts: [post], width: 1400)
        var wrong = PublicationAPI.Comment.sample(1)
        wrong.text = hebrew
        rig.publication.with { $0.comments = [wrong] }
        for seen in try [rig.show(.tab(.home)), rig.show(.post("p1")), rig.show(.comments("p1"))] {
          Self.checkDirections(seen, finding: /English|[א-ת]|short/, least: 2)
        }
        rig.close()
      }
    }
  }

  func testFanClubsBeginAtTheSideOfTheirOwnScript() throws {
    try MainActor.assumeIsolated {
      defer { gtk_widget_set_default_direction(GTK_TEXT_DIR_LTR) }
      for direction in [GTK_TEXT_DIR_LTR, GTK_TEXT_DIR_RTL] {
        gtk_widget_set_default_direction(direction)
        let clubs = [
          FanClub(id: "c1", name: "Club in English", about: "About it in English", followers: 3, posts: 2),
          FanClub(id: "c2", name: "Club שלום", about: Self.english, followers: 3, posts: 2),
          FanClub(id: "c3", name: "מועדון", about: "כמה מילים", followers: 3, posts: 2),
        ]
        let rig = ReaderRig(clubs: clubs, width: 1800)
        let search = try rig.show(.search)
        search.entries[0].type("club")
        search.entries[0].pressEnter()
        try rig.settle()
        Self.checkDirections(search, finding: /Club in|מועדון|Club ש/, least: 2)
        for seen in try [rig.show(.tab(.fanClubs)), rig.show(.fanClub("c1")), rig.show(.fanClub("c3"))] {
          Self.checkDirections(seen, finding: /English|[א-ת]/, least: 2)
        }
        rig.close()
      }
    }
  }

  func testTheDotStandsBetweenWhenAndWhoWhateverTheirLetters() throws {
    try MainActor.assumeIsolated {
      defer { gtk_widget_set_default_direction(GTK_TEXT_DIR_LTR) }
      for direction in [GTK_TEXT_DIR_LTR, GTK_TEXT_DIR_RTL] {
        gtk_widget_set_default_direction(direction)
        for name in ["שרה לוי", "Ada Lovelace", "123 שרה"] {
          var post = Post.sample(1)
          (post.title, post.byline) = (name, name)
          let rig = ReaderRig(posts: [post], width: 1200)
          let search = try rig.show(.search)
          search.entries[0].type(name)
          search.entries[0].pressEnter()
          try rig.settle()
          for seen in try [search, rig.show(.tab(.home)), rig.show(.post("p1"))] {
            let label = try XCTUnwrap(
              seen.all.first { $0.text?.contains("·") == true && $0.text?.contains(name) == true }, "\(name): \(seen.texts)")
            let (dot, who) = (try XCTUnwrap(label.place(of: "·")), try XCTUnwrap(label.place(of: name)))
            let isFirst = label.text?.hasPrefix(name) == true
            XCTAssertEqual(who < dot, isFirst == (direction == GTK_TEXT_DIR_LTR), "\(label.text ?? ""), \(direction)")
          }
          rig.close()
        }
      }
    }
  }

  /// Beside them are prices, marks and buttons: a card with texts on both sides reads like two.
  func testWhatIsForSaleBeginsAtTheSideOfTheInterface() throws {
    try inBothDirections { rig, direction in
      try rig.go(.paywall("premium", then: nil))
      let paywall = try XCTUnwrap(rig.seen.all.first { $0.hasStyle("sheet") })
      let offers = paywall.all.filter { $0.hasStyle("offer") }
      XCTAssertGreaterThan(offers.count, 1)
      for offer in offers { Self.checkStarts(offer, finding: /^(?:Monthly|Yearly|For good|Five|Twelve)/, least: 1, direction) }
      for tick in paywall.all where tick.hasStyle("tick") {
        let line = try XCTUnwrap(tick.enclosing("box"))
        Self.checkStarts(line, finding: /[a-z]/, least: 1, direction)
      }
      try rig.go(.payment("premium.yearly"))
      Self.checkStarts(
        try XCTUnwrap(rig.seen.all.last { $0.hasStyle("sheet") }), finding: /^(?:Yearly|Total|Renews)/, least: 3, direction)
      rig.seen.button("Pay €49.00")?.click()
      try rig.settle()
      try rig.go(.purchases(order: nil))
      Self.checkStarts(rig.seen, finding: /^(?:Yearly|To cancel your subscription|Open until)/, least: 3, direction)
    }
  }

  func testTheAccountsSentencesAreOnTheSideOfItsButton() throws {
    try inBothDirections { rig, direction in
      try rig.go(.tab(.account))
      let card = try XCTUnwrap(rig.seen.all.first { $0.hasStyle("card") && $0.says("Unlock premium") })
      Self.checkStarts(card, finding: /^You read/, least: 1, direction)
      let (whole, button) = (card.place(in: rig.seen), try XCTUnwrap(card.button("Unlock premium")).place(in: rig.seen))
      let isAtTheLeft = button.x + button.width / 2 < whole.x + whole.width / 2
      XCTAssertEqual(isAtTheLeft, direction == GTK_TEXT_DIR_LTR)
    }
  }

  func testAMessageHasItsRoomBeforeTheWordsOnBothSides() throws {
    try inBothDirections { rig, direction in
      rig.window.show(message: "Address copied.")
      try rig.settle()
      let bar = try XCTUnwrap(rig.seen.all.first { $0.hasStyle("message-bar") }).place(in: rig.seen)
      let words = try XCTUnwrap(rig.seen.label("Address copied.")).place(in: rig.seen)
      let button = try XCTUnwrap(rig.seen.button("Dismiss message")).place(in: rig.seen)
      let end = bar.x + bar.width
      let (before, after) =
        direction == GTK_TEXT_DIR_LTR
        ? (words.x - bar.x, end - button.x - button.width) : (end - words.x - words.width, button.x - bar.x)
      XCTAssertEqual(before, 16, accuracy: 2)
      XCTAssertEqual(after, 6, accuracy: 2)
    }
  }

  /// Signed in, in an interface that is read from left to right, and in one from right to left.
  private func inBothDirections(_ body: @MainActor (AppRig, GtkTextDirection) throws -> Void) throws {
    try MainActor.assumeIsolated {
      defer { gtk_widget_set_default_direction(GTK_TEXT_DIR_LTR) }
      for direction in [GTK_TEXT_DIR_LTR, GTK_TEXT_DIR_RTL] {
        gtk_widget_set_default_direction(direction)
        let rig = try AppRig()
        try rig.start()
        try rig.signIn()
        try body(rig, direction)
        try rig.close()
      }
    }
  }

  /// Each line of what is found begins where the interface does.
  /// - Parameter least: how many texts there are at least.
  @MainActor private static func checkStarts(
    _ seen: Seen, finding text: Regex<Substring>, least: Int, _ direction: GtkTextDirection, line: UInt = #line
  ) {
    let labels = seen.all.filter { $0.text?.contains(text) == true }
    XCTAssertGreaterThanOrEqual(labels.count, least, "\(seen.texts)", line: line)
    for label in labels {
      for edge in label.lines {
        let distance = direction == GTK_TEXT_DIR_RTL ? label.room - edge.right : edge.left
        XCTAssertEqual(distance, 0, accuracy: 12, label.text ?? "", line: line)
      }
    }
  }

  /// - Parameter least: how many texts there are at least.
  @MainActor private static func checkDirections(_ seen: Seen, finding text: Regex<Substring>, least: Int, line: UInt = #line) {
    let labels = seen.all.filter { $0.text?.contains(text) == true && !$0.hasStyle("initials") }
    XCTAssertGreaterThanOrEqual(labels.count, least, "\(seen.texts)", line: line)
    for label in labels {
      let letter = label.text?.unicodeScalars.first { $0.properties.isAlphabetic }
      let isHebrew = letter.map { (0x590...0x5FF).contains($0.value) } ?? false
      for edge in label.lines {
        XCTAssertEqual(isHebrew ? edge.right : edge.left, isHebrew ? label.room : 0, accuracy: 12, label.text ?? "", line: line)
      }
    }
  }
}
