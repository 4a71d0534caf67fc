import Foundation

/// Tells the formats that are written in JSON.
enum JSONFormat {
  private struct Probe: Decodable {
    struct RSS: Decodable {}
    var version: String?
    var rss: RSS?
  }

  /// - Throws: ``FeedError`` always, so far: with ``FeedError/Reason/notReadYet(_:)`` for a feed.
  static func read(_ data: Data, source: String) throws(FeedError) -> ParsedFeed {
    let probe: Probe
    do {
      probe = try JSONDecoder().decode(Probe.self, from: data)
    } catch DecodingError.dataCorrupted {
      throw FeedError(.malformed("it begins like JSON, but is none"), source: source)
    } catch {
      throw FeedError(.notAFeed("it is JSON of another kind"), source: source)
    }
    if probe.version?.contains("jsonfeed.org/version/") == true { throw FeedError(.notReadYet(.jsonFeed), source: source) }
    if probe.rss != nil { throw FeedError(.notReadYet(.rssInJSON), source: source) }
    throw FeedError(.notAFeed("it is JSON of another kind"), source: source)
  }
}
