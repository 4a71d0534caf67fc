import Foundation
import Synchronization
import TestSupport

/// A site on the loopback network with a feed, a list of feeds, pages that name feeds, and a document that is cut off. Answers can be held back.
final class FeedSite: Sendable {
  // @unchecked: every field is read and written under `condition`.
  private final class Content: @unchecked Sendable {
    private let condition = NSCondition()
    private var items: [(title: String, published: Date)] = []
    private var isSuspended = false

    func change(_ change: (inout [(title: String, published: Date)], inout Bool) -> Void) {
      condition.withLock {
        change(&items, &isSuspended)
        condition.broadcast()
      }
    }

    func answer(_ request: LoopbackServer.Received) -> LoopbackServer.Reply {
      let items = condition.withLock {
        while isSuspended { condition.wait() }
        return self.items
      }
      let home = "http://" + (request.field("Host") ?? "")
      switch request.target {
      case "/feed.xml": return .text(FeedSite.rss("The Site", home: home, items.map(FeedSite.item)))
      case "/broken.xml": return .text("<?xml version=\"1.0\"?>\n<rss version=\"2.0\"><channel>\n<title>Broken</title><item>\n<title>Half")
      case "/list.opml": return .text(FeedSite.outline(home))
      case "/one.html": return .text(FeedSite.page(["feed.xml"]))
      case "/two.html": return .text(FeedSite.page(["other.xml", "feed.xml"]))
      default: return .answer(404)
      }
    }
  }

  private let content: Content
  private let server: LoopbackServer

  init() throws {
    let content = Content()
    self.content = content
    server = try LoopbackServer { content.answer($0) }
  }

  deinit { release() }

  /// The address of one of its documents: `feed.xml`, `list.opml`, `one.html`, `two.html`, `broken.xml`.
  func address(_ document: String) -> String { "\(server.origin)/\(document)" }

  /// What was asked for, in order.
  var requested: [String] { server.received.map(\.target) }

  /// Adds a post to the feed.
  func publish(_ title: String, at date: Date) { content.change { items, _ in items.insert((title, date), at: 0) } }

  /// From here on nobody has an answer until ``release()``.
  func hold() { content.change { $1 = true } }

  /// Lets everybody have their answers.
  func release() { content.change { $1 = false } }

  private static func item(_ title: String, _ published: Date) -> String {
    let format = DateFormatter()
    format.locale = Locale(identifier: "en_US_POSIX")
    format.timeZone = .gmt
    format.dateFormat = "EEE, dd MMM yyyy HH:mm:ss 'GMT'"
    let title = title.replacing("&", with: "&amp;").replacing("<", with: "&lt;")
    return """
      <item><guid isPermaLink="false">\(title)</guid><title>\(title)</title><pubDate>\(format.string(from: published))</pubDate>
      <description>All about \(title).</description></item>
      """
  }

  private static func rss(_ name: String, home: String, _ items: [String]) -> String {
    """
    <?xml version="1.0"?><rss version="2.0"><channel><title>\(name)</title><link>\(home)/</link>
    \(items.joined(separator: "\n"))
    </channel></rss>
    """
  }

  private static func page(_ feeds: [String]) -> String {
    let links = feeds.map { "<link rel=\"alternate\" type=\"application/rss+xml\" title=\"Feed at \($0)\" href=\"/\($0)\">" }.joined()
    return "<!DOCTYPE html><html><head><title>A page</title>\(links)</head><body><p>Hello</p></body></html>"
  }

  private static func outline(_ home: String) -> String {
    """
    <?xml version="1.0"?><opml version="2.0"><head><title>My feeds</title></head><body>
    <outline text="The Site" type="rss" xmlUrl="\(home)/feed.xml"/><outline text="Elsewhere" type="rss" xmlUrl="\(home)/other.xml"/>
    </body></opml>
    """
  }
}
