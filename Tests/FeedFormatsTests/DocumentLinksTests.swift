import XCTest

@testable import FeedFormats

/// To resolve a link takes as long as its base is: all links of a document have one room.
final class DocumentLinksTests: XCTestCase {
  /// As long as bases may be, or nearly.
  private let base = "https://example.org/" + String(repeating: "long/", count: 300)
  private let flood = 20_000

  private func repeated(_ text: String, _ separator: String = "") -> String {
    repeatElement(text, count: flood).joined(separator: separator)
  }

  func testTheRoomIsOfAllLinksTogether() {
    let links = DocumentLinks(source: "https://example.org/", bytes: 0)
    let room = 4 * Links.mostAdded(to: 0)
    XCTAssertEqual(links.base, "https://example.org/")
    // What becomes of a link does not matter: its base was read.
    var resolved = 0
    while links.resolve("/x", base) == "https://example.org/x" { resolved += 1 }
    XCTAssertEqual(resolved, room / base.utf8.count)
    XCTAssertNil(links.web("/x", base))
    XCTAssertEqual(links.web("https://example.org/y", base), "https://example.org/y", "an absolute one takes nothing")
  }

  func testALinkTakesFromBothRooms() {
    let links = DocumentLinks(source: "", bytes: 0)
    XCTAssertNil(links.base)
    var room = base.utf8.count + 1
    XCTAssertEqual(links.resolve("/x", base, &room), "https://example.org/x")
    XCTAssertEqual(room, 1)
    XCTAssertEqual(links.resolve("/y", base, &room), "/y", "its own has no more")
    var resolved = 0
    while links.resolve("/x", base) == "https://example.org/x" { resolved += 1 }
    XCTAssertLessThan(resolved, 4 * Links.mostAdded(to: 0) / base.utf8.count)
    var other = 1_000_000
    XCTAssertEqual(links.resolve("/z", base, &other), "/z", "the document has no more")
  }

  /// One takes 40 µs, so that a megabyte of them would take seconds.
  func testLinksUnderALongBaseOfAtom() throws {
    let floods: [String] = [
      repeated("<a xml:base='c/'/>"), repeated("<icon>c</icon>"), "<entry>" + repeated("<link href='c'/>") + "</entry>",
      "<entry>" + repeated("<content src='c'/>") + "</entry>", repeated("<entry xml:base='c/'/>"),
      // Each is shorter behind that than its element.
      "<entry><content type='xhtml'><div xmlns='http://www.w3.org/1999/xhtml'>\(repeated("<a href='/x'/>"))</div></content></entry>",
    ]
    for links in floods {
      let feed = try read(
        "<feed xmlns='http://www.w3.org/2005/Atom' xml:base='\(base)'><entry xml:base='e/'><link href='1'/></entry>\(links)"
          + "<entry xml:base='e/'><link href='2'/></entry></feed>")
      XCTAssertEqual(feed.items.first?.link, base + "e/1", String(links.prefix(40)))
      XCTAssertNil(try XCTUnwrap(feed.items.last).link, String(links.prefix(40)))
    }
  }

  func testLinksUnderALongBaseOfOtherFormats() throws {
    let rows = repeated("<item><link>c</link></item>")
    let items = repeated("{\"id\":\"1\",\"url\":\"c\"}", ",")
    for document in [
      "<rss><channel xml:base='\(base)'>\(rows)</channel></rss>",
      "{\"version\":\"https://jsonfeed.org/version/1.1\",\"home_page_url\":\"\(base)\",\"items\":[\(items)]}",
      "{\"rss\":{\"channel\":{\"link\":\"\(base)\",\"item\":[" + repeated("{\"link\":\"c\"}", ",") + "]}}}",
    ] {
      let feed = try read(document)
      XCTAssertEqual(feed.items.count, flood)
      XCTAssertEqual(feed.items.first?.link, base + "c", String(document.prefix(40)))
      XCTAssertNil(try XCTUnwrap(feed.items.last).link, String(document.prefix(40)))
    }
    let outlines = repeated("<outline type='rss' xmlUrl='c'/>")
    let list = Data("<opml xml:base='\(base)'><body>\(outlines)</body></opml>".utf8)
    guard case .outline(let outline) = try FeedParser.document(list, source: "list") else { return XCTFail("no list") }
    XCTAssertEqual(outline.outlines.first?.feedURL, base + "c")
    XCTAssertNil(try XCTUnwrap(outline.outlines.last).feedURL)
  }

  func testFeedsThatAPageNames() {
    let link = { (address: String) in "<link rel='alternate' type='application/rss+xml' href='\(address)'>" }
    let page = "<base href='\(base)'>" + repeated(link("/a")) + link("/b") + link("https://example.org/c")
    let links = FeedParser.links(in: Data(page.utf8), at: "https://example.org/")
    XCTAssertEqual(links.map(\.url), ["https://example.org/a", "https://example.org/c"])
  }

  /// A base such as feeds have, and the shortest items.
  func testNoLinkOfAUsualFeedStaysRelative() throws {
    let usual = "https://www.example.org/a-blog-with-a-name/of-2026/"
    let entries = (1...flood).map { "<entry><link href='\($0)'/></entry>" }.joined()
    let rows = (1...flood).map { "<item><link>\($0)</link></item>" }.joined()
    let addresses: [String?] = (1...flood).map { usual + String($0) }
    for document in [atom(entries, attributes: "xml:base='\(usual)'"), rss(rows, channel: "<link>\(usual)</link>")] {
      XCTAssertEqual(try read(document).items.map(\.link), addresses)
    }
  }
}
