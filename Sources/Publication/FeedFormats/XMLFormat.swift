/// What the root element of an XML document says about its format.
enum XMLFormat {
  /// A format that is read, and by whom.
  case read(any XMLFeedReader.Type)
  /// A format of feeds that this version does not read.
  case notYet(FeedFormat)
  /// No feed.
  case none

  init(root: XMLName) {
    switch (root.vocabulary, root.local.lowercased()) {
    case (.atom, "feed"), (.plain, "feed"): self = .read(AtomReader.self)
    case (_, "rss"): self = .read(RSSReader.self)
    case (.rdf, "rdf"): self = .notYet(.rdf)
    case (_, "opml"): self = .notYet(.opml)
    default: self = .none
    }
  }
}
