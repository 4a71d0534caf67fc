import Foundation
import Runtime
import SQLiteStorage
import Synchronization

/// The entities that one user of one publication has read, in a file, so that they can be read again offline.
///
/// Caches write the server's answers to it, and read from it a page at a time; opening it reads nothing. It holds only the server's values:
/// pending actions are in the ``Outbox``. Everything in it can be fetched again, so an error of the file stops no caller: nothing is found
/// then, and ``takeNotice()`` has a sentence for the user.
///
/// Safe from any thread; blocks none but its own.
public final class EntityStore: Sendable {
  /// The default limit, in bytes: about 400,000 posts.
  public static let defaultLimit = 512 << 20

  private struct State {
    /// Counts reads and writes: the row with the smallest number was not read for longest. Not a clock, which people set back and forth.
    var tick: Int64 = 0
    /// What was read since the last writing, which notes it.
    var readEntities: [Int64] = []
    var readPages: [PageKey] = []
    var rowsRead = 0
    var timesSetAside = 0
    var notice: String?
    var hasFailed = false
    var evicts = false
    var isPrepared = false
    var limit: Int
  }

  let clock: any AppClock
  private let database: Database
  private let owner: String
  private let state: Mutex<State>

  /// An entity store in a file, which is opened while the caller continues, and made when there is none. The data of another owner are
  /// erased; a damaged file is renamed to `PATH.damaged` and replaced; a file of a newer version is left untouched, and nothing is stored.
  /// - Parameters:
  ///   - path: a file of its own, or `:memory:`.
  ///   - owner: whose it is, such as a user's id with their publication's.
  ///   - clock: dates what is fetched.
  ///   - limit: the most that is stored, in bytes. Entities that were not read for longest are removed first, pinned ones never.
  public init(path: String, owner: String, clock: any AppClock, limit: Int = EntityStore.defaultLimit) {
    self.clock = clock
    self.owner = owner
    state = Mutex(State(limit: limit))
    database = Database(opening: path, migrations: Self.migrations, synchronous: .normal, ifDamaged: .setAside)
  }

  /// Finds out whose file it is, with the first use.
  private func prepare(_ connection: Connection) throws {
    guard state.withLock({ !$0.isPrepared }) else { return }
    // As Debian's SQLite does by itself: what is removed is overwritten.
    try connection.script("PRAGMA secure_delete = ON")
    let found = try connection.queryOne("SELECT owner, tick FROM store") { (try $0.get(0, as: String.self), try $0.get(1, as: Int64.self)) }
    if let found, found.0 != owner { try Self.erase(connection) }
    state.withLock { state in
      state.isPrepared = true
      state.tick = found?.0 == owner ? found?.1 ?? 0 : 0
    }
  }

  /// What went wrong since the last call, in a sentence for the user; `nil` for nothing. Each failure is reported once.
  public func takeNotice() -> String? {
    state.withLock { state in
      defer { state.notice = nil }
      return state.notice
    }
  }

  /// Whether something was read out of it that is not noted yet.
  var hasUnnoted: Bool { state.withLock { !($0.readEntities.isEmpty && $0.readPages.isEmpty) } }

  /// The limit is in force from now on. Before, it is not known which entities have pending actions.
  public func startEvicting() { state.withLock { $0.evicts = true } }

  /// How much is stored, in bytes.
  public func size() async -> Int { await run { try Self.size($0) } ?? 0 }

  /// Changes the limit, in bytes. Entities beyond it are removed at once, except pinned ones.
  public func setLimit(_ limit: Int) async {
    let evicts = state.withLock { state in
      state.limit = limit
      return state.evicts
    }
    if evicts { await run { [self] connection in try evict(connection) } }
  }

  /// Removes entities that are not pinned, once it is known which have pending actions; before that it does nothing.
  public func removeUnpinned() async {
    guard state.withLock({ $0.evicts }) else { return }
    await run { [self] connection in
      try connection.transaction { try connection.script("DELETE FROM entity WHERE pinned = 0; DELETE FROM page") }
      // What is read again is written again.
      state.withLock { $0.tick += 1 }
      // Gives the room back to the disk.
      try connection.script("VACUUM; PRAGMA wal_checkpoint(TRUNCATE)")
    }
  }

  /// Erases everything: for signing out.
  public func erase() async {
    let owner = owner
    state.withLock {
      $0.readEntities = []; $0.readPages = []
    }
    await run { connection in
      // Another user may have opened the file meanwhile.
      guard try connection.queryOne("SELECT 1 FROM store WHERE owner = ?", owner, map: { _ in true }) == true else { return }
      try Self.erase(connection)
    }
  }

