import ContentCache
import Foundation
import PublicationAPI

/// Adds or removes the reader's reaction to a post.
public struct ReactionAction: Action {
  /// Its name in the outbox.
  public static let kind = "reaction"
  /// Which action this is.
  public let id: UUID
  /// The post.
  public let entityID: Post.ID
  /// Whether there shall be a reaction.
  public let reacted: Bool

  /// Makes one.
  public init(id: UUID, post: Post.ID, reacted: Bool) {
    self.id = id
    entityID = post
    self.reacted = reacted
  }

  /// Sets the flag and counts the reader in or out; changes nothing when the flag is set already.
  public func apply(to post: inout Post) {
    guard post.reacted != reacted else { return }
    post.reacted = reacted
    post.reactions.count(in: reacted)
  }
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
