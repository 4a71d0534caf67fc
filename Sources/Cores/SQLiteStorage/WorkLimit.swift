import CSQLite
import Runtime

/// What ends the work on a connection before it is done.
///
/// SQLite checks it every few thousand steps of a statement, and interrupts the statement. Its changes are rolled back, with the
/// transaction that it is in.
public struct WorkLimit: Sendable {
  /// How long a transaction may take, or a statement outside of any; `nil` for no limit.
  public var deadline: Duration?
  /// What ``deadline`` is measured by.
  public var clock: any AppClock
  /// Whether the caller has cancelled the work. Called on the connection's thread, in the task that works there.
  public var isCancelled: @Sendable () -> Bool

  /// By default nothing ends the work.
  public init(
    deadline: Duration? = nil, clock: any AppClock = SystemClock(), isCancelled: @escaping @Sendable () -> Bool = { false }
  ) {
    self.deadline = deadline
    self.clock = clock
    self.isCancelled = isCancelled
  }
}

/// Watches the work that is under way on a connection. Belongs to the connection, and is used on its thread.
final class WorkWatch {
  enum End { case deadline, unwanted }

  var limit: WorkLimit?
  /// Why the work that is under way has to end.
  private(set) var end: End?
  /// Whether a rollback is under way, which must not be ended.
  var isUndoing = false
  private var depth = 0
  private var begun = Duration.zero

  /// A statement or a transaction begins; what is inside another belongs to it.
  func enter() {
    depth += 1
    guard depth == 1 else { return }
    end = nil
    if let limit, limit.deadline != nil { begun = limit.clock.uptime }
  }

  func leave() {
    depth -= 1
    if depth == 0 { end = nil }
  }

  /// Runs `body` under another limit. Its time starts from zero.
  func with<Value>(_ other: WorkLimit, _ body: () throws -> Value) throws -> Value {
    let before = (limit, begun, depth)
    (limit, depth) = (other, 0)
    defer {
      (limit, begun, depth) = before
      end = nil
    }
    enter()
    do { return try body() } catch {
      if end == .unwanted { throw CancellationError() }
      throw error
    }
  }

  /// Looks whether the work may go on.
  var mayGoOn: Bool {
    guard !isUndoing, let limit else { return true }
    if end != nil { return false }
    if limit.isCancelled() {
      end = .unwanted
    } else if let deadline = limit.deadline, limit.clock.uptime - begun > deadline {
      end = .deadline
    }
    return end == nil
  }

  /// Why the work ended, in words.
  var reason: String {
    switch end {
    case .deadline: "ended after \(limit?.deadline?.components.seconds ?? 0) seconds"
    case .unwanted: "ended because nobody wants it any more"
    case nil: "interrupted"
    }
  }
}

extension Connection {
  /// How many steps of SQLite's virtual machine lie between two looks at the limit: less than a millisecond.
  private static let steps: Int32 = 4000

  /// Limits everything on this connection from now on. Work that meets the deadline throws a ``SQLiteError`` with
  /// ``SQLiteError/Code/interrupted``.
  public func setLimit(_ limit: WorkLimit) {
    executor?.checkIsolated()
    watch.limit = limit
    watchSteps()
  }

  /// Runs `body` under another limit than the rest.
  /// - Throws: `CancellationError` when it was interrupted because the caller has cancelled it; what `body` throws.
  public func withLimit<Value>(_ limit: WorkLimit, _ body: () throws -> Value) throws -> Value {
    executor?.checkIsolated()
    watchSteps()
    return try watch.with(limit, body)
  }

  private func watchSteps() {
    sqlite3_progress_handler(
      handle, Self.steps, { watch in watch.map { Unmanaged<WorkWatch>.fromOpaque($0).takeUnretainedValue().mayGoOn ? 0 : 1 } ?? 0 },
      Unmanaged.passUnretained(watch).toOpaque())
  }
}
