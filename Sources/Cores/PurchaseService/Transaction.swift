import Foundation

/// One purchase, as the journal has it. Its identifier is the order's and the idempotency key of the charge.
public struct Transaction: Equatable, Sendable, Identifiable {
  /// The last step in the journal. A step is written before it is taken.
  public enum Step: String, Sendable, CaseIterable {
    /// Nothing was agreed to.
    case begun
    /// The person agreed, and there is a token; nothing was sent to the store.
    case authorized
    /// The store may have charged.
    case submitted
    /// The store charged and gave a receipt.
    case received
    /// The receipt is verified and stored; the transaction is not finished in the store yet.
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
    public var isFinished: Bool {
      switch self {
      case .begun, .authorized, .submitted, .received, .verified: false
      case .finished, .failed, .cancelled, .abandoned: true
      }
    }

    /// Whether something was agreed to, and something is left to do.
    public var isUnderWay: Bool { !isFinished && self != .begun }

    /// Whether money may move or have moved, and the end is not known.
    public var isPaying: Bool {
      switch self {
      case .authorized, .submitted, .received: true
      case .begun, .verified, .finished, .failed, .cancelled, .abandoned: false
      }
    }
  }

  /// Where a purchase stands, for the person it belongs to.
  public enum State: Hashable, Sendable {
    /// Being authorized, charged or verified.
    case purchasing
    /// Agreed to by the person, and a bank or another person has yet to approve: ``Transaction/sentence`` says who.
    case deferred
    /// It was charged, and its receipt is verified.
    case purchased
    /// Not bought, and nothing was charged: ``Transaction/failure``.
    case failed
    /// Bought elsewhere or earlier: known from its receipt alone.
    case restored
    /// The person has to act first: ``Transaction/sentence`` says what, ``Transaction/url`` where.
    case interrupted
    /// Taken back by the store: ``Transaction/sentence`` says why.
    case revoked
  }

  /// What the store itself waits for, between ``Step/submitted`` and the end.
  public enum Wait: String, Sendable {
    /// The approval of a bank or another person.
    case deferred
    /// Something that the person has to do.
    case interrupted
  }

  /// Identifies the transaction, and is its idempotency key.
  public let id: UUID
  /// The seller it belongs to: no other store ever gets it.
  public let seller: String
  /// Who buys: captured at the first step, and never changed.
  public let user: String
  /// The product that is bought.
  public let productID: Product.ID
  /// Whether it is paid once, which decides when it may be finished.
  public let isOneTime: Bool
  /// The total that the person was shown; `nil` for a purchase from elsewhere.
  public let price: Price?
  /// The name of the path that began it, which finishes it too.
  public let purchasePath: String
  /// When it began, by the wall clock.
  public let begun: Date
  /// What was written down last.
  public internal(set) var step: Step
  /// The token, from ``Step/authorized`` until the receipt is verified.
  public internal(set) var token: PaymentToken?
  /// The receipt, from ``Step/received`` until it is verified and stored by itself.
  public internal(set) var receipt: String?
  /// Why it failed: ``PurchaseError/code``.
  public internal(set) var failure: String?
  /// What the store waits for; `nil` while it waits for nothing.
  public internal(set) var wait: Wait?
  /// For the person: what is waited for, why it failed, or why it was taken back.
  public internal(set) var sentence: String?
  /// The page on which the person does what the store waits for; `nil` without one.
  public internal(set) var url: String?
  /// Whether the store took it back after it was bought.
  public internal(set) var isRevoked = false
  /// Whether it is known from its receipt alone; such a transaction is never in the journal.
  public let isRestored: Bool

  /// A purchase that begins now: in its first step, or authorized already if there is a `token`.
  public init(
    id: UUID, seller: String, user: String, productID: Product.ID, isOneTime: Bool, price: Price, purchasePath: String, begun: Date,
    token: PaymentToken? = nil
  ) {
    self.id = id
    self.seller = seller
    self.user = user
    self.productID = productID
    self.isOneTime = isOneTime
    self.price = price
    self.purchasePath = purchasePath
    self.begun = begun
    self.token = token
    isRestored = false
    step = token == nil ? .begun : .authorized
  }

  /// One that is known from its receipt alone.
  init<Purchasable>(seller: String, purchasePath: String, restored contents: ReceiptContents<Purchasable>) {
    id = contents.transaction
    self.seller = seller
    user = contents.user
    productID = contents.productID
    isOneTime = contents.expires == nil
    price = nil
    self.purchasePath = purchasePath
    begun = contents.issued
    isRestored = true
    step = .finished
  }

  /// Its state, from its step and its other fields.
  public var state: State {
    if isRevoked { return .revoked }
    switch step {
    case .begun, .authorized, .submitted, .received:
      switch wait {
      case .deferred: return .deferred
      case .interrupted: return .interrupted
      case nil: return .purchasing
      }
    case .verified, .finished: return isRestored ? .restored : .purchased
    case .failed, .cancelled, .abandoned: return .failed
    }
  }

  /// Sets what the store waits for; `nil` for nothing any more.
  mutating func wait(for reason: PendingReason?) {
    switch reason {
    case .deferred(let sentence): (wait, self.sentence, url) = (.deferred, sentence, nil)
    case .interrupted(let sentence, let url): (wait, self.sentence, self.url) = (.interrupted, sentence, url)
    case .storeUnavailable, .sessionEnded, .otherUser, .clockIsBehind, nil: (wait, sentence, url) = (nil, nil, nil)
    }
  }

  /// Whether it failed because its receipt was refused, so that money may have moved for nothing.
  var isRejected: Bool { step == .failed && !isRevoked && failure == PurchaseError.receiptRejected }

  /// What the store waits for, as a reason; `nil` while it waits for nothing.
  public var pendingReason: PendingReason? {
    switch state {
    case .deferred: .deferred(sentence ?? "")
    case .interrupted: .interrupted(sentence ?? "", url: url)
    case .purchasing, .purchased, .failed, .restored, .revoked: nil
    }
  }
}
