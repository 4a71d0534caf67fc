import PublicationAPI
import PurchaseService

extension PaywallViewModel {
  /// Everything the paywall shows.
  public struct State: Equatable, Sendable {
    /// How far the paywall is.
    public enum Phase: Equatable, Sendable {
      /// Its words or products are being fetched.
      case loading
      /// There is something to choose from.
      case ready
      /// It cannot be shown; a sentence with what to do.
      case failed(String)
      /// The publication sells nothing here.
      case empty
    }

    /// One thing to buy.
    public struct Offer: Equatable, Sendable, Identifiable {
      /// The product.
      public var id: Product.ID
      /// The name.
      public var name: String
      /// The price with its period: "49,00 € a year".
      public var price: String
      /// What that comes to in a month, or how it is paid.
      public var detail: String
      /// The publication's own line about it; may be empty.
      public var note: String
      /// "Save 17 %"; `nil` when nothing is saved.
      public var saving: String?
      /// Whether it is the one to recommend; at most one is.
      public var isBest: Bool
      /// Whether it can be bought.
      public var canBuy: Bool
      /// Makes one.
      public init(
        id: Product.ID, name: String, price: String, detail: String, note: String = "", saving: String? = nil, isBest: Bool = false,
        canBuy: Bool = true
      ) {
        self.id = id
        self.name = name
        self.price = price
        self.detail = detail
        self.note = note
        self.saving = saving
        self.isBest = isBest
        self.canBuy = canBuy
      }
    }

    /// How far the paywall is.
    public var phase = Phase.loading
    /// The headline.
    public var title = ""
    /// A sentence below it.
    public var text = ""
    /// What one gets, a line each.
    public var benefits: [String] = []
    /// What is offered, in the publication's order.
    public var offers: [Offer] = []
    /// The offer that was chosen last.
    public var selected: Offer.ID?
    /// What the reader should know before choosing, such as that it is theirs already.
    public var notice: String?

    /// A paywall that knows nothing yet.
    public init() {}
  }
}
