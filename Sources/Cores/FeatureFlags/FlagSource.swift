/// Where rules come from.
public protocol FlagSource: Sendable {
  /// All rules that are for such a client.
  /// - Throws: ``FlagError``; anything else is taken for ``FlagError/unreachable``.
  func rules(for client: ClientCapabilities) async throws -> FetchedRules
}

/// The rules that a source gave, and what was wrong with the others.
public struct FetchedRules: Equatable, Sendable {
  /// The rules that make sense.
  public let rules: [FlagRule]
  /// What is wrong with the others, one sentence each.
  public let malformed: [FlagRule.Failure]

  public init(rules: [FlagRule], malformed: [FlagRule.Failure] = []) {
    self.rules = rules
    self.malformed = malformed
  }
}
