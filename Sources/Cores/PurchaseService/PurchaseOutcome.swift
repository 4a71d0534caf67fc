/// How a purchase ended, as the caller of ``PurchaseLayer/purchase(_:authorizer:onProgress:)`` sees it.
public enum PurchaseOutcome<Purchasable: Hashable & Sendable>: Equatable, Sendable {
  /// The purchase was charged, its receipt verified, and the purchasable unlocked.
  case purchased(Purchasable)
  /// The person cancelled before agreeing to pay; nothing was charged, and no message is needed.
  case cancelled
  /// Not bought; nothing was charged.
  case failed(PurchaseError)
  /// The person agreed to pay, and the store has not confirmed it yet. It continues by itself, also after the next start, and the
  /// entitlement arrives in the stream. It must not be offered for sale again meanwhile.
  case pending(PendingReason)
}

/// Why a purchase did not take place. Nothing was charged in any of these cases, save where the store's sentence says otherwise.
public enum PurchaseError: Error, Equatable, Sendable {
  /// No user is signed in.
  case notSignedIn
  /// Payments are not allowed for this person on this device.
  case notAllowed
  /// The same purchase is under way already, or was paid and is being confirmed.
  case inProgress
  /// It is owned already.
  case alreadyOwned
  /// The journal could not be written, so the purchase was not begun; with the error's description.
  case storage(String)
  /// The payment provider gave no token; the sentence says why.
  case authorization(String)
  /// The payment provider declined the charge; the sentence says why.
  case declined(String)
  /// The store does not sell this product.
  case unknownProduct(String)
  /// The store said no.
  case refused(code: String, sentence: String)

  /// The code of a purchase that was charged, and whose receipt the store refused: the only failure after which money may have moved.
  public static let receiptRejected = "receipt_rejected"
  /// The code of a store that refuses to sell what the user has already, such as from another device: another try ends in the same way. The
  /// entitlements are then requested again.
  public static let ownedElsewhere = "already_owned"

  /// From the journal's entry of a purchase that failed after the person agreed: its code, and the sentence for the person.
  public init(code: String, sentence: String) {
    self =
      switch code {
      case PurchaseError.authorization("").code: .authorization(sentence)
      case PurchaseError.declined("").code: .declined(sentence)
      case PurchaseError.unknownProduct("").code: .unknownProduct(sentence)
      default: .refused(code: code, sentence: sentence)
      }
  }

  /// A stable word for journals, logs and counts.
  public var code: String {
    switch self {
    case .notSignedIn: "not_signed_in"
    case .notAllowed: "not_allowed"
    case .inProgress: "in_progress"
    case .alreadyOwned: "already_owned"
    case .storage: "storage"
    case .authorization: "authorization"
    case .declined: "declined"
    case .unknownProduct: "unknown_product"
    case .refused(let code, _): code
    }
  }

  /// One sentence for the person, with what to do.
  public var sentence: String {
    switch self {
    case .notSignedIn: "Sign in to buy."
    case .notAllowed: "Payments are not allowed on this device."
    case .inProgress: "This purchase is under way already."
    case .alreadyOwned: "This is yours already."
    case .storage: "The purchase could not be recorded, so it was not begun and nothing was charged. Is the disk full?"
    case .authorization(let sentence), .declined(let sentence), .unknownProduct(let sentence), .refused(_, let sentence): sentence
    }
  }
}

/// What a purchase that was agreed to waits for.
public enum PendingReason: Equatable, Sendable {
  /// The store is unreachable, or did not give a usable answer.
  case storeUnavailable
  /// The session has ended; it continues when the same user signs in.
  case sessionEnded
  /// Another user is signed in now; it continues when the one who paid is.
  case otherUser
  /// This machine's clock is behind, so that the receipt seems to come from the future; it continues once the clock is right.
  case clockIsBehind
  /// A bank or another person has yet to approve: the sentence says who.
  case deferred(String)
  /// The person has to do something first: what, and where, if there is a page for it.
  case interrupted(String, url: String? = nil)

  /// One sentence for the person, with what to do.
  public var sentence: String {
    switch self {
    case .storeUnavailable:
      "The store has not confirmed the payment yet. It is asked again by itself; you are charged at most once, and can close this."
    case .sessionEnded: "Your session has ended before the store confirmed the payment. Sign in again, and it goes on by itself."
    case .otherUser: "Somebody else is signed in now. The purchase goes on when the one who paid signs in again."
    case .clockIsBehind: "The clock of this computer is behind the store's. Set it right, and what you paid for is unlocked by itself."
    case .deferred(let sentence), .interrupted(let sentence, _): sentence
    }
  }
}

/// The progress of a purchase, in this order; ``retrying`` may occur in between.
public enum PurchaseProgress: Equatable, Sendable {
  /// The purchase stands in the journal; neither the authorizer nor the store was asked yet.
  case begun
  /// The authorizer asks the person.
  case waitingForAuthorization
  /// The person agreed; the payment provider's token is requested.
  case authorizing
  /// The token is in the journal, and the store is asked to charge.
  case charging
  /// The store did not answer; the request is repeated after a wait.
  case retrying
  /// There is a receipt, which is being verified.
  case verifying
  /// The entitlement is in force.
  case unlocked
}
