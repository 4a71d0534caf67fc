import Foundation

/// Reads feeds.
///
/// ```swift
/// let feed = try FeedParser.parse(data, source: "https://example.org/feed.xml")
/// ```
///
/// Nothing here keeps state: call it from any thread, best from one where 50 MB of work bother nobody.
public enum FeedParser {
  /// The most bytes that ``parse(_:source:limit:)`` takes unless told otherwise: 50 MB.
  public static let defaultLimit = 50_000_000

  /// Reads one document, whole or not at all.
  ///
  /// - Parameters:
  ///   - data: the document. Its format is told by these bytes alone.
  ///   - source: where it came from, a URL or a file's path; named in errors. Relative links are resolved against the document's own
  ///     `xml:base`, else the feed's home, else this, when it is an http or https URL.
  ///   - limit: the most bytes that are taken.
  /// - Throws: ``FeedError``.
  public static func parse(_ data: Data, source: String, limit: Int = defaultLimit) throws(FeedError) -> ParsedFeed {
    guard data.count <= limit else { throw FeedError(.tooLarge(bytes: data.count, limit: limit), source: source) }
    let sniffer = Sniffer(data)
    let document = sniffer.skipped == 0 ? data : data.dropFirst(sniffer.skipped)
    switch sniffer.syntax {
    case .empty: throw FeedError(.empty, source: source)
    case .other(let what): throw FeedError(.notAFeed(what), source: source)
    case .json: return try JSONFormat.read(document, source: source)
    case .xml: return try parseXML(document, sniffer, source: source)
    }
  }

  private static func parseXML(_ document: Data, _ sniffer: Sniffer, source: String) throws(FeedError) -> ParsedFeed {
    let parser = XMLFeedParser(source: source)
    if let feed = parser.parse(document) { return feed }
    // The commonest mistakes of publishers can be put right without guessing; anything else is told as it is.
    if sniffer.isASCIICompatible, let failure = parser.failure, XMLRepair.mayHelp(failure.code) {
      let repaired = XMLRepair.repaired(document, declared: parser.declaredEntities)
      let second = XMLFeedParser(source: source)
      if repaired != document, let feed = second.parse(repaired) { return feed }
      throw FeedError((second.failure ?? failure), parser.declaredEntities, source: source, skippedLines: sniffer.skippedLines)
    }
    throw FeedError(parser.failure, parser.declaredEntities, source: source, skippedLines: sniffer.skippedLines)
  }
}
