/// What the root element of an XML document says about its format.
enum XMLFormat {
  /// - Parameter links: those of the document.
  /// - Returns: who reads the format; `nil` for what is no feed.
  static func reader(root: XMLName, links: DocumentLinks) -> (any XMLFeedReader)? {
    switch (root.vocabulary, root.local.lowercased()) {
    case (.atom, "feed"), (.plain, "feed"): AtomReader(links: links)
    case (_, "rss"): RSSReader(links: links, format: .rss)
    case (.rdf, "rdf"): RSSReader(links: links, format: .rdf)
    case (_, "opml"): OPMLReader(links: links)
    default: nil
    }
  }
}
