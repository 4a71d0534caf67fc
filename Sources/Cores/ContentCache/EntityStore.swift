import Foundation
import Runtime
import SQLiteStorage
import Synchronization

/// What one reader of one publication has read, in a file, so that it can be read again without network.
///
/// Caches write to it what they learn and read from it what a page asks for, a page at a time; opening it reads none of it. It holds the
/// server's values only: what the reader changed and the server has not confirmed is in the ``Outbox``. All of it can be had again, so that
/// whatever goes wrong with the file never stops anybody: nothing is found then, and ``takeNotice()`` has a sentence for the reader.
///
/// Safe from any thread; blocks none but its own.
public final class EntityStore: Sendable {
  /// How much is kept, in bytes, where nothing else is said: about 400,000 posts.
  public static let defaultLimit = 512 << 20

  private struct State {
    /// Counts what is read and written: what has the smallest was not read for longest. No clock, which people set back and forth.
    var tick: Int64 = 0
    /// What was read since the last writing, which notes it.
    var readEntities: Set<Int64> = []
    var readPages: Set<PageKey> = []
    var rowsRead = 0
    var timesSetAside = 0
    var notice: String?
    var hasFailed = false
    var evicts = false
  }

  let clock: any AppClock
  private let database: Database
  private let owner: String
  private let limit: Int
  private let state = Mutex(State())

  /// Opens the file, and makes it when there is none. What it holds of another owner is erased; a damaged one is renamed to `PATH.damaged`
  /// and begun anew.
  /// - Parameters:
  ///   - path: a file of its own, or `:memory:`.
  ///   - owner: whose it is, such as a reader's id with their publication's.
  ///   - clock: dates what is fetched.
  ///   - limit: how much is kept, in bytes; what was not read for longest goes first, and what is kept for good never.
  /// - Throws: `MigrationError` for a file of a newer version, which is left untouched; `SQLiteError` when it cannot be opened.
  public init(path: String, owner: String, clock: any AppClock, limit: Int = EntityStore.defaultLimit) async throws {
    self.clock = clock
    self.owner = owner
    self.limit = limit
    database = try await Database(path: path, migrations: Self.migrations, synchronous: .normal, ifDamaged: .setAside)
    let tick = try await database.run { connection in
      let found = try connection.queryOne("SELECT owner, tick FROM store") {
        (try $0.get(0, as: String.self), try $0.get(1, as: Int64.self))
      }
      if let found, found.0 == owner { return found.1 }
      if found != nil { try Self.erase(connection) }
      return 0
    }
    state.withLock { $0.tick = tick }
    noteDamage()
  }

  /// What went wrong since this was last asked, in a sentence for the reader; `nil` for nothing. Each thing is told once.
  public func takeNotice() -> String? {
    state.withLock { state in
      defer { state.notice = nil }
      return state.notice
    }
  }

  /// From now on the limit holds. Before, it is not known yet which entities have pending actions.
  public func startEvicting() { state.withLock { $0.evicts = true } }

  /// Erases everything: for signing out.
  public func erase() async {
    let owner = owner
    state.withLock {
      $0.readEntities = []; $0.readPages = []
    }
    await run { connection in
      // Another reader may have opened the file meanwhile.
      guard try connection.queryOne("SELECT 1 FROM store WHERE owner = ?", owner, map: { _ in true }) == true else { return }
      try Self.erase(connection)
    }
  }

  /// Closes the file once everything handed in before is done.
  public func close() async { await database.close() }

  /// How many rows, and how many pages of the file, were read since it was opened: for tests of how little that is.
  func reading() async -> (rows: Int, pages: Int) {
    (state.withLock { $0.rowsRead }, await run { $0.pagesRead } ?? 0)
  }

  // MARK: Reading

  /// A stored page with its entities; `nil` when it was never fetched. Entities that are not stored any more are missing,
  /// and all come without their ``Entity/detail``.
  func page<Value: Entity>(_ key: PageKey, of type: Value.Type) async -> StoredPage<Value>? {
    await run { [self] connection in
      var (next, hops) = (key, 0)
      while let row = try PageRow(next, connection) {
        // What is left of a page whose rows are all on others.
        if row.ids.isEmpty, let cursor = row.next, hops < PageRow.hops {
          next.cursor = cursor
          hops += 1
          continue
        }
        let items = try entities(row.ids, of: type, withDetail: false, connection)
        state.withLock { state in
          state.rowsRead += hops + 1
          state.readPages.insert(next)
        }
        // An answer to another question is no reason to ask conditionally.
        return StoredPage(
          page: PageRow(key: key, ids: row.ids, next: row.next, etag: hops == 0 ? row.etag : nil, fetched: row.fetched), items: items)
      }
      return nil
    } ?? nil
  }

  /// One entity, with its detail, as a page of one: with the page's entity tag when it was fetched by itself.
  func single<Value: Entity>(_ id: String, as key: PageKey, of type: Value.Type) async -> StoredPage<Value>? {
    await run { [self] connection in
      let items = try entities([id], of: type, withDetail: true, connection)
      guard !items.isEmpty else { return nil }
      let row = try PageRow(key, connection)
      state.withLock { if row != nil { $0.readPages.insert(key) } }
      return StoredPage(page: row ?? PageRow(key: key, ids: [id], fetched: .distantPast), items: items)
    } ?? nil
  }

