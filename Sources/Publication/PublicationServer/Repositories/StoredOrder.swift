import Foundation
import PublicationAPI

/// Which orders, and from where on.
struct OrderQuery: Equatable, Sendable {
  /// Whose; `nil` for all readers'.
  var reader: Reader.ID?
  /// In one state; `nil` for any.
  var state: Order.State?
  /// Of one product; `nil` for any.
  var product: ProductRecord.ID?
  /// The last order of the page before.
  var after: Order.ID?
  /// `nil` for all.
  var limit: Int?
}

/// An order as the publication stores it. Times are whole seconds since 1970.
struct StoredOrder: Equatable, Sendable {
  var id: Order.ID
  var reader: Reader.ID
  var product: ProductRecord.ID
  var kind: ProductRecord.Kind
  var entitlement: String
  var group: String?
  var period: String?
  var consumable: String?
  var amount: Int?
  var total: Int
  var currency: String
  var tax: Tax?
  /// Whether its reader knows that they have what it gives, and adds to it.
  var extendsAccess = false
  /// The number for people; none before it was started.
  var code = ""
  var state = Order.State.open
  var created: Int64
  var declineReason: String?
  var paid: Int64?
  var expires: Int64?
  /// Why it is being given back, or was.
  var refundReason: String?

  /// Whether another order gives the same reader the same access, or would.
  func givesTheSame(as other: StoredOrder) -> Bool {
    other.id != id && other.reader == reader && other.entitlement == entitlement && other.kind != .consumable && kind != .consumable
  }
}

/// One attempt to charge an order. Its number changes only after a definite refusal, so that a repeated request to the gateway is for the
/// same charge.
struct ChargeAttempt: Equatable, Sendable {
  /// Each leaves a line in the books of publication and gateway.
  static let most = 100

  var order: Order.ID
  var number: Int
  var token: String
  /// Each attempt leaves a line in the books of publication and gateway, so their number is limited.
  var key: String { number == 1 ? order : "\(order)-\(number)" }
}

/// A page for the system browser, as the publication stores it.
struct StoredCheckout: Equatable, Sendable {
  /// What the reader does there.
  enum Purpose: String, Sendable {
    /// To pay.
    case payment
    /// To confirm a payment that the bank wants to have confirmed.
    case confirmation
  }

  /// Its state.
  enum State: String, Sendable {
    case open, authorized, expired
    /// The reader said no on the page.
    case cancelled
    /// The reader cancelled it in the client, which no longer waits for an answer.
    case withdrawn

    /// The state for clients, which need not know whether the reader declined on the page or in the client.
    var shown: Checkout.State {
      switch self {
      case .open: .open
      case .authorized: .authorized
      case .expired: .expired
      case .cancelled, .withdrawn: .cancelled
      }
    }
  }

  /// It cannot be guessed, and everybody who has it may answer.
  var key: String
  var order: Order.ID
  var purpose: Purpose
  var state = State.open
  var expires: Int64
  var token: String?
  var isUsed = false

  /// Its state at that time.
  func state(at time: Int64) -> State { state == .open && time >= expires ? .expired : state }
}

/// The outcome of spending a pass on a post.
enum UnlockOutcome: Equatable, Sendable {
  /// It is open to the reader, by this pass, an earlier one, or without any.
  case open
  case noBalance
  case noPost
}
