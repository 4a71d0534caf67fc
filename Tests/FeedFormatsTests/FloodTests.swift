import FeedFormats
import XCTest

/// Documents of which each byte makes many in memory: reading ends where it would take the place of everything else.
final class FloodTests: XCTestCase {
  private let most = FeedParser.mostItems

  private func repeated(_ text: String, _ count: Int, _ separator: String = "") -> String {
    repeatElement(text, count: count).joined(separator: separator)
  }

  /// libxml2 compares each name with a share of all others.
  func testDifferentNamesWithoutEnd() {
    func numbered(_ text: (Int) -> String) -> String { (0..<120_000).map(text).joined() }
    let documents = [
      "<rss><channel>" + numbered { "<n\($0)/>" } + "</channel></rss>",
      "<rss><channel>" + numbered { "<n a\($0)=''/>" } + "</channel></rss>",
      "<rss><channel>" + numbered { "<?n\($0)?>" } + "</channel></rss>",
    ]
    for document in documents {
      XCTAssertEqual(failure(document)?.reason, .refused("it has too many different names"), String(document.prefix(40)))
    }
  }

  /// They look like attributes only beside the place of a tag.
  func testTextWithManyEqualSignsIsNoFlood() throws {
    let text = String(repeating: "a = b, ", count: 2000)
    for body in ["<![CDATA[\(text)]]>", "<!--\(text)-->\(text)", text] {
      let feed = "<rss><channel><title>T</title><item><guid>1</guid><description>\(body)</description></item></channel></rss>"
      let item = try XCTUnwrap(FeedParser.parse(Data(feed.utf8), source: "t").items.first)
      XCTAssertTrue((item.summary + item.body).contains("a = b"), String(body.prefix(9)))
    }
    let flood = "<rss><channel><!-- -->\("<a " + (0..<600).map { "a\($0)='' " }.joined() + "/>")</channel></rss>"
    XCTAssertEqual(failure(flood)?.reason, .refused("one of its elements has too many attributes"))
  }

  /// libxml2 compares each word of a list of values with all before it, and takes eighty bytes for each element of a list of those.
  func testDeclarationsWithoutEnd() throws {
    func numbered(_ text: (Int) -> String) -> String { (0..<100_000).map(text).joined(separator: "|") }
    let declarations = [
      "<!ATTLIST a b (" + numbered { "n\($0)" } + ") 'n1'>", "<!ATTLIST a b NOTATION (" + numbered { "n\($0)" } + ") 'n1'>",
      "<!ELEMENT a (" + numbered { _ in "b" } + ")>", "<!ELEMENT a (#PCDATA|" + numbered { _ in "b" } + ")*>",
      // What seems to end it does not.
      "<!ENTITY a ']>'><!-- ']> --><?b ]>' ?><!ELEMENT a (" + numbered { _ in "b" } + ")>",
      "<!ENTITY a \"<b>]><rss>'\"><!ELEMENT a (" + numbered { _ in "b" } + ")>",
      // And without an end at all.
      "<!ELEMENT a (" + numbered { _ in "b" } + ")",
    ]
    for (beginning, subset) in zip(
      ["", "\u{FEFF}", "<?xml version='1.0'?>\n", "<!-- <!DOCTYPE rss> -->", "", "<?a <!DOCTYPE rss>?>", ""], declarations)
    {
      let document = beginning + "<!DOCTYPE rss PUBLIC '-' \"[>\" [" + subset + "]><rss><channel><title>1</title></channel></rss>"
      // One that has no end is all there is.
      if subset.hasSuffix(">") {
        XCTAssertEqual(try read(document).title, "1", String(document.prefix(60)))
      } else {
        XCTAssertEqual(failure(document)?.reason, .cutOff)
      }
    }
    // What looks like one behind the first element stays.
    let text = String(repeating: "a ]> <!DOCTYPE rss [ \"", count: 5_000)
    for declaration in ["", "<!DOCTYPE rss>", "<!DOCTYPE rss SYSTEM '>' [<!ENTITY a \"'\">]>", "<!DOCTYPE rss [<!-- ' -->]>"] {
      XCTAssertEqual(
        try first(declaration + "<rss><channel><item><title>1</title><description><![CDATA[\(text)]]></description></item></channel></rss>")
          .title, "1")
    }
  }

