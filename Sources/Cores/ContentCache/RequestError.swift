/// Why the server did not do what it was asked, with a sentence for the reader.
public enum RequestError: Error, Equatable, Sendable {
  /// It answered, and the answer is no.
  case refused(String)
  /// Whether it acted is not known: it could not be reached, its answer was lost, or it wants to be asked later, and after how long.
  case unreachable(String, retryAfter: Duration? = nil)

  /// For the reader.
  public var sentence: String {
    switch self {
    case .refused(let sentence), .unreachable(let sentence, _): sentence
    }
  }

  /// Whether the server could not be reached, rather than refused.
  public var isUnreachable: Bool { if case .unreachable = self { true } else { false } }
}
