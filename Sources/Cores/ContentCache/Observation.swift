/// Somebody who is told of something, until it is cancelled or released.
@MainActor public final class Observation {
  private var onCancel: (@MainActor () -> Void)?

  init(onCancel: @escaping @MainActor () -> Void) { self.onCancel = onCancel }

  /// Ends it; nothing is told any more, not even what changed before.
  public func cancel() {
    onCancel?()
    onCancel = nil
  }

  isolated deinit { onCancel?() }
}
