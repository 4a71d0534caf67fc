/// What charges a reader: a payment provider. Called off the publication's thread.
public protocol PaymentGateway: Sendable {
  /// Charges, once for each idempotency key: asking again with a key gives the first answer again, whatever else is asked.
  /// - Parameters:
  ///   - token: what the provider gave for the reader's authorization.
  ///   - amount: in the currency's minor units, with tax.
  ///   - currency: ISO 4217.
  ///   - key: names this charge for ever.
  /// - Returns: the provider's identifier of the charge.
  /// - Throws: ``GatewayError``.
  func charge(token: String, amount: Int, currency: String, key: String) async throws(GatewayError) -> String
}

/// Why there is no charge, or none that is known of.
public enum GatewayError: Error, Equatable, Sendable {
  /// The provider said no for good, and its sentence for the reader: nothing was charged under this key.
  case declined(String)
  /// The provider cannot be asked; whether it charged is not known, so ask again with the same key. The detail is for a log.
  case unavailable(String)
}
