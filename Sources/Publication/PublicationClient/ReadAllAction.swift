import ContentCache
import Foundation
import PublicationAPI

/// Marks everything as read that appeared until some moment, whether it is here or not: one action and one request, however much it is.
///
/// Each counts, since one that reaches less far must not take the place of another.
public struct ReadAllAction: Action {
  /// Its name in the outbox; never changed.
  public static let kind = "read_all"
  /// It is.
  public static let isAboutAll = true
  /// Which action this is.
  public let id: UUID
  /// When the newest that is meant appeared.
  public let until: Date
  /// Whose posts; `nil` for all.
  public let clubs: Set<FanClub.ID>?

  /// Makes one.
  public init(id: UUID, until: Date, clubs: Set<FanClub.ID>? = nil) {
    self.id = id
    self.until = until
    self.clubs = clubs
  }

  /// It has no entity of its own.
  public var entityID: String { "posts" }
  /// None.
  public var supersedesKey: String? { nil }

  /// Marks a post that is meant.
  public func apply(to post: inout Post?) {
    guard let one = post, !one.read, one.published <= until, clubs?.contains(one.fanClubID) ?? true else { return }
    post?.read = true
  }
}
