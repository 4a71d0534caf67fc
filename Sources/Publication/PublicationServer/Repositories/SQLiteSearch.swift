import FeedFormats
import Foundation
import PublicationAPI
import SQLiteStorage

/// ``SearchRepository`` on SQLite's FTS5.
struct SQLiteSearch: SearchRepository {
  /// How many posts, or clubs, are compared to find the best ones.
  static let mostRanked = 5000

  /// Where words are indexed; and searched, when there are no ``readers``.
  let database: Connection
  /// Connections that only search; a publication in memory has none.
  var readers: ReadConnections?
  /// How long a search may take.
  var limit: WorkLimit?
  /// See ``SQLiteContent/isStopping``.
  var isStopping: @Sendable () -> Bool = { false }

  func search(
    _ words: SearchWords, after: SearchPosition?, limit: Int, for reader: Reader.ID, seesAll: Bool
  ) async throws -> (clubs: [FanClubHit], hits: [SearchHit], order: SearchOrder) {
    let search = { @Sendable [readers, workLimit = self.limit ?? WorkLimit()] (database: Connection) in
      // A reader who types on has cancelled the searches that waited for this thread: only the last one is worth running.
      try Task.checkCancellation()
      var workLimit = workLimit
      if let readers, let deadline = workLimit.deadline { workLimit.deadline = readers.share(of: reader, in: deadline) }
      return try database.withLimit(workLimit) {
        // All of it is of one moment, and has one deadline.
        try database.reading {
          try Self.search(words, in: database, after: after, limit: limit, for: reader, seesAll: seesAll)
        }
      }
    }
    guard let readers else { return try search(database) }
    return try await readers.run(for: reader, search)
  }

  func close() async { await readers?.close() }

  private static func search(
    _ words: SearchWords, in database: Connection, after: SearchPosition?, limit: Int, for reader: Reader.ID, seesAll: Bool
  ) throws -> (clubs: [FanClubHit], hits: [SearchHit], order: SearchOrder) {
    try database.addTextRank()
    // The one place that chooses it; the cursor carries it from page to page.
    let order = try order(of: words, after: after, in: database, for: reader, seesAll: seesAll)
    let numbers = try database.query(
      statement(order), values: [reader, words.match, seesAll, limit, after?.offset ?? 0]
    ) { (number: try $0.get(0, as: Int64.self), isReadable: try $0.get(1, as: Bool.self)) }
    let marker = try SearchMarker(words, in: database)
    let clubs = after == nil ? try Self.clubs(words, marker, in: database, for: reader) : []
    return (clubs, try numbers.compactMap { try hit($0.number, marker, in: database, for: reader, isReadable: $0.isReadable) }, order)
  }

  /// Chooses the order: the best first, or the newest above ``mostRanked`` hits. A later page keeps its order; the best first only up to twice
  /// as many hits: a cursor with more counts as forged, and gets the newest.
  static func order(
    of words: SearchWords, after: SearchPosition?, in database: Connection, for reader: Reader.ID, seesAll: Bool
  ) throws -> SearchOrder {
    let most: Int
    switch after?.order {
    case .newest: return .newest
    case .best: most = 2 * mostRanked
    case nil: most = mostRanked
    }
    let count = try database.queryOne(count, reader, words.match, seesAll, most + 1) { try $0.get(0, as: Int.self) }
    return count ?? 0 > most ? .newest : .best
  }

  /// How many posts are found, up to ?4. One whose club is removed counts: there may be any number of them, and they are no secret.
  static let count = "SELECT count(*) FROM (SELECT 1 FROM (\(matches { _ in "1" })) LIMIT ?4)"

  private static func clubs(
    _ words: SearchWords, _ marker: SearchMarker, in database: Connection, for reader: Reader.ID
  ) throws -> [FanClubHit] {
    let count = try database.queryOne(clubCount, words.match, mostRanked + 1) { try $0.get(0, as: Int.self) } ?? 0
    let content = SQLiteContent(database: database)
    return try database.query(clubStatement(isRanked: count <= mostRanked), words.match, SearchResults.mostClubs) { row in
      try content.fanClub(try row.get(0), for: reader).map { FanClubHit(club: $0, name: try row.withText(1, marker.opening)) }
    }.compactMap(\.self)
  }

  /// How many clubs are found, up to ?2.
  private static let clubCount = "SELECT count(*) FROM (SELECT 1 FROM club_search WHERE club_search MATCH ?1 LIMIT ?2)"