  /// By whatever way libxml2 might still come to read them.
  func testNoDeclarationReachesTheParser() throws {
    let list = "<!ATTLIST a b (" + (0..<100_000).map { "n\($0)" }.joined(separator: "|") + ") 'n1'>"
    let rest = "<rss><channel><title>1</title></channel></rss>"
    for document in [
      "<!DOCTYPE rss [] [\(list)]>\(rest)", "<!DOCTYPE [] rss [\(list)]>\(rest)", "<!DOCTYPE rss [] x[\(list)]>\(rest)",
      "<!DOCTYPE rss><!DOCTYPE rss [\(list)]>\(rest)", "<!DOCTYPE rss [] <!DOCTYPE rss [\(list)]>\(rest)",
    ] {
      XCTAssertEqual(
        failure(document)?.reason, .malformed("its document type declaration breaks the rules"), String(document.prefix(40)))
    }
    // A repair takes the control character out.
    XCTAssertEqual(try read("<!DO\u{1}CTYPE rss [\(list)]>\(rest)").title, "1")
    // libxml2 takes a zero for a mark of UTF-16.
    let wide = try XCTUnwrap("<!DOCTYPE rss [\(list)]>\(rest)".data(using: .utf16LittleEndian))
    XCTAssertEqual(failure(Data("\n".utf8) + wide)?.reason, .notAFeed("it does not begin like XML"))
  }

  /// Each link would take as long as its base is: sixteen seconds for a megabyte.
  func testALongBaseOfWhatCannotBeResolved() throws {
    for length in [2_000, 8_180] {
      let base = "https://example.org/" + String(repeating: "p", count: length)
      let links = repeated("&lt;a href='xxxxxxxxxxxxxxxxxxxxxxxxxxxxxx'&gt;y&lt;/a&gt;", 30_000)
      let item = try first(
        "<rss><channel><item xml:base='\(base)/'><title>1</title><description>\(links)</description></item></channel></rss>")
      XCTAssertTrue(item.body.hasSuffix("<a href='xxxxxxxxxxxxxxxxxxxxxxxxxxxxxx'>y</a>"), "the last stay as they are")
    }
  }

  /// A short link with a long base makes many bytes of few.
  func testALongBaseAndManyLinks() throws {
    let base = "https://example.org/" + repeated("long/", 300)
    let links = repeated("<a href='x'>y</a>", 20_000)
    let escaped = links.replacing("<", with: "&lt;")
    for content in [
      "<content type='html'>\(escaped)</content>",
      "<content type='xhtml'><div xmlns='http://www.w3.org/1999/xhtml'>\(links)</div></content>",
    ] {
      let item = try first("<feed xmlns='http://www.w3.org/2005/Atom' xml:base='\(base)'><entry>\(content)</entry></feed>")
      XCTAssertTrue(item.body.contains(base), "the first are resolved")
      XCTAssertLessThan(item.body.utf8.count, 8 * links.utf8.count)
      XCTAssertTrue(item.body.hasSuffix("<a href='x'>y</a>") || item.body.hasSuffix("<a href=\"x\">y</a>"), "and the last stay as they are")
    }
    // One that nobody could follow.
    let long = "https://example.org/" + repeated("long/", 2000)
    let item = try first(
      "<feed xmlns='http://www.w3.org/2005/Atom' xml:base='\(long)'><entry><content type='html'>&lt;a href='x'></content></entry></feed>")
    XCTAssertFalse(item.body.contains(long))
  }

  /// What a feed says once is copied to each of its items.
  func testALongAuthorAndALongTitleOfManyItems() throws {
    let name = repeated("long ", 50_000)
    let items = repeated("{\"id\":\"1\"},", 2_000).dropLast()
    let entries = repeated("<entry><id>1</id></entry>", 2_000)
    let rows = repeated("<item><guid>1</guid></item>", 2_000)
    let author = "<author><name>\(name)</name></author>"
    for document in [
      "{\"version\":\"https://jsonfeed.org/version/1.1\",\"title\":\"\(name)\",\"authors\":[{\"name\":\"\(name)\"},{\"name\":\"b\"}],\"items\":[\(items)]}",
      "<feed xmlns='http://www.w3.org/2005/Atom'><title>\(name)</title>\(author)\(author)\(entries)</feed>",
      "<rss xmlns:itunes='http://www.itunes.com/dtds/podcast-1.0.dtd'><channel><title>\(name)</title><itunes:author>\(name)</itunes:author>\(rows)</channel></rss>",
    ] {
      let feed = try read(document)
      XCTAssertEqual(feed.items.count, 2_000)
      XCTAssertLessThan(feed.title.utf8.count, 1_100)
      for item in feed.items {
        XCTAssertLessThan(item.byline.utf8.count, 1_100)
        XCTAssertGreaterThan(item.byline.utf8.count, 900)
      }
    }
  }

