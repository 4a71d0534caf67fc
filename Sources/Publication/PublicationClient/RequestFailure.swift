import ContentCache

extension RequestFailure {
  /// What an error of a call means to a page, with a sentence for the reader.
  public init(explaining error: any Error) {
    let error = error as? ClientError
    let sentence = error?.sentence ?? "Something went wrong. Try again."
    self = error?.isOffline == true ? .unreachable(sentence) : .refused(sentence)
  }

  /// What an error of a call means to an action: whether it is taken back, or waits and is sent again.
  ///
  /// A session that has ended refuses nothing: what the reader did waits for them to sign in again. So does what met a server that is down
  /// or busy. What breaks the server each time, is answered in a way that makes no sense, or by somebody else in the publication's name, is
  /// given up after a few tries while the publication answers other questions, or it would hold up all that stands behind it for ever.
  /// - Parameter tries: how often it was sent: once until the publication answered something else.
  init(ofAction error: any Error, tries: Int) {
    let sentence = RequestFailure(explaining: error).sentence
    switch error as? ClientError {
    case .offline, .cancelled, .unacceptable(.insecure): self = .unreachable(sentence)
    case .problem(let problem, let asked) where Self.later.contains(problem.status): self = .unreachable(sentence, retryAfter: asked)
    case .problem(let problem, let asked) where (problem.status >= 500 || !problem.isPublications) && tries < Self.triesAtWhatBreaks:
      self = .unreachable(sentence, retryAfter: asked)
    case .undecodable where tries < Self.triesAtWhatBreaks: self = .unreachable(sentence)
    default: self = .refused(sentence)
    }
  }

  /// Whether an error is an answer of the publication's own, so that whatever waits for it can be sent: not a proxy's or a network's page,
  /// and not that it is down or busy.
  public static func isAnswer(_ error: any Error) -> Bool {
    guard case .problem(let problem, _)? = error as? ClientError else { return false }
    return problem.isPublications && !later.contains(problem.status)
  }

  /// Not signed in, to a publication or a proxy; too slow, too early, too often; a gateway's errors, maintenance, a network's own page.
  private static let later: Set<Int> = [401, 407, 408, 425, 429, 502, 503, 504, 511]
  private static let triesAtWhatBreaks = 5
}

extension RequestFailure {
  /// Whether nobody answered, rather than with no.
  public var isUnreachable: Bool { if case .unreachable = self { true } else { false } }
}
