/// Why the server did not carry out a request, with a sentence for the user.
public enum RequestError: Error, Equatable, Sendable {
  /// It answered, and the answer is no.
  case refused(String)
  /// It is not known whether the server acted: it could not be reached, its answer was lost, or it requested a pause, of `retryAfter`.
  case unreachable(String, retryAfter: Duration? = nil)

  /// What went wrong, in a sentence for the user.
  public var sentence: String {
    switch self {
    case .refused(let sentence), .unreachable(let sentence, _): sentence
    }
  }

  /// Whether the server could not be reached, rather than refused.
  public var isUnreachable: Bool { if case .unreachable = self { true } else { false } }
}
