import FeatureKit
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
      /// It cannot be shown.
      case unavailable(Problem)
    }

    /// Why a paywall cannot be shown.
    public enum Problem: Equatable, Sendable {
      /// The file that each step of a payment is written to cannot be read; with its path.
      case damaged(file: String)
      /// Payments are not allowed for this person on this device.
      case notAllowed
      /// Its texts or products could not be loaded: a code for the support, and a sentence with what to do.
      case notFetched(code: String, sentence: String)
      /// The publication sells nothing here.
      case noProducts
      /// The publication offers only products that its store does not know.
      case unknownProducts([Product.ID])

      /// Which of them it is, in a few words.
      public var heading: String {
        switch self {
        case .damaged: "Nothing can be bought now"
        case .notAllowed: "Payments are not allowed"
        case .notFetched: "The offers cannot be shown"
        case .noProducts: "Nothing for sale"
        case .unknownProducts: "These offers are unknown"
        }
      }

      /// Whether it may be another when the reader tries again.
      public var canRetry: Bool { if case .damaged = self { false } else { true } }

      /// What that means, and what to do.
      public var sentence: String {
        switch self {
        case .damaged(let file):
          "The file with your purchases is damaged: \(file.asPathInSentence). Move it elsewhere and restart Matinee. What you have bought comes "
            + "from the publication, and stays yours."
        case .notAllowed: "Payments are not allowed on this device. Whoever looks after it can change that."
        case .notFetched(let code, let sentence): "\(sentence) (\(code))"
        case .noProducts: "This publication offers nothing here right now."
        case .unknownProducts(let ids): "The store does not know what is offered here: \(ids.joined(separator: ", "))."
        }
      }
    }

    /// One thing to buy.
    public struct ProductRow: Equatable, Sendable, Identifiable {
      /// Identifies the product.
      public var id: Product.ID
      /// The name of the product.
      public var name: String
      /// The price with its period: "49,00 € a year".
      public var price: String
      /// What that comes to in a month, or how it is paid.
      public var pace: String
      /// The publication's own line about it; may be empty.
      public var note: String
      /// "Save 17 %"; `nil` when nothing is saved.
      public var saving: String?
      /// Whether it is the one to recommend; at most one is.
      public var isBest: Bool
      /// Whether it can be bought.
      public var canBuy: Bool

      public init(
        id: Product.ID, name: String, price: String, pace: String, note: String = "", saving: String? = nil, isBest: Bool = false,
        canBuy: Bool = true
      ) {
        self.id = id
        self.name = name
        self.price = price
        self.pace = pace
        self.note = note
        self.saving = saving
        self.isBest = isBest
        self.canBuy = canBuy
      }
    }

    /// How far the paywall is.
    public var phase = Phase.loading
    /// What is special about the store, such as that nothing is charged; `nil` for nothing.
    public var badge: String?
    /// The headline of the paywall.
    public var title = ""
    /// A sentence below the headline.
    public var text = ""
    /// The benefits, a line each.
    public var benefits: [String] = []
    /// What is offered, in the publication's order.
    public var products: [ProductRow] = []
    /// The product that the reader chose last; `nil` before they chose.
    public var selected: ProductRow.ID?
    /// What the reader should know before choosing, such as that it is theirs already.
    public var notice: String?
    /// Where the reader confirms a payment that waits for that: their bank's page; `nil` when nothing does, or there is no page.
    public var confirmPage: String?
    /// That prices may be out of date, and why; `nil` when they are not.
    public var warning: String?
    /// How many article passes the reader has: "You have 3 article passes."; `nil` without any, and where none are sold.
    public var balance: String?

    /// What the page shows in place of offers; `nil` while there are some.
    public var statusPage: StatusPage? {
      switch phase {
      case .ready: nil
      case .loading: .loading("Fetching the offers…")
      case .unavailable(let problem):
        .message(
          problem == .noProducts ? .empty : .failed, heading: problem.heading, sentence: problem.sentence,
          action: problem.canRetry ? .retry : nil)
      }
    }
    /// What stands on the button that leaves. Where there is nothing to buy, nothing is put off.
    public var closeTitle: String { phase == .ready && !products.contains(where: \.canBuy) ? "Close" : "Not now" }

    /// The state before anything is loaded.
    public init() {}
  }
}
