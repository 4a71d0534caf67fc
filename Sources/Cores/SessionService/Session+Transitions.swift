extension Session {
  /// What happens to a session: calls, and the answers that it waits for. An answer to a request from before the last sign-in or sign-out
  /// is no input; it is dropped.
  public enum Input: Equatable, Sendable {
    /// The token store is to be read: at the start, or for another try.
    case restore
    /// The token store has a session, and whose.
    case found(User)
    /// The token store has none, or cannot be used.
    case foundNone
    /// A sign-in begins.
    case signIn
    /// The backend gave a token, and says for whom.
    case granted(User)
    /// The sign-in failed, or was given up.
    case notGranted
    /// The token store kept the token, or says why not.
    case saved(Persistence)
    /// The backend gave new tokens, and says for whom.
    case confirmed(User)
    /// The backend neither confirmed nor ended the session; or the user does not wait for its answer.
    case unanswered
    /// The access token was refused, and new ones are requested.
    case refresh
    /// The backend ended it, and why.
    case ended(SignedOutCause)
    /// A sign-out begins.
    case signOut
    /// The token store forgot the token, or says why not.
    case cleared(SignedOutCause)
  }
}

extension Session.State {
  /// The table of a session: the state after an input; `nil` for an unexpected input, which is ignored.
  public func after(_ input: Session.Input) -> Session.State? {
    switch self {
    case .restoring:
      switch input {
      case .restore: self
      case .found(let user): .checking(user, .persisted)
      case .foundNone: .signedOut(.noSession)
      case .signIn: .signingIn(after: .noSession)
      case .granted, .notGranted, .saved, .confirmed, .unanswered, .refresh, .ended, .signOut, .cleared: nil
      }
    case .checking(let user, let persistence):
      switch input {
      case .confirmed(let user): .signedIn(user, persistence)
      case .unanswered: .unverified(user, persistence)
      case .refresh: self
      case .ended(let cause): .signedOut(cause)
      case .signOut: .signingOut
      case .restore, .found, .foundNone, .signIn, .granted, .notGranted, .saved, .cleared: nil
      }
    case .unverified(let user, let persistence):
      switch input {
      case .saved(let persistence): .unverified(user, persistence)
      case .confirmed(let user): .signedIn(user, persistence)
      case .unanswered, .refresh: self
      case .ended(let cause): .signedOut(cause)
      case .signOut: .signingOut
      case .restore, .found, .foundNone, .signIn, .granted, .notGranted, .cleared: nil
      }
    case .signingIn(let cause):
      switch input {
      case .signIn: self
      case .granted(let user): .signedIn(user, .saving)
      case .notGranted: .signedOut(cause)
      case .signOut: .signingOut
      case .restore, .found, .foundNone, .saved, .confirmed, .unanswered, .refresh, .ended, .cleared: nil
      }
    case .signedIn(let user, let persistence):
      switch input {
      case .saved(let persistence): .signedIn(user, persistence)
      case .confirmed(let user): .signedIn(user, persistence)
      case .refresh: .refreshing(user, persistence)
      case .ended(let cause): .signedOut(cause)
      case .signOut: .signingOut
      case .restore, .found, .foundNone, .signIn, .granted, .notGranted, .unanswered, .cleared: nil
      }
    case .refreshing(let user, let persistence):
      switch input {
      case .saved(let persistence): .refreshing(user, persistence)
      case .confirmed(let user): .signedIn(user, persistence)
      case .unanswered: .unverified(user, persistence)
      case .refresh: self
      case .ended(let cause): .signedOut(cause)
      case .signOut: .signingOut
      case .restore, .found, .foundNone, .signIn, .granted, .notGranted, .cleared: nil
      }
    case .signingOut:
      switch input {
      case .cleared(let cause): .signedOut(cause)
      case .signIn: .signingIn(after: .byUser)
      case .restore, .found, .foundNone, .granted, .notGranted, .saved, .confirmed, .unanswered, .refresh, .ended, .signOut: nil
      }
    case .signedOut(let cause):
      switch input {
      case .restore: .restoring
      case .signIn: .signingIn(after: cause)
      case .found, .foundNone, .granted, .notGranted, .saved, .confirmed, .unanswered, .refresh, .ended, .signOut, .cleared: nil
      }
    }
  }
}
