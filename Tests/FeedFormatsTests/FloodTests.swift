import FeedFormats
import XCTest

/// Documents of which each byte makes many in memory: reading ends where it would take the place of everything else.
final class FloodTests: XCTestCase {
  private let most = FeedParser.mostItems

  private func repeated(_ text: String, _ count: Int, _ separator: String = "") -> String {
    repeatElement(text, count: count).joined(separator: separator)
  }

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
}
