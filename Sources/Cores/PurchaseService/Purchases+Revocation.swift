import Foundation
import Runtime

extension Purchases {
  /// See ``PurchaseLayer/noticeStream()``.
  public func noticeStream() -> AsyncStream<PurchaseNotice> { notices.stream() }

  /// The store took a purchase back: access ends at once, and the person is told why.
  func revoked(_ id: Transaction.ID, _ reason: String) async {
    let gone = drop(id)
    if let gone { noticeRevocation(of: gone.transaction, gone.productID, reason) }
    // What was bought to be spent leaves no receipt behind.
    let written = await writeRevoked(id, reason)
    guard gone == nil, let written, written.state == .purchased, written.user == user else { return }
    noticeRevocation(of: written.id, written.productID, reason)
  }

  /// The store lists a receipt no more that was in force: the person is told, if it says why.
  func wasWithdrawn(_ gone: ReceiptContents<Purchasable>) async {
    let reason = try? await environment.effects.run("purchase.reason") { [queue = purchasePath.queue] in
      await queue.revocationReason(of: gone.transaction, user: gone.user)
    }
    guard let reason else { return }
    let written = await writeRevoked(gone.transaction, reason)
    // Unless the store has told of it meanwhile.
    if gone.user == user, written?.isRevoked != true { noticeRevocation(of: gone.transaction, gone.productID, reason) }
  }

  private func noticeRevocation(of id: Transaction.ID, _ product: Product.ID, _ reason: String) {
    notices.post(PurchaseNotice(transaction: id, productID: product, event: .revoked, sentence: reason))
  }

  /// - Returns: the purchase as it was before, if it was made here.
  private func writeRevoked(_ id: Transaction.ID, _ reason: String) async -> Transaction? {
    defer { historyChanged() }
    // What is not written now is learnt again when the store is asked for receipts.
    return try? await environment.effects.run("purchase.revoke") { [journal, seller, purchasePath = purchasePath.name] in
      try await journal.revoke(id, seller: seller, purchasePath: purchasePath, sentence: reason)
    }
  }

  /// Ends what a receipt gives.
  /// - Returns: the receipt, when there was one.
  @discardableResult func drop(_ id: Transaction.ID) -> ReceiptContents<Purchasable>? {
    guard let gone = receipts.removeValue(forKey: id) else { return nil }
    recomputeEntitlements()
    return gone
  }
}
