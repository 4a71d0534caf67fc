import CSQLite
import Runtime

/// A database of a client: one connection on a thread of its own, so that neither the main thread nor the shared pool ever waits for a
/// disk.
///
/// Work runs in the order it was handed in. State-holding code awaits it inside `Effects.run`.
public actor Database {
  private nonisolated let executor: ThreadExecutor
  private var connection: Connection?

  /// The thread that owns the connection.
  public nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  /// Opens the database and brings its schema up to date.
  /// - Throws: ``SQLiteError``, ``MigrationError``.
  public init(path: String, migrations: [Migration], synchronous: Connection.Synchronous = .full) async throws {
    executor = ThreadExecutor(name: "sqlite")
    connection = nil
    try await open(path, migrations, synchronous)
  }

  /// Runs `body` with the connection, on its thread.
  /// - Throws: what `body` throws; ``SQLiteError`` with ``SQLiteError/Code/misuse`` once closed.
  public func run<Value: Sendable>(_ body: @Sendable (Connection) throws -> Value) async throws -> Value {
    guard let connection else { throw SQLiteError(code: SQLITE_MISUSE, message: "the database was closed", sql: "") }
    return try body(connection)
  }

  /// Closes the database once everything handed in before is done.
  public func close() async { connection = nil }

  // On its own thread: closing writes the log into the file.
  isolated deinit { connection = nil }

  private func open(_ path: String, _ migrations: [Migration], _ synchronous: Connection.Synchronous) async throws {
    let connection = try Connection(path: path, synchronous: synchronous, executor: executor)
    try connection.migrate(migrations)
    self.connection = connection
  }
}
