/// Text that must not be printed: a password or a token.
///
/// Printing, interpolating, dumping and reflecting show that there is a secret, and no part of it. It is not `Codable`, so that it is never
/// written to a file as part of another value. Safe from any thread.
public struct Secret: Hashable, Sendable {
  private let text: String

  /// - Parameter text: what to hide.
  public init(_ text: String) { self.text = text }

  /// The text itself: for the one call that needs it, never for a log.
  public var revealed: String { text }
  /// Whether there is no text at all.
  public var isEmpty: Bool { text.isEmpty }
}

extension Secret: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// The same for every secret.
  public var description: String { "(secret)" }
  /// The same for every secret.
  public var debugDescription: String { description }
  /// A mirror without children, so that dumps do not show the secret.
  public var customMirror: Mirror { Mirror(self, children: []) }
}
