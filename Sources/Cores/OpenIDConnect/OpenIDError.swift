import HTTPTransport

/// Why a sign-in at a provider failed.
public enum OpenIDError: Error, Equatable, Sendable {
  /// The provider could not be reached.
  case unreachable(TransportError)
  /// The provider cannot be used by this client, and why, as a clause.
  case unusable(String)
  /// None of the ports that the provider knows is free.
  case noPort([Int])
  /// The person said no, or the provider in their name.
  case denied
  /// The provider ended the sign-in by an error code (RFC 6749, sections 4.1.2.1 and 5.2).
  case refused(String)
  /// The answer names another provider, or none though it has to (RFC 9207).
  case otherIssuer
  /// Nothing came back in time.
  case timedOut
  /// The task was cancelled.
  case cancelled
  /// The provider's ID token is not acceptable.
  case badToken(IDTokenError)

  /// What happened and what to do, for people.
  /// - Parameter name: the provider's name, as people know it.
  public func sentence(of name: String) -> String {
    switch self {
    case .unreachable(let error): error.sentence(about: name)
    case .unusable(let reason): "\(name) cannot be used to sign in: \(reason). Please tell the publication."
    case .noPort(let ports):
      "\(name) could not report back: another program uses port \(ports.map(String.init).formatted(.list(type: .or))) of this computer."
    case .denied: "\(name) did not sign you in: that was declined on its page."
    case .refused(let code): "\(name) did not sign you in, and gave “\(code)” as the reason. Try again."
    case .otherIssuer: "The answer came from somebody else than \(name), so nobody was signed in. Try again."
    case .timedOut: "Nothing came back from \(name) within five minutes. Try again."
    case .cancelled: "Signing in was cancelled."
    case .badToken(.expired), .badToken(.fromTheFuture):
      "\(name) and this computer do not agree on the time. Check the date of this computer, and try again."
    case .badToken: "The answer of \(name) could not be verified, so nobody was signed in. Try again."
    }
  }
}
