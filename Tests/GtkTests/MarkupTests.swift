import CGtk
import XCTest

@testable import Gtk

final class MarkupTests: GtkTestCase {
  func testTextIsEscaped() {
    XCTAssertEqual(Markup("a < b & \"c\" 'd' > e").source, "a &lt; b &amp; &quot;c&quot; &apos;d&apos; &gt; e")
    XCTAssertEqual((Markup("x").bold + Markup("</b>").italic).source, "<b>x</b><i>&lt;/b&gt;</i>")
    XCTAssertEqual(Markup("x").link(to: "https://e.org/?a=1&b=\"2\"").source, "<a href=\"https://e.org/?a=1&amp;b=&quot;2&quot;\">x</a>")
    XCTAssertEqual(Markup("x").link(to: "a").bold.link(to: "b").source, "<b><a href=\"a\">x</a></b>")
  }

  func testTextThatMayBeTakenForMarkupIsNone() {
    XCTAssertEqual("a < b & <a href=\"x\">c</a>".withoutMarkup, "a ‹ b & ‹a href=\"x\"›c‹/a›")
    XCTAssertEqual("Rock & Roll".withoutMarkup, "Rock & Roll")
  }

  func testWhatCannotBeDrawnInTimeIsCut() {
    XCTAssertEqual("Café".drawable(most: 3), "Caf…")
    XCTAssertEqual("Café".drawable(most: 4), "Café")
    let accents = String(repeating: "\u{301}", count: 50_000)
    XCTAssertEqual("e\(accents)e".drawable(most: 100_000).unicodeScalars.count, 32)
    XCTAssertEqual(Markup("e\(accents)").source.unicodeScalars.count, 31)
    // As many as a language has.
    let vietnamese = String(repeating: "Tiê\u{301}ng Việt ", count: 100)
    XCTAssertEqual(vietnamese.drawable(most: 10_000), vietnamese)
  }

  func testALongWordIsBrokenAnywhere() {
    MainActor.assumeIsolated {
      let word = String(repeating: "x", count: 600)
      let label = Label("Words", wraps: true)
      @MainActor func mode() -> PangoWrapMode { gtk_label_get_wrap_mode(label.opaque) }
      XCTAssertEqual(mode(), PANGO_WRAP_WORD_CHAR)
      label.text = "Before \(word) after"
      XCTAssertEqual(mode(), PANGO_WRAP_CHAR)
      label.setMarkup(Markup("Words").bold)
      XCTAssertEqual(mode(), PANGO_WRAP_WORD_CHAR)
      label.setMarkup(Markup("Words").link(to: "https://e.org/\(word)"))
      XCTAssertEqual(mode(), PANGO_WRAP_WORD_CHAR, "an address that is not shown")
      label.setMarkup(Markup(nonBreakingCodesIn: "Order ABCD-1234"))
      XCTAssertEqual(mode(), PANGO_WRAP_WORD)
      label.text = String(repeating: "漢", count: 600)
      XCTAssertEqual(mode(), PANGO_WRAP_WORD_CHAR, "such a script has no long words")
    }
  }

  /// The toolkit warns when it cannot read markup, and warnings end this process.
  func testLabelShowsAnyTextAsItIs() {
    MainActor.assumeIsolated {
      var texts = ["", "<", "&amp;", "<b>", "</b>", "]]>", "<!-- x -->", "&#0;", "&#x1F600;", "🙂 e\u{301} שלום", "a\nb\tc\r"]
      for value in 0..<0x100 { if let scalar = Unicode.Scalar(value) { texts.append("a\(scalar)b") } }
      for value: UInt32 in [0xFFFE, 0xFFFF, 0xFFFD, 0x2028, 0x10FFFF, 0xE000, 0x1FFFE] {
        if let scalar = Unicode.Scalar(value) { texts.append("a\(scalar)b") }
      }
      let label = Label()
      for text in texts {
        let shown = text.unicodeScalars.map { $0.value == 0 ? "\u{FFFD}" : String($0) }.joined()
        label.text = text
        XCTAssertEqual(Array(label.text.unicodeScalars), Array(shown.unicodeScalars))
        for markup in [
          Markup(text), Markup(text).bold.italic, Markup(text).link(to: text), Markup(text).monospaced.struck.small,
        ] {
          label.setMarkup(markup)
          XCTAssertEqual(label.text.unicodeScalars.count, shown.unicodeScalars.count, "\(Array(text.unicodeScalars))")
        }
      }
      label.setMarkup(Markup("x").bold)
      label.text = "x"
      XCTAssertEqual(label.text, "x")
      label.setMarkup(Markup("2").superscript + Markup("1").subscript)
      XCTAssertEqual(label.text, "21")
    }
  }

  func testLinkIsReportedAndNothingIsOpened() {
    MainActor.assumeIsolated {
      let probe = Probe()
      let label = Label(wraps: true)
      label.setMarkup(Markup("See ") + Markup("this").link(to: "https://example.org/?a=1&b=2"))
      label.onLink(probe) { $0.events.append($1) }
      let window = shown(label)
      label.focus()
      label.activateFocusedLink()
      XCTAssertEqual(probe.events, ["https://example.org/?a=1&b=2"])
      probe.scope.close()
      window.destroy()
    }
  }
}
