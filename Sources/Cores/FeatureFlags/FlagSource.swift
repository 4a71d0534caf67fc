/// Where rules come from.
public protocol FlagSource: Sendable {
  /// All rules that are for such a client.
  /// - Throws: ``FlagError``; anything else is taken for ``FlagError/unreachable``.
  func rules(for client: ClientCapabilities) async throws -> FetchedRules
}

/// What a source answered.
public struct FetchedRules: Equatable, Sendable {
  /// The rules that make sense.
  public let rules: [FlagRule]
  /// What is wrong with the others, one sentence each.
  public let malformed: [FlagRule.Malformed]

  public init(rules: [FlagRule], malformed: [FlagRule.Malformed] = []) {
    self.rules = rules
    self.malformed = malformed
  }
}
