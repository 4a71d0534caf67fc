import Foundation
import PurchaseService
import Synchronization

/// A queue that answers as it is told and keeps what it was asked. Safe from any thread.
public final class ScriptedQueue: QueueProcessor {
  /// Answers a submission; `call` counts all of them from 1.
  public typealias Answer = @Sendable (_ transaction: Transaction, _ call: Int) async -> SubmissionOutcome

  private struct State {
    var answer: Answer
    var canMakePayments = true
    var submitted: [Transaction] = []
    var finished: [UUID] = []
    var restored: Result<[String], StoreFailure> = .success([])
    var running: [UUID: Int] = [:]
    var overlapped = false
  }

  private let state: Mutex<State>
  private let updates: AsyncStream<QueueUpdate>
  private let continuation: AsyncStream<QueueUpdate>.Continuation

  /// - Parameter answer: what every submission gets, until it is replaced by ``answer(_:)``.
  public init(_ answer: @escaping Answer) {
    state = Mutex(State(answer: answer))
    (updates, continuation) = AsyncStream.makeStream()
  }

  /// What submissions get from here on.
  public func answer(_ answer: @escaping Answer) { state.withLock { $0.answer = answer } }
  /// What asking for receipts gets from here on.
  public func restore(_ result: Result<[String], StoreFailure>) { state.withLock { $0.restored = result } }
  /// Whether payments are allowed.
  public func allowPayments(_ allowed: Bool) { state.withLock { $0.canMakePayments = allowed } }
  /// Tells of something that nobody asked for.
  public func tell(_ update: QueueUpdate) { continuation.yield(update) }

  /// Every submission, as it came.
  public var submitted: [Transaction] { state.withLock { $0.submitted } }
  /// Every transaction that was finished, as it came.
  public var finished: [UUID] { state.withLock { $0.finished } }
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
    state.withLock { $0.running[transaction.id, default: 1] -= 1 }
    return outcome
  }

  /// See `QueueProcessor`.
  public func finish(_ transaction: Transaction) async throws { state.withLock { $0.finished.append(transaction.id) } }
  /// See `QueueProcessor`.
  public func restore(user: String) async throws -> [String] { try state.withLock { $0.restored }.get() }
  /// See `QueueProcessor`.
  public func observe() -> AsyncStream<QueueUpdate> { updates }
}
