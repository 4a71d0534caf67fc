import Runtime

/// Reads documents on a thread of its own, one at a time: the largest take seconds, in which neither the publication nor the shared pool
/// shall wait.
actor FeedReader {
  private nonisolated let executor = ThreadExecutor(name: "feeds")
  nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  /// Runs `work`, unless the task was cancelled while it waited for its turn.
  /// - Throws: `CancellationError`; what `work` throws.
  func run<Value: Sendable>(_ work: @Sendable () throws -> Value) throws -> Value {
    try Task.checkCancellation()
    return try work()
  }
}
