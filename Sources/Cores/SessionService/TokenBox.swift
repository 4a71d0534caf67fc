import Synchronization

/// Where the current token lies, so that a client reads it on any thread: once the session has ended, later requests carry none.
///
/// The client is made with it, and so is the ``Session``, which alone puts tokens in:
///
///     let token = TokenBox()
///     let client = APIClient(transport: transport, token: { token.current }, onUnauthorized: { token.refused($0) })
///     let session = Session(auth: PublicationAuthProvider(client), store: store, token: token, effects: effects)
public final class TokenBox: Sendable, CustomReflectable {
  private let secret = Mutex<Secret?>(nil)
  private let listener = Mutex<(@Sendable (Secret) -> Void)?>(nil)

  /// Makes an empty one.
  public init() {}

  /// The token; `nil` when nobody is signed in. Safe from any thread.
  public var current: String? { secret.withLock { $0?.revealed } }

  /// Tells the session that the backend refused a token because its session has ended. Safe from any thread; a token that is no longer
  /// the current one changes nothing.
  public func refused(_ token: String) { listener.withLock { $0 }?(Secret(token)) }

  /// Has no children.
  public var customMirror: Mirror { Mirror(self, children: []) }

  var value: Secret? { secret.withLock { $0 } }

  /// Puts a token in, or none.
  /// - Returns: the one before.
  @discardableResult func replace(with token: Secret?) -> Secret? {
    secret.withLock { current in
      defer { current = token }
      return current
    }
  }

  func onRefused(_ action: @escaping @Sendable (Secret) -> Void) { listener.withLock { $0 = action } }
}
