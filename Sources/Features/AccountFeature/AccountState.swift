import Foundation

/// What the reader's purchases give access to, as far as it is known here.
public enum PremiumStatus: Equatable, Sendable {
  /// Nothing is known yet.
  case unknown
  /// No premium access.
  case none
  /// Premium access, until when; `nil` for without an end.
  case active(until: Date?)
}

extension AccountViewModel {
  /// Everything the account screen shows.
  public struct State: Equatable, Sendable {
    /// What to call the reader.
    public var name = ""
    /// The address that the reader signs in with.
    public var email = ""
    /// The publication that the account belongs to.
    public var publication = ""
    /// What the reader has, in a sentence.
    public var premium = ""
    /// Whether "Unlock" is offered.
    public var canUnlock = false
    /// What the reader should know of the session: how long it lasts, whether it could be checked. `nil` when all is as expected.
    public var notice: String?
    /// Whether the token is being removed; nothing can be pressed then.
    public var isSigningOut = false

    /// A screen that knows nothing yet.
    public init() {}
  }
}
