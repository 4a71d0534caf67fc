/// A post that a search found: `GET /v1/search?q=`.
public struct SearchHit: Codable, Equatable, Sendable, Identifiable {
  /// The post, without its body.
  public var post: Post
  /// The headline, with what was found marked: see ``markStart``.
  public var title: String
  /// Some words around the match, or the opening, marked the same way. Plain text; no part of a body that this reader may not read.
  public var excerpt: String
  /// The post's identifier.
  public var id: Post.ID { post.id }

  /// The character before a match, which no text of a post has. This is no HTML.
  public static let markStart: Character = "\u{E000}"
  /// The character after a match, which no text of a post has.
  public static let markEnd: Character = "\u{E001}"

  public init(post: Post, title: String, excerpt: String) {
    self.post = post
    self.title = title
    self.excerpt = excerpt
  }
}

/// A fan club that a search found by its name.
public struct FanClubHit: Codable, Equatable, Sendable, Identifiable {
  /// The fan club that was found.
  public var club: FanClub
  /// Its name, with what was found marked: see ``SearchHit/markStart``.
  public var name: String
  /// The fan club's identifier.
  public var id: FanClub.ID { club.id }

  public init(club: FanClub, name: String) {
    self.club = club
    self.name = name
  }
}

/// What a search found: `GET /v1/search?q=`. To a client without clubs it is a ``Page`` of posts.
public struct SearchResults: Codable, Equatable, Sendable {
  /// The fan clubs whose names have the words, the best first; on the first page only, and none from a publication that does not search for
  /// them.
  public var clubs: [FanClubHit]
  /// The posts, in their order.
  public var items: [SearchHit]
  /// The value of `cursor=` for the next page of posts; `nil` on the last.
  public var next: String?

  /// How many clubs there are at most: another letter narrows the search.
  public static let mostClubs = 10

  public init(clubs: [FanClubHit] = [], items: [SearchHit] = [], next: String? = nil) {
    self.clubs = clubs
    self.items = items
    self.next = next
  }

  /// Reads what any version wrote.
  /// - Throws: `DecodingError`.
  public init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: CodingKeys.self)
    clubs = try values.decodeIfPresent([FanClubHit].self, forKey: .clubs) ?? []
    items = try values.decode([SearchHit].self, forKey: .items)
    next = try values.decodeIfPresent(String.self, forKey: .next)
  }
}
