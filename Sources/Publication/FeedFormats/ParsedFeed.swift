import Foundation

/// The content of a feed of any format: a fan club with its posts.
public struct ParsedFeed: Equatable, Sendable {
  /// The format it was written in.
  public var format: FeedFormat
  /// The feed's name, plain text; empty when it has none.
  public var title: String
  /// A sentence or two about it, plain text.
  public var about: String
  /// Its home on the web, absolute where that could be resolved.
  public var homeURL: String?
  /// Its logo, absolute where that could be resolved.
  public var picture: String?
  /// How many minutes the feed says that it stays unchanged (`ttl` of RSS), at most a day.
  public var ttl: Int?
  /// The items, in the order of the document.
  public var items: [ParsedItem]

  /// A day, in minutes.
  static let longestTTL = 1440

  public init(
    format: FeedFormat, title: String = "", about: String = "", homeURL: String? = nil, picture: String? = nil, items: [ParsedItem] = []
  ) {
    self.format = format
    self.title = title
    self.about = about
    self.homeURL = homeURL
    self.picture = picture
    self.items = items
  }
}

/// One item of a feed.
public struct ParsedItem: Equatable, Sendable {
  /// Its identifier in the feed (`guid`, `id`): unique within the feed, when given at all.
  public var id: String?
  /// Its home on the web.
  public var link: String?
  /// The headline, plain text; `nil` when there is none. See ``displayTitle``.
  public var title: String?
  /// Who wrote it; empty when unknown.
  public var byline: String
  /// When it appeared, if the feed says so in a form that can be read.
  public var published: Date?
  /// When it was changed last.
  public var updated: Date?
  /// The whole text as HTML, links resolved.
  public var body: String
  /// A shorter text as HTML, where the feed has one beside ``body``; else empty.
  public var summary: String
  /// The picture that the feed names, else the first of ``body``.
  public var picture: String?
  /// The files that belong to it, but for ``picture``.
  public var enclosures: [ParsedEnclosure]

  public init(
    id: String? = nil, link: String? = nil, title: String? = nil, byline: String = "", published: Date? = nil, updated: Date? = nil,
    body: String = "", summary: String = "", picture: String? = nil, enclosures: [ParsedEnclosure] = []
  ) {
    self.id = id
    self.link = link
    self.title = title
    self.byline = byline
    self.published = published
    self.updated = updated
    self.body = body
    self.summary = summary
    self.picture = picture
    self.enclosures = enclosures
  }

  /// The identity of an item when its feed is read again: ``id``, else ``link``, else a hash of title, date and body. Unique within one
  /// feed only.
  public var identity: String {
    if let id, !id.isEmpty { return id }
    if let link, !link.isEmpty { return link }
    var hash = StableHash()
    hash.combine(title ?? "")
    hash.combine(published.map { String(Int64($0.timeIntervalSince1970.rounded())) } ?? "")
    hash.combine(body.isEmpty ? summary : body)
    return "hash:" + hash.text
  }
}
