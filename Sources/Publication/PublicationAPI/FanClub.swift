import Foundation

/// An author's club: where posts come from, and what a reader follows.
public struct FanClub: Codable, Equatable, Sendable, Identifiable {
  /// Stable within the publication; letters, digits, `-` and `_`.
  public var id: String
  /// What the club is called.
  public var name: String
  /// A sentence or two, plain text.
  public var about: String
  /// A path of this publication (`/v1/pictures/…`) or an absolute URL.
  public var picture: String?
  /// The club's home on the web.
  public var url: String?
  /// How many readers follow it.
  public var followers: Int
  /// Whether this reader does.
  public var followed: Bool
  /// How many posts it has.
  public var posts: Int
  /// How many of them this reader has not read; `nil` from a publication that does not count them.
  public var unread: Int?
  /// Whether its posts were ever fetched; a club that was imported from a list of feeds waits until a reader requests them.
  public var fetched: Bool
  /// Why its feed could not be read the last time, in a sentence for readers who may add feeds; `nil` for others.
  public var problem: String?
  /// Where its feed is on the web, for readers who may add feeds; `nil` for others, and for a club without one.
  public var feed: String?
  /// Whether it is this reader's to remove, by `DELETE /v1/fanclubs/ID`: they added it. While others use it, that is still refused with
  /// ``Problem/Code/inUse``.
  public var canRemove: Bool

  public init(
    id: String, name: String, about: String = "", picture: String? = nil, url: String? = nil, followers: Int = 0, followed: Bool = false,
    posts: Int = 0, unread: Int? = nil, fetched: Bool = true, problem: String? = nil, feed: String? = nil, canRemove: Bool = false
  ) {
    self.id = id
    self.name = name
    self.about = about
    self.picture = picture
    self.url = url
    self.followers = followers
    self.followed = followed
    self.posts = posts
    self.unread = unread
    self.fetched = fetched
    self.problem = problem
    self.feed = feed
    self.canRemove = canRemove
  }

  /// Reads what any version wrote.
  /// - Throws: `DecodingError`.
  public init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: CodingKeys.self)
    id = try values.decode(String.self, forKey: .id)
    name = try values.decode(String.self, forKey: .name)
    about = try values.decode(String.self, forKey: .about)
    picture = try values.decodeIfPresent(String.self, forKey: .picture)
    url = try values.decodeIfPresent(String.self, forKey: .url)
    followers = try values.decode(Int.self, forKey: .followers)
    followed = try values.decode(Bool.self, forKey: .followed)
    posts = try values.decode(Int.self, forKey: .posts)
    unread = try values.decodeIfPresent(Int.self, forKey: .unread)
    fetched = try values.decodeIfPresent(Bool.self, forKey: .fetched) ?? true
    problem = try values.decodeIfPresent(String.self, forKey: .problem)
    feed = try values.decodeIfPresent(String.self, forKey: .feed)
    canRemove = try values.decodeIfPresent(Bool.self, forKey: .canRemove) ?? false
  }
}
