import ContentCache
import Foundation
import PublicationAPI
import PublicationClient

/// A setting of a reader on an entity, of which only the last choice counts: a reaction, a bookmark.
public protocol Setting: SendableMetatype {
  /// What it is set on.
  associatedtype Value: Entity
  /// What there is to choose from.
  associatedtype Choice: Codable, Equatable, Sendable

  /// The name of its actions in the outbox; never changed once it shipped.
  static var kind: String { get }
  /// A sentence for the reader when a choice was refused; `nil` for none.
  static var refusal: String? { get }
  /// What the reader has chosen, as the entity says.
  static func choice(in value: Value) -> Choice
  /// Changes the entity as the publication will, including its counts; changes nothing when that is chosen already.
  static func set(_ choice: Choice, in value: inout Value)
  /// The choice in an action that an earlier version put into an outbox. By default there is none.
  /// - Throws: `DecodingError`, where the action has no choice.
  static func formerChoice(in values: KeyedDecodingContainer<FormerKeys>) throws -> Choice
  /// Sends the choice, perhaps more than once; returns the entity as it is afterwards.
  /// - Throws: `ClientError`.
  static func send(_ choice: Choice, of id: String, by client: APIClient) async throws -> Value
}

/// The keys of choices in an outbox when each setting had an action of its own.
public enum FormerKeys: CodingKey { case reacted, reaction, bookmarked, followed }

extension Setting {
  /// Refuses every action: the setting never had another name.
  /// - Throws: `DecodingError`, always.
  public static func formerChoice(in values: KeyedDecodingContainer<FormerKeys>) throws -> Choice {
    throw DecodingError.dataCorrupted(.init(codingPath: [], debugDescription: "the action says nothing"))
  }
}

/// A reader's choice of a ``Setting``. Like every action, it is undone by showing the publication's value without it.
public struct SettingAction<Subject: Setting>: Action {
  /// The name of its actions in the outbox: ``Setting/kind``.
  public static var kind: String { Subject.kind }
  /// Which action this is.
  public let id: UUID
  /// Identifies the entity that it is set on.
  public let entityID: String
  /// What shall be chosen.
  public let choice: Subject.Choice

  public init(id: UUID, of entityID: String, _ choice: Subject.Choice) {
    self.id = id
    self.entityID = entityID
    self.choice = choice
  }

  /// Reads what any version put into an outbox.
  /// - Throws: `DecodingError`.
  public init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: CodingKeys.self)
    id = try values.decode(UUID.self, forKey: .id)
    entityID = try values.decode(String.self, forKey: .entityID)
    choice =
      values.contains(.choice)
      ? try values.decode(Subject.Choice.self, forKey: .choice)
      : try Subject.formerChoice(in: decoder.container(keyedBy: FormerKeys.self))
  }

  /// Sets it on an entity that is known.
  public func apply(to value: inout Subject.Value?) {
    guard var changed = value else { return }
    Subject.set(choice, in: &changed)
    value = changed
  }
}

/// Gives the reader's reaction to a post, changes its kind, or removes it.
public typealias ReactionAction = SettingAction<ReactionSetting>
/// Adds or removes the reader's bookmark on a post.
public typealias BookmarkAction = SettingAction<BookmarkSetting>
/// Follows a fan club, or stops.
public typealias FollowAction = SettingAction<FollowSetting>

/// The reader's reaction to a post; `nil` for none.
public enum ReactionSetting: Setting {
  /// Its name in the outbox.
  public static let kind = "reaction"
  /// What the reader is told when the choice was refused.
  public static let refusal: String? = "Your reaction was not saved."
  /// The reader's own reaction to the post; `nil` for none.
  public static func choice(in post: Post) -> Reaction? { post.reaction }
  /// Counts the reader out of the kind before and into this one.
  public static func set(_ choice: Reaction?, in post: inout Post) {
    guard post.reaction != choice else { return }
    if let former = post.reaction { post.reactions[former].count(in: false) }
    if let choice { post.reactions[choice].count(in: true) }
    post.reaction = choice
  }
  /// Reads the kind; in actions of the first versions, whether there is the one kind that there was.
  /// - Throws: `DecodingError`, where there is something else than a choice.
  public static func formerChoice(in values: KeyedDecodingContainer<FormerKeys>) throws -> Reaction? {
    if values.contains(.reacted) { return try values.decode(Bool.self, forKey: .reacted) ? .love : nil }
    return try values.decodeIfPresent(Reaction.self, forKey: .reaction)
  }
  /// Sets or removes the reaction: `PUT` or `DELETE /v1/posts/ID/reaction`.
  /// - Throws: `ClientError`.
  public static func send(_ choice: Reaction?, of id: Post.ID, by client: APIClient) async throws -> Post {
    try await client.setReaction(id, choice)
  }
}

