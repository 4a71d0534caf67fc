import SQLiteStorage
import Synchronization

/// Connections for long reads, each on a thread of its own. A request waits in order while all are busy.
final class ReadConnections: Sendable {
  /// A search may take as long as a request may take at all, and the next reader's does not wait for it.
  static let most = 2

  private struct State {
    var all: [Database] = []
    var idle: [Database] = []
    var waiting: [CheckedContinuation<Database?, Never>] = []
    var isClosed = false
  }

  private let path: String
  private let state = Mutex(State())

  /// - Parameter path: the publication's database. It is opened for the first read.
  init(_ path: String) { self.path = path }

  /// How many wait for a connection.
  var waiting: Int { state.withLock { $0.waiting.count } }

  /// Runs `body` on a connection that is used for nothing else meanwhile.
  /// - Throws: what `body` throws, and what opening the database throws; ``Publication/Failure/closed``.
  func run<Value: Sendable>(_ body: @Sendable (Connection) throws -> Value) async throws -> Value {
    guard let database = await take() else { throw Publication.Failure.closed }
    defer { put(back: database) }
    return try await database.run(body)
  }

  /// Closes all once what they do is done. Later readings fail.
  func close() async {
    let all = state.withLock { state in
      state.isClosed = true
      return state.all
    }
    for database in all { await database.close() }
  }

  /// - Returns: `nil` once closed.
  private func take() async -> Database? {
    await withCheckedContinuation { continuation in
      let found: Database?? = state.withLock { state in
        guard !state.isClosed else { return .some(nil) }
        if let idle = state.idle.popLast() { return idle }
        guard state.all.count < Self.most else {
          state.waiting.append(continuation)
          return nil
        }
        let database = Database(opening: path, migrations: Schema.migrations)
        state.all.append(database)
        return database
      }
      if let found { continuation.resume(returning: found) }
    }
  }

  private func put(back database: Database) {
    let next: CheckedContinuation<Database?, Never>? = state.withLock { state in
      if !state.waiting.isEmpty { return state.waiting.removeFirst() }
      state.idle.append(database)
      return nil
    }
    next?.resume(returning: database)
  }
}
