import SignedReceipts

/// Who signs a seller's receipts, and with which keys.
public struct TrustedKeys: Equatable, Sendable {
  /// What receipts name as their issuer.
  public let issuer: String
  /// The public keys, also those that are no longer signed with.
  public let keys: [VerificationKey]

  public init(issuer: String, keys: [VerificationKey]) {
    self.issuer = issuer
    self.keys = keys
  }
}
