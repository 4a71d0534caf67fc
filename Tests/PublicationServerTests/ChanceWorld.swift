import Foundation
import PublicationAPI
import Runtime
import SQLiteStorage

@testable import PublicationServer

/// A publication by chance, in a database and as values: what statements find is compared with plain Swift.
struct ChanceWorld {
  static let reader = "ada"
  static let clubs = ["c0", "c1", "c2", "c3"]
  private static let vocabulary = ["a", "ab", "abc", "b", "bad", "bat", "cab", "dab", "tab", "table"]

  let database: Connection
  /// In the order of lists.
  let posts: [Post]
  /// What the reader has done to them.
  private(set) var bookmarked: Set<Post.ID> = []
  private(set) var read: Set<Post.ID> = []
  private(set) var unlocked: Set<Post.ID> = []
  private(set) var followed: Set<FanClub.ID> = []
  private var random: SplitMix

  /// - Parameter premium: the share of posts that are.
  init(_ count: Int, premium: Double = 0, seed: UInt64) throws {
    random = SplitMix(state: seed)
    database = try Connection(path: ":memory:")
    try database.migrate(Schema.migrations)
    var posts: [Post] = []
    for number in 0..<count {
      posts.append(
        Post(
          id: "p\(number)", fanClubID: Self.clubs.randomElement(using: &random) ?? "", fanClubName: "",
          title: Self.text(1...3, &random), byline: Self.text(0...1, &random), teaser: Self.text(0...3, &random),
          body: Self.text(0...6, &random), published: Rig.start.addingTimeInterval(Double(Int.random(in: 0..<count, using: &random))),
          premium: random.fraction() < premium))
    }
    // Some share a second, and none are stored in the order of lists.
    self.posts = posts.sorted { ($0.published, $0.id) > ($1.published, $1.id) }
    let content = SQLiteContent(database: database)
    let hash = try PasswordHash(of: Rig.password, cost: .none)
    _ = try content.found(
      PublicationContent(info: Rig.content.info, fanClubs: Self.clubs.map { FanClub(id: $0, name: $0) }, posts: posts),
      readers: [Self.reader, "bo"].map { (Reader(id: $0, email: $0, name: $0), hash) })
    while try SQLiteSearch(database: database).index(limit: 100) {}
    bookmarked = try mark(0.3) { try content.setMark(.bookmark, of: $0, by: $1, true) }
    read = try mark(0.6) { try content.setMark(.read, of: $0, by: $1, true) }
    // What paid for it does not matter here.
    try database.script("PRAGMA foreign_keys = OFF")
    let unlock = "INSERT INTO unlock (post, reader, credit, at) VALUES (?, ?, 1, 0)"
    unlocked = try mark(0.2) { [database] in _ = try database.execute(unlock, $0, $1) }
    for club in Self.clubs.prefix(2) { try content.setFollow(of: club, by: Self.reader, true) }
    for club in Self.clubs.suffix(2) { try content.setFollow(of: club, by: "bo", true) }
    followed = Set(Self.clubs.prefix(2))
  }

  /// Has both readers do something to a share of the posts.
  /// - Returns: which ones it was with ``reader``.
  private mutating func mark(_ share: Double, _ act: (Post.ID, Reader.ID) throws -> Void) throws -> Set<Post.ID> {
    var marked: Set<Post.ID> = []
    for post in posts {
      if random.fraction() < share {
        try act(post.id, Self.reader)
        marked.insert(post.id)
      }
      if random.fraction() < share { try act(post.id, "bo") }
    }
    return marked
  }

  private static func text(_ count: ClosedRange<Int>, _ random: inout SplitMix) -> String {
    (0..<Int.random(in: count, using: &random)).map { _ in vocabulary.randomElement(using: &random) ?? "" }.joined(separator: " ")
  }

  /// One to three words as somebody types them.
  mutating func query() -> String { Self.text(1...3, &random) }

  /// The posts of a list.
  func list(_ query: PostQuery) -> [Post.ID] {
    posts.filter { post in
      (query.fanClub ?? post.fanClubID) == post.fanClubID && (!query.isBookmarked || bookmarked.contains(post.id))
        && (!query.isFollowed || followed.contains(post.fanClubID)) && (!query.isUnread || !read.contains(post.id))
    }.map(\.id)
  }

  /// The posts that have all the words where the reader may read, the last word as far as it is typed.
  func find(_ query: String, seesAll: Bool) -> [Post.ID] {
    let words = query.split(separator: " ")
    return posts.filter { post in
      let isOpen = seesAll || !post.premium || unlocked.contains(post.id)
      let text = [post.title, post.byline, post.teaser, isOpen ? post.body ?? "" : ""].flatMap { $0.split(separator: " ") }
      return words.dropLast().allSatisfy(text.contains) && text.contains { $0.hasPrefix(words.last ?? "") }
    }.map(\.id)
  }
}
