/// The registration of an observer, in force until it is cancelled or released.
@MainActor public final class Observation {
  private var onCancel: (@MainActor () -> Void)?

  init(onCancel: @escaping @MainActor () -> Void) { self.onCancel = onCancel }

  /// Ends it: the observer is not called any more, not even for an earlier change.
  public func cancel() {
    onCancel?()
    onCancel = nil
  }

  isolated deinit { onCancel?() }
}
