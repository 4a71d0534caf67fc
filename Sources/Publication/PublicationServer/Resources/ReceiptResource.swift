import Foundation
import HTTPTransport
import PublicationAPI
import SignedReceipts

/// Receipts: what is in force, what a receipt is worth, and the keys.
extension Publication {
  func entitlements(_ call: Call) async throws -> Response {
    var receipts: [String] = []
    for order in try await orderBook.inForce(of: call.signedIn.id, at: now) {
      if let receipt = try await receipt(for: order) { receipts.append(receipt) }
    }
    return try .json(receipts)
  }

  /// What the publication thinks of a receipt: whatever is genuine, this reader's and not taken back comes back signed anew.
  func verifyReceipt(_ call: Call) async throws -> Response {
    let reader = try call.signedIn.id
    let request: ReceiptRequest = try call.body()
    let issuer = try await content.info()?.id
    var known = [try signingKey.verificationKey]
    for key in try await keys.retired(neededAt: nil) { known.append(try key.verificationKey) }
    guard let payload = try? JWS.verify(request.receipt, keys: known), let claims = try? Wire.decode(ReceiptClaims.self, from: payload),
      claims.iss == issuer
    else { throw Problem.receiptRejected("This receipt is not one of this publication’s.") }
    guard claims.sub == reader, let order = try await orderBook.order(claims.jti), order.reader == reader,
      order.product == claims.product
    else { throw Problem.receiptRejected("This receipt is somebody else’s.") }
    if order.state == .refunded {
      throw Problem(code: .receiptRevoked, title: order.refundReason ?? "The payment was given back.", status: 410)
    }
    guard let fresh = try await self.claims(of: order) else { throw Problem.receiptRejected("This purchase was not paid.") }
    return try .json(ReceiptVerdict(claims: fresh, receipt: JWS.sign(payload: Wire.encode(fresh), key: signingKey)))
  }

  func keys(_ call: Call) async throws -> Response {
    let current = try KeySet.Key(signingKey.verificationKey)
    // A key may be in both places when the process ended while it was replaced.
    return try .json(KeySet(keys: [current] + (try await keys.retired(neededAt: now).filter { $0.kid != current.kid })))
  }

  /// Signs with a new key from now on. The one before stays in the list of keys as long as a receipt may need it.
  func rotateKey(_ algorithm: SignatureAlgorithm) async throws -> KeySet.Key {
    let key = try SigningKey.generate(algorithm)
    let new = KeySet.Key(key.verificationKey)
    // A key whose file was lost is known by its public half: receipts that it signed stay good.
    if let known = try await keys.current() { try await keys.retire(known, at: now) }
    try replaceKey(key)
    try await keys.begin(new, at: now)
    return new
  }

  /// An order's receipt, signed now: a fresh `iat` is what clients take for the time. `nil` for what is not paid.
  func receipt(for order: StoredOrder) async throws -> String? {
    try await claims(of: order).map { try JWS.sign(payload: Wire.encode($0), key: signingKey) }
  }

  private func claims(of order: StoredOrder) async throws -> ReceiptClaims? {
    guard order.state == .paid, let paid = order.paid, let info = try await content.info() else { return nil }
    return ReceiptClaims(
      iss: info.id, sub: order.reader, jti: order.id, iat: now, exp: order.expires, product: order.product,
      entitlement: order.entitlement, purchased: paid, period: order.period, consumable: order.consumable, amount: order.amount)
  }
}

extension Problem {
  fileprivate static func receiptRejected(_ title: String) -> Problem { Problem(code: .receiptRejected, title: title, status: 422) }
}
