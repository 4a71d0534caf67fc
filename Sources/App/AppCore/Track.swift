import NavigationCore

extension AppCoordinator {
  /// Where a ``Navigation`` comes from.
  public enum Source: String, Equatable, Sendable {
    /// The reader, by a control of this app, or the app itself.
    case app
    /// A link from outside.
    case link
  }

  /// One step of the app, and what is open after it.
  public struct Track: Equatable, Sendable {
    /// What can happen in the app: its start, a navigation, a sign-in or a sign-out.
    public enum Step: Equatable, Sendable {
      /// The start has ended at the login. One that finds a reader ends with ``signedIn``.
      case started
      /// A ``Navigation`` was requested.
      case navigation(Navigation, from: Source, Outcome)
      /// A reader is signed in: at the login, or by a stored session.
      case signedIn
      /// The reader has signed out, or their session ended.
      case signedOut(isDeliberate: Bool)
    }

    /// The outcomes of a navigation.
    public enum Outcome: String, Equatable, Sendable {
      /// It was carried out.
      case performed
      /// It waits for the reader to sign in, and replaces an earlier one that waited.
      case deferred
      /// It does not apply where the app is.
      case ignored
    }

    /// What happened in this step.
    public let step: Step
    /// What is open after it.
    public let tree: NavigationTree<Destination>

    /// The requested one; `nil` for a step of another kind.
    public var navigation: Navigation? { if case .navigation(let navigation, _, _) = step { navigation } else { nil } }
    /// The outcome of the navigation; `nil` for a step of another kind.
    public var outcome: Outcome? { if case .navigation(_, _, let outcome) = step { outcome } else { nil } }
  }
}
