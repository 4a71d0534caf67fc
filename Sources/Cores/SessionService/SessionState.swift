extension Session {
  /// The state of a session. Only ``after(_:)``, the table of its transitions, changes it.
  public enum State: Equatable, Sendable {
    /// Nothing is known yet: the token store is being read.
    case restoring
    /// A session was stored; the backend is being asked whether it still holds.
    case checking(User, Persistence)
    /// A session was stored, and the backend is unreachable: the user may continue with the data on this machine.
    case unverified(User, Persistence)
    /// The backend is checking email and password. The cause is that of the signed-out state before, which returns if the sign-in fails.
    case signingIn(after: SignedOutCause)
    /// The backend knows the user.
    case signedIn(User, Persistence)
    /// The same, but the access token was refused: new ones are requested from the backend.
    case refreshing(User, Persistence)
    /// The token is no longer used, and is being removed from the store.
    case signingOut
    /// No user is signed in, and why.
    case signedOut(SignedOutCause)

    /// Whose session it is, confirmed or not.
    public var user: User? {
      switch self {
      case .checking(let user, _), .unverified(let user, _), .signedIn(let user, _), .refreshing(let user, _): user
      case .restoring, .signingIn, .signingOut, .signedOut: nil
      }
    }

    /// How long the session lasts; `nil` when no user is signed in.
    public var persistence: Persistence? {
      switch self {
      case .checking(_, let persistence), .unverified(_, let persistence), .signedIn(_, let persistence), .refreshing(_, let persistence):
        persistence
      case .restoring, .signingIn, .signingOut, .signedOut: nil
      }
    }

    /// Whether no user is signed in, for any cause.
    public var isSignedOut: Bool { if case .signedOut = self { true } else { false } }
  }

  /// How long a session lasts.
  public enum Persistence: Equatable, Sendable {
    /// The token store has not said yet whether it keeps it.
    case saving
    /// The next start of the app continues with it.
    case persisted
    /// It ends with the app, since the token store could not be used.
    case untilQuit(TokenStoreError)

    /// A sentence for people; `nil` when all is as they expect.
    public var sentence: String? {
      switch self {
      case .saving, .persisted: nil
      case .untilQuit(let error): "\(error.sentence) You stay signed in only until you quit."
      }
    }
  }

  /// Why no user is signed in.
  public enum SignedOutCause: Equatable, Sendable {
    /// No session was kept.
    case noSession
    /// The user signed out.
    case byUser
    /// The user signed out, but the store would not forget the token: should the backend not have been reached either, the next start
    /// finds the session again.
    case byUserTokenNotErased(TokenStoreError)
    /// The backend ended the session.
    case ended
    /// The backend ended it, since two clients had its token.
    case reused

    /// A sentence for people; `nil` when all is as they expect.
    public var sentence: String? {
      switch self {
      case .noSession, .byUser: nil
      case .byUserTokenNotErased(let error): "\(error.sentence) You are signed out, but the saved session could not be removed from it."
      case .ended: AuthError.ended.sentence
      case .reused: AuthError.reused.sentence
      }
    }
  }
}

/// Notified of each change of a session, once, on the main actor: the only way from a session's end back to the login.
@MainActor public protocol SessionDelegate: AnyObject {
  /// The session's state is another one now. May change the session again.
  func session(_ session: Session, changedFrom old: Session.State, to new: Session.State)
}
