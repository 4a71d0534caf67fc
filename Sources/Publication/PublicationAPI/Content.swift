import Foundation

/// What a publication says of itself: `GET /v1/publication`, without signing in.
public struct PublicationInfo: Codable, Equatable, Sendable {
  /// An account that anyone may try; only a publication that runs inside the app offers one.
  public struct SampleAccount: Codable, Equatable, Sendable {
    /// The address to sign in with.
    public var email: String
    /// Its password, which is no secret.
    public var password: String
    /// Memberwise initializer.
    public init(email: String, password: String) {
      self.email = email
      self.password = password
    }
  }

  /// Stable and unique among publications; receipts name it as their issuer.
  public var id: String
  /// The name on the masthead.
  public var name: String
  /// One line below it.
  public var tagline: String
  /// The paywall behind "Unlock" on a premium post.
  public var defaultPaywallID: String
  /// See ``SampleAccount``.
  public var sampleAccount: SampleAccount?
  /// Whether it has a checkout page for the system browser: see ``Checkout``.
  public var hostedCheckout: Bool
  /// How a reader ends a subscription, a sentence or two; `nil` when the publication does not say.
  public var cancelling: String?
  /// Whether readers may add feeds: see ``Import``.
  public var canAddFeeds: Bool

  /// Memberwise initializer.
  public init(
    id: String, name: String, tagline: String, defaultPaywallID: String, sampleAccount: SampleAccount? = nil, hostedCheckout: Bool = false,
    cancelling: String? = nil, canAddFeeds: Bool = false
  ) {
    self.id = id
    self.name = name
    self.tagline = tagline
    self.defaultPaywallID = defaultPaywallID
    self.sampleAccount = sampleAccount
    self.hostedCheckout = hostedCheckout
    self.cancelling = cancelling
    self.canAddFeeds = canAddFeeds
  }

  /// Reads what any version wrote.
  /// - Throws: `DecodingError`.
  public init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: CodingKeys.self)
    id = try values.decode(String.self, forKey: .id)
    name = try values.decode(String.self, forKey: .name)
    tagline = try values.decode(String.self, forKey: .tagline)
    defaultPaywallID = try values.decode(String.self, forKey: .defaultPaywallID)
    sampleAccount = try values.decodeIfPresent(SampleAccount.self, forKey: .sampleAccount)
    hostedCheckout = try values.decodeIfPresent(Bool.self, forKey: .hostedCheckout) ?? false
    cancelling = try values.decodeIfPresent(String.self, forKey: .cancelling)
    canAddFeeds = try values.decodeIfPresent(Bool.self, forKey: .canAddFeeds) ?? false
  }
}

/// An author's club: where posts come from, and what a reader follows.
public struct FanClub: Codable, Equatable, Sendable, Identifiable {
  /// Stable within the publication; letters, digits, `-` and `_`.
  public var id: String
  /// The name.
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
  /// Whether its posts were ever fetched; a club that came from a list of feeds waits until a reader requests them.
  public var fetched: Bool
  /// Why its feed could not be read the last time, in a sentence for readers who may add feeds; others are not told.
  public var problem: String?
  /// Where its feed is on the web, for readers who may add feeds; `nil` for others, and for a club without one.
  public var feed: String?
  /// Whether it is this reader's to remove, by `DELETE /v1/fanclubs/ID`: they added it. While others make use of it that is refused all the
  /// same, with ``Problem/Code/inUse``.
  public var canRemove: Bool

  /// Memberwise initializer.
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

/// One page of a longer list.
public struct Page<Item: Codable & Equatable & Sendable>: Codable, Equatable, Sendable {
  /// The items, in the list's order.
  public var items: [Item]
  /// The value of `cursor=` for the next page; `nil` on the last.
  public var next: String?

  /// Memberwise initializer.
  public init(items: [Item], next: String? = nil) {
    self.items = items
    self.next = next
  }
}

/// `PUT /v1/posts/read`: marks as read what appeared until some moment, however much that is. Answered with 204.
///
/// `DELETE /v1/posts/read/ID` takes it back: what was unread before it is unread again, unless it was read by itself since. Answered with 204,
/// also when there is nothing to take back.
public struct ReadRequest: Codable, Equatable, Sendable {
  /// Names the request, to take it back by, and as ``Post/readMark``; `nil` for one that cannot be taken back.
  public var id: UUID?
  /// When the newest that is meant appeared.
  public var until: Date
  /// Whose posts; `nil` for all. At most ``mostClubs``; clubs that are not there, or no longer, have none.
  public var clubs: [FanClub.ID]?

  /// How many clubs may be named.
  public static let mostClubs = 500

  /// Memberwise initializer.
  public init(id: UUID? = nil, until: Date, clubs: [FanClub.ID]? = nil) {
    self.id = id
    self.until = until
    self.clubs = clubs
  }
}
