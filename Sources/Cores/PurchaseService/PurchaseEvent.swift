/// A step of a purchase that is worth counting: see ``Purchases/onEvent``.
public enum PurchaseEvent<Purchasable: Hashable & Sendable>: Equatable, Sendable {
  /// The purchase is in the journal, and the person is asked for money.
  case started
  /// The person agreed, and there is a token to charge.
  case authorized
  /// The store has not decided yet.
  case pending(PendingReason)
  /// The purchase is over: bought, failed or cancelled.
  case ended(PurchaseOutcome<Purchasable>)
}
