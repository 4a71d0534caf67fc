import SQLiteStorage

/// How long the queue of posts is whose words are to be indexed, and what leaves it without that.
extension SQLiteSearch {
  func hasQueue(longerThan count: Int) throws -> Bool {
    try database.queryOne("SELECT 1 FROM search_queue LIMIT 1 OFFSET ?", count, map: { _ in true }) != nil
  }

  func dropRemoved(limit: Int) throws { try database.execute(Self.dropRemoved, limit) }

  /// Only the front of the queue is looked at, which is indexed next.
  static let dropRemoved = """
    DELETE FROM search_queue WHERE post IN (
      SELECT front.post FROM (SELECT post FROM search_queue ORDER BY post LIMIT ?) AS front CROSS JOIN post ON post.number = front.post
      WHERE NOT EXISTS (SELECT 1 FROM fan_club WHERE fan_club.id = post.fan_club))
    """
}
