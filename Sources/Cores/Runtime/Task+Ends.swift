extension Task<Void, Never> {
  /// Waits for its end, but not for longer than a timer. It continues after that.
  /// - Parameters:
  ///   - timer: returns when the time is over, or when its task is cancelled.
  ///   - isolation: where the caller is, and the timer runs.
  /// - Returns: whether it ended first.
  public func ends(
    before timer: @escaping @isolated(any) @Sendable () async -> Void, isolation: isolated (any Actor)? = #isolation
  ) async -> Bool {
    let (outcomes, first) = AsyncStream.makeStream(of: Bool.self, bufferingPolicy: .bufferingOldest(1))
    Task<Void, Never> {
      _ = isolation
      await value
      first.yield(true)
    }
    let waiting = Task<Void, Never> {
      _ = isolation
      await timer()
      first.yield(false)
    }
    defer { waiting.cancel() }
    for await hasEnded in outcomes { return hasEnded }
    return false
  }
}
