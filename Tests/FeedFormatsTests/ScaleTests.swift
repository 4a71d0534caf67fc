import FeedFormats
import XCTest

/// Documents so large that anything but one pass would not end in a day: that each test ends is what it proves.
final class ScaleTests: XCTestCase {
  private let count = 50_000

  private func repeated(_ text: (Int) -> String) -> String { (0..<count).map(text).joined() }

  func testItemsOfEveryFormat() throws {
    let body = "&lt;p&gt;a &amp;amp; &lt;a href='x'&gt;b&lt;/a&gt;&lt;/p&gt;"
    let documents = [
      rss(repeated { "<item><title>\($0) &amp; more</title><guid>\($0)</guid><description>\(body)</description></item>" }),
      atom(repeated { "<entry><title>\($0)</title><id>\($0)</id><content type='html'>\(body)</content></entry>" }),
      "<rdf:RDF xmlns:rdf='http://www.w3.org/1999/02/22-rdf-syntax-ns#' xmlns='http://purl.org/rss/1.0/'><channel/>"
        + repeated { "<item rdf:about='urn:\($0)'><title>\($0)</title></item>" } + "</rdf:RDF>",
      "{\"version\": \"https://jsonfeed.org/version/1\", \"items\": ["
        + (0..<count).map { "{\"id\": \($0), \"title\": \"\\u0041\"}" }.joined(separator: ",") + "]}",
      "{\"rss\": {\"channel\": {\"item\": [" + (0..<count).map { "{\"guid\": \"\($0)\"}" }.joined(separator: ",") + "]}}}",
    ]
    for document in documents {
      let feed = try read(document)
      XCTAssertEqual(feed.items.count, count, feed.format.name)
      XCTAssertEqual(Set(feed.items.map(\.identity)).count, count, feed.format.name)
    }
  }

  func testOneItemWithManyOfEverything() throws {
    let parts = repeated { number in
      """
      <dc:creator>Somebody \(number)</dc:creator><category>\(number)</category><media:content url='https://e.org/\(number).png' width='1'/>
      <atom:author><atom:name>Nobody \(number)</atom:name></atom:author><link>https://e.org/\(number)</link>
      """
    }
    let item = try first(rss("<item>\(parts)</item>"))
    XCTAssertTrue(item.byline.hasPrefix("Somebody 0, Somebody 1"))
    XCTAssertLessThan(item.byline.count, 5000, "a byline is a line")
  }

  func testMistakesWithoutEnd() throws {
    let mistakes = repeated { _ in "a & b &nbsp; \u{1}" }
    let body = try first(rss("<item><description>" + mistakes + "</description></item>")).body
    XCTAssertEqual(body.utf8.count { $0 == UInt8(ascii: "a") }, count, "nothing of it is lost")
    XCTAssertEqual(try first(rss("<item><title>" + mistakes + "</title></item>")).title?.count, 999, "a title is a line")
    for text in ["&", "<", "&a", "&#", "<a", "<!--", "</", "<a href='", "]]>", "<![CDATA["] {
      let body = repeated { _ in text }
      XCTAssertNoThrow(try first(rss("<item><description><![CDATA[\(body.replacing("]]>", with: ""))]]></description></item>")), text)
      _ = ArticleBody(html: body)
      XCTAssertNotNil(failure("<rss>" + body + body), text)
    }
  }

  func testLinksWithoutEnd() throws {
    let body = repeated { "<a href='/\($0)?a=1&amp;b'>\($0)</a> " }
    let item = try first(rss("<item><link>https://e.org/1</link><description><![CDATA[\(body)]]></description></item>"))
    XCTAssertTrue(item.body.contains("https://e.org/49999?a=1&amp;b") || item.body.contains("/49999"))
  }

  /// As many as are followed are open, and each tag asks which of them it ends.
  func testElementsThatNeverEnd() {
    for tag in ["<dd>", "<td>", "<tr>", "</x>", "</b>"] {
      let body = String(repeating: "<b>", count: 600) + repeated { _ in tag } + "last"
      XCTAssertEqual(ArticleBody(html: body).plainText.suffix(4), "last", tag)
    }
  }

  func testNamesWithoutEnd() throws {
    XCTAssertEqual(try read(rss(repeated { "<x\($0)/>" } + "<item/>")).items.count, 1)
  }

  /// Only the beginning of a long body is looked at for its first words, and no character of it is cut.
  func testTheFirstWordsOfALongBody() {
    var item = ParsedItem()
    item.body = "<p>First words</p>" + repeated { _ in "<p>more</p>" }
    XCTAssertEqual(item.teaser(characters: 16), "First words…")
    // The first letter has one byte before the end of what is looked at, and one behind it.
    item.body = String(repeating: "<i></i>", count: (256 << 10) / 7) + "é"
    XCTAssertEqual(item.teaser(characters: 16), "")
  }
}
