/// Calls an observer at once, and with each later value. What it returns has to be held for as long as the observer is to be called.
public typealias Observe<Value> = @MainActor (_ observer: @escaping @MainActor (Value) -> Void) -> Observation

/// The registration of an observer, in force until it is cancelled or released.
@MainActor public final class Observation {
  private var onCancel: (@MainActor () -> Void)?

  /// - Parameter onCancel: called once, when it is cancelled or released.
  public init(onCancel: @escaping @MainActor () -> Void) { self.onCancel = onCancel }

  /// Several as one.
  public convenience init(_ observations: [Observation]) {
    self.init { for observation in observations { observation.cancel() } }
  }

  /// Ends it: the observer is not called any more, not even for an earlier change.
  public func cancel() {
    onCancel?()
    onCancel = nil
  }

  isolated deinit { onCancel?() }
}