  /// Closes the file once everything handed in before is done.
  public func close() async { await database.close() }

  /// How many rows, and how many pages of the file, were read since it was opened: for tests.
  func reading() async -> (rows: Int, pages: Int) {
    (state.withLock { $0.rowsRead }, await run { $0.pagesRead } ?? 0)
  }

  // MARK: Reading

  /// A stored page with its entities; `nil` when it was never fetched. Entities that are not stored any more are missing,
  /// and all come without their ``Entity/detail``.
  nonisolated(nonsending) func page<Value: Entity>(_ key: PageKey, of type: Value.Type) async -> StoredPage? {
    await read { [self] connection in
      var (next, hops) = (key, 0)
      while let (row, items) = try stored(next, of: type, connection) {
        // What is left of a page whose rows are all on others.
        if row.ids.isEmpty, let cursor = row.next, hops < PageRow.hops {
          next.cursor = cursor
          hops += 1
          continue
        }
        state.withLock { state in
          state.rowsRead += hops + 1
          state.readPages.append(next)
        }
        // An answer to another question is no reason to ask conditionally.
        return StoredPage(
          page: PageRow(
            key: key, ids: row.ids, next: row.next, etag: hops == 0 ? row.etag : nil, digest: row.digest, fetchedAt: row.fetchedAt),
          items: items)
      }
      return nil
    } ?? nil
  }

  /// One entity, with its detail, as a page of one: with the page's entity tag when it was fetched by itself.
  nonisolated(nonsending) func single<Value: Entity>(_ id: String, as key: PageKey, of type: Value.Type) async -> StoredPage? {
    await read { [self] connection in
      guard let item = try entity(id, of: type, withDetail: true, connection) else { return nil }
      let row = try PageRow(key, connection)
      state.withLock { if row != nil { $0.readPages.append(key) } }
      return StoredPage(page: row ?? PageRow(key: key, ids: [id], fetchedAt: .distantPast), items: [item])
    } ?? nil
  }

  /// Where a part of the stored entities ends; those that were read longer ago follow.
  typealias ReadPosition = (read: Int64, number: Int64)

  /// The pinned entities, the last read first, a part at a time.
  /// - Parameter pinnedOnly: if not, all there are.
  /// - Returns: the part after a position, and the position of the next one; `nil` after the last.
  nonisolated(nonsending) func entities<Value: Entity>(
    _ type: Value.Type, pinnedOnly: Bool = true, after place: ReadPosition = (.max, .max), limit: Int = 500
  ) async -> (values: [AnyCacheEntry], next: ReadPosition?) {
    await read { [self] connection in
      var reading = Reading<Value>()
      let places = try connection.query(
        """
        SELECT number, value, read FROM entity WHERE kind = ?\(pinnedOnly ? " AND pinned = 1" : "") AND (read, number) < (?, ?)
        ORDER BY read DESC, number DESC LIMIT ?
        """,
        Value.kind, place.read, place.number, limit
      ) { row -> ReadPosition in
        reading.take(row, withDetail: false)
        return (try row.get(2), try row.get(0))
      }
      return (noted(reading), places.count == limit ? places.last : nil)
    } ?? ([], nil)
  }

  /// A stored page as it is, with its entities.
  private func stored<Value: Entity>(_ key: PageKey, of type: Value.Type, _ connection: Connection) throws -> (PageRow, [AnyCacheEntry])? {
    var reading = Reading<Value>()
    let row = try PageRow(key, connection) { bytes in
      try connection.prepared(Self.find(withDetail: false)) { statement in
        try statement.bind(Value.kind, at: 0)
        reading.reserve(bytes.count / FieldCoder.usualID)
        return try FieldCoder.texts(from: bytes) { id in
          let last = reading.values.count
          try statement.firstBound(text: id, at: 1) { reading.take($0, withDetail: false) }
          // The entity's own, where there is one: half as many texts in memory.
          return reading.values.count > last ? reading.values[last].id : String(decoding: id, as: UTF8.self)
        }
      }
    }
    return row.map { ($0, noted(reading)) }
  }

  /// A stored entity; `nil` when there is none that this version can read.
  private func entity<Value: Entity>(_ id: String, of type: Value.Type, withDetail: Bool, _ connection: Connection) throws -> AnyCacheEntry?
  {
    var reading = Reading<Value>()
    _ = try connection.queryOne(Self.find(withDetail: withDetail), Value.kind, id) { reading.take($0, withDetail: withDetail) }
    return noted(reading).first
  }

