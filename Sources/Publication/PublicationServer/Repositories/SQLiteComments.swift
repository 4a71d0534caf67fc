import Foundation
import PublicationAPI
import SQLiteStorage

/// ``CommentRepository`` on SQLite.
struct SQLiteComments: CommentRepository {
  let database: Connection

  func comments(
    of post: Post.ID, after: Int64?, limit: Int, for reader: Reader.ID
  ) throws -> [(comment: Comment, number: Int64)] {
    try database.query(
      "\(Self.select) WHERE comment.post = ?2 AND NOT comment.deleted AND comment.number > ?3 ORDER BY comment.number LIMIT ?4",
      reader, post, after ?? 0, limit
    ) { (try Self.comment($0), try $0.get(6)) }
  }

  func pause(before id: Comment.ID, by reader: Reader.ID, at time: Int64, mostAnHour: Int) throws -> Int64? {
    guard try database.queryOne("SELECT 1 FROM comment WHERE id = ?", id, map: { _ in true }) == nil else { return nil }
    // What was written by a clock that was ahead does not count.
    let sql = "SELECT posted FROM comment WHERE reader = ? AND posted BETWEEN ? AND ? ORDER BY posted DESC LIMIT 1 OFFSET ?"
    return try database.queryOne(sql, reader, time - 3599, time, mostAnHour - 1) { try $0.get(0, as: Int64.self) + 3600 - time }
  }

  func put(_ id: Comment.ID, on post: Post.ID, by reader: Reader.ID, text: String, at time: Int64) throws -> CommentOutcome {
    try database.transaction {
      let stored = try database.queryOne("SELECT post, reader, deleted FROM comment WHERE id = ?", id) { row in
        (post: try row.get(0, as: String.self), reader: try row.get(1, as: String.self), isDeleted: try row.get(2, as: Bool.self))
      }
      if let stored {
        guard stored.post == post, stored.reader == reader, !stored.isDeleted else { return .taken }
        try database.execute("UPDATE comment SET text = ? WHERE id = ?", text, id)
      } else {
        try database.execute(
          "INSERT INTO comment (id, post, reader, text, posted) VALUES (?, ?, ?, ?, ?)", id, post, reader, text, time)
      }
      let written = try database.queryOne("\(Self.select) WHERE comment.id = ?2", reader, id, map: Self.comment)
      return written.map { .written($0, isNew: stored == nil) } ?? .taken
    }
  }

  func delete(_ id: Comment.ID, of post: Post.ID, by reader: Reader.ID, at time: Int64) throws -> Bool {
    // Also an unknown one: the request that writes it may arrive late, and would bring it back.
    try database.execute(
      """
      INSERT INTO comment (id, post, reader, text, posted, deleted) SELECT ?, id, ?, '', ?, 1 FROM post WHERE id = ?
      ON CONFLICT (id) DO UPDATE SET deleted = 1, text = '' WHERE post = excluded.post AND reader = excluded.reader
      """, id, reader, time, post)
    return try database.queryOne("SELECT 1 FROM comment WHERE id = ? AND post = ? AND NOT deleted", id, post, map: { _ in true }) == nil
  }

  /// Comments as the reader ?1 sees them.
  private static let select = """
    SELECT comment.id, comment.post, reader.name, comment.reader = ?1, comment.text, comment.posted, comment.number
    FROM comment JOIN reader ON reader.id = comment.reader
    """

  private static func comment(_ row: Row) throws -> Comment {
    Comment(
      id: try row.get(0), postID: try row.get(1), author: try row.get(2, as: String.self).shortened, isMine: try row.get(3),
      text: try row.get(4),
      posted: Date(timeIntervalSince1970: TimeInterval(try row.get(5, as: Int64.self))))
  }
}
