import Foundation
import Runtime

/// Writes to the outbox, one after the other in the order of the calls; each is its own delivery.
///
/// A queue and not a chain of tasks: a task that awaits another's value resumes through the shared pool, in no defined order.
@MainActor final class OutboxWriter {
  private struct Write {
    let label: String
    let work: @concurrent @Sendable () async throws -> Void
    let then: @MainActor (_ isWritten: Bool) -> Void
  }

  private let effects: Effects
  private var writes: [Write] = []
  private var isWriting = false
  /// How many writes are announced.
  private var expected = 0
  private var waiting: [CheckedContinuation<Void, Never>] = []
  /// Called with the error of a write; the next write is tried nevertheless.
  var onError: ((any Error) -> Void)?

  init(_ effects: Effects) { self.effects = effects }

  /// Writes as soon as `first` returns; other writes do not wait for that.
  func write(
    _ label: String, after first: @escaping @MainActor () async -> Void, then: @escaping @MainActor (_ isWritten: Bool) -> Void,
    _ work: @escaping @concurrent @Sendable () async throws -> Void
  ) {
    expected += 1
    Task {
      await first()
      expected -= 1
      write(label, then: then, work)
    }
  }

  /// - Parameter then: called after the write, with whether it succeeded.
  func write(
    _ label: String, then: @escaping @MainActor (_ isWritten: Bool) -> Void, _ work: @escaping @concurrent @Sendable () async throws -> Void
  ) {
    writes.append(Write(label: label, work: work, then: then))
    guard !isWriting else { return }
    isWriting = true
    Task {
      while !writes.isEmpty {
        let batch = writes
        writes.removeAll()
        for next in batch {
          var isWritten = true
          do { try await effects.run(next.label, next.work) } catch {
            isWritten = false
            onError?(error)
          }
          next.then(isWritten)
        }
      }
      isWriting = false
      let waiting = waiting
      self.waiting.removeAll()
      for continuation in waiting { continuation.resume() }
    }
  }

  /// Returns when all writes so far are done.
  func written() async {
    while isWriting || expected > 0 { await withCheckedContinuation { waiting.append($0) } }
  }
}
