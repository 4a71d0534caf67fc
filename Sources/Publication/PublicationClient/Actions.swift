import ContentCache
import Foundation
import PublicationAPI

/// Gives the reader's reaction to a post, changes its kind, or takes it away.
public struct ReactionAction: Action {
  /// Its name in the outbox.
  public static let kind = "reaction"
  /// Which action this is.
  public let id: UUID
  /// The post.
  public let entityID: Post.ID
  /// The reaction that there shall be; `nil` for none.
  public let reaction: Reaction?

  /// Makes one.
  public init(id: UUID, post: Post.ID, reaction: Reaction?) {
    self.id = id
    entityID = post
    self.reaction = reaction
  }

  /// Reads what any version put into an outbox.
  /// - Throws: `DecodingError`.
  public init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: CodingKeys.self)
    id = try values.decode(UUID.self, forKey: .id)
    entityID = try values.decode(String.self, forKey: .entityID)
    // There was one kind once, the heart.
    let before = try decoder.container(keyedBy: FormerKeys.self).decodeIfPresent(Bool.self, forKey: .reacted) ?? false
    reaction = try values.decodeIfPresent(Reaction.self, forKey: .reaction) ?? (before ? .love : nil)
  }

  /// Sets the reaction, and counts the reader out of the one before and into this one; changes nothing when it is there already.
  public func apply(to post: inout Post) {
    guard post.reaction != reaction else { return }
    if let former = post.reaction, var count = post.reactions[former] {
      count.count(in: false)
      post.reactions[former] = count > 0 ? count : nil
    }
    if let reaction { post.reactions[reaction, default: 0].count(in: true) }
    post.reaction = reaction
  }

  private enum FormerKeys: CodingKey { case reacted }
}

/// Adds or removes the reader's bookmark on a post.
public struct BookmarkAction: Action {
  /// Its name in the outbox.
  public static let kind = "bookmark"
  /// Which action this is.
  public let id: UUID
  /// The post.
  public let entityID: Post.ID
  /// Whether there shall be a bookmark.
  public let bookmarked: Bool

  /// Makes one.
  public init(id: UUID, post: Post.ID, bookmarked: Bool) {
    self.id = id
    entityID = post
    self.bookmarked = bookmarked
  }

  /// Sets the flag.
  public func apply(to post: inout Post) { post.bookmarked = bookmarked }
}

/// Follows a fan club, or stops.
public struct FollowAction: Action {
  /// Its name in the outbox.
  public static let kind = "follow"
  /// Which action this is.
  public let id: UUID
  /// The club.
  public let entityID: FanClub.ID
  /// Whether the reader shall follow it.
  public let followed: Bool

  /// Makes one.
  public init(id: UUID, fanClub: FanClub.ID, followed: Bool) {
    self.id = id
    entityID = fanClub
    self.followed = followed
  }

  /// Sets the flag and counts the reader in or out; changes nothing when the flag is set already.
  public func apply(to club: inout FanClub) {
    guard club.followed != followed else { return }
    club.followed = followed
    club.followers.count(in: followed)
  }
}

extension Int {
  /// One more, or one less and never below zero. The publication may say any number: counting on from it never stops the app.
  fileprivate mutating func count(in isIn: Bool) { self = isIn ? self &+ (self == .max ? 0 : 1) : Swift.max(1, self) - 1 }
}
