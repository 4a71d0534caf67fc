/// Whose session it is.
public struct User: Codable, Hashable, Identifiable, Sendable {
  /// Stable within the publication.
  public var id: String
  /// The address that the user signs in with.
  public var email: String
  /// What to call the user.
  public var name: String
  /// Memberwise initializer.
  public init(id: String, email: String, name: String) {
    self.id = id
    self.email = email
    self.name = name
  }
}

/// The backend that knows users and gives tokens. Called off the main actor.
public protocol AuthProvider: Sendable {
  /// Begins a session.
  /// - Returns: its token, and whose it is.
  func signIn(email: String, password: Secret) async throws(AuthError) -> (token: Secret, user: User)
  /// Asks whose a token is.
  /// - Throws: ``AuthError/ended`` when it is nobody's any more.
  func check(_ token: Secret) async throws(AuthError) -> User
  /// Ends a token's session, as well as that is possible now: nobody waits for it or learns how it went.
  func signOut(_ token: Secret) async
}

/// Why the backend did not do what it was asked.
public enum AuthError: Error, Equatable, Sendable {
  /// Email and password do not match.
  case wrongCredentials
  /// The token is unknown, or its session has ended.
  case ended
  /// No answer, and a sentence for people.
  case unreachable(String)
  /// The backend said no for another reason, and its sentence for people.
  case rejected(String)
  /// Another sign-in was under way, or a sign-out came in between.
  case superseded

  /// What to tell people.
  public var sentence: String {
    switch self {
    case .wrongCredentials: "Email and password do not match."
    case .ended: "Your session has ended. Sign in again."
    case .unreachable(let sentence), .rejected(let sentence): sentence
    case .superseded: "Signing in was interrupted. Try again."
    }
  }
}
