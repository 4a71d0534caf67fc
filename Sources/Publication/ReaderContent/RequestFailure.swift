import ContentCache
import PublicationClient

extension RequestError {
  /// What an error of a call means to a page, with a sentence for the reader.
  public init(explaining error: any Error) {
    let error = error as? ClientError
    let sentence = error?.sentence ?? "Something went wrong. Try again."
    self = error?.isOffline == true ? .unreachable(sentence) : .refused(sentence)
  }

  /// What an error of a call means to an action: whether it is taken back, or waits and is sent again.
  ///
  /// A session that has ended refuses nothing: the action waits for the reader to sign in again. So does one that met a server that is down
  /// or busy. An action that breaks the server each time, that gets an answer without sense, or that a proxy or a network answers in the
  /// publication's name, is given up after a few tries while the publication answers other requests, or it would hold up all that stand
  /// behind it for ever.
  /// - Parameter tries: how often it was sent: once until the publication answered something else.
  init(ofAction error: any Error, tries: Int) {
    let sentence = RequestError(explaining: error).sentence
    switch (error as? ClientError)?.disposition {
    case .retryLater(.broken, let wait) where tries < Self.triesAtWhatBreaks: self = .unreachable(sentence, retryAfter: wait)
    case .retryLater(.intercepted, let wait) where tries < Self.triesAtWhatBreaks: self = .unreachable(sentence, retryAfter: wait)
    case .retryLater(.broken, _), .retryLater(.intercepted, _): self = .refused(sentence)
    // Pages say that the publication cannot be reached.
    case .retryLater(.unreachable, _): self = .unreachable("Sent when the publication can be reached again.")
    case .retryLater(_, let wait): self = .unreachable(sentence, retryAfter: wait)
    case .sessionEnded, .cancelled: self = .unreachable(sentence)
    case .notFound, .refused, nil: self = .refused(sentence)
    }
  }

  /// Whether an error is an answer of the publication's own, so that whatever waits for it can be sent: not a proxy's or a network's page,
  /// and not that it is down or busy.
  public static func isAnswer(_ error: any Error) -> Bool {
    guard let error = error as? ClientError else { return false }
    return switch error.disposition {
    case .notFound, .refused: true
    case .retryLater(.broken, _): error.isPublications
    case .retryLater, .sessionEnded, .cancelled: false
    }
  }

  private static let triesAtWhatBreaks = 5
}
