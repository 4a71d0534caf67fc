import ContentCache
import Foundation
import PublicationAPI

/// Marks all posts as read that appeared until a moment, also those that are not here: one action and one request for any number.
///
/// Each counts, since one with a narrower range must not supersede another.
public struct ReadAllAction: Action, Equatable {
  /// Its name in the outbox; never changed.
  public static let kind = "read_all"
  /// `true`: it changes posts that are not here too.
  public static let isAboutAll = true
  /// Which action this is.
  public let id: UUID
  /// When the newest that is meant appeared.
  public let until: Date
  /// Whose posts; `nil` for all.
  public let clubs: Set<FanClub.ID>?

  public init(id: UUID, until: Date, clubs: Set<FanClub.ID>? = nil) {
    self.id = id
    self.until = until
    self.clubs = clubs
  }

  /// It has no entity of its own.
  public var entityID: String { "posts" }
  /// `nil`: each counts.
  public var supersedesKey: String? { nil }

  /// Marks a post that is meant.
  public func apply(to post: inout Post?) {
    guard var marked = post, !marked.read, marked.published <= until, clubs?.contains(marked.fanClubID) ?? true else { return }
    (marked.read, marked.readMark) = (true, id.uuidString)
    post = marked
  }
}

/// Undoes a ``ReadAllAction``: posts that were unread before it are unread again, also those that are not here, unless they were read by
/// themselves since.
public struct UnreadAllAction: Action {
  /// Its name in the outbox; never changed.
  public static let kind = "unread_all"
  /// `true`: it changes posts that are not here too.
  public static let isAboutAll = true
  /// Which action this is.
  public let id: UUID
  /// ``ReadAllAction/id`` of what is taken back.
  public let mark: UUID
  /// Whose posts; `nil` for all.
  public let clubs: Set<FanClub.ID>?

  public init(id: UUID, mark: UUID, clubs: Set<FanClub.ID>? = nil) {
    self.id = id
    self.mark = mark
    self.clubs = clubs
  }

  /// It has no entity of its own.
  public var entityID: String { "posts" }
  /// `nil`: each counts.
  public var supersedesKey: String? { nil }
  /// ``mark``: what was never sent is taken back, and nothing is sent.
  public var undoes: UUID? { mark }

  /// Marks a post as unread that the other marked as read.
  public func apply(to post: inout Post?) {
    guard var unmarked = post, unmarked.readMark == mark.uuidString else { return }
    (unmarked.read, unmarked.readMark) = (false, nil)
    post = unmarked
  }
}

/// A request that marked many posts as read, for undoing it: see ``ContentStore/undo(_:)``.
public struct ReadUndo: Equatable, Sendable {
  /// Those that say until when.
  var marks: [ReadAllAction] = []
  /// The posts that were named, and were unread.
  var posts: [Post.ID] = []

  /// Whether anything was marked.
  public var isEmpty: Bool { marks.isEmpty && posts.isEmpty }
}
