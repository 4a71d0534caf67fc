/// A payment provider, which charges readers. Called off the publication's thread.
public protocol PaymentGateway: Sendable {
  /// Charges, at most once for each idempotency key: another request with a key charges nothing more, also with another token, and returns
  /// the present state. One for another amount or currency is declined: what was paid with this key is something else.
  /// - Parameters:
  ///   - token: what the provider gave for the reader's authorization.
  ///   - amount: in the currency's minor units, with tax.
  ///   - currency: ISO 4217.
  ///   - key: the permanent name of this charge.
  /// - Returns: the provider's identifier of the charge.
  /// - Throws: ``GatewayError``.
  func charge(token: String, amount: Int, currency: String, key: String) async throws(GatewayError) -> String
  /// Tells a provider that waits for an approval what was decided. A second call changes nothing.
  /// - Returns: the provider's identifier of the charge.
  /// - Throws: ``GatewayError``; ``GatewayError/declined(_:)`` when the answer is a refusal.
  func settle(key: String, approved: Bool) async throws(GatewayError) -> String
  /// Refunds a charge, once, however often it is requested.
  /// - Parameter key: the one it was charged with.
  /// - Throws: ``GatewayError``; ``GatewayError/declined(_:)`` when it cannot be refunded, such as without a charge.
  func refund(key: String) async throws(GatewayError)
  /// What can be charged, once a reader has agreed on the publication's own checkout page.
  /// - Throws: ``GatewayError``.
  func authorize(amount: Int, currency: String, key: String) async throws(GatewayError) -> String
}

/// Why there is no charge, or none that is recorded.
public enum GatewayError: Error, Equatable, Sendable {
  /// The provider declined, with its sentence for the reader: nothing was or will be charged under this key.
  case declined(String)
  /// A bank or another person, such as a parent, has to approve first: nothing was charged yet, and the charge under this key is decided
  /// later.
  case deferred
  /// The reader has to confirm on a page first: nothing was or will be charged under this key.
  case needsAction
  /// The provider cannot be reached. Whether it charged is unknown, so try again with the same key. The detail is for a log.
  case unavailable(String)
}

/// A provider that charges or declines at once, and knows nothing else.
extension PaymentGateway {
  /// Not supported by default.
  /// - Throws: ``GatewayError/unavailable(_:)``.
  public func settle(key: String, approved: Bool) async throws(GatewayError) -> String {
    throw .unavailable("this provider decides at once")
  }
  /// Not possible with this provider.
  /// - Throws: ``GatewayError/unavailable(_:)``.
  public func refund(key: String) async throws(GatewayError) { throw .unavailable("this provider gives nothing back") }
  /// Not possible with this provider.
  /// - Throws: ``GatewayError/unavailable(_:)``.
  public func authorize(amount: Int, currency: String, key: String) async throws(GatewayError) -> String {
    throw .unavailable("this provider has no checkout")
  }
}
