import FeedFormats
import XCTest

/// One publication in each format: what comes out is the same.
final class FixtureTests: XCTestCase {
  func testFormats() throws {
    let formats: [String: FeedFormat] = [
      "rss-2.0.xml": .rss, "rss-0.91.xml": .rss, "atom.xml": .atom, "rss-1.0.rdf": .rdf, "json-feed-1.json": .jsonFeed,
      "json-feed-1.1.json": .jsonFeed, "rss-in-json.json": .rssInJSON, "utf-16.xml": .rss, "windows-1252.xml": .rss,
    ]
    for (name, format) in formats { XCTAssertEqual(try Fixture.feed(name).format, format, name) }
    XCTAssertEqual(try Fixture.all().count, formats.count + 1)
  }

  func testTheSameInEveryFormat() throws {
    for (one, other) in [("rss-2.0.xml", "json-feed-1.json"), ("atom.xml", "json-feed-1.1.json"), ("rss-1.0.rdf", "rss-in-json.json")] {
      let (first, second) = (try Fixture.feed(one), try Fixture.feed(other))
      XCTAssertEqual(first.title, second.title)
      XCTAssertEqual(first.about, second.about)
      XCTAssertEqual(first.homeURL, second.homeURL)
      XCTAssertEqual(first.picture, second.picture)
      XCTAssertEqual(first.items.count, second.items.count)
      for (item, same) in zip(first.items, second.items) where same.title != nil {
        XCTAssertEqual(item.title, same.title)
        XCTAssertEqual(item.link, same.link)
        XCTAssertEqual(item.published, same.published)
        XCTAssertTrue(same.byline.hasPrefix(item.byline), same.byline)
        XCTAssertFalse(item.picture == nil && item.body.contains("<img"))
        if item.body.contains("<figure") { XCTAssertEqual(ArticleBody(html: item.body), ArticleBody(html: same.body)) }
      }
    }
  }

  func testEncodings() throws {
    let (one, other) = (try Fixture.feed("utf-16.xml"), try Fixture.feed("windows-1252.xml"))
    XCTAssertEqual(one, other)
    XCTAssertEqual(one.items.map(\.title), ["Une séance à minuit", "Später"])
  }

  func testBodies() throws {
    let body = try XCTUnwrap(Fixture.feed("rss-2.0.xml").items.first { $0.body.contains("<table") }?.body)
    let blocks = ArticleBody(html: body).blocks
    func has(_ isIt: (ArticleBody.Block) -> Bool) { XCTAssertTrue(blocks.contains(where: isIt)) }
    has { if case .image(let image) = $0 { image.caption.map(\.text) == ["What it looked like, ", "more or less", "."] } else { false } }
    has { if case .table(let table) = $0 { table.columns == 3 && table.rows.map(\.count) == [2, 3, 2] } else { false } }
    has { if case .list(let items) = $0 { items.map(\.marker) == ["3.", "4."] && items[0].blocks.count == 2 } else { false } }
    has { $0 == .code("for seat in house {\n  seat.fold()   // quietly\n}") }
    has { $0 == .rule }
    has { $0 == .paragraph([.init("Open what is embedded here", link: "https://player.example.org/1")]) }
  }
}
