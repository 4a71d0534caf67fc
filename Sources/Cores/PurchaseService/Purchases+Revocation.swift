import Foundation
import Runtime

extension Purchases {
  /// See ``PurchaseLayer/noticeStream()``.
  public func noticeStream() -> AsyncStream<PurchaseNotice> { notices.stream() }

  /// The store took a purchase back: access ends at once, and the person is told why.
  func revoked(_ id: Transaction.ID, _ reason: String) async {
    if let gone = drop(id) { tellRevoked(gone, reason) }
    await writeRevoked(id, reason)
  }

  /// The store lists a receipt no more that was in force: the person is told, if it says why.
  func wasWithdrawn(_ gone: ReceiptContents<Purchasable>) async {
    let reason = try? await environment.effects.run("purchase.reason") { [queue = path.queue] in
      await queue.withdrawalReason(of: gone.transaction, user: gone.user)
    }
    guard let reason else { return }
    if gone.user == user { tellRevoked(gone, reason) }
    await writeRevoked(gone.transaction, reason)
    historyChanged()
  }

  private func tellRevoked(_ gone: ReceiptContents<Purchasable>, _ reason: String) {
    notices.post(PurchaseNotice(transaction: gone.transaction, productID: gone.productID, event: .revoked, sentence: reason))
  }

  private func writeRevoked(_ id: Transaction.ID, _ reason: String) async {
    // What is not written now is learnt again when the store is asked for receipts.
    try? await environment.effects.run("purchase.revoke") { [journal, seller, path = path.name] in
      try await journal.revoke(id, seller: seller, path: path, sentence: reason)
    }
    historyChanged()
  }

  /// Ends what a receipt gives.
  /// - Returns: the receipt, when there was one.
  @discardableResult func drop(_ id: Transaction.ID) -> ReceiptContents<Purchasable>? {
    guard let gone = receipts.removeValue(forKey: id) else { return nil }
    recomputeEntitlements()
    return gone
  }
}
