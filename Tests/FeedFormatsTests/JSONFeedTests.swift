import FeedFormats
import XCTest

/// JSON Feed and RSS-in-JSON.
final class JSONFeedTests: XCTestCase {
  private func json(_ items: String, _ feed: String = "", version: String = "1.1") throws -> ParsedFeed {
    try read("{\"version\": \"https://jsonfeed.org/version/\(version)\", \(feed) \"items\": [\(items)]}", source: "https://e.org/feed.json")
  }

  func testAWholeFeed() throws {
    let feed = try json(
      """
      {"id": "1", "url": "https://e.org/1", "external_url": "https://other.org", "title": "One & <two>", "content_html": "<p>a</p>",
       "content_text": "no", "summary": "S & s", "image": "/1.jpg", "date_published": "2024-03-01T18:30:00-05:00",
       "date_modified": "2024-03-02T00:00:00Z", "authors": [{"name": "A"}, {"name": "B"}], "tags": ["x"]}
      """,
      """
      "title": "T", "description": "D", "home_page_url": "https://e.org/blog/", "icon": "icon.png", "favicon": "/f.ico",
      """)
    XCTAssertEqual(
      feed,
      ParsedFeed(
        format: .jsonFeed, title: "T", about: "D", homeURL: "https://e.org/blog/", picture: "https://e.org/blog/icon.png",
        items: [
          ParsedItem(
            id: "1", link: "https://e.org/1", title: "One & <two>", byline: "A, B", published: Date(timeIntervalSince1970: 1_709_335_800),
            updated: Date(timeIntervalSince1970: 1_709_337_600), body: "<p>a</p>", summary: "<p>S &amp; s</p>",
            picture: "https://e.org/1.jpg")
        ]))
  }

  func testVersion1() throws {
    let feed = try json(
      "{\"id\": \"1\", \"author\": {\"name\": \"A\"}}, {\"id\": \"2\"}", "\"author\": {\"name\": \"F\"},", version: "1")
    XCTAssertEqual(feed.items.map(\.byline), ["A", "F"])
    XCTAssertEqual(try json("{\"id\": \"1\"}", "\"authors\": [{\"name\": \"F\"}, {\"url\": \"x\"}],").items.first?.byline, "F")
  }

  func testWhatPublishersMixUp() throws {
    XCTAssertEqual(try json("{\"id\": 12}, {\"id\": 1.50}, {\"id\": true}, {}").items.map(\.id), ["12", "1.50", "true", nil])
    XCTAssertEqual(try json("{\"external_url\": \"https://e.org/x\"}").items.first?.link, "https://e.org/x")
    XCTAssertEqual(try json("{\"id\": \"https://e.org/x\"}").items.first?.link, "https://e.org/x")
    XCTAssertEqual(try json("{\"title\": null, \"url\": \" /x \"}").items.first?.link, "https://e.org/x")
    XCTAssertEqual(try json("{\"content_text\": \"a < b\\n\\nc\"}").items.first?.body, "<p>a &lt; b</p><p>c</p>")
    XCTAssertEqual(try json("{\"title\": \"a\", \"title\": \"b\"}").items.first?.title, "b")
    XCTAssertEqual(
      try json(
        "{\"attachments\": [{\"url\": \"https://e.org/a.mp3\", \"mime_type\": \"audio/mpeg\"}, {\"url\": \"https://e.org/a.png\", \"mime_type\": \"image/png\"}]}"
      )
      .items.first?.picture, "https://e.org/a.png")
    XCTAssertEqual(try json("{\"title\": \"\\ud83c\\udfac \\ud83c \\u00e9\\/\\t\"}").items.first?.title, "🎬 \u{FFFD} é/")
    XCTAssertEqual(try read("{\"version\": \"https://jsonfeed.org/version/1\"}\0\n").items.count, 0)
    let error = failure("{\"version\": \"https://jsonfeed.org/version/1\",\n\"items\": [{}, 3]}")
    XCTAssertEqual(error?.reason, .malformed("item 2 is no object"))
    XCTAssertEqual(error?.place, [2, 15])
  }

  func testDeepNestingIsRefused() {
    for opening in ["[", "{\"a\":"] {
      XCTAssertEqual(failure(String(repeating: opening, count: 1_000_000))?.reason, .refused("it is nested more than 256 deep"))
    }
  }

  func testRSSInJSON() throws {
    let feed = try read(
      """
      {"rss": {"version": "2.0", "xmlns:dc": "x", "channel": {"title": "T", "link": "https://e.org/", "description": "D", "cloud": {"port": 1},
        "image": {"url": "/l.png"}, "item": [
        {"title": "One &amp; two", "link": "https://e.org/1", "description": "<p>a</p>", "pubDate": "Fri, 01 Mar 2024 18:30:00 GMT",
         "guid": {"isPermaLink": "false", "#value": "g1"}, "dc:creator": "A", "enclosure": {"url": "https://e.org/a.png", "type": "image/png"},
         "category": [{"#value": "x"}, "y"], "source:outline": {"text": "no"}},
        {"guid": "https://e.org/2", "description": "b", "content:encoded": "<p>c</p>", "author": "a@e.org (B)"},
        {"title": "three", "guid": {"isPermaLink": false, "#value": "https://e.org/3"}}]}}}
      """)
    XCTAssertEqual(feed.format, .rssInJSON)
    XCTAssertEqual(feed.title, "T")
    XCTAssertEqual(feed.picture, "https://e.org/l.png")
    XCTAssertEqual(
      feed.items,
      [
        ParsedItem(
          id: "g1", link: "https://e.org/1", title: "One & two", byline: "A", published: Date(timeIntervalSince1970: 1_709_317_800),
          body: "<p>a</p>", picture: "https://e.org/a.png"),
        ParsedItem(id: "https://e.org/2", link: "https://e.org/2", byline: "B", body: "<p>c</p>", summary: "b"),
        ParsedItem(id: "https://e.org/3", title: "three"),
      ])
    XCTAssertEqual(try read("{\"rss\": {\"channel\": {\"item\": {\"title\": \"only\"}}}}").items.map(\.title), ["only"])
    XCTAssertEqual(try read("{\"rss\": {\"channel\": {}}}").items.count, 0)
  }
}
