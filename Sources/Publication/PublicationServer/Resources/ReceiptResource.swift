import Foundation
import HTTPTransport
import PublicationAPI
import Runtime
import SignedReceipts

/// Receipts: what is in force, what a receipt is worth, and the keys.
struct ReceiptResource {
  let content: any ContentRepository
  let orders: any OrderRepository
  let keys: any KeyRepository
  let clock: any AppClock
  /// The key that receipts are signed with; throws where its file is missing.
  let signingKey: () throws -> SigningKey
  /// Puts another key in the place of that one.
  let replaceKey: (SigningKey) throws -> Void

  /// So many are signed in a few milliseconds.
  static let fewReceipts = 20

  nonisolated(nonsending) func entitlements(_ call: Call) async throws -> LateAnswer {
    let receipts = try await unsigned(orders.inForce(of: call.signedIn.id, at: clock.unixTime))
    return LateAnswer(length: receipts.count > Self.fewReceipts ? .long : .short) { try .json(receipts.compactMap { try $0.signed() }) }
  }

  /// Checks a receipt: one that is genuine, this reader's and not revoked is returned with a new signature.
  nonisolated(nonsending) func verify(_ call: Call, _ request: ReceiptRequest) async throws -> Response {
    let reader = try call.signedIn.id
    let issuer = try await content.info()?.id
    var trusted = [try signingKey().verificationKey]
    for key in try await keys.retired(neededAt: nil) { trusted.append(try key.verificationKey) }
    guard let payload = try? JWS.verify(request.receipt, keys: trusted), let claims = try? Wire.decode(ReceiptClaims.self, from: payload),
      claims.iss == issuer
    else { throw Problem.receiptRejected("This receipt is not one of this publication’s.") }
    guard claims.sub == reader, let order = try await orders.order(claims.jti), order.reader == reader,
      order.product == claims.product
    else { throw Problem.receiptRejected("This receipt is somebody else’s.") }
    if order.state == .refunded {
      throw Problem(code: .receiptRevoked, title: order.refundReason ?? "The payment was given back.", status: 410)
    }
    guard let issuer, let fresh = self.claims(of: order, by: issuer) else {
      throw Problem.receiptRejected("This purchase was not paid.")
    }
    return try .json(ReceiptVerdict(claims: fresh, receipt: JWS.sign(payload: Wire.encode(fresh), key: signingKey())))
  }

  nonisolated(nonsending) func list() async throws -> Response {
    let current = try KeySet.Key(signingKey().verificationKey)
    // A key may be in both places when the process ended while it was replaced.
    return try .json(KeySet(keys: [current] + (try await keys.retired(neededAt: clock.unixTime).filter { $0.kid != current.kid })))
  }

  nonisolated(nonsending) func rotate(_ request: KeyRequest) async throws -> Response {
    guard let algorithm = SignatureAlgorithm.allCases.first(where: { $0.rawValue.lowercased() == request.algorithm.lowercased() }) else {
      throw Problem.badRequest("“\(request.algorithm.prefix(40))” is no algorithm; es256 and eddsa are.")
    }
    return try .json(await rotate(algorithm), status: 201)
  }

  /// Signs with a new key from now on. The earlier key stays in the list of keys as long as a receipt may need it.
  nonisolated(nonsending) func rotate(_ algorithm: SignatureAlgorithm) async throws -> KeySet.Key {
    let key = try SigningKey.generate(algorithm)
    let new = KeySet.Key(key.verificationKey)
    // Of a key whose file was lost the public half is stored: receipts that it signed stay valid.
    if let previous = try await keys.current() { try await keys.retire(previous, at: clock.unixTime) }
    try replaceKey(key)
    try await keys.start(new, at: clock.unixTime)
    return new
  }

  /// An order's receipt, signed now: clients use the fresh `iat` as the time. `nil` for an unpaid order.
  nonisolated(nonsending) func receipt(for order: StoredOrder) async throws -> String? { try await unsigned([order]).first?.signed() }

  /// The receipts of many orders. To sign them takes long, and need not be done on this thread.
  nonisolated(nonsending) func unsigned(_ orders: [StoredOrder]) async throws -> [UnsignedReceipt] {
    guard orders.contains(where: { $0.state == .paid }), let issuer = try await content.info()?.id else {
      return orders.map { _ in UnsignedReceipt(claims: nil, key: nil) }
    }
    let key = try signingKey()
    return orders.map { UnsignedReceipt(claims: claims(of: $0, by: issuer), key: key) }
  }

  private func claims(of order: StoredOrder, by issuer: String) -> ReceiptClaims? {
    guard order.state == .paid, let paid = order.paid else { return nil }
    return ReceiptClaims(
      iss: issuer, sub: order.reader, jti: order.id, iat: clock.unixTime, exp: order.expires, product: order.product,
      entitlement: order.entitlement, purchased: paid, period: order.period, consumable: order.consumable, amount: order.amount)
  }
}

/// The claims of a receipt, and the key to sign it with; `nil` for an unpaid order.
struct UnsignedReceipt: Sendable {
  let claims: ReceiptClaims?
  let key: SigningKey?

  func signed() throws -> String? {
    guard let claims, let key else { return nil }
    return try JWS.sign(payload: Wire.encode(claims), key: key)
  }
}

extension Problem {
  fileprivate static func receiptRejected(_ title: String) -> Problem { Problem(code: .receiptRejected, title: title, status: 422) }
}
