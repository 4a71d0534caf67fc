import Foundation

/// Reads feeds.
///
/// ```swift
/// let feed = try FeedFormats.parse(data, source: "https://example.org/feed.xml")
/// ```
///
/// Nothing here keeps state: call it from any thread, best from one where 50 MB of work bother nobody.
public enum FeedFormats {
  /// The most bytes that ``parse(_:source:limit:)`` takes unless told otherwise: 50 MB.
  public static let defaultLimit = 50_000_000

  /// Reads one document, whole or not at all.
  ///
  /// - Parameters:
  ///   - data: the document. Its format is told by these bytes alone.
  ///   - source: where it came from, a URL or a file's path; named in errors. Relative links are resolved against an http(s) URL.
  ///   - limit: the most bytes that are taken.
  /// - Throws: ``FeedError``.
  public static func parse(_ data: Data, source: String, limit: Int = defaultLimit) throws(FeedError) -> ParsedFeed {
    guard data.count <= limit else { throw FeedError(.tooLarge(bytes: data.count, limit: limit), source: source) }
    guard !data.isEmpty else { throw FeedError(.empty, source: source) }
    throw FeedError(.notAFeed("no format is read yet"), source: source)
  }
}
