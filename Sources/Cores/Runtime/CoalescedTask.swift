/// Work that is requested again and again, such as a read after each change: it runs once at a time, and requests during a run are one more
/// run after it. Isolated to the main actor.
@MainActor public final class CoalescedTask {
  private let work: @MainActor () async -> Void
  private var task: Task<Void, Never>?
  private var isRequested = false

  /// - Parameter work: what is run; it must not hold the owner of this object.
  public init(_ work: @escaping @MainActor () async -> Void) { self.work = work }

  isolated deinit { task?.cancel() }

  /// Requests a run, which begins at once or when the present one has ended.
  public func run() {
    isRequested = true
    guard task == nil else { return }
    task = Task { [weak self, work] in
      while !Task.isCancelled, self?.begins() == true { await work() }
    }
  }

  /// Cancels the present run, and the requested one. A later request is for a run of its own.
  public func cancel() {
    task?.cancel()
    (task, isRequested) = (nil, false)
  }

  private func begins() -> Bool {
    defer { isRequested = false }
    if !isRequested { task = nil }
    return isRequested
  }
}
