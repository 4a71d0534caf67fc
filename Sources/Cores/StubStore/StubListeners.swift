import PurchaseService
import Synchronization

/// Who follows a stub store: panels, which want the newest state, and purchase layers, which want every update. Safe from any thread.
final class StubListeners: Sendable {
  private struct Listeners {
    var states: [Int: AsyncStream<StubState>.Continuation] = [:]
    var updates: [Int: AsyncStream<QueueUpdate>.Continuation] = [:]
    var nextID = 0
  }

  private let listeners = Mutex(Listeners())

  deinit {
    listeners.withLock {
      for state in $0.states.values { state.finish() }
      for update in $0.updates.values { update.finish() }
    }
  }

  /// - Parameter state: read while nobody else tells, so that an older state never comes after a newer one.
  func stateStream(_ state: () -> StubState) -> AsyncStream<StubState> {
    let (stream, continuation) = AsyncStream.makeStream(of: StubState.self, bufferingPolicy: .bufferingNewest(1))
    let id = listeners.withLock { listeners in
      listeners.nextID += 1
      listeners.states[listeners.nextID] = continuation
      continuation.yield(state())
      return listeners.nextID
    }
    continuation.onTermination = { [weak self] _ in self?.listeners.withLock { $0.states[id] = nil } }
    return stream
  }

  func updateStream() -> AsyncStream<QueueUpdate> {
    let (stream, continuation) = AsyncStream.makeStream(of: QueueUpdate.self)
    let id = listeners.withLock { listeners in
      listeners.nextID += 1
      listeners.updates[listeners.nextID] = continuation
      return listeners.nextID
    }
    continuation.onTermination = { [weak self] _ in self?.listeners.withLock { $0.updates[id] = nil } }
    return stream
  }

  func tell(_ updates: [QueueUpdate], _ state: () -> StubState) {
    listeners.withLock { listeners in
      if !listeners.states.isEmpty {
        let state = state()
        for listener in listeners.states.values { listener.yield(state) }
      }
      for update in updates {
        for queue in listeners.updates.values { queue.yield(update) }
      }
    }
  }
}
