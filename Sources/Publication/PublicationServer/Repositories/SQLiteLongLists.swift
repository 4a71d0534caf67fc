import PublicationAPI
import SQLiteStorage

/// Lists that check each post: unread ones, where a million may have been read, bookmarked ones, where there are many bookmarks, and those of
/// followed clubs, where these are many. They are read in parts, and other requests run between two parts.
extension SQLiteContent {
  nonisolated(nonsending) func longList(_ query: PostQuery, for reader: Reader.ID) async throws -> [Post]? {
    if let lists { return try await Self.longList(query, for: reader, on: lists, limit ?? WorkLimit(), partSize: partSize) }
    return try await Self.inParts(query) {
      try mostPosts(query, for: reader)
    } part: {
      try part($0, for: reader)
    }
  }

  /// On connections for lists. Between two parts nothing waits for the publication's thread, which may be busy with long work.
  @concurrent private static func longList(
    _ query: PostQuery, for reader: Reader.ID, on lists: ReadConnections, _ limit: WorkLimit, partSize: Int
  ) async throws -> [Post]? {
    try await inParts(query) {
      try await lists.read(for: reader, limit, partSize: partSize) { try $0.mostPosts(query, for: reader) }
    } part: { part in
      try await lists.read(for: reader, limit, partSize: partSize) { try $0.part(part, for: reader) }
    }
  }

  /// - Parameters:
  ///   - most: how many posts the list may have; see ``mostPosts(_:for:)``.
  ///   - part: the next part; see ``part(_:for:)``.
  private nonisolated(nonsending) static func inParts(
    _ query: PostQuery, most: nonisolated(nonsending) () async throws -> Int?,
    part: nonisolated(nonsending) (PostQuery) async throws -> (posts: [Post], end: PostPosition?)
  ) async throws -> [Post]? {
    guard let most = try await most() else { return nil }
    var (found, rest) = ([Post](), query)
    rest.isInParts = true
    rest.limit = min(query.limit, most)
    while rest.limit > 0 {
      let (posts, end) = try await part(rest)
      // A post whose date was corrected between two parts may be in both.
      let new = posts.filter { post in !found.contains { $0.id == post.id } }
      found += new
      guard let end else { break }
      rest.after = end
      rest.limit -= new.count
      await Task.yield()
      try Task.checkCancellation()
    }
    return found
  }

  /// Runs one part on a connection for lists, or on the only one of a publication in memory.
  nonisolated(nonsending) func readingList<Value: Sendable>(
    for reader: Reader.ID, _ body: @escaping @Sendable (SQLiteContent) throws -> Value
  ) async throws -> Value {
    guard let lists else { return try database.reading { try body(self) } }
    return try await lists.read(for: reader, limit ?? WorkLimit(), partSize: partSize, body)
  }

  /// How many posts the list may have, of which no more than `query.limit` are counted; `nil` when there is no such club. A list is complete
  /// when it has found so many: a reader who has read everything, or who follows clubs without posts, gets an answer at once.
  private func mostPosts(_ query: PostQuery, for reader: Reader.ID) throws -> Int? {
    if let club = query.fanClub, try !isThere(club) { return nil }
    guard query.isUnread || query.isFollowed else { return .max }
    let posts = query.isUnread ? "post_count.posts - coalesce(read_count.posts, 0)" : "post_count.posts"
    var source = "post_count"
    var conditions = ["\(posts) > 0"]
    var values: [(any SQLValue)?] = [reader]
    if let club = query.fanClub {
      conditions.append("post_count.fan_club = ?2")
      values.append(club)
    }
    if query.isFollowed, query.fanClub == nil {
      source = "follow CROSS JOIN post_count ON post_count.fan_club = follow.fan_club"
      conditions.append("follow.reader = ?1")
    } else if query.isSweeping {
      conditions.append("post_count.fan_club IN (SELECT id FROM fan_club)")
    }
    if query.isUnread { source += " LEFT JOIN read_count ON read_count.reader = ?1 AND read_count.fan_club = post_count.fan_club" }
    // Each of these clubs has one at least.
    return try database.query(
      "SELECT coalesce(sum(posts), 0) FROM (SELECT \(posts) AS posts FROM \(source) \(Self.filter(conditions)) LIMIT ?)",
      values: values + [query.limit]
    ) { try $0.get(0, as: Int.self) }.first
  }

  /// Those of the next posts that belong to a list.
  /// - Returns: `end` is the last post that was checked; `nil` when the list has no more.
  private func part(_ query: PostQuery, for reader: Reader.ID) throws -> (posts: [Post], end: PostPosition?) {
    var query = query
    query.until = try lastPost(ofPart: query)
    let (sql, values) = Self.statement(query, for: reader)
    let posts = try database.query(sql, values: values, map: Self.post)
    return (posts, posts.count < query.limit ? query.until : nil)
  }

  /// Where the part ends that starts behind `query.after`; `nil` when no more posts follow than one part has.
  private func lastPost(ofPart query: PostQuery) throws -> PostPosition? {
    var conditions: [String] = []
    var values: [(any SQLValue)?] = []
    if let club = query.fanClub {
      conditions.append("fan_club = ?")
      values.append(club)
    }
    if let after = query.after {
      conditions.append("(published, id) < (?, ?)")
      values += [after.published, after.id]
    }
    return try database.query(
      "SELECT published, id FROM post \(Self.filter(conditions)) ORDER BY published DESC, id DESC LIMIT 1 OFFSET ?",
      values: values + [partSize - 1]
    ) { PostPosition(published: try $0.get(0), id: try $0.get(1)) }.first
  }
}

extension ReadConnections {
  /// Runs `body` on what is there at one moment, within the limit.
  fileprivate nonisolated(nonsending) func read<Value: Sendable>(
    for reader: Reader.ID, _ limit: WorkLimit, partSize: Int, _ body: @escaping @Sendable (SQLiteContent) throws -> Value
  ) async throws -> Value {
    try await run(for: reader) { database in
      try database.withLimit(limit) { try database.reading { try body(SQLiteContent(database: database, partSize: partSize)) } }
    }
  }
}
