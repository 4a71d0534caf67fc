import PublicationClient
import PurchaseService

extension StoreError {
  /// From a call that failed. Its code says what happened: the publication's own, `http_503`, `timed_out`, `unreachable`, `cut_short`, ….
  public init(_ error: ClientError) {
    let kind: Kind =
      switch error.disposition {
      case .sessionEnded: .unauthorized
      case .notFound, .refused: .refused
      // An earlier answer does not excuse an insecure connection or an oversized answer.
      case .retryLater(.busy, _), .retryLater(.intercepted, _): .busy
      case .retryLater, .cancelled: .unavailable
      }
    self.init(kind, code: error.failureCode, sentence: error.sentence, underlying: error)
  }
}
