import Synchronization

/// A value that is given once and never changes again: what a module's configuration is kept in. Safe from any thread.
public final class SetOnce<Value: Sendable>: Sendable {
  private let name: String
  private let value = Mutex<Value?>(nil)

  /// - Parameter name: the missing call, as the message shall name it: `"PurchaseServiceModule.setUp(with:)"`.
  public init(_ name: String) { self.name = name }

  /// The value; stops the process with a message that names the missing call when there is none.
  public var get: Value {
    value.withLock { value in
      guard let value else { preconditionFailure("\(name) has not been called") }
      return value
    }
  }

  /// Gives the value; a second call stops the process.
  public func set(_ newValue: Value) {
    value.withLock { value in
      precondition(value == nil, "\(name) was called twice")
      value = newValue
    }
  }
}
