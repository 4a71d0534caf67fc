import Synchronization

/// A gate that is closed until it is opened: holds an answer back until the test opens it. Safe from any thread.
public final class Gate: Sendable {
  private struct State {
    var isOpen = false
    var waiting: [UInt64: CheckedContinuation<Void, Never>] = [:]
    var watching: [CheckedContinuation<Void, Never>] = []
    var cancelled: Set<UInt64> = []
    var nextID: UInt64 = 0
  }
  private let state = Mutex(State())

  /// A gate that is closed.
  public init() {}

  /// Waits until the gate is open, or the task is cancelled.
  public func wait() async {
    let id = state.withLock { state in
      state.nextID += 1
      return state.nextID
    }
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let (passes, watching): (Bool, [CheckedContinuation<Void, Never>]) = state.withLock { state in
          let watching = state.watching
          state.watching = []
          if state.isOpen || state.cancelled.contains(id) { return (true, watching) }
          state.waiting[id] = continuation
          return (false, watching)
        }
        if passes { continuation.resume() }
        for watcher in watching { watcher.resume() }
      }
    } onCancel: {
      let continuation = state.withLock { state in
        state.cancelled.insert(id)
        return state.waiting.removeValue(forKey: id)
      }
      continuation?.resume()
    }
  }

  /// Lets everyone through, now and later.
  public func open() {
    let waiting = state.withLock { state in
      state.isOpen = true
      defer {
        state.waiting = [:]
        state.watching = []
      }
      return state.waiting.values + state.watching
    }
    for continuation in waiting { continuation.resume() }
  }

  /// Returns once a task waits at the gate, or it is open.
  public func reached() async {
    await withCheckedContinuation { continuation in
      let isReached = state.withLock { state in
        if !state.waiting.isEmpty || state.isOpen { return true }
        state.watching.append(continuation)
        return false
      }
      if isReached { continuation.resume() }
    }
  }
}
