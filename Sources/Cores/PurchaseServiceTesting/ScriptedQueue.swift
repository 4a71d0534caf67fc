import Foundation
import PurchaseService
import Synchronization

/// A queue that gives scripted answers and records what it was asked. Safe from any thread.
public final class ScriptedQueue: QueueProcessor {
  /// Answers a submission; `call` counts all of them from 1.
  public typealias Answer = @Sendable (_ transaction: Transaction, _ call: Int) async -> SubmissionOutcome

  private struct State {
    var answer: Answer
    var canMakePayments = true
    var submitted: [Transaction] = []
    var receipts: [(user: String, receipt: String)] = []
    var finished: [UUID] = []
    var cancelled: [UUID] = []
    var cancelling: Result<Void, StoreError> = .success(())
    var restored: @Sendable (String) throws -> [String] = { _ in [] }
    var running: [UUID: Int] = [:]
    var overlapped = false
    var observers: [Int: AsyncStream<QueueUpdate>.Continuation] = [:]
    var nextObserver = 0
    var untold: [QueueUpdate] = []
  }

  private let state: Mutex<State>

  /// - Parameter answer: what every submission gets, until it is replaced by ``setAnswer(_:)``.
  public init(_ answer: @escaping Answer) { state = Mutex(State(answer: answer)) }

  /// What submissions get from here on.
  public func setAnswer(_ answer: @escaping Answer) { state.withLock { $0.answer = answer } }
  /// What asking for receipts gets from here on.
  public func setRestored(_ result: Result<[String], StoreError>) { setRestored { _ in try result.get() } }
  /// What a user who asks for receipts gets from here on.
  public func setRestored(_ answer: @escaping @Sendable (_ user: String) throws -> [String]) { state.withLock { $0.restored = answer } }
  /// What cancelling gets from here on.
  public func setCancelling(_ result: Result<Void, StoreError>) { state.withLock { $0.cancelling = result } }
  /// Whether payments are allowed.
  public func allowPayments(_ allowed: Bool) { state.withLock { $0.canMakePayments = allowed } }
  /// Sends an update to the observers; without one, it waits for the first.
  public func tell(_ update: QueueUpdate) {
    let observers = state.withLock { state in
      if state.observers.isEmpty { state.untold.append(update) }
      return Array(state.observers.values)
    }
    for observer in observers { observer.yield(update) }
  }

  /// Every submission, in order of arrival.
  public var submitted: [Transaction] { state.withLock { $0.submitted } }
  /// Every receipt that this user was given, in order.
  public func receipts(of user: String) -> [String] { state.withLock { $0.receipts.filter { $0.user == user }.map(\.receipt) } }
  /// Every transaction that was finished, in order.
  public var finished: [UUID] { state.withLock { $0.finished } }
  /// Every transaction that was to be cancelled, in order.
  public var cancelled: [UUID] { state.withLock { $0.cancelled } }
  /// Whether one transaction was ever submitted while an earlier submission of it was running.
  public var overlapped: Bool { state.withLock { $0.overlapped } }

  /// See `QueueProcessor`.
  public var canMakePayments: Bool { state.withLock { $0.canMakePayments } }

  /// See `QueueProcessor`.
  public func add(_ transaction: Transaction) async -> SubmissionOutcome {
    let (answer, call) = state.withLock { state in
      state.submitted.append(transaction)
      state.running[transaction.id, default: 0] += 1
      if state.running[transaction.id, default: 0] > 1 { state.overlapped = true }
      return (state.answer, state.submitted.count)
    }
    let outcome = await answer(transaction, call)
    state.withLock { state in
      state.running[transaction.id, default: 1] -= 1
      if case .accepted(let receipt, _) = outcome { state.receipts.append((transaction.user, receipt)) }
    }
    return outcome
  }

  /// See `QueueProcessor`.
  /// - Throws: nothing.
  public func finish(_ transaction: Transaction) async throws { state.withLock { $0.finished.append(transaction.id) } }
  /// See `QueueProcessor`.
  /// - Throws: what the closure of `setRestored` throws.
  public func restore(user: String) async throws -> [String] { try state.withLock { $0.restored }(user) }
  /// See `QueueProcessor`.
  /// - Throws: what ``setCancelling(_:)`` was given.
  public func cancel(_ transaction: UUID, user: String) async throws {
    try state.withLock { state in
      state.cancelled.append(transaction)
      return state.cancelling
    }.get()
  }
  /// See `QueueProcessor`.
  public func observe() -> AsyncStream<QueueUpdate> {
    let (updates, observer) = AsyncStream.makeStream(of: QueueUpdate.self)
    let (id, untold) = state.withLock { state in
      state.nextObserver += 1
      state.observers[state.nextObserver] = observer
      defer { state.untold = [] }
      return (state.nextObserver, state.untold)
    }
    observer.onTermination = { [weak self] _ in self?.state.withLock { $0.observers[id] = nil } }
    for update in untold { observer.yield(update) }
    return updates
  }
}
