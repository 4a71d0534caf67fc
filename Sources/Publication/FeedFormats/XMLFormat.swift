/// What the root element of an XML document says about its format.
enum XMLFormat {
  /// - Parameter source: the document's origin, see ``FeedParser/document(_:source:contentType:limit:)``.
  /// - Returns: who reads the format; `nil` for what is no feed.
  static func reader(root: XMLName, source: String) -> (any XMLFeedReader)? {
    switch (root.vocabulary, root.local.lowercased()) {
    case (.atom, "feed"), (.plain, "feed"): AtomReader(source: source)
    case (_, "rss"): RSSReader(source: source, format: .rss)
    case (.rdf, "rdf"): RSSReader(source: source, format: .rdf)
    case (_, "opml"): OPMLReader(source: source)
    default: nil
    }
  }
}