  private func noted<Value>(_ reading: Reading<Value>) -> [AnyCacheEntry] {
    state.withLock { state in
      state.rowsRead += reading.numbers.count
      state.readEntities += reading.numbers
    }
    return reading.values
  }

  /// Entities as they come out of the file.
  private struct Reading<Value: Entity> {
    var numbers: [Int64] = []
    var values: [AnyCacheEntry] = []

    mutating func reserve(_ count: Int) {
      numbers.reserveCapacity(count)
      values.reserveCapacity(count)
    }

    /// One that this version cannot read is as good as none.
    mutating func take(_ row: Row, withDetail: Bool) {
      numbers.append(row.integer(0))
      let detail = withDetail ? try? row.get(2, as: String?.self) : nil
      if let entry = try? row.withBytes(1, { CacheEntry<Value>($0, detail: detail) }) { values.append(entry) }
    }
  }

  // MARK: Writing

  /// Writes a batch, all or nothing except for bulk changes, and enforces the limit.
  /// - Returns: this moment, by the file's own counter; `nil` when it could not be written.
  @discardableResult nonisolated(nonsending) func write<Value: Entity>(_ batch: StoreBatch<Value>) async -> Int64? {
    guard await apply(batch.bulkChanges) else { return nil }
    return await run { [self] connection in
      let (tick, isNoted, read, pages, evicts) = state.withLock { state in
        // The entities of this batch are the youngest already if nothing was stored or read since they were noted.
        let isNoted = batch.values.isEmpty && state.readEntities.isEmpty && batch.isReadSince ?? state.tick == state.tick
        if !isNoted { state.tick += 1 }
        defer { (state.readEntities, state.readPages) = ([], []) }
        return (state.tick, isNoted, state.readEntities, state.readPages, state.evicts)
      }
      try connection.transaction {
        try claim(connection, tick)
        try connection.prepared("UPDATE entity SET read = ? WHERE number = ?") { for number in read { try $0.run(tick, number) } }
        for key in pages { try connection.execute("UPDATE page SET read = ? WHERE list = ? AND cursor = ?", tick, key.list, key.cursor) }
        for id in batch.removed { try connection.execute("DELETE FROM entity WHERE kind = ? AND id = ?", Value.kind, id) }
        try write(batch.values, connection, tick)
        if !isNoted { try note(batch.read, connection, tick) }
        for (id, isPending) in batch.unknown {
          let isPinned = try isPending || entity(id, of: Value.self, withDetail: false, connection)?.isPinned == true
          try connection.execute("UPDATE entity SET pinned = ? WHERE kind = ? AND id = ?", isPinned, Value.kind, id)
        }
        for page in batch.pages { try page.write(connection, tick) }
      }
      if evicts { try evict(connection) }
      return tick
    }
  }

  /// Applies the server's changes to all entities of a kind, a part at a time, so that no read waits for long.
  /// - Returns: whether it was completed. If not, it is applied to all entities again: newer values are not written yet.
  nonisolated(nonsending) private func apply<Value: Entity>(_ bulkChanges: [@Sendable (inout Value?) -> Void]) async -> Bool {
    var place: Int64? = bulkChanges.isEmpty ? nil : 0
    while let after = place {
      let next = await run { [self] connection in try connection.transaction { try apply(bulkChanges, after: after, connection) } }
      guard let next else { return false }
      place = next
    }
    // What was removed is overwritten in the file, but not in the log beside it.
    if !bulkChanges.isEmpty { await run { try $0.script("PRAGMA wal_checkpoint(TRUNCATE)") } }
    return true
  }

  /// - Returns: where the next part begins; `nil` after the last.
  private func apply<Value: Entity>(
    _ bulkChanges: [@Sendable (inout Value?) -> Void], after place: Int64, limit: Int = 500, _ connection: Connection
  ) throws -> Int64? {
    // The file has no owner yet, or another user's.
    guard try connection.queryOne("SELECT 1 FROM store WHERE owner = ?", owner, map: { _ in true }) == true else { return nil }
    var (changed, gone): ([(number: Int64, value: Value)], [Int64]) = ([], [])
    // By its index, all of the kind would be sorted for each part.
    let sql = "SELECT number, value FROM entity NOT INDEXED WHERE number > ? AND kind = ? ORDER BY number LIMIT ?"
    let numbers = try connection.query(sql, place, Value.kind, limit) { row in
      let number = try row.get(0, as: Int64.self)
      // Details are long, so they are not read: another in its place shows whether a change removes it.
      guard let old = try? row.withBytes(1, { CacheEntry<Value>($0, detail: "-") })?.value else { return number }
      let new = bulkChanges.reduce(into: Value?.some(old)) { $1(&$0) }
      if new == nil { gone.append(number) } else if let new, new != old { changed.append((number, new)) }
      return number
    }
    try connection.prepared("DELETE FROM entity WHERE number = ?") { statement in for number in gone { try statement.run(number) } }
    var form = FieldCoder()
    // What has pending actions stays pinned.
    let update = "UPDATE entity SET pinned = max(pinned, ?), value = ?, detail = iif(?, detail, NULL) WHERE number = ?"
    try connection.prepared(update) { statement in
      for (number, value) in changed {
        try statement.bind(value.isPinned, at: 0)
        try statement.bind(value.detail != nil, at: 2)
        try statement.bind(number, at: 3)
        try form.write(value) { try statement.runBound(bytes: $0, at: 1) }
      }
    }
    return numbers.count == limit ? numbers.last : nil
  }

