import Foundation

/// One purchase, as the journal has it. Its identifier is the order's and the idempotency key of the charge.
public struct Transaction: Equatable, Sendable, Identifiable {
  /// What was written down last: each before it was done.
  public enum Step: String, Sendable, CaseIterable {
    /// Nothing was agreed to.
    case begun
    /// The person agreed, and there is a token; nothing was sent to the store.
    case authorized
    /// The store may have charged.
    case submitted
    /// The store charged and gave a receipt.
    case received
    /// The receipt is verified and stored; the store is yet to be told.
    case verified
    /// Over: bought.
    case finished
    /// Over: not bought, for ``Transaction/failure``.
    case failed
    /// Over: cancelled before anything was agreed to.
    case cancelled
    /// Over: the program ended before anything was agreed to.
    case abandoned

    /// Whether nothing is left to do.
    public var isOver: Bool {
      switch self {
      case .begun, .authorized, .submitted, .received, .verified: false
      case .finished, .failed, .cancelled, .abandoned: true
      }
    }

    /// Whether money may move or have moved, and the end is not known.
    public var isPaying: Bool { !isOver && self != .begun }
  }

  /// The identifier.
  public let id: UUID
  /// The store it belongs to: no other is ever asked about it.
  public let seller: String
  /// Who buys: captured at the first step, and never changed.
  public let user: String
  /// What is bought.
  public let productID: Product.ID
  /// Whether it is paid once, which decides when it may be finished.
  public let isOneTime: Bool
  /// What the person was shown as the total.
  public let price: Price
  /// The name of the path that began it, which finishes it too.
  public let path: String
  /// When it began, by the wall clock.
  public let begun: Date
  /// What was written down last.
  public internal(set) var step: Step
  /// The token, from ``Step/authorized`` until the receipt is verified.
  public internal(set) var token: PaymentToken?
  /// The receipt, from ``Step/received`` until it is verified and stored by itself.
  public internal(set) var receipt: String?
  /// Why it failed: ``PurchaseFailure/code``.
  public internal(set) var failure: String?

  /// Makes one that has just begun, or with a token one that was just authorized.
  public init(
    id: UUID, seller: String, user: String, productID: Product.ID, isOneTime: Bool, price: Price, path: String, begun: Date,
    token: PaymentToken? = nil
  ) {
    self.id = id
    self.seller = seller
    self.user = user
    self.productID = productID
    self.isOneTime = isOneTime
    self.price = price
    self.path = path
    self.begun = begun
    self.token = token
    step = token == nil ? .begun : .authorized
  }
}
