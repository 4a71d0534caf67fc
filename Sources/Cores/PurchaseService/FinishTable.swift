/// Whether a transaction is over, after it was submitted.
public enum FinishDecision: Equatable, Sendable {
  /// Over: bought.
  case finish
  /// Over: not bought, and the person is told why.
  case finishAndTell(PurchaseFailure)
  /// Not over: kept, and submitted again with the same idempotency key.
  case keep(Next)

  /// What comes before the next submission of a transaction that is kept.
  public enum Next: Equatable, Sendable {
    /// The session has to be renewed.
    case renewSession
    /// A wait, as long as the store said, or our own back-off.
    case wait(Duration?)
    /// Somebody's doing, which the store waits for too.
    case somebody(PendingReason)
  }

  /// The table of when a transaction may be finished; one row a case, and one test a row.
  public static func after(_ outcome: SubmissionOutcome, of productID: Product.ID, oneTime: Bool) -> FinishDecision {
    switch outcome {
    // A one-time product that the answer does not list was not credited yet: finishing it now would lose it.
    case .accepted(_, let listed): oneTime && !listed.contains(productID) ? .keep(.wait(nil)) : .finish
    case .deferred(let sentence): .keep(.somebody(.deferred(sentence)))
    case .interrupted(let sentence, let url): .keep(.somebody(.interrupted(sentence, url: url)))
    case .unknownProduct(let sentence): .finishAndTell(.unknownProduct(sentence))
    case .declined(let sentence): .finishAndTell(.declined(sentence))
    case .refused(let code, let sentence): .finishAndTell(.refused(code: code, sentence: sentence))
    case .unauthorized: .keep(.renewSession)
    case .busy(let retryAfter): .keep(.wait(retryAfter))
    case .unavailable(_, let retryAfter): .keep(.wait(retryAfter))
    case .unverified: .keep(.wait(nil))
    case .computedOnDevice: .keep(.wait(nil))
    }
  }
}
