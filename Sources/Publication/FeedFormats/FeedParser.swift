import CXML2
import Foundation
import Runtime

/// Reads feeds, and lists of feeds.
///
/// ```swift
/// let feed = try FeedParser.parse(data, source: "https://example.org/feed.xml")
/// ```
///
/// Nothing here has state: call it from any thread, best from one that may be blocked: 50 MB take a while.
public enum FeedParser {
  /// The version of the libxml2 that runs.
  public static var libraryVersion: String {
    // Such as "20914", and more in some builds.
    let number = Int(String(cString: cxml2_version()).prefix(while: \.isNumber)) ?? 0
    return "\(number / 10_000).\(number / 100 % 100).\(number % 100)"
  }

  /// The most bytes that ``document(_:source:contentType:limit:)`` takes by default: 50 MB.
  public static let defaultLimit = 50_000_000

  /// The most items of a feed, and outlines of a list, that are read: a few bytes each make a few hundred of memory.
  public static let mostItems = 200_000

  /// Reads a document that has to be a feed; see ``document(_:source:contentType:limit:)``.
  /// - Throws: ``FeedError``, also for a list of feeds.
  public static func parse(
    _ data: Data, source: String, contentType: String? = nil, limit: Int = defaultLimit
  ) throws(FeedError) -> ParsedFeed {
    switch try document(data, source: source, contentType: contentType, limit: limit) {
    case .feed(let feed): return feed
    case .outline: throw FeedError(.notAFeed("it is a list of feeds (OPML)"), source: source, line: 1, column: 1)
    }
  }

  /// Reads one document, whole or not at all. Nothing that it names is fetched or opened.
  ///
  /// - Parameters:
  ///   - data: the document. These bytes alone decide its format.
  ///   - source: its origin, a URL or a file's path; named in errors. Relative links are resolved against the document's own `xml:base`,
  ///       else the feed's home, else this, when it is an http or https URL.
  ///   - contentType: the server's `Content-Type`; its charset is used where the document claims none, or a wrong one.
  ///   - limit: the most bytes that are taken.
  /// - Throws: ``FeedError``, with the place.
  public static func document(
    _ data: Data, source: String, contentType: String? = nil, limit: Int = defaultLimit
  ) throws(FeedError) -> FeedDocument {
    guard data.count <= limit else {
      throw FeedError(.tooLarge(bytes: data.count, limit: limit), source: source, offset: limit)
    }
    var place = TextPlace.start
    do throws(DocumentError) {
      let mark = ByteOrderMark(data)
      let text = mark.encoding == nil ? data.dropFirst(mark.length) : try TextEncoding.utf8(data, behind: mark)
      let sniffer = Sniffer(text)
      let start = text.dropFirst(sniffer.skipped)
      place = TextPlace(of: sniffer.skipped, in: text)
      switch sniffer.syntax {
      case .empty: throw DocumentError(.empty)
      case .other(let what): throw DocumentError(.notAFeed(what))
      case .json, .xml: break
      }
      // A decisive mark in the bytes overrides every other claim.
      guard !mark.isDecisive else { return try checked(read(start, sniffer.syntax, source: source), limit) }
      let claim = sniffer.syntax == .xml ? EncodingClaim(start) : nil
      let charset = contentType.flatMap(EncodingClaim.init(contentType:))
      return try checked(read(start, sniffer.syntax, claim: claim, charset: charset, source: source), limit)
    } catch {
      let (line, column) = (place.line + error.place.line - 1, error.place.column + (error.place.line == 1 ? place.column - 1 : 0))
      throw FeedError(error.reason, source: source, line: line, column: column)
    }
  }

  /// Refuses a body that is longer than a document may be: a sign of plain text is up to five bytes as HTML.
  private static func checked(_ document: FeedDocument, _ limit: Int) throws(DocumentError) -> FeedDocument {
    guard case .feed(let feed) = document, feed.items.contains(where: { $0.body.utf8.count > limit }) else { return document }
    throw DocumentError(.refused("one of its texts is too long"))
  }

  /// Reads a text by the first claim that its bytes satisfy: its own, then the server's; without one of its own the server's, then UTF-8.
  private static func read(
    _ text: Data, _ syntax: Syntax, claim: EncodingClaim?, charset: EncodingClaim?, source: String
  ) throws(DocumentError) -> FeedDocument {
    let claims: [EncodingClaim?] = claim == nil ? [charset, EncodingClaim.none] : [claim, charset]
    var failure: DocumentError?
    for claim in claims.compactMap(\.self) {
      do throws(DocumentError) {
        return try read(TextEncoding.utf8(text, claim), syntax, source: source)
      } catch {
        guard case .wrongEncoding = error.reason else { throw error }
        failure = failure ?? error
      }
    }
    throw failure ?? DocumentError(.empty)
  }

  /// - Parameter text: presumably UTF-8.
  private static func read(_ text: Data, _ syntax: Syntax, source: String) throws(DocumentError) -> FeedDocument {
    // Also wherever references to characters are decoded later on.
    let text = text.streamSafe
    let links = DocumentLinks(source: source, bytes: text.count)
    if syntax == .json { return .feed(try JSONFormat.read(text, links: links)) }
    var parser = XMLFeedParser(links: links)
    do throws(DocumentError) {
      return try parser.parse(text)
    } catch {
      // The most common mistakes of publishers can be repaired without guessing; any other error is thrown as it is.
      guard parser.mayBeRepaired else { throw error }
      let repaired = XMLRepair.repaired(text)
      guard repaired != text else { throw error }
      var second = XMLFeedParser(links: DocumentLinks(source: source, bytes: repaired.count))
      return try second.parse(repaired)
    }
  }
}
