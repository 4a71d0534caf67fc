import SessionService

/// The text of a password field, as an input. What is stored of it says whether there is one, and nothing else.
public struct PasswordInput: Codable, Equatable, Sendable {
  /// What was typed; printed and stored as a placeholder.
  public let secret: Secret

  /// - Parameter text: the text.
  public init(_ text: String) { secret = Secret(text) }

  /// Reads a text: the password in a scenario, or the placeholder that ``encode(to:)`` writes.
  /// - Throws: `DecodingError` for anything but a text.
  public init(from decoder: any Decoder) throws { self.init(try decoder.singleValueContainer().decode(String.self)) }

  /// Writes the same for every password.
  /// - Throws: what the encoder throws.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(secret.isEmpty ? "" : "\(secret)")
  }
}
