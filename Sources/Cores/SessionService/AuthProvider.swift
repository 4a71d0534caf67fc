/// Whose session it is.
public struct User: Codable, Hashable, Identifiable, Sendable {
  /// Stable within the publication.
  public var id: String
  /// The address that the user signs in with.
  public var email: String
  /// What to call the user.
  public var name: String

  public init(id: String, email: String, name: String) {
    self.id = id
    self.email = email
    self.name = name
  }
}

/// A backend's answer to a password, or to a refresh token (RFC 6749, sections 5.1 and 6).
public struct SessionGrant: Hashable, Sendable {
  /// What requests carry, for a short time. It is never stored.
  public var access: Secret
  /// The refresh token: the next grant is given for it. It is stored from one start to the next.
  public var refresh: Secret
  /// Whose session it is.
  public var user: User

  public init(access: Secret, refresh: Secret, user: User) {
    self.access = access
    self.refresh = refresh
    self.user = user
  }
}

/// What a person signs in with.
public enum Credential: Hashable, Sendable {
  /// An address and its password.
  case password(email: String, password: Secret)
  /// A code that was mailed to the person, with the secret of the app that asked for it, ``AuthProvider/requestCode(for:)``. A new password
  /// takes the place of one that was forgotten; `nil` leaves it.
  case mailedCode(String, challenge: Secret, newPassword: Secret? = nil)
  /// The page of an identity provider in the system's browser; named by its issuer (OpenID Connect Core 1.0). The call takes as long as the
  /// person does, and ends when its task is cancelled.
  case browser(issuer: String)
}

/// The backend that knows users and gives tokens. Called off the main actor.
public protocol AuthProvider: Sendable {
  /// Has a code mailed to an address, whether it is a user's or not.
  /// - Returns: the secret that makes the code of use to this app alone.
  func requestCode(for email: String) async throws(AuthError) -> Secret
  /// Begins a session. A kind of credential that it does not know is ``AuthError/rejected(_:)``.
  func signIn(with credential: Credential) async throws(AuthError) -> SessionGrant
  /// Gives new tokens of a session for its refresh token, one call after the other. A token must stay valid for another call until the
  /// refresh token of its answer was used: an answer can be lost, and its saving can fail.
  /// - Throws: ``AuthError/ended`` or ``AuthError/reused`` when the session is over.
  func refresh(_ token: Secret) async throws(AuthError) -> SessionGrant
  /// Ends the session of a refresh token, if that is possible now: no caller waits for it or learns the result.
  func signOut(_ token: Secret) async
}

extension AuthProvider {
  /// Mails none.
  /// - Throws: ``AuthError/rejected(_:)``.
  public func requestCode(for email: String) async throws(AuthError) -> Secret { throw .rejected("Codes are not mailed here.") }
}

/// Why the backend did not carry out a request.
public enum AuthError: Error, Equatable, Sendable {
  /// Email and password do not match.
  case wrongCredentials
  /// The code is another one, and a sentence that says how many tries are left.
  case wrongCode(String)
  /// The code is too old, was used, or was tried too often, and a sentence for people.
  case codeExpired(String)
  /// The token is unknown, or its session has ended.
  case ended
  /// The backend ended the session, since two clients had its token.
  case reused
  /// No answer, and a sentence for people.
  case unreachable(String)
  /// The backend said no for another reason, and its sentence for people.
  case rejected(String)
  /// Another sign-in was under way, or a sign-out happened meanwhile.
  case superseded

  /// A sentence for people.
  public var sentence: String {
    switch self {
    case .wrongCredentials: "Email and password do not match."
    case .ended: "Your session has ended. Sign in again."
    case .reused:
      "Your session was used from another place too, so it was ended. Sign in again, and change your password if that was not you."
    case .wrongCode(let sentence), .codeExpired(let sentence), .unreachable(let sentence), .rejected(let sentence): sentence
    case .superseded: "Signing in was interrupted. Try again."
    }
  }
}
