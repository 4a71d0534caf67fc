import CXML2
import Runtime
import XCTest

@testable import FeedFormats

/// libxml2 is asked how many attributes it sees: the limit holds for whatever it takes for a tag.
final class AttributeNamesTests: XCTestCase {
  /// How many attributes the tag has that has most, to libxml2.
  private final class Count {
    var most = 0
  }

  private func mostAttributes(_ html: String) -> Int {
    let count = Count()
    var text = Array(html.utf8.map(CChar.init(bitPattern:)))
    guard let context = htmlCreateMemoryParserCtxt(&text, Int32(text.count)) else { return 0 }
    defer { htmlFreeParserCtxt(context) }
    var handler = xmlSAXHandler()
    handler.startElement = { data, _, attributes in
      guard let data, var pair = attributes else { return }
      let count = Unmanaged<Count>.fromOpaque(data).takeUnretainedValue()
      var number = 0
      while pair[0] != nil {
        number += 1
        pair += 2
      }
      count.most = max(count.most, number)
    }
    context.pointee.sax.pointee = handler
    htmlCtxtUseOptions(context, Int32(HTML_PARSE_RECOVER.rawValue | HTML_PARSE_NONET.rawValue | HTML_PARSE_IGNORE_ENC.rawValue))
    xmlSwitchEncoding(context, XML_CHAR_ENCODING_UTF8)
    withExtendedLifetime(count) {
      context.pointee.userData = Unmanaged.passUnretained(count).toOpaque()
      htmlParseDocument(context)
    }
    return count.most
  }

  private static let pieces = [
    "<a", "<p ", "</b", "<script/>", "<style>", "</style>", "<title>", "<textarea ", "<!--", "-->", "<!DOCTYPE ", "<?", "]]>", ">", "/>",
    "/", "\"", "'", "=", "=\"",
    "='", " ", "\n", "\u{C}", "<", "1", "-", "é", ":", "_", ".", String(repeating: "n", count: 99), String(repeating: "n", count: 100),
    "<br/", "<![CDATA[", "&amp;",
  ]

  func testNoTagHasMoreThanTheLimit() {
    let seed = UInt64.random(in: 1...99_999)
    print("MATINEE_SEED=\(seed)")
    var dice = SplitMix(state: seed)
    let most = 5
    var (before, worst) = (0, 0)
    for _ in 0..<5_000 {
      var html = ""
      for number in 0..<Int.random(in: 1...60, using: &dice) {
        // Names that differ, and marks that may hide where they stand.
        html += Int.random(in: 0..<3, using: &dice) == 0 ? Self.pieces.randomElement(using: &dice) ?? "" : " q\(number)z-"
      }
      before = max(before, mostAttributes(html))
      let limited = AttributeNames.limited(in: html, to: most)
      XCTAssertEqual(limited.utf8.count, html.utf8.count)
      let names = mostAttributes(limited)
      worst = max(worst, names)
      // Beyond the limit there is one for each length of a name.
      guard names > most + 12 else { continue }
      return XCTFail("MATINEE_SEED=\(seed): \(names) in \(html.debugDescription)")
    }
    XCTAssertGreaterThan(before, 30, "there was nothing to limit")
    XCTAssertGreaterThan(worst, most)
  }

  func testNothingElseChanges() {
    let names = (0..<300).map { "a\($0)='v\($0)'" }.joined(separator: " ")
    for html in ["<p class='a'>Some words, and more &lt; of them</p>", "<!-- <b \(names.prefix(500)) -->", "1 < 2 and a <b>c</b>"] {
      XCTAssertEqual(AttributeNames.limited(in: html), html)
    }
    let limited = AttributeNames.limited(in: "<p \(names)>text a300 a1</p>")
    XCTAssertTrue(limited.hasPrefix("<p a0='v0' a1='v1'"))
    XCTAssertTrue(
      limited.hasSuffix("a199='v199' xxxx='v200' \((201..<300).map { "xxxx='v\($0)'" }.joined(separator: " "))>text a300 a1</p>"))
  }

  /// libxml2 takes none of these for what others take them for.
  func testWhatHidesATagFromOthers() {
    let many = (0..<20_000).map { "b\($0)" }.joined(separator: " ")
    for html in [
      "<script/><p>x</p><a \(many)>y", "<style/><a \(many)>y", "</b x=\"><a \(many) \">y", "<p a\"b=\"><a \(many)>y", "<!--><a \(many)>y",
      "<p \(String(repeating: "n", count: 100))1=\"x \(many)>y", "<a b=/><a \(many)>y", "<title><a \(many)>y", "<a \(many)",
    ] {
      XCTAssertLessThanOrEqual(mostAttributes(AttributeNames.limited(in: html)), AttributeNames.most + 100, String(html.prefix(30)))
    }
  }
}
