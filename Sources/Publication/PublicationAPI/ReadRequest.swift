import Foundation

/// `PUT /v1/posts/read`: marks all posts as read that appeared until a moment. Answered with 204.
///
/// `DELETE /v1/posts/read/ID` takes it back: what was unread before it is unread again, unless it was read by itself since. Answered with 204,
/// also when there is nothing to take back.
public struct ReadRequest: Codable, Equatable, Sendable {
  /// Identifies the request, for undoing it and as ``Post/readMark``; `nil` for one that cannot be undone.
  public var id: UUID?
  /// When the newest that is meant appeared.
  public var until: Date
  /// Whose posts; `nil` for all. At most ``mostClubs``; clubs that are not there, or no longer, have none.
  public var clubs: [FanClub.ID]?

  /// How many clubs may be named.
  public static let mostClubs = 500

  public init(id: UUID? = nil, until: Date, clubs: [FanClub.ID]? = nil) {
    self.id = id
    self.until = until
    self.clubs = clubs
  }
}
