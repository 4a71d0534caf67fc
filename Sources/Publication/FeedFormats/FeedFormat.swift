/// The formats of feeds. A document's content decides its format, never its file's name.
public enum FeedFormat: String, Sendable, CaseIterable {
  /// RSS 0.91 to 2.0 (https://www.rssboard.org/rss-specification).
  case rss
  /// Atom 1.0 (RFC 4287), and the part of 0.3 that is the same.
  case atom
  /// RSS 0.90 and 1.0, which are RDF documents.
  case rdf
  /// JSON Feed 1 and 1.1 (https://www.jsonfeed.org).
  case jsonFeed
  /// RSS 2.0 written as JSON.
  case rssInJSON
  /// A list of feeds (http://opml.org).
  case opml

  /// The name that people know.
  public var name: String {
    switch self {
    case .rss: "RSS"
    case .atom: "Atom"
    case .rdf: "RSS 1.0 (RDF)"
    case .jsonFeed: "JSON Feed"
    case .rssInJSON: "RSS-in-JSON"
    case .opml: "OPML"
    }
  }
}