/// Whether a post is among the reader's bookmarks.
public enum BookmarkSetting: Setting {
  /// Its name in the outbox.
  public static let kind = "bookmark"
  /// What the reader is told when the choice was refused.
  public static let refusal: String? = "Your bookmark was not saved."
  /// Whether the post is bookmarked.
  public static func choice(in post: Post) -> Bool { post.bookmarked }
  /// Sets whether the post is bookmarked.
  public static func set(_ choice: Bool, in post: inout Post) { post.bookmarked = choice }
  /// Reads the flag that actions of earlier versions have.
  /// - Throws: `DecodingError`, where there is no flag.
  public static func formerChoice(in values: KeyedDecodingContainer<FormerKeys>) throws -> Bool {
    try values.decode(Bool.self, forKey: .bookmarked)
  }
  /// Sets or removes the bookmark: `PUT` or `DELETE /v1/posts/ID/bookmark`.
  /// - Throws: `ClientError`.
  public static func send(_ choice: Bool, of id: Post.ID, by client: APIClient) async throws -> Post {
    try await client.setBookmark(id, choice)
  }
}

/// Whether the reader has read a post.
public enum ReadSetting: Setting {
  /// Its name in the outbox.
  public static let kind = "read"
  /// The reader did not ask for this mark: it comes by reading.
  public static let refusal: String? = nil
  /// Whether the post is read.
  public static func choice(in post: Post) -> Bool { post.read }
  /// Sets the flag. A post that was read by itself stays read when a mark on many is undone.
  public static func set(_ choice: Bool, in post: inout Post) { (post.read, post.readMark) = (choice, nil) }
  /// Marks the post as read or as unread: `PUT` or `DELETE /v1/posts/ID/read`.
  /// - Throws: `ClientError`.
  public static func send(_ choice: Bool, of id: Post.ID, by client: APIClient) async throws -> Post {
    try await client.setRead(id, choice)
  }
}

/// Whether the reader follows a fan club.
public enum FollowSetting: Setting {
  /// Its name in the outbox.
  public static let kind = "follow"
  /// What the reader is told when the choice was refused.
  public static let refusal: String? = "Following was not changed."
  /// Whether the club is followed.
  public static func choice(in club: FanClub) -> Bool { club.followed }
  /// Sets the flag and counts the reader in or out.
  public static func set(_ choice: Bool, in club: inout FanClub) {
    guard club.followed != choice else { return }
    club.followed = choice
    club.followers.count(in: choice)
  }
  /// Reads the flag that actions of earlier versions have.
  /// - Throws: `DecodingError`, where there is no flag.
  public static func formerChoice(in values: KeyedDecodingContainer<FormerKeys>) throws -> Bool {
    try values.decode(Bool.self, forKey: .followed)
  }
  /// Follows the club, or stops: `PUT` or `DELETE /v1/fanclubs/ID/follow`.
  /// - Throws: `ClientError`.
  public static func send(_ choice: Bool, of id: FanClub.ID, by client: APIClient) async throws -> FanClub {
    try await client.setFollow(id, choice)
  }
}

extension Int {
  /// One more, or one less and never below zero. The publication may send any number: counting from it never overflows.
  fileprivate mutating func count(in isIn: Bool) { self = isIn ? self &+ (self == .max ? 0 : 1) : Swift.max(1, self) - 1 }
}
