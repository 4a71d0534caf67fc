/// Where a list comes from.
public enum FetchPolicy: Equatable, Sendable, CaseIterable {
  /// The stored list, without a request.
  case storedOnly
  /// The stored list at once, and then the server's.
  case storedThenServer
  /// The server's list; the stored one when the server cannot be reached.
  case serverElseStored
  /// The server's list and nothing else.
  case network
}
