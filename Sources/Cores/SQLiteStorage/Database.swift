import CSQLite
import Runtime

/// A database of a client: one connection on a thread of its own, so that neither the main thread nor the shared pool ever waits for a
/// disk.
///
/// Work runs in the order it was handed in. State-holding code awaits it inside `Effects.run`.
public actor Database {
  private nonisolated let executor: ThreadExecutor
  private nonisolated let owned: OwnedConnection

  /// The thread that owns the connection.
  public nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  /// Opens the database and brings its schema up to date.
  /// - Throws: ``SQLiteError``, ``MigrationError``.
  public init(path: String, migrations: [Migration], synchronous: Connection.Synchronous = .full) async throws {
    executor = ThreadExecutor(name: "sqlite")
    owned = OwnedConnection(executor)
    try await open(path, migrations, synchronous)
  }

  /// Runs `body` with the connection, on its thread.
  /// - Throws: what `body` throws; ``SQLiteError`` with ``SQLiteError/Code/misuse`` once closed.
  public func run<Value: Sendable>(_ body: @Sendable (Connection) throws -> Value) async throws -> Value {
    guard let connection = owned.connection else { throw SQLiteError(code: SQLITE_MISUSE, message: "the database was closed", sql: "") }
    return try body(connection)
  }

  /// Closes the database once everything handed in before is done.
  public func close() async { owned.connection = nil }

  private func open(_ path: String, _ migrations: [Migration], _ synchronous: Connection.Synchronous) async throws {
    let connection = try Connection(path: path, synchronous: synchronous, executor: executor)
    try connection.migrate(migrations)
    owned.connection = connection
  }
}

/// Lets go of the connection on its own thread: closing writes the log into the file.
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
    let last = LastHold(connection: connection)
    executor.post { last.release() }
  }
}

// @unchecked: handed over to the executor's thread, and used there once.
private final class LastHold: @unchecked Sendable {
  private var connection: Connection?

  init(connection: Connection) { self.connection = connection }

  func release() { connection = nil }
}
