import Foundation

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
  /// Who wrote it; empty when unknown.
  public var byline: String
  /// The opening, plain text, at most about 300 characters; the part that readers without access get.
  public var teaser: String
  /// The body as HTML; `nil` in lists, and for a reader without access.
  public var body: String?
  /// The files that belong to it; they come with ``body``.
  public var enclosures: [Enclosure]
  /// A path of this publication (`/v1/pictures/…`) or an absolute URL.
  public var picture: String?
  /// The post's home on the web.
  public var url: String?
  /// When the post appeared.
  public var published: Date
  /// Whether it takes premium access to read ``body``.
  public var premium: Bool
  /// Whether this reader opened it with a pass, for good.
  public var unlocked: Bool
  /// How many readers reacted, by kind; kinds without a reaction are left out.
  public var reactions: ReactionCounts
  /// This reader's own reaction, which is among them.
  public var reaction: Reaction?
  /// Whether this reader bookmarked it.
  public var bookmarked: Bool
  /// Whether this reader has read it.
  public var read: Bool
  /// The ``ReadRequest/id`` of the request that marked it as read among others; `nil` for one that is unread, or was read by itself.
  public var readMark: String?
  /// How many comments it has.
  public var comments: Int

  public init(
    id: String, fanClubID: String, fanClubName: String, title: String, byline: String = "", teaser: String = "", body: String? = nil,
    enclosures: [Enclosure] = [], picture: String? = nil, url: String? = nil, published: Date, premium: Bool = false,
    unlocked: Bool = false, reactions: ReactionCounts = [:], reaction: Reaction? = nil, bookmarked: Bool = false, read: Bool = false,
    readMark: String? = nil, comments: Int = 0
  ) {
    self.id = id
    self.fanClubID = fanClubID
    self.fanClubName = fanClubName
    self.title = title
    self.byline = byline
    self.teaser = teaser
    self.body = body
    self.enclosures = enclosures
    self.picture = picture
    self.url = url
    self.published = published
    self.premium = premium
    self.unlocked = unlocked
    self.reactions = reactions
    self.reaction = reaction
    self.bookmarked = bookmarked
    self.read = read
    self.readMark = readMark
    self.comments = comments
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
    enclosures = try values.decodeIfPresent([Enclosure].self, forKey: .enclosures) ?? []
    picture = try values.decodeIfPresent(String.self, forKey: .picture)
    url = try values.decodeIfPresent(String.self, forKey: .url)
    published = try values.decode(Date.self, forKey: .published)
    premium = try values.decode(Bool.self, forKey: .premium)
    unlocked = try values.decodeIfPresent(Bool.self, forKey: .unlocked) ?? false
    bookmarked = try values.decode(Bool.self, forKey: .bookmarked)
    read = try values.decodeIfPresent(Bool.self, forKey: .read) ?? false
    readMark = try values.decodeIfPresent(String.self, forKey: .readMark)
    comments = try values.decodeIfPresent(Int.self, forKey: .comments) ?? 0
    do {
      reactions = try values.decodeIfPresent(ReactionCounts.self, forKey: .reactions) ?? [:]
      reaction = try values.decodeIfPresent(Reaction.self, forKey: .reaction)
    } catch {
      guard let count = try? values.decode(Int.self, forKey: .reactions) else { throw error }
      // As it was when there was one kind, the heart.
      reactions = count > 0 ? [.love: count] : [:]
      let before = try decoder.container(keyedBy: FormerKeys.self)
      reaction = try before.decodeIfPresent(Bool.self, forKey: .reacted) ?? false ? .love : nil
    }
  }

  private enum FormerKeys: CodingKey { case reacted }
}
