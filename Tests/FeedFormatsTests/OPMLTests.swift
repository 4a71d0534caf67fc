import FeedFormats
import XCTest

/// Lists of feeds.
final class OPMLTests: XCTestCase {
  private func list(_ body: String, head: String = "<title>T</title>", source: String = "test") throws -> ParsedOutline {
    let text = "<opml version='2.0'><head>\(head)</head><body>\(body)</body></opml>"
    guard case .outline(let list) = try FeedParser.document(Data(text.utf8), source: source) else {
      throw FeedError(.empty, source: source)
    }
    return list
  }

  func testOurOwn() throws {
    guard case .outline(let list) = try Fixture.read("list.opml") else { return XCTFail("no list") }
    XCTAssertEqual(list.title, "Clubs of The Interval")
    XCTAssertEqual(list.outlines.count, 8)
    XCTAssertEqual(list.outlines[3].folders, ["Films", "Old & silent"])
    XCTAssertEqual(list.outlines[3].title, "The Pianist in the Dark")
    XCTAssertEqual(list.outlines[4].folders, [])
    XCTAssertEqual(
      list.feeds.map(\.feedURL),
      ["https://example.org/last-row/feed.xml", "https://example.org/pianist/atom.xml", "https://example.org/rooftop/feed.json"])
    XCTAssertEqual(list.feeds.first?.homeURL, "https://example.org/last-row")
  }

  func testTitles() throws {
    let outlines = try list(
      "<outline text='a &amp;amp; b'/><outline title='c' text='d'/><outline/><outline text=' &lt;b&gt;e&lt;/b&gt; '/>"
    ).outlines
    XCTAssertEqual(outlines.map(\.title), ["a & b", "c", "", "e"])
    XCTAssertEqual(try list("", head: "").title, "")
  }

  func testOnlyWhatIsOnTheWebIsAFeed() throws {
    let addresses = [
      "https://e.org/f": "https://e.org/f", "HTTP://e.org/f": "HTTP://e.org/f", "feed://e.org/f": "http://e.org/f",
      "feed:https://e.org/f": "https://e.org/f", " https://e.org/f ": "https://e.org/f", "file:///etc/passwd": nil, "/f": nil, "": nil,
      "javascript:x": nil,
    ]
    for (written, url) in addresses {
      XCTAssertEqual(try list("<outline xmlUrl='\(written)'/>").outlines.map(\.feedURL), [url], written)
    }
    XCTAssertEqual(try list("<outline xmlUrl='/f'/>", source: "https://s.org/x.opml").feeds.first?.feedURL, "https://s.org/f")
    XCTAssertEqual(try list("<outline type='rss' url='https://e.org/f'/><outline type='link' url='https://e.org/f'/>").feeds.count, 1)
  }

  func testEveryOutlineCounts() throws {
    let many = (0..<50_000).map { "<outline text='\($0)' xmlUrl='https://e.org/\($0)'/>" }.joined()
    XCTAssertEqual(try list("<outline text='all'>\(many)</outline>").outlines.count, 50_001)
    let deep = String(repeating: "<outline text='a'>", count: 200) + String(repeating: "</outline>", count: 200)
    XCTAssertEqual(try list(deep).outlines.count, 200)
    XCTAssertEqual(try list(deep).outlines.last?.folders.count, 16)
    XCTAssertEqual(failure("<opml><body>" + String(repeating: "<outline>", count: 100_000))?.reason, .refused("it is nested too deeply"))
  }

  func testWhatIsWrittenIsRead() throws {
    let names = [
      "Plain", "5 < 6 & 7 > 6", "\"Quoted\" & 'so'", "häßlich 🎬 映画", "a\u{0}b\u{B}c\u{FFFF}d", "]]> x", "&unknown; 100%",
      "two\nlines\tof it",
    ]
    let feeds = names.enumerated().map { number, name in
      ParsedOutline.Outline(
        title: name, about: number == 1 ? "About 3 > 2 & \"more\"" : "", feedURL: "https://e.org/\(number)?a=1&b=\"2\"&c=<3>",
        homeURL: number == 1 ? "https://e.org/?x=1&y=2" : nil, folders: ["left out"])
    }
    let others = [
      ParsedOutline.Outline(title: "folder"), .init(title: "again", feedURL: feeds[0].feedURL),
      .init(title: "", feedURL: "https://e.org/x"),
    ]
    let written = ParsedOutline(title: "Mine & \"yours\"", outlines: feeds + others).opml
    guard case .outline(let list) = try FeedParser.document(written, source: "test") else { return XCTFail("no list") }
    XCTAssertEqual(list.title, "Mine & \"yours\"")
    XCTAssertEqual(list.outlines.map(\.feedURL), feeds.map(\.feedURL) + ["https://e.org/x"])
    let read = ["Plain", names[1], names[2], names[3], "abcd", names[5], names[6], "two lines of it", "https://e.org/x"]
    XCTAssertEqual(list.outlines.map(\.title), read)
    XCTAssertEqual(list.outlines[1].about, "About 3 > 2 & \"more\"")
    XCTAssertEqual(list.outlines.map(\.homeURL), (0..<9).map { $0 == 1 ? "https://e.org/?x=1&y=2" : nil })
    XCTAssertTrue(list.outlines.allSatisfy(\.folders.isEmpty))
    XCTAssertTrue(
      String(decoding: written, as: UTF8.self).hasPrefix("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<opml version=\"2.0\">\n"))
    XCTAssertEqual(String(decoding: written, as: UTF8.self).split(separator: "\n").count, 8 + 9, "a line each")
    // An empty list is one too.
    XCTAssertEqual(try FeedParser.document(ParsedOutline().opml, source: "test"), .outline(ParsedOutline()))
  }

  func testFolders() throws {
    let body = "<outline text='a'><outline text='b'/><outline text='c'><outline text='d'/></outline><outline text='e'/></outline>"
    let outlines = try list(body + "<outline text='f'/>").outlines
    XCTAssertEqual(outlines.map(\.title), ["a", "b", "c", "d", "e", "f"])
    XCTAssertEqual(outlines.map(\.folders), [[], ["a"], ["a"], ["a", "c"], ["a"], []])
  }

  func testOtherElementsAreNoOutlines() throws {
    XCTAssertEqual(try list("<note><outline/></note><outline><title>no</title></outline>").outlines.count, 1)
    XCTAssertEqual(try list("<note><outline/></note>").title, "T")
  }
}
