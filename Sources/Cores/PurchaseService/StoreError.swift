/// Why a store gave no usable answer to a request that buys nothing.
public struct StoreError: Error, Equatable, Sendable {
  /// What to do about it.
  public enum Kind: Equatable, Sendable {
    /// There is no answer, no intelligible one, or an internal error (5xx): the store's earlier answer stays in force.
    case unavailable
    /// Not now, or a proxy on the way refused (408, 425, 429, a proxy's 4xx): repeat the request later, and do not use an older answer.
    case busy
    /// The session has ended: sign in, then ask again.
    case unauthorized
    /// The store refused; repeating the request changes nothing, and its earlier answer no longer counts.
    case refused
  }

  /// What to do about it.
  public let kind: Kind
  /// For programs and logs.
  public let code: String
  /// What went wrong, in a sentence for people.
  public let sentence: String
  /// The underlying error, for logs; two failures that differ only in this are equal.
  public let underlying: (any Error)?

  public init(_ kind: Kind, code: String, sentence: String, underlying: (any Error)? = nil) {
    self.kind = kind
    self.code = code
    self.sentence = sentence
    self.underlying = underlying
  }

  /// Compares everything but ``underlying``.
  public static func == (one: StoreError, other: StoreError) -> Bool {
    one.kind == other.kind && one.code == other.code && one.sentence == other.sentence
  }

  /// From what a fetcher threw, which may be of any type.
  init(_ error: any Error) {
    self =
      error as? StoreError
      ?? StoreError(
        .unavailable, code: String(describing: error), sentence: "The store cannot be reached. Try again in a moment.", underlying: error)
  }
}