  /// The clubs that have the words ?1 in their names, ?2 at most: the best first, or by name.
  ///
  /// To rank even one of them SQLite reads all that are found, and readers add feeds of any name. By name only ``mostRanked`` are compared:
  /// those that were there first.
  private static func clubStatement(isRanked: Bool) -> String {
    if isRanked {
      """
      SELECT club_search.id, club_search.name FROM club_search JOIN fan_club ON fan_club.id = club_search.id
      WHERE club_search MATCH ?1 ORDER BY bm25(club_search), fan_club.sort_key, fan_club.id LIMIT ?2
      """
    } else {
      """
      SELECT found.id, found.name
      FROM (SELECT id, name FROM club_search WHERE club_search MATCH ?1 LIMIT \(mostRanked)) AS found
      JOIN fan_club ON fan_club.id = found.id ORDER BY fan_club.sort_key, fan_club.id LIMIT ?2
      """
    }
  }

  /// The numbers of the posts of a page, and whether the reader ?1 may read each.
  static func statement(_ order: SearchOrder) -> String {
    switch order {
    case .best:
      """
      WITH found (number, rank) AS (\(matches { "number, text_rank(\($0), 10.0, 4.0, 2.0, 1.0)" }))
      SELECT post.number, \(isReadable) FROM found JOIN post ON post.number = found.number WHERE \(SQLiteContent.hasClub)
      ORDER BY found.rank, post.published DESC, post.id DESC LIMIT ?4 OFFSET ?5
      """
    case .newest:
      // The plus keeps SQLite from using the list as an index: posts are read by time until the limit, without sorting.
      """
      SELECT post.number, \(isReadable) FROM post WHERE +post.number IN (\(matches { _ in "number" })) AND \(SQLiteContent.hasClub)
      ORDER BY post.published DESC, post.id DESC LIMIT ?4 OFFSET ?5
      """
    }
  }

  /// The posts that have the words ?2 in a text that the reader ?1 may read, each once.
  ///
  /// Premium bodies have an index of their own, which only those search who may read them. In one index, a reader who may not would find out by
  /// trial and error which words are there: if not by what is found, then by how long it takes.
  /// - Parameter columns: what is selected, of the table `post` and of the index with this name.
  private static func matches(_ columns: (_ index: String) -> String) -> String {
    """
    SELECT \(columns("post_search")) FROM post_search JOIN post ON post.number = post_search.rowid
    WHERE post_search MATCH ?2 AND NOT (post.premium AND \(isReadable))
    UNION ALL
    SELECT \(columns("premium_search")) FROM premium_search JOIN post ON post.number = premium_search.rowid
    WHERE ?3 AND premium_search MATCH ?2
    UNION ALL
    SELECT \(columns("premium_search")) FROM unlock CROSS JOIN post ON post.id = unlock.post
      CROSS JOIN premium_search ON premium_search.rowid = post.number
    WHERE NOT ?3 AND unlock.reader = ?1 AND post.premium AND premium_search MATCH ?2
    """
  }

  /// Whether the reader ?1 may read a post's body; ?3 when all bodies.
  private static let isReadable = """
    (?3 OR NOT post.premium OR EXISTS (SELECT 1 FROM unlock WHERE unlock.post = post.id AND unlock.reader = ?1))
    """

  private static func hit(
    _ number: Int64, _ marker: SearchMarker, in database: Connection, for reader: Reader.ID, isReadable: Bool
  ) throws -> SearchHit? {
    let post = try database.queryOne(
      "\(SQLiteContent.selectPost(body: false)) WHERE post.number = ?2", reader, number, map: SQLiteContent.post)
    guard let post else { return nil }
    let index = post.premium && isReadable ? "premium_search" : "post_search"
    // Of a feed without bodies the teaser is all there is.
    let texts = "SELECT title, CASE WHEN ?2 AND body <> '' THEN body ELSE teaser END FROM \(index) WHERE rowid = ?1"
    return try database.queryOne(texts, number, isReadable) { row in
      SearchHit(
        post: post, title: try row.withText(0, marker.opening), excerpt: try row.withText(1, marker.excerpt))
    }
  }

  /// How many bytes of text are indexed at a time, unless one post has more, so that no request waits long.
  private static let mostBytes = 100_000
  /// How many characters of a body are read for them, markup included.
  private static let longestMarkup = 1_000_000
  private static let longestName = 1000

  func queue(limit: Int) throws -> (posts: [QueuedPost], hasMore: Bool) {
    let waiting = try database.query("SELECT post FROM search_queue LIMIT ?", limit + 1) { try $0.get(0, as: Int64.self) }
    var (posts, bytes) = ([QueuedPost](), 0)
    for number in waiting.prefix(limit) where bytes < Self.mostBytes {
      guard let post = try queuedPost(number) else {
        try database.execute("DELETE FROM search_queue WHERE post = ?", number)
        continue
      }
      bytes += post.bytes
      posts.append(post)
    }
    return (posts, posts.count < waiting.count)
  }