  /// The entities that are kept for good, the last read first.
  func kept<Value: Entity>(_ type: Value.Type, limit: Int = 500) async -> [Value] {
    await run { [self] connection in
      let found = try connection.query(
        "SELECT number, value FROM entity WHERE kind = ? AND kept = 1 ORDER BY read DESC LIMIT ?", Value.kind, limit
      ) { Self.decoded($0, as: type, withDetail: false) }
      return noted(found)
    } ?? []
  }

  private func entities<Value: Entity>(
    _ ids: [String], of type: Value.Type, withDetail: Bool, _ connection: Connection
  ) throws -> [Value] {
    let sql = "SELECT number, value\(withDetail ? ", detail" : "") FROM entity WHERE kind = ? AND id = ?"
    var found: [(number: Int64, value: Value?)?] = []
    found.reserveCapacity(ids.count)
    for id in ids { found.append(try connection.queryOne(sql, Value.kind, id) { Self.decoded($0, as: type, withDetail: withDetail) }) }
    return noted(found.compactMap(\.self))
  }

  /// One that this version cannot read is as good as none.
  private static func decoded<Value: Entity>(_ row: Row, as type: Value.Type, withDetail: Bool) -> (number: Int64, value: Value?) {
    var value = try? row.withBytes(1) { try StoredDecoder.decode(type, from: $0) }
    if withDetail, let detail = try? row.get(2, as: String?.self) { value?.detail = detail }
    return ((try? row.get(0)) ?? 0, value)
  }

  private func noted<Value>(_ found: [(number: Int64, value: Value?)]) -> [Value] {
    state.withLock { state in
      state.rowsRead += found.count
      for row in found { state.readEntities.insert(row.number) }
    }
    return found.compactMap(\.value)
  }

  // MARK: Writing

  /// Writes a batch, all or nothing, and keeps to the limit.
  func write<Value: Entity>(_ batch: StoreBatch<Value>) async {
    await run { [self] connection in
      let (tick, read, pages, evicts) = state.withLock { state in
        state.tick += 1
        defer { (state.readEntities, state.readPages) = ([], []) }
        return (state.tick, state.readEntities, state.readPages, state.evicts)
      }
      try connection.transaction {
        try claim(connection, tick)
        for number in read { try connection.execute("UPDATE entity SET read = ? WHERE number = ?", tick, number) }
        for key in pages { try connection.execute("UPDATE page SET read = ? WHERE list = ? AND cursor = ?", tick, key.list, key.cursor) }
        let encoder = StoredEncoder()
        for (value, isKept) in batch.values {
          var value = value
          let detail = value.detail
          value.detail = nil
          try connection.execute(Self.upsert, Value.kind, value.id, isKept, tick, try encoder.encode(value), detail)
        }
        for id in batch.kept { try connection.execute("UPDATE entity SET kept = 1 WHERE kind = ? AND id = ?", Value.kind, id) }
        for id in batch.removed { try connection.execute("DELETE FROM entity WHERE kind = ? AND id = ?", Value.kind, id) }
        for page in batch.pages { try page.write(connection, tick) }
      }
      if evicts { try evict(connection) }
    }
  }

  /// Notes whose file it is: a new one, begun in the place of a damaged one, is nobody's yet.
  private func claim(_ connection: Connection, _ tick: Int64) throws {
    let claimed = try connection.execute(
      "INSERT INTO store (one, owner, tick) VALUES (1, ?, ?) ON CONFLICT DO UPDATE SET tick = excluded.tick WHERE owner = excluded.owner",
      owner, tick)
    if claimed == 0 { throw Taken() }
  }

  /// Another reader has opened the file.
  private struct Taken: Error {}

  private func evict(_ connection: Connection) throws {
    guard try Self.size(connection) > limit else { return }
    try connection.transaction {
      while try Self.size(connection) > limit / 10 * 9 {
        let gone = try connection.execute(
          "DELETE FROM entity WHERE number IN (SELECT number FROM entity WHERE kept = 0 ORDER BY read, number LIMIT 32)")
        if gone == 0 { break }
      }
      try connection.execute("DELETE FROM page WHERE read < (SELECT min(read) FROM entity WHERE kept = 0)")
    }
  }

  /// How much of the file is in use, in bytes.
  private static func size(_ connection: Connection) throws -> Int {
    let number = { (name: String) in try connection.queryOne("PRAGMA \(name)") { try $0.get(0, as: Int.self) } ?? 0 }
    return (try number("page_count") - number("freelist_count")) * (try number("page_size"))
  }

  private static func erase(_ connection: Connection) throws {
    try connection.transaction { try connection.script("DELETE FROM entity; DELETE FROM page; DELETE FROM store") }
    // Without this, what was deleted would still be in the file.
    try connection.script("VACUUM; PRAGMA wal_checkpoint(TRUNCATE)")
  }

  // MARK: When it goes wrong

  @discardableResult
  private func run<Result: Sendable>(_ body: @Sendable (Connection) throws -> Result) async -> Result? {
    defer { noteDamage() }
    do { return try await database.run(body) } catch is Taken { return nil } catch let error as SQLiteError where error.code == .misuse {
      // Closed: whoever still asks is gone too.
      return nil
    } catch {
      state.withLock { state in
        if !state.hasFailed { state.notice = "What you read cannot be kept for reading without network. \(error)" }
        state.hasFailed = true
      }
      return nil
    }
  }

  private func noteDamage() {
    let times = database.timesSetAside
    state.withLock { state in
      guard times > state.timesSetAside else { return }
      state.timesSetAside = times
      (state.readEntities, state.readPages) = ([], [])
      state.notice = "What was kept for reading without network was damaged, and is fetched again as you read."
    }
  }
}
