import FeatureKit
import PurchaseService

extension PaymentViewModel {
  /// Everything the payment sheet shows.
  public struct State: Equatable, Sendable {
    /// How far the sheet is.
    public enum Phase: Equatable, Sendable {
      /// What is to be paid for is being fetched.
      case loading
      /// There is something to pay.
      case ready
      /// It cannot be shown; a sentence with what to do.
      case failed(String)
      /// The reader has it; a sentence that says so.
      case alreadyYours(String)
    }

    /// One line of what is paid for.
    public struct Line: Equatable, Sendable {
      /// The name of the product.
      public var name: String
      /// One line about it; may be empty.
      public var detail: String
      /// What it costs, with tax.
      public var price: String

      public init(name: String, detail: String, price: String) {
        self.name = name
        self.detail = detail
        self.price = price
      }
    }

    /// A way to pay.
    public struct Method: Equatable, Sendable, Identifiable {
      /// Identifies the method, as ``PaymentViewModel/methodChosen(_:)`` takes it.
      public var id: String
      /// The name of the method, as the list shows it.
      public var name: String
      /// One line about it; may be empty.
      public var detail: String

      public init(id: String, name: String, detail: String = "") {
        self.id = id
        self.name = name
        self.detail = detail
      }
    }

    /// The progress, or the result.
    public enum Status: Equatable, Sendable {
      /// Something is going on; shown with a spinner.
      case working(String)
      /// It did not work; why, and what to do.
      case problem(String)
      /// It is on its way without the reader; nothing to do.
      case waiting(String)
      /// The reader has to act first, on that page if there is one: their bank asks them to confirm.
      case confirm(String, page: String?)
      /// The reader has opened that page, and the bank's answer is awaited; shown with a spinner.
      case confirming(String, page: String?)
      /// The product is bought; the sentence says so.
      case done(String)

      /// The page of the reader's bank; `nil` without one.
      var page: String? {
        switch self {
        case .confirm(_, let page), .confirming(_, let page): page
        case .working, .problem, .waiting, .done: nil
        }
      }

      /// Whether it did not work.
      public var isProblem: Bool { if case .problem = self { true } else { false } }

      /// The sentence that is shown, whatever the case.
      public var text: String {
        switch self {
        case .working(let text), .problem(let text), .waiting(let text), .confirm(let text, _), .confirming(let text, _),
          .done(let text):
          text
        }
      }
    }

    /// How far the sheet is.
    public var phase = Phase.loading
    /// What is special about the store, such as that nothing is charged; `nil` for nothing.
    public var badge: String?
    /// What is paid for.
    public var lines: [Line] = []
    /// What is paid now, with tax.
    public var total = ""
    /// How much of ``total`` is tax; `nil` when the publication does not say.
    public var tax: String?
    /// The terms, a sentence each: when it renews, when a trial ends and what it costs then, how to cancel.
    public var terms: [String] = []
    /// The ways to pay.
    public var methods: [Method] = []
    /// The way that is chosen.
    public var selectedMethod: Method.ID?
    /// What is going on; `nil` for nothing to say.
    public var status: Status?
    /// What stands on the button: "Pay 4,90 €", "Try again · 4,90 €".
    public var payTitle = "Pay"
    /// Whether the button can be pressed.
    public var canPay = false
    /// Whether a press does nothing for a moment, since the button has just come to mean something else.
    public var isResting = false
    /// Whether leaving now cancels the payment, or has no effect. Otherwise the agreed payment continues when the reader leaves.
    public var canCancel = true
    /// Whether the store did not answer, and the request is repeated.
    public var isRetrying = false
    /// Whether the page that the reader pays on can be opened once more.
    public var canOpenAgain = false

    /// The state before anything is loaded.
    public init() {}

    /// What the sheet shows in place of a bill; `nil` where there is something to pay.
    public var statusPage: StatusPage? {
      switch phase {
      case .ready: nil
      case .loading: .loading("Fetching the price…")
      case .failed(let sentence): .failed(sentence, heading: "This cannot be sold now")
      case .alreadyYours(let sentence): .message(.done, heading: "Already yours", sentence: sentence)
      }
    }

    /// What stands before ``total``. A seller that names no tax may still charge one.
    public var totalTitle: String { tax == nil ? "Total" : "Total, including tax" }
    /// What the button does, without the price: "Pay" or "Try again".
    public var payAction: String { ["Pay", "Try again"].first { payTitle.hasPrefix($0) } ?? payTitle }
    /// Whether nothing is left to pay: a button that cannot be pressed would only say otherwise.
    public var isFinished: Bool {
      switch status {
      case .waiting, .confirm, .confirming, .done: true
      case .problem: !canPay
      case .working, nil: false
      }
    }
    /// Whether there is a button to pay with.
    public var offersPay: Bool { phase == .ready && !isFinished }
    /// What stands on the button that closes the sheet.
    public var cancelTitle: String { isFinished || !canCancel ? "Close" : "Cancel" }
    /// Whether an answer of the publication is awaited, and nothing says yet that it takes long.
    public var isAwaitingAnswer: Bool { if case .working = status { !canOpenAgain && !isRetrying } else { false } }
    /// Whether the payment waits for the reader, who may not want it any more.
    public var offersCancelling: Bool {
      switch status {
      case .confirm, .confirming: true
      case .working, .problem, .waiting, .done, nil: false
      }
    }
    /// Whether there is a page of the bank to open.
    public var offersConfirmation: Bool {
      switch status {
      case .confirming: true
      case .confirm(_, let page): page != nil
      case .working, .problem, .waiting, .done, nil: false
      }
    }
  }
}
