import FeedFormats
import XCTest

final class IdentityTests: XCTestCase {
  private let date = Date(timeIntervalSince1970: 1_500_000_000)

  func testTheIDComesFirst() { XCTAssertEqual(ParsedItem(id: "1", link: "https://e.org/1", title: "a").identity, "1") }

  func testThenTheLink() {
    XCTAssertEqual(ParsedItem(link: "https://e.org/1", title: "a").identity, "https://e.org/1")
    XCTAssertEqual(ParsedItem(id: "", link: "https://e.org/1").identity, "https://e.org/1")
  }

  func testThenAHashOfTitleDateAndBody() {
    let item = ParsedItem(title: "a", published: date, body: "b")
    // Written down, since what was imported by one version must be known to the next.
    XCTAssertEqual(item.identity, "hash:\(expectedHash)")
    XCTAssertEqual(item.identity, ParsedItem(title: "a", byline: "somebody", published: date, body: "b").identity)
    let others = [
      ParsedItem(title: "b", published: date, body: "b"), ParsedItem(title: "a", published: date + 1, body: "b"),
      ParsedItem(title: "a", published: date, body: "c"), ParsedItem(title: "a", body: "b"), ParsedItem(title: "ab", published: date),
      ParsedItem(published: date, body: "ab"),
    ]
    XCTAssertEqual(Set(others.map(\.identity) + [item.identity]).count, others.count + 1)
  }

  private let expectedHash = "f7a272b05cb2820d3e10b255beab7ff3"

  func testIdentityFromRSS() throws {
    XCTAssertEqual(try first(rss("<item><guid isPermaLink='false'> a </guid><link>https://e.org/1</link></item>")).identity, "a")
    XCTAssertEqual(try first(rss("<item><guid></guid><link>https://e.org/1</link></item>")).identity, "https://e.org/1")
    XCTAssertTrue(try first(rss("<item><description>x</description></item>")).identity.hasPrefix("hash:"))
  }

  func testReadingAgainGivesTheSameIdentities() throws {
    let text = rss("<item><title>a</title></item><item><description>b</description></item><item><guid>c</guid></item>")
    XCTAssertEqual(try read(text).items.map(\.identity), try read(text).items.map(\.identity))
  }

  func testAnUntitledPostShowsItsFirstWords() {
    let body = "<p>It rained, and <b>nobody</b> had thought to bring an umbrella for the long way home.</p>"
    XCTAssertEqual(ParsedItem(body: body).displayTitle, "It rained, and nobody had thought to bring an umbrella for…")
    XCTAssertEqual(ParsedItem(title: "", body: "<p>Short &amp; sweet</p>").displayTitle, "Short & sweet")
    XCTAssertEqual(ParsedItem(body: body, summary: "In short").displayTitle, "In short")
    XCTAssertEqual(ParsedItem(title: "Title", body: body).displayTitle, "Title")
    XCTAssertEqual(ParsedItem(link: "https://e.org/1", body: "<img src='https://e.org/a.png'>").displayTitle, "https://e.org/1")
    XCTAssertEqual(ParsedItem().displayTitle, "Untitled")
  }
}