  func index(_ posts: [IndexedPost], clubs limit: Int) throws -> Bool {
    try database.withLimit(WorkLimit(isCancelled: { [isStopping] in Task.isCancelled || isStopping() })) {
      let hasMoreClubs = try indexClubs(limit: limit)
      guard !posts.isEmpty else { return hasMoreClubs }
      return try database.transaction { try posts.filter { try !index($0) }.count > 0 } || hasMoreClubs
    }
  }

  private func indexClubs(limit: Int) throws -> Bool {
    let waiting = try database.query(
      "SELECT club, substr(name, 1, ?) FROM club_queue LEFT JOIN fan_club ON fan_club.id = club LIMIT ?", Self.longestName, limit + 1
    ) { (id: try $0.get(0, as: String.self), name: try $0.get(1, as: String?.self)) }
    guard !waiting.isEmpty else { return false }
    return try database.transaction {
      for club in waiting.prefix(limit) {
        if let name = club.name {
          try database.execute("INSERT INTO club_number (club) VALUES (?) ON CONFLICT DO NOTHING", club.id)
          try database.execute(
            "INSERT OR REPLACE INTO club_search (rowid, id, name) SELECT number, club, ?2 FROM club_number WHERE club = ?1", club.id,
            SearchText.indexed(name))
        }
        try database.execute("DELETE FROM club_queue WHERE club = ?", club.id)
      }
      return waiting.count > limit
    }
  }

  /// - Returns: whether the post is as it was; if not, it stays in the queue.
  private func index(_ post: IndexedPost) throws -> Bool {
    guard try queuedPost(post.source.number) == post.source else { return false }
    let texts = post.texts
    for (index, body) in texts.isPremium ? [("post_search", ""), ("premium_search", texts.body)] : [("post_search", texts.body)] {
      try database.execute(
        "INSERT OR REPLACE INTO \(index) (rowid, title, byline, teaser, body) VALUES (?, ?, ?, ?, ?)", texts.number, texts.title,
        texts.byline, texts.teaser, body)
    }
    if !texts.isPremium { try database.execute("DELETE FROM premium_search WHERE rowid = ?", texts.number) }
    try database.execute("DELETE FROM search_queue WHERE post = ?", texts.number)
    return true
  }

  private func queuedPost(_ number: Int64) throws -> QueuedPost? {
    let beginnings = ["title", "byline", "teaser", "body"].map { "substr(\($0), 1, ?2)" }.joined(separator: ", ")
    return try database.queryOne("SELECT \(beginnings), premium FROM post WHERE number = ?1", number, Self.longestMarkup) { row in
      QueuedPost(
        number: number, title: try row.get(0), byline: try row.get(1), teaser: try row.get(2), body: try row.get(3),
        isPremium: try row.get(4))
    }
  }
}

/// The beginnings of a post's texts.
struct QueuedPost: Equatable, Sendable {
  var number: Int64
  var title: String
  var byline: String
  var teaser: String
  var body: String
  var isPremium: Bool

  /// How much there is to read.
  var bytes: Int { title.utf8.count + byline.utf8.count + teaser.utf8.count + body.utf8.count }
}

/// A post's texts as they are indexed.
struct IndexedPost: Sendable {
  /// What they are made of.
  let source: QueuedPost
  let texts: QueuedPost

  /// How many characters of each text are indexed: more than the longest article has. Indexing takes time in proportion.
  private static let longestText = 200_000

  init(_ post: QueuedPost) {
    source = post
    texts = QueuedPost(
      number: post.number, title: Self.indexed(post.title), byline: Self.indexed(post.byline), teaser: Self.indexed(post.teaser),
      body: Self.indexed(ArticleBody(html: post.body).plainText), isPremium: post.isPremium)
  }

  /// Reads the markup of posts, which takes a second for some megabytes of it: no request waits for that.
  /// - Throws: `CancellationError`.
  @concurrent static func all(_ posts: [QueuedPost]) async throws -> [IndexedPost] {
    try posts.map { post in
      try Task.checkCancellation()
      return IndexedPost(post)
    }
  }

  /// The beginning of a text as it is indexed. It is cut before indexing, which takes time, and after it, which may have made it longer.
  private static func indexed(_ text: String) -> String { beginning(of: SearchText.indexed(beginning(of: text))) }

  private static func beginning(of text: String) -> String {
    guard text.utf8.count > longestText else { return text }
    let scalars = text.unicodeScalars
    return String(scalars[..<(scalars.index(scalars.startIndex, offsetBy: longestText, limitedBy: scalars.endIndex) ?? scalars.endIndex)])
  }
}
