import Synchronization

/// What a module's configuration is kept in: given once, before anything in the module is used, and never changed again.
///
///     @dynamicMemberLookup enum Config {
///       fileprivate static let given = SetOnce<any ShopConfig>(module: "Shop")
///       static subscript<Value>(dynamicMember property: KeyPath<any ShopConfig, Value>) -> Value { given.get[keyPath: property] }
///     }
///
/// Safe from any thread. Both mistakes stop the process, in release builds too with the message: nothing sensible could go on.
public final class SetOnce<Value: Sendable>: Sendable {
  private let module: String
  private let value = Mutex<Value?>(nil)

  /// - Parameter module: whose value it is: the messages name it, and its call `SomeModule.setUp(with:)`.
  public init(module: String) { self.module = module }

  /// The value; stops the process with a message that names the missing call when there is none.
  public var get: Value {
    value.withLock { value in
      guard let value else { fatalError("\(module) is not set up: \(module)Module.setUp(with:) has not been called") }
      return value
    }
  }

  /// Gives the value; a second call stops the process.
  public func set(_ newValue: Value) {
    value.withLock { value in
      guard value == nil else { fatalError("\(module) is set up already: \(module)Module.setUp(with:) was called twice") }
      value = newValue
    }
  }
}
