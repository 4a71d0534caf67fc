import SQLiteStorage
import Testing

@testable import PublicationServer

/// A look at what lies in the database, past the repositories.
extension Publication {
  fileprivate var database: Connection { get throws { try #require(readers as? SQLiteReaders).database } }

  /// How many rows a table has.
  func rows(_ table: String) throws -> Int { try database.queryOne("SELECT count(*) FROM \(table)") { try $0.get(0) } ?? 0 }

  /// The only number of a query.
  func number(_ query: String) throws -> Int { try #require(try database.queryOne(query) { try $0.get(0, as: Int.self) }) }

  func run(_ script: String) throws { try database.script(script) }
}

extension SQLiteSearch {
  /// Indexes the words of some posts, and the names of some clubs, in one step.
  /// - Returns: whether there are more.
  func index(limit: Int) throws -> Bool {
    let (posts, hasMore) = try queue(limit: limit)
    return try index(posts.map { IndexedPost($0) }, clubs: limit) || hasMore
  }
}
