/// One complete way to sell: where products come from, who charges, and how receipts are verified. Each purchase is finished by the path
/// that began it.
public struct PurchasePath<Purchasable: Hashable & Sendable>: Sendable {
  /// The name in the journal; never changed once it shipped.
  public let name: String
  /// Where products come from.
  public let fetcher: any ProductFetcher
  /// Asks the store to charge transactions and to finish them.
  public let queue: any QueueProcessor
  /// How receipts are verified.
  public let verifier: any ReceiptVerifier<Purchasable>

  public init(
    name: String, fetcher: any ProductFetcher, queue: any QueueProcessor, verifier: any ReceiptVerifier<Purchasable>
  ) {
    self.name = name
    self.fetcher = fetcher
    self.queue = queue
    self.verifier = verifier
  }
}
