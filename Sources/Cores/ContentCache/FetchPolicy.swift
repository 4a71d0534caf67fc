/// Where a list comes from.
public enum FetchPolicy: Equatable, Sendable, CaseIterable {
  /// What is stored; nobody is asked.
  case cacheOnly
  /// What is stored at once, and then what the server says.
  case cacheThenNetwork
  /// What the server says; what is stored when nobody could be reached.
  case networkElseCache
  /// What the server says and nothing else.
  case network
}
