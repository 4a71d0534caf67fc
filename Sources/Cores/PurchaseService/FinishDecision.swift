/// What follows the store's answer to a submission: whether the transaction is finished, or submitted again.
public enum FinishDecision: Equatable, Sendable {
  /// The transaction is finished: the product is bought.
  case finish
  /// Finished: not bought, and the error is shown to the person.
  case fail(PurchaseError)
  /// Submitted again with the same idempotency key: after the store's pause, or our own back-off. The reason is for the person.
  case retry(after: Duration? = nil, PendingReason = .storeUnavailable)
  /// Submitted again after a long wait: the store waits for an approval, or for the person.
  case pendingInterval(PendingReason)

  /// The table of when a transaction may be finished; one row for each case, and one test for each row.
  public static func after(_ outcome: SubmissionOutcome, of productID: Product.ID, oneTime: Bool) -> FinishDecision {
    switch outcome {
    // A one-time product that the answer does not list was not credited yet: finishing it now would lose it.
    case .accepted(_, let listed): oneTime && !listed.contains(productID) ? .retry() : .finish
    case .deferred(let sentence): .pendingInterval(.deferred(sentence))
    case .interrupted(let sentence, let url): .pendingInterval(.interrupted(sentence, url: url))
    case .unknownProduct(let sentence): .fail(.unknownProduct(sentence))
    case .declined(let sentence): .fail(.declined(sentence))
    case .refused(let code, let sentence): .fail(.refused(code: code, sentence: sentence))
    // The session has to be renewed first.
    case .unauthorized: .retry(.sessionEnded)
    case .busy(let retryAfter): .retry(after: retryAfter)
    case .unavailable(_, let retryAfter): .retry(after: retryAfter)
    case .unverified: .retry()
    case .computedOnDevice: .retry()
    }
  }
}