  /// Records that entities were read, and writes those that were removed meanwhile for want of room.
  private func note<Value: Entity>(_ read: [(entry: CacheEntry<Value>, isPinned: Bool)], _ connection: Connection, _ tick: Int64) throws {
    let gone = try connection.prepared("UPDATE entity SET read = ?, pinned = ? WHERE kind = ? AND id = ? RETURNING 1") { statement in
      try read.filter { try statement.first(tick, $0.isPinned, Value.kind, $0.entry.id) { _ in true } == nil }
    }
    try write(gone, connection, tick)
  }

  private func write<Value: Entity>(_ values: [(entry: CacheEntry<Value>, isPinned: Bool)], _ connection: Connection, _ tick: Int64) throws
  {
    var form = FieldCoder()
    try connection.prepared(Self.upsert) { statement in
      try statement.bind(Value.kind, at: 0)
      try statement.bind(tick, at: 3)
      for (entry, isPinned) in values {
        try statement.bind(entry.id, at: 1)
        try statement.bind(isPinned, at: 2)
        try statement.bind(entry.value.detail, at: 5)
        try form.write(entry.value) { try statement.runBound(bytes: $0, at: 4) }
      }
    }
  }

  /// Records the owner of the file: a new one, in place of a damaged one, has none yet.
  private func claim(_ connection: Connection, _ tick: Int64) throws {
    let claimed = try connection.execute(
      "INSERT INTO store (one, owner, tick) VALUES (1, ?, ?) ON CONFLICT DO UPDATE SET tick = excluded.tick WHERE owner = excluded.owner",
      owner, tick)
    if claimed == 0 { throw Taken() }
  }

  /// Another user has opened the file.
  private struct Taken: Error {}

  private func evict(_ connection: Connection) throws {
    let limit = state.withLock { $0.limit }
    guard try Self.size(connection) > limit else { return }
    try connection.transaction {
      var last: Int64?
      while try Self.size(connection) > limit / 10 * 9 {
        let gone = try connection.query(
          "DELETE FROM entity WHERE number IN (SELECT number FROM entity WHERE pinned = 0 ORDER BY read, number LIMIT 32) RETURNING read"
        ) { try $0.get(0, as: Int64.self) }
        guard let latest = gone.max() else { break }
        last = latest
      }
      // No page is younger than any of its entities: so no page stays that has lost one.
      guard let last else { return }
      try connection.execute("DELETE FROM page WHERE read <= ?", last)
      // What is read again is written again.
      state.withLock { $0.tick += 1 }
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
    // Nor may it be in a file that was set aside, or copied before an upgrade.
    let file = URL(filePath: connection.path)
    let folder = file.deletingLastPathComponent()
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
    for name in names where name.hasPrefix(file.lastPathComponent + ".") {
      try? FileManager.default.removeItem(at: folder.appending(path: name))
    }
  }

  // MARK: When it goes wrong

  nonisolated(nonsending) private func read<Result: Sendable>(_ body: @Sendable (Connection) throws -> Result) async -> Result? {
    await run { connection in try connection.reading { try body(connection) } }
  }

  @discardableResult
  nonisolated(nonsending) private func run<Result: Sendable>(_ body: @Sendable (Connection) throws -> Result) async -> Result? {
    defer { noteDamage() }
    do {
      return try await database.run { [self] connection in
        try prepare(connection)
        return try body(connection)
      }
    } catch is Taken { return nil } catch let error as SQLiteError where error.code == .misuse {
      // Closed: no caller needs an answer any more.
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
      // What is read again is written again.
      state.tick += 1
      (state.readEntities, state.readPages) = ([], [])
      state.notice = "What was kept for reading without network was damaged, and is fetched again as you read."
    }
  }
}
