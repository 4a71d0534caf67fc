import Foundation
import Runtime

extension Purchases {
  /// What becomes of purchases that nobody waits for any more: each is to be shown once. A new stream for each caller; what happened while
  /// there was none comes first in the next.
  public func noticeStream() -> AsyncStream<PurchaseNotice> { notices.stream() }

  /// The store took a purchase back: access ends at once, and the person is told why.
  func revoked(_ id: Transaction.ID, _ reason: String) async {
    let gone = receipts.removeValue(forKey: id)
    if let gone {
      recomputeEntitlements()
      notices.post(PurchaseNotice(transaction: id, productID: gone.productID, event: .revoked, sentence: reason))
    }
    // What is not written now is learnt again when the store is asked for receipts.
    try? await environment.effects.run("purchase.revoke") { [journal, seller, path = path.name] in
      try await journal.revoke(id, seller: seller, path: path, sentence: reason)
    }
  }
}
