import Foundation
import PublicationAPI

/// One kind of reaction below a post, as a reader chooses among them.
public struct ReactionChoice: Equatable, Sendable, Identifiable {
  /// The kind; one that this version cannot draw is there only when a reader chose it.
  public var kind: Reaction
  /// How many readers chose it; empty for none.
  public var count: String
  /// Whether this reader did. Choosing it again takes it away.
  public var isChosen: Bool
  /// The same as ``kind``.
  public var id: Reaction { kind }

  public init(_ kind: Reaction, count: String = "", isChosen: Bool = false) {
    self.kind = kind
    self.count = count
    self.isChosen = isChosen
  }

  /// All that are offered below a post: those that this version knows, and others that readers chose.
  static func all(of post: Post, formatting: Formatting) -> [ReactionChoice] {
    let supported = Reaction.known.map { (kind: $0, count: post.reactions[$0]) }
    let others = post.reactions.counts.filter { !Reaction.known.contains($0.kind) && $0.count > 0 }
    return (supported + others).map { kind, count in
      ReactionChoice(kind, count: count > 0 ? formatting.count(count) : "", isChosen: post.reaction == kind)
    }
  }
}

/// A post as every list of posts shows it: text and flags, ready to be drawn.
public struct PostRow: Equatable, Sendable, Identifiable {
  /// Identifies the post.
  public var id: Post.ID
  /// The post's headline.
  public var title: String
  /// The opening, plain text.
  public var teaser: String
  /// The fan club's name.
  public var club: String
  /// Who wrote it; empty when the publication does not say.
  public var byline: String
  /// When the post appeared, in words.
  public var date: String
  /// The post's picture, as ``APIClient/picture(_:)`` takes it; `nil` for none.
  public var picture: String?
  /// The unchecked address that the feed names, or else the post's page at the publication: see ``link``.
  var url: String?
  /// How many readers reacted, in any way; empty for none.
  public var reactions: String
  /// The reactions by kind, in the order in which a reader chooses among them.
  public var kinds: [ReactionChoice]
  /// This reader's own reaction.
  public var reaction: Reaction?
  /// How many comments it has; empty for none.
  public var comments: String
  /// Whether this reader has read it.
  public var isRead: Bool
  /// Whether this reader bookmarked it.
  public var isBookmarked: Bool
  /// Whether it takes access that this reader does not have.
  public var isLocked: Bool

  /// What the reader chose that waits to be sent, in a sentence; `nil` for nothing.
  public var waiting: String?

  /// From a post, as this reader sees it.
  public init(_ post: Post, hasPremium: Bool, waiting: String? = nil, formatting: Formatting) {
    self.waiting = waiting
    id = post.id
    title = post.title.onOneLine
    teaser = Self.teaser(post.teaser.onOneLine, below: title)
    club = post.fanClubName.onOneLine
    byline = post.byline.onOneLine
    date = formatting.date(post.published)
    picture = post.picture
    url = post.url ?? formatting.pages.map { $0 + APIPath.postPage(post.id).target }
    reactions = post.reactions.total > 0 ? formatting.count(post.reactions.total) : ""
    kinds = ReactionChoice.all(of: post, formatting: formatting)
    reaction = post.reaction
    comments = post.comments > 0 ? formatting.count(post.comments) : ""
    isRead = post.read
    isBookmarked = post.bookmarked
    isLocked = post.premium && !post.unlocked && !hasPremium
  }

  /// A post without a title has its first words for one, which are not to be read twice.
  private static func teaser(_ teaser: String, below title: String) -> String {
    if teaser == title { return "" }
    guard title.last == "…", case let words = title.dropLast(), !words.isEmpty, teaser.hasPrefix(words) else { return teaser }
    return "…" + teaser.dropFirst(words.count)
  }

  /// Whether this reader reacted.
  public var isReacted: Bool { reaction != nil }
  /// The post's page on the web; `nil` without one that a browser may be given.
  public var link: String? {
    guard let url, let parts = URL(string: url), ["http", "https"].contains(parts.scheme?.lowercased()) else { return nil }
    return parts.host()?.isEmpty == false ? url : nil
  }
}