  /// Text becomes longer as HTML: an ampersand five times.
  func testPlainTextIsNoLongerThanADocumentMayBe() throws {
    let document = { (text: String) in
      Data("{\"version\":\"https://jsonfeed.org/version/1.1\",\"items\":[{\"content_text\":\"\(text)\"}]}".utf8)
    }
    let signs = document(repeated("&", 1_000))
    XCTAssertThrowsError(try FeedParser.parse(signs, source: "", limit: 3_000)) {
      XCTAssertEqual(($0 as? FeedError)?.reason, .refused("one of its texts is too long"))
    }
    XCTAssertEqual(try FeedParser.parse(signs, source: "", limit: 6_000).items.first?.body.utf8.count, 5_007)
    let quotes = document(repeated("'\\\"", 1_000))
    XCTAssertEqual(try FeedParser.parse(quotes, source: "", limit: 4_000).items.first?.body.utf8.count, 2_007, "what is no markup stays")
  }

  /// The same of addresses that stand for themselves: fifty of an item, and each of a few bytes.
  func testALongBaseAndManyEnclosures() throws {
    let base = "https://example.org/" + repeated("long/", 1600)
    let attachments = repeated("{\"url\":\"7\"},", 50).dropLast()
    let item = try first(
      """
      {"version":"https://jsonfeed.org/version/1","home_page_url":"\(base)",
       "items":[{"id":"1","url":"7","image":"8","attachments":[\(attachments)]}]}
      """)
    let bytes = item.enclosures.reduce((item.link?.utf8.count ?? 0) + (item.picture?.utf8.count ?? 0)) { $0 + $1.url.utf8.count }
    XCTAssertLessThan(bytes, 5000)
    // A base such as feeds have.
    let usual = try first(
      """
      {"version":"https://jsonfeed.org/version/1","home_page_url":"https://example.org/blog/",
       "items":[{"id":"1","url":"7","image":"8","attachments":[{"url":"a.mp3"},{"url":"b.mp3"}]}]}
      """)
    XCTAssertEqual(usual.link, "https://example.org/blog/7")
    XCTAssertEqual(usual.picture, "https://example.org/blog/8")
    XCTAssertEqual(usual.enclosures.map(\.url), ["https://example.org/blog/a.mp3", "https://example.org/blog/b.mp3"])
  }

  /// To compare a text takes Swift time by the square of the marks of a letter, wherever they come from.
  func testALetterWithMarksWithoutEnd() throws {
    let marks = repeated("\u{301}", 100) + repeated("\u{323}", 100)
    let escaped = repeated("\\u0301", 100) + repeated("\\u0323", 100)
    let references = repeated("&#769;", 100) + repeated("&#803;", 100)
    let stored = 30
    for written in [marks, escaped] {
      let json = """
        {"version":"https://jsonfeed.org/version/1","items":[{"id":"x\(written)","title":"x\(written)","content_html":"x\(written)",
         "authors":[{"name":"x\(written)"}],"attachments":[{"url":"https://example.org/\(written)","mime_type":"audio/x\(written)"}]}]}
        """
      let item = try first(json)
      let texts = [item.id, item.title, item.body, item.byline, item.enclosures.first?.url]
      XCTAssertEqual(texts.map { $0.map(Self.marks) }, texts.map { _ in stored }, String(written.prefix(6)))
    }
    for written in [marks, references] {
      let rss = """
        <rss><channel><item><guid>x\(written)</guid><title>x\(written)</title><author>x\(written)</author>
        <description><![CDATA[<p>x\(written)]]></description>
        <enclosure url="https://example.org/\(written)" type="audio/mpeg"/></item></channel></rss>
        """
      let item = try first(rss)
      let texts = [item.id, item.title, item.byline, item.enclosures.first?.url, ArticleBody(html: item.body).plainText]
      XCTAssertEqual(texts.map { $0.map(Self.marks) }, texts.map { _ in stored }, String(written.prefix(6)))
    }
    // Across the ends of elements, and of characters that are left out.
    XCTAssertEqual(Self.marks(ArticleBody(html: "x" + repeated("<b>\(marks)</b><i>\(references)</i>", 5)).plainText), stored)
    XCTAssertEqual(Self.marks(("x" + repeated("\u{301}\u{202E}", 100)).visibleText), stored)
  }

  private static func marks(_ text: String) -> Int { text.unicodeScalars.count { $0 == "\u{301}" || $0 == "\u{323}" } }

