/// Which build of the app this is: `MATINEE_FLAVOUR` picks one, and `Config` has what differs.
public enum Flavour: String, Sendable {
  /// For the app's developers: beside an installed app, with everything that testers have.
  case development
  /// For testers: stub products and the tester panel, and nothing that could charge a person.
  case beta
  /// The build for readers: it sells for real and has no test tools.
  case release
}
