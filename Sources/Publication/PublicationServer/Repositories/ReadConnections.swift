import PublicationAPI
import Runtime
import SQLiteStorage
import Synchronization

/// Connections for long reads, each on a thread of its own. While all are busy, readers take turns by fair queueing: the one with the least
/// recent use goes first, so that no reader waits for all the long reads of others.
final class ReadConnections: Sendable {
  /// A search may take as long as a request may take at all, and the next reader's does not wait for it.
  static let most = 2

  /// How long a reader used the connections, of which a tenth of the time since then is taken off.
  private struct Usage {
    var time: Duration
    var at: Duration

    func left(at now: Duration) -> Duration { max(.zero, time - (now - at) / 10) }
  }

  /// What one read took, as measured on its thread.
  private final class Meter: Sendable {
    let use = Mutex<Usage?>(nil)
  }

  private struct State {
    var all: [Database] = []
    var idle: [Database] = []
    var waiting: [(reader: Reader.ID, continuation: CheckedContinuation<Database?, Never>)] = []
    var usage: [Reader.ID: Usage] = [:]
    var isClosed = false
    /// When one was used last.
    var now = Duration.zero

    /// Of those who used them as much it is who waits longest.
    mutating func next() -> CheckedContinuation<Database?, Never>? {
      usage = usage.filter { $0.value.left(at: now) > .zero }
      let used = waiting.map { usage[$0.reader]?.left(at: now) ?? .zero }
      guard let least = used.indices.min(by: { used[$0] < used[$1] }) else { return nil }
      return waiting.remove(at: least).continuation
    }
  }

  private let path: String
  private let clock: any AppClock
  private let state = Mutex(State())

  /// - Parameters:
  ///   - path: the publication's database. It is opened for the first read.
  ///   - clock: what the time that a reader uses is measured by.
  init(_ path: String, clock: any AppClock) {
    self.path = path
    self.clock = clock
  }

  /// How many wait for a connection.
  var waiting: Int { state.withLock { $0.waiting.count } }

  /// How long a read of a reader may take: `limit`, less what the reader used lately, and at least a tenth of it. Two readers whose reads
  /// all take as long as they may would have both connections always.
  func share(of reader: Reader.ID, in limit: Duration) -> Duration {
    let used = state.withLock { $0.usage[reader]?.left(at: clock.uptime) ?? .zero }
    return max(limit / 10, limit - used)
  }

  /// Runs `body` for a reader on a connection that is used for nothing else meanwhile.
  /// - Throws: what `body` throws, and what opening the database throws; ``Publication/Failure/closed``.
  func run<Value: Sendable>(for reader: Reader.ID, _ body: @Sendable (Connection) throws -> Value) async throws -> Value {
    guard let database = await take(for: reader) else { throw Publication.Failure.closed }
    let meter = Meter()
    defer { put(back: database, from: reader, meter.use.withLock(\.self)) }
    return try await database.run { [clock] connection in
      let begun = clock.uptime
      defer {
        let end = clock.uptime
        meter.use.withLock { $0 = Usage(time: end - begun, at: end) }
      }
      return try body(connection)
    }
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
  private func take(for reader: Reader.ID) async -> Database? {
    await withCheckedContinuation { continuation in
      let found: Database?? = state.withLock { state in
        guard !state.isClosed else { return .some(nil) }
        if let idle = state.idle.popLast() { return idle }
        guard state.all.count < Self.most else {
          state.waiting.append((reader, continuation))
          return nil
        }
        let database = Database(opening: path, migrations: Schema.migrations)
        state.all.append(database)
        return database
      }
      if let found { continuation.resume(returning: found) }
    }
  }

  /// - Parameter use: how long the reader had it; `nil` when it could not be opened.
  private func put(back database: Database, from reader: Reader.ID, _ use: Usage?) {
    let next: CheckedContinuation<Database?, Never>? = state.withLock { state in
      if let use {
        let earlier = state.usage[reader]?.left(at: use.at) ?? .zero
        state.usage[reader] = Usage(time: earlier + use.time, at: use.at)
        state.now = use.at
      }
      let next = state.next()
      if next == nil { state.idle.append(database) }
      return next
    }
    next?.resume(returning: database)
  }
}
