import Foundation

/// What a publication says of itself: `GET /v1/publication`, without signing in.
public struct PublicationInfo: Codable, Equatable, Sendable {
  /// An account that anyone may try; only a publication that runs inside the app offers one.
  public struct SampleAccount: Codable, Equatable, Sendable {
    /// The address to sign in with.
    public var email: String
    /// Its password, which is no secret.
    public var password: String
    /// Makes one.
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

  /// Makes one.
  public init(
    id: String, name: String, tagline: String, defaultPaywallID: String, sampleAccount: SampleAccount? = nil, hostedCheckout: Bool = false,
    cancelling: String? = nil
  ) {
    self.id = id
    self.name = name
    self.tagline = tagline
    self.defaultPaywallID = defaultPaywallID
    self.sampleAccount = sampleAccount
    self.hostedCheckout = hostedCheckout
    self.cancelling = cancelling
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

  /// Makes one.
  public init(
    id: String, name: String, about: String = "", picture: String? = nil, url: String? = nil, followers: Int = 0, followed: Bool = false,
    posts: Int = 0
  ) {
    self.id = id
    self.name = name
    self.about = about
    self.picture = picture
    self.url = url
    self.followers = followers
    self.followed = followed
    self.posts = posts
  }
}

/// A post of a fan club, as one reader sees it.
public struct Post: Codable, Equatable, Sendable, Identifiable {
  /// Stable within the publication; letters, digits, `-` and `_`.
  public var id: String
  /// The club it belongs to.
  public var fanClubID: FanClub.ID
  /// The club's name, so that a row needs no second look-up.
  public var fanClubName: String
  /// The headline; a post without one shows its first words here.
  public var title: String
  /// Who wrote it; empty when nobody says.
  public var byline: String
  /// The opening, plain text, at most about 300 characters; what a reader without access gets.
  public var teaser: String
  /// The body as HTML; `nil` in lists, and for a reader without access.
  public var body: String?
  /// A path of this publication (`/v1/pictures/…`) or an absolute URL.
  public var picture: String?
  /// The post's home on the web.
  public var url: String?
  /// When it appeared.
  public var published: Date
  /// Whether it takes premium access to read ``body``.
  public var premium: Bool
  /// Whether this reader opened it with a pass, for good.
  public var unlocked: Bool
  /// How many readers reacted.
  public var reactions: Int
  /// Whether this reader is one of them.
  public var reacted: Bool
  /// Whether this reader bookmarked it.
  public var bookmarked: Bool

  /// Makes one.
  public init(
    id: String, fanClubID: String, fanClubName: String, title: String, byline: String = "", teaser: String = "", body: String? = nil,
    picture: String? = nil, url: String? = nil, published: Date, premium: Bool = false, unlocked: Bool = false, reactions: Int = 0,
    reacted: Bool = false, bookmarked: Bool = false
  ) {
    self.id = id
    self.fanClubID = fanClubID
    self.fanClubName = fanClubName
    self.title = title
    self.byline = byline
    self.teaser = teaser
    self.body = body
    self.picture = picture
    self.url = url
    self.published = published
    self.premium = premium
    self.unlocked = unlocked
    self.reactions = reactions
    self.reacted = reacted
    self.bookmarked = bookmarked
  }

  /// Reads what any version wrote.
  /// - Throws: `DecodingError`.
  public init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: CodingKeys.self)
    id = try values.decode(String.self, forKey: .id)
    fanClubID = try values.decode(String.self, forKey: .fanClubID)
    fanClubName = try values.decode(String.self, forKey: .fanClubName)
    title = try values.decode(String.self, forKey: .title)
    byline = try values.decode(String.self, forKey: .byline)
    teaser = try values.decode(String.self, forKey: .teaser)
    body = try values.decodeIfPresent(String.self, forKey: .body)
    picture = try values.decodeIfPresent(String.self, forKey: .picture)
    url = try values.decodeIfPresent(String.self, forKey: .url)
    published = try values.decode(Date.self, forKey: .published)
    premium = try values.decode(Bool.self, forKey: .premium)
    unlocked = try values.decodeIfPresent(Bool.self, forKey: .unlocked) ?? false
    reactions = try values.decode(Int.self, forKey: .reactions)
    reacted = try values.decode(Bool.self, forKey: .reacted)
    bookmarked = try values.decode(Bool.self, forKey: .bookmarked)
  }
}

/// One page of a longer list.
public struct Page<Item: Codable & Equatable & Sendable>: Codable, Equatable, Sendable {
  /// The items, in the list's order.
  public var items: [Item]
  /// What `cursor=` asks for the next page with; `nil` on the last.
  public var next: String?

  /// Makes one.
  public init(items: [Item], next: String? = nil) {
    self.items = items
    self.next = next
  }
}
