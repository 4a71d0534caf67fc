import Foundation
import PublicationAPI
import ReaderContent

/// A fan club as lists and its own page show it.
public struct FanClubRow: Equatable, Sendable, Identifiable {
  /// Identifies the fan club.
  public var id: FanClub.ID
  /// The name of the fan club.
  public var name: String
  /// A sentence or two, plain text; its address on the web where it has no text; may be empty.
  public var about: String
  /// The club's picture, as ``APIClient/picture(_:)`` takes it; `nil` for none.
  public var picture: String?
  /// The stand-in while there is no picture.
  public var emblem: Emblem
  /// Such as `1,200 followers`.
  public var followers: String
  /// Such as `40 posts`.
  public var posts: String
  /// How many of them this reader has not read; empty for none, and where the publication does not count them.
  public var unread: String
  /// Followers, posts and unread posts, in one line, or in several where there is little room: a number stays with what it counts.
  public var numbers: String {
    let posts = unread.isEmpty ? [posts] : [posts, "\(unread) unread"]
    return "\(followers)\u{a0}\u{a0}·  \(posts.map { $0.replacing(" ", with: "\u{a0}") }.joined(separator: ", "))"
  }
  /// Whether this reader follows it.
  public var isFollowed: Bool
  /// Whether its posts were ever fetched; a club that was imported from a list of feeds waits until a reader requests them.
  public var isFetched: Bool
  /// Why its new posts could not be fetched the last time, for readers who may add feeds; `nil` where that worked.
  public var problem: String?
  /// That the reader's choice to follow it, or not, waits to be sent, in a sentence; `nil` for nothing.
  public var waiting: String?

  /// From a club, as this reader sees it.
  public init(_ club: FanClub, waiting: String? = nil, formatting: Formatting) {
    self.waiting = waiting
    id = club.id
    name = club.name.onOneLine
    about = club.about.isEmpty ? club.address : club.about.onOneLine
    picture = club.picture
    emblem = Emblem(name: name, id: club.id)
    followers = formatting.count(club.followers, "follower", "followers")
    posts = club.fetched ? formatting.count(club.posts, "post", "posts") : "Not fetched yet"
    unread = club.unread.map { $0 > 0 ? formatting.count($0) : "" } ?? ""
    isFollowed = club.followed
    isFetched = club.fetched
    problem = club.problem.map { "New posts could not be fetched the last time. \($0)" }
  }
}
