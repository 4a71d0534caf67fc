import Synchronization

/// Holds a module's configuration: set once, before the module is used, and never changed.
///
///     @dynamicMemberLookup enum Config {
///       fileprivate static let given = SetOnce<any ShopConfig>(module: "Shop")
///       static subscript<Value>(dynamicMember property: KeyPath<any ShopConfig, Value>) -> Value { given.get[keyPath: property] }
///     }
///
/// Safe from any thread. A second call and a missing one stop the process with a message, in release builds too.
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
