import Foundation
import Runtime

extension Purchases {
  /// See ``PurchaseLayer/observeNotices(_:)``.
  public func observeNotices(_ observer: @escaping @MainActor (PurchaseNotice) -> Void) -> Observation { notices.observe(observer) }

  /// See ``PurchaseLayer/noticeStream()``.
  public func noticeStream() -> AsyncStream<PurchaseNotice> { notices.stream() }

  /// The store took a purchase back: access ends at once, and a notice gives the reason.
  func revoked(_ id: Transaction.ID, _ reason: String) async {
    let gone = drop(id)
    if let gone { noticeRevocation(of: gone.transaction, gone.productID, reason) }
    // What was bought to be spent leaves no receipt behind.
    let written = await writeRevoked(id, reason)
    guard gone == nil, let written, written.state == .purchased, written.user == user else { return }
    noticeRevocation(of: written.id, written.productID, reason)
  }

  /// The store no longer lists a receipt that was in force: if it gives a reason, a notice shows it.
  func wasWithdrawn(_ gone: ReceiptContents<Purchasable>) async {
    let reason = try? await environment.effects.run("purchase.reason") { [queue = purchasePath.queue] in
      await queue.revocationReason(of: gone.transaction, user: gone.user)
    }
    guard let reason else { return }
    let written = await writeRevoked(gone.transaction, reason)
    // Unless the store has reported it meanwhile.
    if gone.user == user, written?.isRevoked != true { noticeRevocation(of: gone.transaction, gone.productID, reason) }
  }

  private func noticeRevocation(of id: Transaction.ID, _ product: Product.ID, _ reason: String) {
    notices.post(PurchaseNotice(transaction: id, productID: product, event: .revoked, sentence: reason))
  }

  /// - Returns: the purchase as it was before, if it was made here.
  private func writeRevoked(_ id: Transaction.ID, _ reason: String) async -> Transaction? {
    defer { historyChanged() }
    // A revocation that is not written now is found again by the next request for receipts.
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
