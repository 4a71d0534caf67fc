import FeedFormats
import Foundation
import HTTPTransport
import PublicationAPI
import Runtime

/// One version of a feed, by what its server calls it.
struct FeedVersion: Equatable, Sendable {
  /// The address of the feed, after permanent redirects.
  var url: String
  /// `ETag`.
  var etag: String?
  /// `Last-Modified`.
  var modified: String?
  /// For how many seconds its document stays the same by its own account.
  var ttl: Int64 = 0
  /// The same by its server's (`Cache-Control: max-age`), as of this answer.
  var maxAge: Int64 = 0
}

/// Fetches documents from the web, and only those that changed.
///
/// It follows redirects itself, so that it knows which of them are permanent, and that each leads to `http` or `https`.
struct FeedFetcher: Sendable {
  /// What a server had.
  enum Answer: Sendable {
    /// - Parameter address: where it was in the end.
    case document(Data, contentType: String?, FeedVersion, address: String)
    /// It is the version that the request named.
    case unchanged(FeedVersion)
  }

  /// Why there is no document.
  struct Failure: Error, Equatable, CustomStringConvertible {
    let url: String
    let sentence: String
    /// For a log or a terminal: what the system said.
    var details: String?
    /// The server says that there will be none any more.
    var isGone = false
    /// How long the server wants to be left alone.
    var retryAfter: Duration?
    /// How many bytes of a document were taken before it was clear that it cannot be read.
    var offset: Int?
    /// One sentence with the address, and the place in the document.
    var description: String { "\(url)\(offset.map { ", byte \($0)" } ?? ""): \(sentence)" }
  }

  private static let mostRedirects = 5

  let web: any Transport
  let clock: any AppClock
  let reader: FeedReader

  /// - Parameters:
  ///   - feed: the stored version; without a tag and a date the document is fetched in any case.
  ///   - isBound: whether the feed stays at its address, also after a permanent redirect.
  /// - Throws: ``Failure``; `CancellationError`.
  func fetch(_ feed: FeedVersion, isBound: Bool = false) async throws -> Answer {
    var (target, home, isForGood) = (feed.url, feed.url, !isBound)
    for _ in 0...Self.mostRedirects {
      let response = try await request(target, feed)
      var version: FeedVersion {
        FeedVersion(
          url: home, etag: response.headers["ETag"].flatMap(Self.validator),
          modified: response.headers["Last-Modified"].flatMap(Self.validator),
          maxAge: response.headers.remainingFreshness?.components.seconds ?? 0)
      }
      switch response.status {
      case 200: return .document(response.body, contentType: response.headers["Content-Type"], version, address: target)
      case 304 where feed.etag != nil || feed.modified != nil:
        var unchanged = version
        unchanged.etag = unchanged.etag ?? feed.etag
        unchanged.modified = unchanged.modified ?? feed.modified
        unchanged.ttl = feed.ttl
        return .unchanged(unchanged)
      case 301, 302, 303, 307, 308:
        guard let next = response.headers["Location"].flatMap({ FeedAddress.url($0, from: target) }) else {
          throw Failure(url: feed.url, sentence: "the server redirects to what is no http or https address.")
        }
        isForGood = isForGood && [301, 308].contains(response.status)
        if isForGood { home = next }
        target = next
      case 410: throw Failure(url: feed.url, sentence: "the server says that this feed is gone for good.", isGone: true)
      default:
        throw Failure(
          url: feed.url, sentence: "the server answered with status \(response.status).",
          retryAfter: response.headers.retryAfter(at: clock.now))
      }
    }
    throw Failure(url: feed.url, sentence: "the server redirects without end.")
  }

  /// A tag or a date that is stored and sent again; `nil` for one that is longer than any server's.
  private static func validator(_ text: String) -> String? { text.utf8.count <= 1024 ? text : nil }

  private func request(_ target: String, _ feed: FeedVersion) async throws -> Response {
    var request = Request(.get, target, headers: ["Accept": Self.accepted])
    request.headers["If-None-Match"] = feed.etag
    request.headers["If-Modified-Since"] = feed.modified
    do {
      return try await web.send(request)
    } catch TransportError.tooLarge(let limit) {
      throw Failure(url: feed.url, sentence: "the document has more than \(limit / 1_000_000) MB, and so much is not read.", offset: limit)
    } catch let error as TransportError {
      var sentence = error.sentence(about: "the feed's server")
      // A reader who typed no scheme does not know that one was chosen.
      if case .insecure(_, nil) = error { sentence += " If it has no https, write http:// in front of the address." }
      throw Failure(url: feed.url, sentence: sentence, details: "\(error)")
    }
  }

  private static let accepted =
    "application/rss+xml, application/atom+xml, application/feed+json, application/rdf+xml, text/x-opml, application/xml;q=0.9, "
    + "text/xml;q=0.9, application/json;q=0.8, */*;q=0.1"
}
