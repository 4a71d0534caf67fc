import PublicationAPI
import SQLiteStorage

/// Lists of posts. How one is read depends on how much there is to look at: some are read in parts, see SQLiteLongLists.swift.
extension SQLiteContent {
  nonisolated(nonsending) func posts(_ query: PostQuery, for reader: Reader.ID) async throws -> [Post]? {
    // The newest posts of all clubs, or of one, come first in an index.
    guard query.isUnread || query.isBookmarked || query.isFollowed || query.isSweeping else {
      return try database.reading { try page(query, for: reader) }
    }
    if query.isUnread, !query.isFollowed, !query.isBookmarked { return try await longList(query, for: reader) }
    let (planned, posts): (PostQuery, [Post]?) = try await readingList(for: reader) { content in
      let planned = try content.planned(query, for: reader)
      return try (planned, planned.isInParts ? nil : content.page(planned, for: reader))
    }
    return try await planned.isInParts ? longList(planned, for: reader) : posts
  }

  /// The posts of a page; `nil` when there is no such club.
  private func page(_ query: PostQuery, for reader: Reader.ID) throws -> [Post]? {
    if let club = query.fanClub, try !isThere(club) { return nil }
    let (sql, values) = Self.statement(query, for: reader)
    return try database.query(sql, values: values, map: Self.post)
  }

  /// More are too many to look up the newest posts of each. Then removed posts are passed: ``Publication/mostRemoved``, and those of the club
  /// that was removed last, of which there are ``ImportLimits/mostPosts`` at most. Imports that were cancelled, and readers who were removed,
  /// leave some more.
  private static let mostClubsOfList = 1000

  /// A list of more bookmarks is a long one. Others are looked up one by one.
  private static let fewBookmarks = 2000

  /// How a list is read, which depends on how much there is to look at.
  private func planned(_ query: PostQuery, for reader: Reader.ID) throws -> PostQuery {
    var query = query
    if query.isSweeping { query.hasManyClubs = try has(moreThan: Self.mostClubsOfList, "fan_club") }
    if query.isFollowed, query.fanClub == nil {
      // With more clubs, the newest posts of each would be more than one part checks. To find a club's posts of a part takes as long as to
      // check ten posts.
      query.hasManyFollows = try has(moreThan: partSize / (query.isUnread ? 10 : max(1, query.limit)), "follow WHERE reader = ?", reader)
    }
    query.isInParts =
      try query.isBookmarked
      ? has(moreThan: Self.fewBookmarks, "bookmark WHERE reader = ?", reader) : query.isUnread || query.hasManyFollows
    return query
  }

  /// Whether there are more rows than that, of which no more are counted.
  private func has(moreThan most: Int, _ rows: String, _ values: (any SQLValue)?...) throws -> Bool {
    try database.query("SELECT count(*) FROM (SELECT 1 FROM \(rows) LIMIT ?)", values: values + [most + 1]) {
      try $0.get(0, as: Int.self) > most
    }.first ?? false
  }

  /// A page of a list: first which posts, by indexes, then what is shown of those alone. In one step SQLite looks up counts and marks of
  /// all posts that it sorts.
  static func statement(_ query: PostQuery, for reader: Reader.ID) -> (sql: String, values: [(any SQLValue)?]) {
    if query.isByClub { return newestOfClubs(query, for: reader) }
    var conditions: [String] = []
    // ?1 is the reader.
    var values: [(any SQLValue)?] = [reader]
    if let club = query.fanClub {
      conditions.append("post.fan_club = ?2")
      values.append(club)
    }
    if query.isBookmarked {
      // A part must not read all bookmarks.
      conditions.append(
        query.isInParts
          ? "EXISTS (SELECT 1 FROM bookmark WHERE bookmark.reader = ?1 AND bookmark.post = post.id)"
          : "post.id IN (SELECT bookmark.post FROM bookmark WHERE bookmark.reader = ?1)")
    }
    if query.isFollowed { conditions.append(isFollowed(query)) }
    // Nobody follows a club that was removed.
    if query.isSweeping, !query.isFollowed { conditions.append(Self.hasClub) }
    if query.isUnread {
      conditions.append("NOT EXISTS (SELECT 1 FROM read_mark WHERE read_mark.reader = ?1 AND read_mark.number = post.number)")
    }
    for (position, sign) in [(query.after, "<"), (query.until, ">=")] {
      guard let position else { continue }
      conditions.append("(post.published, post.id) \(sign) (?, ?)")
      values += [position.published, position.id]
    }
    return (
      "\(selectPost(body: false)) WHERE post.number IN (SELECT post.number FROM post \(filter(conditions)) \(order) LIMIT ?) \(order)",
      values + [query.limit]
    )
  }

  private static let order = "ORDER BY post.published DESC, post.id DESC"

  /// Whether the reader ?1 follows a post's club.
  private static func isFollowed(_ query: PostQuery) -> String {
    // The same for all of the club ?2.
    if query.fanClub != nil { return "EXISTS (SELECT 1 FROM follow WHERE follow.reader = ?1 AND follow.fan_club = ?2)" }
    guard query.hasManyFollows else { return "post.fan_club IN (SELECT fan_club FROM follow WHERE follow.reader = ?1)" }
    // A part must not read all follows. Those of the reader lie together, where those of each club are elsewhere.
    return "EXISTS (SELECT 1 FROM follow INDEXED BY follow_of_reader WHERE follow.reader = ?1 AND follow.fan_club = post.fan_club)"
  }

  /// The newest posts of each club, and of those the newest: of the clubs that the reader follows, or of all that are there. Posts of removed
  /// clubs may be hundreds of thousands, and newer. Which posts these are is known by an index alone: of each club those that are no older
  /// than the last one that may be on the page.
  private static func newestOfClubs(_ query: PostQuery, for reader: Reader.ID) -> (sql: String, values: [(any SQLValue)?]) {
    let (clubs, club, own) =
      query.isFollowed ? ("follow", "follow.fan_club", "WHERE follow.reader = ?1") : ("fan_club", "fan_club.id", "")
    func behind(_ post: String) -> String { query.after == nil ? "" : "AND (\(post).published, \(post).id) < (?, ?)" }
    var values: [(any SQLValue)?] = [reader]
    for _ in 0..<2 { if let after = query.after { values += [after.published, after.id] } }
    values += [query.limit - 1, query.limit]
    return (
      """
      \(selectPost(body: false)) WHERE post.number IN (
        SELECT near.number FROM \(clubs) CROSS JOIN post AS near ON near.fan_club = \(club) \(behind("near"))
          AND near.published >= coalesce((
            SELECT post.published FROM post WHERE post.fan_club = \(club) \(behind("post")) \(order) LIMIT 1 OFFSET ?), \(Int64.min))
        \(own) ORDER BY near.published DESC, near.id DESC LIMIT ?) \(order)
      """, values
    )
  }

  /// Whether a post's club is there. By the index that the posts are read by, which has the club: not correlated, it is checked before the
  /// post is read. The plus keeps SQLite from reading the posts by their clubs.
  static let hasClub = "+post.fan_club IN (SELECT id FROM fan_club)"

  static func filter(_ conditions: [String]) -> String { conditions.isEmpty ? "" : "WHERE " + conditions.joined(separator: " AND ") }
}
