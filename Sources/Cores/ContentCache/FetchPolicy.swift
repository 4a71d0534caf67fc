/// Where a list comes from.
public enum FetchPolicy: Equatable, Sendable, CaseIterable {
  /// What is stored; nobody is asked.
  case storedOnly
  /// What is stored at once, and then what the server says.
  case storedThenServer
  /// What the server says; what is stored when nobody could be reached.
  case serverElseStored
  /// What the server says and nothing else.
  case network
}
