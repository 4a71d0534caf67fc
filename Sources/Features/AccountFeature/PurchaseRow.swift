import FeatureKit
import Foundation
import PublicationAPI
import PublicationCommerce
import PurchaseService

/// One purchase as the list shows it.
public struct PurchaseRow: Equatable, Sendable, Identifiable {
  /// Its state, in a few words, and how that is meant.
  public struct Status: Equatable, Sendable {
    /// Whether the words are good news, which decides their color.
    public enum Tone: Equatable, Sendable {
      /// The purchase is not complete yet.
      case waiting
      /// All is well: what was bought is in force, or was credited.
      case good
      /// The reader paid and has nothing for it.
      case bad
      /// It is over, or came to nothing.
      case past
    }

    /// How the row is coloured.
    public var tone: Tone
    /// Its state: "Waiting for the bank", "Paid".
    public var words: String
    /// A sentence more: why, until when; may be empty.
    public var detail: String

    public init(_ tone: Tone, _ words: String, detail: String = "") {
      self.tone = tone
      self.words = words
      self.detail = detail
    }
  }

  /// The order's identifier.
  public var id: UUID
  /// The name of what was bought, or its kind where the name is not known here.
  public var name: String
  /// What it cost; empty when that is not known here.
  public var price: String
  /// When, and the order's number.
  public var facts: String
  /// Where the purchase stands, in words.
  public var status: Status
  /// A page on which the reader has to do something first.
  public var page: String?
  /// Whether the reader can still say that they do not want to pay.
  public var canCancel = false
  /// Whether the store can be asked about it now.
  public var canCheck = false
  /// Whether the store is being asked.
  public var isChecking = false
  /// What the reader's last question to the store brought; `nil` while there is none, and once its state says so.
  public var answer: String?
}

/// What the words of a row are made of, beside the purchase itself.
struct PurchaseContext {
  /// The known products.
  var products: [Product.ID: Product] = [:]
  /// The publication's own records of purchases, those that it has sent.
  var orders: [UUID: Order] = [:]
  /// The purchases that give the reader something now: the newest of each product that is in force.
  var current: Set<UUID> = []
  /// Whether a product is in force.
  var owns: (Product.ID) -> Bool
  /// Until when a product that is in force gives access; `nil` for without an end.
  var expiry: (Product.ID) -> Date?
  var formatting: Formatting

  /// What was bought, or its kind where the publication has not told the name: an identifier says nothing to a reader.
  func name(_ id: Product.ID, isSubscription: Bool = false) -> String {
    products[id]?.name ?? (isSubscription ? "A subscription" : "A purchase")
  }

  func facts(_ id: UUID, _ date: Date) -> String {
    // Only the publication's own number: its staff do not know any other.
    [formatting.day(date), orders[id]?.number.map { "Order \($0)" }].compactMap(\.self).joined(separator: " · ")
  }
}

extension PurchaseRow {
  /// From a purchase of this computer.
  /// - Returns: `nil` for one that was never agreed to: there is nothing to show.
  init?(_ transaction: Transaction, _ context: PurchaseContext) {
    switch transaction.step {
    case .begun, .cancelled, .abandoned: return nil
    case .authorized, .submitted, .received, .verified, .finished, .failed: break
    }
    let order = context.orders[transaction.id]
    // The publication may know more than this computer.
    if let order, order.state == .refunded {
      self.init(order, context)
      return
    }
    let price = transaction.price ?? order.map { Price(minorUnits: $0.totalMinorUnits, currency: $0.currency) }
    self.init(
      id: transaction.id, name: context.name(transaction.productID, isSubscription: !transaction.isOneTime),
      price: price?.formatted(locale: context.formatting.locale) ?? "",
      facts: context.facts(transaction.id, transaction.begun), status: Status(transaction, context))
    if transaction.state == .interrupted { (page, canCancel) = (transaction.url, true) }
    // The publication may correct a refused receipt, and only a request brings the new one: its list of what is in force leaves out
    // consumables.
    canCheck = transaction.step.isUnderWay && transaction.state != .purchased || transaction.isPaidWithoutAccess
  }

  /// From the publication's record of a purchase that was made on another computer.
  /// - Returns: `nil` for one that was never agreed to.
  init?(_ order: Order, _ context: PurchaseContext) {
    guard order.state != .open, let id = UUID(uuidString: order.id) else { return nil }
    let price = Price(minorUnits: order.totalMinorUnits, currency: order.currency)
    self.init(
      id: id, name: context.name(order.productID), price: price.formatted(locale: context.formatting.locale),
      facts: context.facts(id, order.created), status: Status(order, id, context))
    if order.state == .interrupted { (page, canCancel) = (order.actionURL, true) }
  }
}

extension PurchaseRow.Status {
  fileprivate init(_ transaction: Transaction, _ context: PurchaseContext) {
    let sentence = transaction.sentence ?? ""
    switch transaction.state {
    case .purchasing where transaction.step == .received: self.init(.waiting, "Paid, and being unlocked")
    case .purchasing:
      self.init(.waiting, "Waiting to be confirmed", detail: "The store is asked again by itself. You are charged at most once.")
    case .deferred: self.init(.waiting, "Waiting for the bank", detail: sentence)
    case .interrupted: self.init(.waiting, "Your bank asks you to confirm", detail: sentence)
    case .failed where transaction.isPaidWithoutAccess:
      self.init(.bad, "Paid, and refused by the publication", detail: sentence)
    case .failed: self = .notBought(sentence)
    case .revoked: self.init(.past, "Refunded", detail: sentence)
    case .purchased:
      self = .paid(
        transaction.price?.minorUnits == 0 ? "Begun for free" : "Paid", id: transaction.id, product: transaction.productID,
        isSubscription: !transaction.isOneTime, in: context)
    case .restored:
      self = .paid(
        "Bought on another computer", id: transaction.id, product: transaction.productID, isSubscription: !transaction.isOneTime,
        in: context)
    }
  }

  fileprivate init(_ order: Order, _ id: UUID, _ context: PurchaseContext) {
    switch order.state {
    case .open: self.init(.waiting, "Waiting for you")
    case .deferred: self.init(.waiting, "Waiting for the bank")
    case .interrupted: self.init(.waiting, "Your bank asks you to confirm")
    case .paid: self = .paid("Bought on another computer", id: id, product: order.productID, in: context)
    case .declined: self = .notBought(order.declineReason ?? "")
    case .refunded: self.init(.past, "Refunded", detail: order.refundReason ?? "")
    }
  }

  /// Whether the bank said no or the reader: the sentence says it, and that nothing was charged.
  private static func notBought(_ sentence: String) -> Self {
    Self(.past, "Not bought", detail: sentence.isEmpty ? "Nothing was charged." : sentence)
  }

  /// - Parameter isSubscription: whether it is known to be one, also without its product.
  private static func paid(
    _ words: String, id: UUID, product: Product.ID, isSubscription: Bool = false, in context: PurchaseContext
  ) -> Self {
    if case .consumable(_, let amount) = context.products[product]?.kind {
      return Self(.good, words, detail: "\(context.formatting.count(amount, "article pass", "article passes")).")
    }
    guard context.current.contains(id) else {
      // Passes are never in force, and do not end: without the product it may be those.
      if context.products[product] == nil, !isSubscription, !context.owns(product) { return Self(.past, words) }
      // Whether this period goes on before the later one, only the publication knows.
      return Self(.past, words, detail: context.owns(product) ? "Bought again since then." : "It has ended.")
    }
    return Self(.good, words, detail: context.expiry(product).map { "Open until \(context.formatting.day($0))." } ?? "Yours for good.")
  }
}
