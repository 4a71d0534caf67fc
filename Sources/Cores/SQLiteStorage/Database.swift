import CSQLite
import Glibc
import Runtime
import Synchronization

/// A client's database: one connection on a thread of its own, so that neither the main thread nor the shared pool waits for a disk.
///
/// Work runs in the order it was handed in. State-holding code awaits it inside `Effects.run`.
public actor Database {
  /// How a file that is damaged, or is no database, is treated.
  public enum DamagePolicy: Sendable {
    /// The error is thrown, at the opening or later, and the file left as it is: for data that cannot be fetched again.
    case refuse
    /// The file is renamed to `PATH.damaged`, in the place of an earlier one, and a new one made: for data that can be fetched again.
    case setAside
  }

  private nonisolated let executor: ThreadExecutor
  private nonisolated let owned: OwnedConnection
  private let path: String
  private let migrations: [Migration]
  private let synchronous: Connection.Synchronous
  private let damagePolicy: DamagePolicy

  private nonisolated let setAside = Atomic<Int>(0)
  private var isClosed = false

  /// How often the file was set aside because it was damaged. Safe from any thread.
  public nonisolated var timesSetAside: Int { setAside.load(ordering: .relaxed) }

  /// The thread that owns the connection.
  public nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  /// Opens the database and brings its schema up to date.
  /// - Parameters:
  ///   - path: a file, or `:memory:`.
  ///   - migrations: the schema's history.
  ///   - synchronous: when a transaction counts as written.
  ///   - policy: how a damaged file is treated, now and whenever the damage is found.
  /// - Throws: ``SQLiteError``, ``MigrationError``.
  public init(
    path: String, migrations: [Migration], synchronous: Connection.Synchronous = .full, ifDamaged policy: DamagePolicy = .refuse
  ) async throws {
    self.init(opening: path, migrations: migrations, synchronous: synchronous, ifDamaged: policy)
    try await opened()
  }

  /// A database that is being opened while the caller continues; ``run(_:)`` throws what the opening throws.
  /// - Parameters:
  ///   - path: a file, or `:memory:`.
  ///   - migrations: the schema's history.
  ///   - synchronous: when a transaction counts as written.
  ///   - policy: how a damaged file is treated, whenever the damage is found.
  public init(
    opening path: String, migrations: [Migration], synchronous: Connection.Synchronous = .full, ifDamaged policy: DamagePolicy = .refuse
  ) {
    executor = ThreadExecutor(name: "sqlite")
    owned = OwnedConnection(executor)
    self.path = path
    self.migrations = migrations
    self.synchronous = synchronous
    damagePolicy = policy
    // The next caller opens it again after an error.
    executor.post { self.assumeIsolated { database in _ = try? database.attempt { _ in } } }
  }

  /// Runs `body` with the connection, on its thread; and once more, with a new file, if the first run found damage because of which the
  /// file was set aside.
  /// - Throws: what `body` throws; ``SQLiteError`` with ``SQLiteError/Code/misuse`` once closed.
  public func run<Value: Sendable>(_ body: @Sendable (Connection) throws -> Value) async throws -> Value {
    do {
      return try attempt(body)
    } catch let error as SQLiteError where error.isCorruption && damagePolicy == .setAside {
      try replace(error)
      return try attempt(body)
    }
  }

  /// Closes the database once everything handed in before is done.
  public func close() async {
    isClosed = true
    owned.connection = nil
  }

  private func open() throws {
    do {
      try connect()
    } catch  where SQLiteError.isCorruption(error) && damagePolicy == .setAside {
      try replace(error)
    }
  }

  private func connect() throws {
    let connection = try Connection(path: path, synchronous: synchronous, executor: executor)
    try connection.migrate(migrations)
    owned.connection = connection
  }

  private func attempt<Value>(_ body: (Connection) throws -> Value) throws -> Value {
    guard !isClosed else { throw SQLiteError(code: SQLITE_MISUSE, message: "the database was closed", sql: "") }
    // Again after a failure: it may have been one of the moment, as when too many files were open.
    if owned.connection == nil { try open() }
    guard let connection = owned.connection else { throw SQLiteError(code: SQLITE_MISUSE, message: "the database is not open", sql: "") }
    return try body(connection)
  }

  private func opened() async throws { try attempt { _ in } }

  /// Renames the damaged file, with its log, and makes a new one. When that fails, it throws the error of the damage.
  private func replace(_ error: any Error) throws {
    guard path != ":memory:" else { throw error }
    // Closed first: closing removes the log by its name, which would be the new file's otherwise.
    owned.connection = nil
    let aside = path + ".damaged"
    for end in ["", "-wal"] {
      unlink(aside + end)
      guard rename(path + end, aside + end) == 0 || (end == "-wal" && errno == ENOENT) else { throw error }
    }
    unlink(path + "-shm")
    setAside.add(1, ordering: .relaxed)
    try connect()
  }
}

/// Releases the connection on its own thread: closing writes the log into the file.
///
/// The database itself has no isolated deinit: Swift 6.3 fails to optimize modules that use an actor of another one that has ("circular
/// reference").
// @unchecked: the connection is touched on the executor's thread only.
private final class OwnedConnection: @unchecked Sendable {
  var connection: Connection?
  private let executor: ThreadExecutor

  init(_ executor: ThreadExecutor) { self.executor = executor }

  deinit {
    guard let connection else { return }
    let last = LastReference(connection: connection)
    executor.post { last.release() }
  }
}

// @unchecked: handed over to the executor's thread, and used there once.
private final class LastReference: @unchecked Sendable {
  private var connection: Connection?

  init(connection: Connection) { self.connection = connection }

  func release() { connection = nil }
}