  func testItemsWithoutEnd() throws {
    let documents: [(begin: String, item: String, separator: String, end: String)] = [
      ("<rss><channel>", "<item/>", "", "</channel></rss>"),
      ("<feed xmlns='http://www.w3.org/2005/Atom'>", "<entry/>", "", "</feed>"),
      ("{\"version\":\"https://jsonfeed.org/version/1\",\"items\":[", "{}", ",", "]}"),
      ("{\"rss\":{\"channel\":{\"item\":[", "{}", ",", "]}}}"),
    ]
    for (begin, item, separator, end) in documents {
      let flood = failure(begin + repeated(item, most + 1, separator) + end)
      XCTAssertEqual(flood?.reason, .refused("it has more than \(most) items"), begin)
      XCTAssertGreaterThan(flood?.column ?? 0, most, begin)
    }
  }

  func testOutlinesWithoutEnd() throws {
    let flood = failure("<opml><body>" + repeated("<outline/>", most + 1) + "</body></opml>")
    XCTAssertEqual(flood?.reason, .refused("it has more than \(most) outlines"))
  }

  func testValuesWithoutEnd() throws {
    let begin = "{\"version\":\"https://jsonfeed.org/version/1\",\"items\":[],\"z\":["
    XCTAssertEqual(failure(begin + repeated("0", 10 * most, ",") + "]}")?.reason, .refused("it has more than \(10 * most) values"))
    XCTAssertEqual(try read(begin + "0]}").items.count, 0)
  }

  /// Everybody who writes for a feed wrote each item that names nobody.
  func testPeopleWithoutEnd() throws {
    let count = 5000
    let author = "<author><name>Ines</name></author>"
    let feed = try read(atom(repeated("<entry/>", count), feed: repeated(author, count) + "<author><name>Jo</name></author>"))
    XCTAssertEqual(feed.items.map(\.byline), Array(repeating: "Ines, Jo", count: count))
    let people = repeated("{\"name\":\"Ines\"}", count, ",") + ",{\"name\":\"Jo\"}"
    let json = try read(
      "{\"version\":\"https://jsonfeed.org/version/1.1\",\"authors\":[\(people)],\"items\":[" + repeated("{}", count, ",") + "]}")
    XCTAssertEqual(json.items.map(\.byline), Array(repeating: "Ines, Jo", count: count))
  }

  func testNumbersAtTheEndOfTheirRange() throws {
    let numbers = ["9223372036854775807", "-9223372036854775808", "9223372036854775808", "4294967296", "-1", "0", "+1", "٣", "1e9", ""]
    for number in numbers {
      for body in [
        "<table><tr><td>a<td colspan=\(number)>b<td>c<tr><td rowspan=\(number)>d<td colspan=\(number) rowspan=\(number)>e</table>",
        "<ol start=\(number)><li>a<li>b</ol>", "<ol reversed start=\(number) type=a><li>a<li>b</ol>",
        "<ol type=I><li value=\(number)>a<li>b</ol>", "<img src='https://e.org/a.png' width=\(number) height=\(number) alt=a>b",
      ] {
        XCTAssertTrue(ArticleBody(html: body, base: "https://e.org/").plainText.contains("b"), body)
      }
      let picture = "<item><media:content url='https://e.org/a.png' width='\(number)'/></item>"
      let item = try first(rss(picture, channel: "<ttl>\(number)</ttl>"))
      XCTAssertEqual(item.picture, "https://e.org/a.png", number)
    }
  }

  func testHowLongAFeedStaysTheSame() throws {
    for (written, minutes) in [
      ("60", 60), (" 90 ", 90), ("0", 0), ("-5", 0), ("100000", 1440), ("9223372036854775807", 1440), ("soon", nil),
    ] as [(String, Int?)] {
      XCTAssertEqual(try read(rss("", channel: "<ttl>\(written)</ttl>")).ttl, minutes, written)
    }
    XCTAssertEqual(try read("{\"rss\":{\"channel\":{\"ttl\":45}}}").ttl, 45)
    XCTAssertNil(try read(rss("<item><ttl>7</ttl></item>")).ttl)
  }

  /// libxml2 would look for the errors in all of it, for a quarter of a minute.
  func testNothingIsReadBehindTheFirstMistake() {
    for flood in ["<", "&"] {
      let mistake = failure("<rss><channel><item><description>" + String(repeating: flood, count: 500_000))
      XCTAssertEqual(mistake?.line, 1)
    }
    let whole = "<rss><channel><title>T</title></channel></rss>"
    XCTAssertNoThrow(try FeedParser.parse(Data((whole + String(repeating: "<", count: 500_000)).utf8), source: "s"))
  }
}
