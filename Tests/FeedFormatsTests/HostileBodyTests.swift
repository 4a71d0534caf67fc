import FeedFormats
import XCTest

/// HTML made to break its reader. Each has to end soon, and to keep the words.
final class HostileBodyTests: XCTestCase {
  private func words(_ html: String) -> String {
    ArticleBody(html: html).plainText.split(whereSeparator: \.isWhitespace).joined(separator: " ")
  }

  func testDeepNesting() {
    for tag in ["div", "b", "blockquote", "ul><li", "span", "table><tr><td", "font"] {
      let html = "first " + String(repeating: "<\(tag)>", count: 100_000) + " last"
      let words = words(html)
      XCTAssertTrue(words.hasPrefix("first") && words.hasSuffix("last"), tag)
    }
  }

  func testDeepNestingWithStrayEnds() {
    let html = String(repeating: "<b>", count: 100_000) + "a" + String(repeating: "</p></i>", count: 50_000) + "b"
    XCTAssertEqual(words(html).filter { !$0.isWhitespace }, "ab")
  }

  func testDeepNestingInsideWhatIsDropped() {
    let deep = String(repeating: "<div>", count: 2000)
    XCTAssertEqual(words(deep + "a<script>alert(1)</script>b<form>c</form>"), "ab")
    XCTAssertEqual(words("a" + String(repeating: "<form>", count: 2000) + "c" + String(repeating: "</form>", count: 2000) + "b"), "a b")
  }

  func testBlocksAreNeverTooDeep() {
    func depth(_ blocks: [ArticleBody.Block]) -> Int {
      let depths = blocks.map { block in
        switch block {
        case .quote(let blocks): depth(blocks)
        case .list(let items): items.map { depth($0.blocks) }.max() ?? 0
        case .table(let table): table.rows.joined().map { depth($0.blocks) }.max() ?? 0
        default: 0
        }
      }
      return 1 + (depths.max() ?? 0)
    }
    let openings = [
      "blockquote", "ul><li", "ol", "li", "dl><dd", "figure><figcaption", "table><tr><td>a</td><td>a</td></tr><tr><td>a</td><td",
    ]
    for opening in openings {
      let html = String(repeating: "<\(opening)>", count: 1000) + "deep"
      XCTAssertLessThanOrEqual(depth(ArticleBody(html: html).blocks), ArticleBody.maximumDepth, opening)
      XCTAssertTrue(words(html).hasSuffix("deep"), opening)
    }
  }

  func testLargeTablesAndLists() {
    let row = "<tr><td rowspan=65534 colspan=1000>a</td><td rowspan=2>b</td></tr>"
    XCTAssertEqual(words("<table>" + String(repeating: row, count: 20_000)).filter { $0 == "a" }.count, 20_000)
    let terms = ArticleBody(html: "<dl>" + String(repeating: "<dd>a", count: 50_000)).blocks
    guard case .list(let items) = terms.first else { return XCTFail("no list") }
    XCTAssertEqual(items.count, 50_000)
  }

  func testBrokenTags() {
    XCTAssertEqual(words("<p a<b>c"), "c")
    XCTAssertEqual(words("a < b & c > d"), "a < b & c > d")
    XCTAssertEqual(words("<"), "<")
    XCTAssertEqual(words("a</"), "a")
    XCTAssertEqual(words("<p>a<img src="), "a")
    XCTAssertEqual(words("<!-- never closed <p>a"), "")
    XCTAssertEqual(words("</div></div>a</p></li>"), "a")
    XCTAssertEqual(words("a\0b"), "ab")
    XCTAssertEqual(words("<p title='a>b"), "")
    XCTAssertEqual(words("&bogus; &#0; &#xD800; &#99999999; &amp"), words("&bogus; &#0; &#xD800; &#99999999; &amp"))
    XCTAssertEqual(words("<![CDATA[a]]><?php echo ?>b").suffix(1), "b")
  }

  func testHugeAttributes() {
    let long = String(repeating: "x", count: 1_000_000)
    XCTAssertEqual(words("<p title='\(long)'>a</p>"), "a")
    XCTAssertEqual(
      ArticleBody(html: "<a href='https://e.org/\(long)'>a</a>").blocks, [.paragraph([.init("a")])], "nobody follows such an address")
    let many = (0..<300_000).map { "a\($0)=1" }.joined(separator: " ")
    XCTAssertEqual(words("<p \(many)>a</p>"), "a")
  }

  func testAMillionTinyRuns() {
    let html = String(repeating: "<i>a</i>b ", count: 100_000)
    XCTAssertEqual(ArticleBody(html: html).blocks.count, 1)
  }

  func testManyLineBreaks() {
    XCTAssertEqual(words("a" + String(repeating: "<br>", count: 100_000) + "b"), "a b")
  }
}
