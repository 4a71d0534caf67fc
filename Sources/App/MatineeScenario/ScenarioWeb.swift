import FeedFormats
import Foundation
import HTTPTransport
import PublicationServer
import Runtime
import Synchronization

/// The web of a scenario: what its publication fetches feeds from. Safe from any thread.
///
/// `https://the-reel.example/feed.xml` has what the operator published, and one item from the first on; `https://the-reel.example` is a
/// page that names it, `https://pages.example` one that names it and another, and `https://empty.example` one that names none.
/// `https://feeds.example/list.opml` lists the same two, `https://broken.example/feed.xml` is cut off, `https://slow.example/feed.xml`
/// never answers, and there is no server at any other address.
final class ScenarioWeb: Transport {
  private static let reel = "https://the-reel.example/feed.xml"
  private let clock: any AppClock
  /// When each of the feed's items appeared.
  private let items: Mutex<[Date]>
  /// Stands still.
  private let never = ManualClock()

  init(clock: any AppClock) {
    self.clock = clock
    items = Mutex([clock.now])
  }

  func send(_ request: Request) async throws -> Response {
    switch request.target {
    case Self.reel: return Response(200, headers: ["Content-Type": "application/rss+xml"], body: feed)
    case "https://the-reel.example": return Self.page(["/feed.xml", "/comments/feed.xml"])
    case "https://pages.example": return Self.page([Self.reel, "https://quiet.example/feed.xml"])
    case "https://empty.example": return Self.page([])
    case "https://feeds.example/list.opml": return Response(200, headers: ["Content-Type": "text/x-opml"], body: Data(Self.list.utf8))
    case "https://broken.example/feed.xml": return Response(200, headers: ["Content-Type": "application/rss+xml"], body: feed.dropLast(20))
    case "https://slow.example/feed.xml":
      try await never.sleep(for: .seconds(1))
      fallthrough
    default: throw TransportError.unreachable("nobody is there")
    }
  }

  /// Puts a new item into the feed, and has the publication take it up.
  /// - Throws: what the publication's import throws.
  func publish(in publication: Publication) async throws {
    items.withLock { $0.append(clock.now) }
    _ = try await publication.importFeed(try FeedParser.parse(feed, source: Self.reel), source: Self.reel)
  }

  private var feed: Data {
    let items = items.withLock { $0 }.enumerated().reversed().map { index, date in
      """
      <item><guid>reel-\(index + 1)</guid><title>Reel \(index + 1)</title><pubDate>\(date.formatted(Self.style))</pubDate>
      <description>What reel \(index + 1) shows.</description></item>
      """
    }
    let head = #"<?xml version="1.0"?><rss version="2.0"><channel><title>The Reel</title><link>https://the-reel.example/</link>"#
    return Data("\(head)\(items.joined())</channel></rss>".utf8)
  }

  private static func page(_ feeds: [String]) -> Response {
    let links = feeds.map { "<link rel=\"alternate\" type=\"application/rss+xml\" title=\"At \($0)\" href=\"\($0)\">" }.joined()
    let page = "<!DOCTYPE html><html><head><title>A page</title>\(links)</head><body><p>Hello</p></body></html>"
    return Response(200, headers: ["Content-Type": "text/html; charset=utf-8"], body: Data(page.utf8))
  }

  /// As RFC 822 has it.
  private static let style = Date.VerbatimFormatStyle(
    format: """
      \(day: .twoDigits) \(month: .abbreviated) \(year: .defaultDigits) \
      \(hour: .twoDigits(clock: .twentyFourHour, hourCycle: .zeroBased)):\(minute: .twoDigits):\(second: .twoDigits) GMT
      """,
    locale: Locale(identifier: "en_US_POSIX"), timeZone: .gmt, calendar: Calendar(identifier: .gregorian))

  private static let list = """
    <?xml version="1.0"?><opml version="2.0"><head><title>Two feeds</title></head><body>
    <outline text="The Reel" type="rss" xmlUrl="\(reel)"/>
    <outline text="The Quiet One" type="rss" xmlUrl="https://quiet.example/feed.xml"/></body></opml>
    """
}
