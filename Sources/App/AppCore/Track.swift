extension AppCoordinator {
  /// Where a ``Navigation`` comes from.
  public enum Source: String, Equatable, Sendable {
    /// The reader, by a control of this app, or the app itself.
    case app
    /// A link from outside.
    case link
  }

  /// A ``Navigation``, and what became of it.
  public struct Track: Equatable, Sendable {
    /// What can become of one.
    public enum Outcome: String, Equatable, Sendable {
      /// It was carried out.
      case performed
      /// It waits for the reader to sign in, in place of what waited before.
      case deferred
      /// It does not apply where the app is.
      case ignored
    }
    /// As it was asked for.
    public let navigation: Navigation
    /// Where it came from.
    public let source: Source
    /// What became of it.
    public let outcome: Outcome
  }
}
