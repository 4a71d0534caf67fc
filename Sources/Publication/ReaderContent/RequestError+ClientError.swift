import ContentCache
import PublicationClient

extension RequestError {
  /// How a screen handles an error of a call, with a sentence for the reader.
  public init(explaining error: any Error) {
    let error = error as? ClientError
    let sentence = error?.sentence ?? "Something went wrong. Try again."
    self = error?.isOffline == true ? .unreachable(sentence) : .refused(sentence)
  }

  /// How an action handles an error of a call: whether it is taken back, or waits and is sent again.
  ///
  /// The end of a session refuses nothing: the action waits for the reader to sign in again. It also waits for a server that is down or
  /// busy. An action that makes the server fail each time, that gets an invalid answer, or that a proxy or a network answers in the
  /// publication's place, is given up after a few tries while the publication answers other requests. Otherwise it would block all later
  /// ones for ever.
  /// - Parameter tries: how often it was sent: once until the publication answered something else.
  init(ofAction error: any Error, tries: Int) {
    let sentence = RequestError(explaining: error).sentence
    switch (error as? ClientError)?.disposition {
    case .retryLater(.broken, let wait) where tries < Self.triesAtWhatBreaks: self = .unreachable(sentence, retryAfter: wait)
    case .retryLater(.intercepted, let wait) where tries < Self.triesAtWhatBreaks: self = .unreachable(sentence, retryAfter: wait)
    case .retryLater(.broken, _), .retryLater(.intercepted, _): self = .refused(sentence)
    // Screens say that the publication cannot be reached.
    case .retryLater(.unreachable, _): self = .unreachable("Sent when the publication can be reached again.")
    case .retryLater(_, let wait): self = .unreachable(sentence, retryAfter: wait)
    case .sessionEnded, .cancelled: self = .unreachable(sentence)
    case .notFound, .refused, nil: self = .refused(sentence)
    }
  }

  /// Whether an error is the publication's own answer, so that it is reachable: not a proxy's or a network's page, and not that it is down
  /// or busy.
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
