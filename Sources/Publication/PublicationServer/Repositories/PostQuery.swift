import Foundation
import PublicationAPI

/// Which posts, and from where on.
struct PostQuery: Equatable, Sendable {
  var fanClub: FanClub.ID?
  var isBookmarked = false
  var isFollowed = false
  var isUnread = false
  /// Whether there may be posts whose club was removed, which would leave a page short.
  var isSweeping = false
  /// Whether there are so many clubs that the newest posts of each are not looked up.
  var hasManyClubs = false
  /// Whether the reader follows so many clubs that the newest posts of each are not looked up.
  var hasManyFollows = false
  /// Whether only some of the posts are checked at a time.
  var isInParts = false
  /// The last post of the page before.
  var after: PostPosition?
  /// The last post that is checked; `nil` for the last one that there is.
  var until: PostPosition?
  var limit: Int

  /// Whether the newest posts of each club are looked up. Other lists have few posts to check, or come in parts.
  var isByClub: Bool { !isInParts && fanClub == nil && !isBookmarked && (isFollowed || isSweeping && !hasManyClubs) }
}

/// A post's place in the list, newest first. Added posts do not move it.
struct PostPosition: Equatable, Sendable {
  var published: Int64
  var id: Post.ID
}

/// Posts that are marked as read at one stroke.
struct ReadAll: Equatable, Sendable {
  /// When the newest of them appeared, in seconds since 1970.
  var until: Int64
  /// Whose posts; `nil` for all clubs'.
  var clubs: [FanClub.ID]?
  /// The post of the first of ``clubs`` behind which they start.
  var after: PostPosition?
  /// The same where they are all clubs': a post's number in the order in which they were stored.
  var number: Int64 = 0
  /// Identifies the request, for undoing it; `nil` for one that cannot be undone.
  var mark: String?
}

/// A club's place in the list by name.
struct NamePosition: Equatable, Sendable {
  var key: String
  var id: FanClub.ID
}

/// What a reader does to a post.
enum Mark: String, Sendable {
  case reaction
  case bookmark
  case read = "read_mark"
}
