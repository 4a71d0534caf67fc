import Foundation
import PurchaseService
import SignedReceipts

extension TestStore {
  private struct Claims: Codable {
    var iss: String
    var sub: String
    var jti: UUID
    var product: String
    var iat: Double
    var exp: Double?
  }

  private struct Unknown: Error, CustomStringConvertible {
    let product: String
    var description: String { "the test store's file has no “\(product)”" }
  }

  /// What receipts name as their issuer.
  public static let issuer = "stub"

  /// The complete path: this store sells, and its receipts are verified on the device.
  /// - Parameters:
  ///   - name: what the journal calls it.
  ///   - journal: keeps the store's public key.
  ///   - seller: the name in the journal, the same as the purchase layer's.
  ///   - purchasable: what a product is to the app.
  public func path<Purchasable: Hashable & Sendable>(
    name: String = "stub", journal: Journal, seller: String, purchasable: @escaping @Sendable (Product) -> Purchasable
  ) -> PurchasePath<Purchasable> {
    let trusted = TrustedKeys(issuer: Self.issuer, keys: [key.verificationKey])
    let keys = TrustedKeyCache(seller: seller, purchasePath: name, journal: journal, clock: clock) { trusted }
    let products = core.withLock { core in
      Dictionary(core.file.products.map { ($0.product.id, $0.product) }) { first, _ in first }
    }
    let verifier = DeviceVerifier<Purchasable>(keys: keys) { payload in
      let claims = try JSONDecoder().decode(Claims.self, from: payload)
      guard let product = products[claims.product] else { throw Unknown(product: claims.product) }
      return ReceiptContents(
        issuer: claims.iss, user: claims.sub, transaction: claims.jti, productID: claims.product, purchasable: purchasable(product),
        issued: Date(timeIntervalSince1970: claims.iat), expires: claims.exp.map(Date.init(timeIntervalSince1970:)),
        isConsumable: !product.kind.isOwned)
    }
    return PurchasePath(name: name, fetcher: self, queue: self, verifier: verifier)
  }

  /// An authorizer that does not ask the person: it agrees with a token at once, cancels or fails, as the script says.
  public var authorizer: any PaymentAuthorizer { StubAuthorizer(store: self) }

  /// The signed receipt of an order.
  func receipt(for order: StubOrder, issuer: String = TestStore.issuer) throws -> String {
    let claims = Claims(
      iss: issuer, sub: order.user, jti: order.id, product: order.product, iat: order.issued.timeIntervalSince1970,
      exp: order.expires?.timeIntervalSince1970)
    let encoder = JSONEncoder()
    // The same receipt for the same order, if the key's algorithm is deterministic.
    encoder.outputFormatting = .sortedKeys
    return try JWS.sign(payload: encoder.encode(claims), key: key)
  }

  /// A charged order as the store's answer; a failure to make the receipt is an unusable answer.
  func accepted(
    _ order: StubOrder, listed: Set<Product.ID>? = nil, issuer: String = TestStore.issuer, damaged: Bool = false
  ) -> SubmissionOutcome {
    do {
      var receipt = try receipt(for: order, issuer: issuer)
      if damaged, let dot = receipt.lastIndex(of: ".") {
        // Still 64 bytes of base64url, but no valid signature.
        receipt = receipt[...dot] + Base64URL.encode([UInt8](repeating: 0x5A, count: 64))
      }
      return .accepted(receipt: receipt, listed: listed ?? [order.product])
    } catch { return .unavailable(reason: "\(error)") }
  }
}

/// Agrees for the person, or does not.
struct StubAuthorizer: PaymentAuthorizer {
  let store: TestStore

  func authorize(_ order: OrderSummary, started: @escaping @Sendable () async -> Void) async throws -> PaymentAuthorization {
    let outcome = store.core.withLock { core in
      let outcome = core.assigned[order.id] ?? TestStore.next(for: order.product.id, &core)
      core.assigned[order.id] = [.cancel, .authorizationFailed].contains(outcome.result) ? nil : outcome
      return outcome
    }
    // The script has moved on.
    _ = try await store.change { core, now throws(TestStore.Refusal) in
      core.ledger.note("asked to pay for \(order.product.id): \(outcome.result.rawValue)", at: now)
      return ((), [])
    }
    switch outcome.result {
    case .cancel: return .cancelled
    case .authorizationFailed:
      await started()
      throw PaymentAuthorizationError(sentence: outcome.sentence ?? "The payment provider did not agree. Nothing was charged.")
    default:
      await started()
      return .authorized(PaymentToken("stub-\(order.id.uuidString)"))
    }
  }
}
