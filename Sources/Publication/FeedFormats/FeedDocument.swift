/// What a document turned out to be.
public enum FeedDocument: Equatable, Sendable {
  /// A feed, in any format.
  case feed(ParsedFeed)
  /// A list of feeds (OPML), none of which was fetched.
  case outline(ParsedOutline)
}

/// A list of feeds, as programs export the feeds that a person follows (OPML 2.0, http://opml.org/spec2.opml).
public struct ParsedOutline: Equatable, Sendable {
  /// One `outline`: a feed, a folder, or a line of text.
  public struct Outline: Equatable, Sendable {
    /// Its name, plain text; empty when it has none.
    public var title: String
    /// A sentence about it, plain text; empty when there is none.
    public var about: String
    /// Where the feed is: an absolute http or https URL; `nil` for what is no feed.
    public var feedURL: String?
    /// Its home on the web.
    public var homeURL: String?
    /// The titles of the outlines around it, outermost first; at most sixteen.
    public var folders: [String]

    static let mostFolders = 16

    public init(title: String, about: String = "", feedURL: String? = nil, homeURL: String? = nil, folders: [String] = []) {
      self.title = title
      self.about = about
      self.feedURL = feedURL
      self.homeURL = homeURL
      self.folders = folders
    }
  }

  /// The list's name, plain text; empty when it has none.
  public var title: String
  /// Every outline, however deep, in the order of the document.
  public var outlines: [Outline]

  public init(title: String = "", outlines: [Outline] = []) {
    self.title = title
    self.outlines = outlines
  }

  /// The outlines that are feeds, each address once.
  public var feeds: [Outline] {
    var seen: Set<String> = []
    return outlines.filter { $0.feedURL.map { seen.insert($0).inserted } ?? false }
  }
}
