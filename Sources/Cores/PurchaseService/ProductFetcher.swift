/// Where products come from.
public protocol ProductFetcher: Sendable {
  /// The products with these identifiers, in any order; unknown ones are left out. Called off the main actor.
  /// - Throws: ``StoreFailure``.
  func products(_ ids: [Product.ID]) async throws -> [Product]
}

/// Why a store gave no answer that can be used, when nothing is bought by asking.
public struct StoreFailure: Error, Equatable, Sendable {
  /// What to do about it.
  public enum Kind: Equatable, Sendable {
    /// There is no answer, or none that can be understood: ask again later.
    case unavailable
    /// The session has ended: sign in, then ask again.
    case unauthorized
    /// The store said no; asking again changes nothing.
    case refused
  }

  /// What to do about it.
  public let kind: Kind
  /// For programs and logs.
  public let code: String
  /// For people.
  public let sentence: String

  /// Makes one.
  public init(_ kind: Kind, code: String, sentence: String) {
    self.kind = kind
    self.code = code
    self.sentence = sentence
  }

  /// From what a fetcher threw, which may be of any type.
  init(_ error: any Error) {
    self =
      error as? StoreFailure
      ?? StoreFailure(.unavailable, code: String(describing: error), sentence: "The store cannot be reached. Try again in a moment.")
  }
}
