import PublicationCommerce
import PurchaseService

/// One press of "Pay": its facts, and the state that follows from them. Status text and buttons read ``standing``; nothing else stores
/// success.
struct PaymentAttempt: Equatable {
  /// What the facts come to.
  enum Standing: Equatable {
    /// Nothing was pressed, or what was has been cancelled.
    case untouched
    /// The reader is asked to agree, and can still leave.
    case asking
    /// The reader agreed; the provider's token is requested.
    case authorizing
    /// There is a token, and the store is asked.
    case charging
    /// Agreed to, and the store has not settled it.
    case waiting(PendingReason)
    /// Not bought.
    case failed(PurchaseError)
    /// Bought, and unlocked.
    case bought
  }

  // The three facts, the last with what the store made of it.
  private var authorizationStarted = false
  private var tokenError: String?
  private var hasToken = false
  private var answer: PurchaseOutcome<PurchasableProduct>?

  private var wasRetried = false
  private var isPressed: Bool
  private var progress: PurchaseProgress?
  /// A sentence while the reader is asked elsewhere; `nil` when they agree by the press itself.
  private let question: String?

  /// Nothing was pressed.
  init() { (question, isPressed) = (nil, false) }

  /// "Pay" was pressed.
  init(asking question: String?) { (self.question, isPressed) = (question, true) }

  // MARK: Facts

  mutating func reached(_ progress: PurchaseProgress) {
    self.progress = progress
    if progress == .retrying { wasRetried = true }
    switch progress {
    case .begun, .waitingForAuthorization: break
    case .authorizing: authorizationStarted = true
    case .charging, .retrying, .verifying, .unlocked: hasToken = true
    }
  }

  /// - Parameter reason: what the payment that is under way already waits for, when that is why this one was not begun.
  mutating func ended(_ outcome: PurchaseOutcome<PurchasableProduct>, waitingFor reason: PendingReason = .storeUnavailable) {
    switch outcome {
    case .cancelled: self = PaymentAttempt()
    case .failed(.authorization(let sentence)): (tokenError, answer) = (sentence, outcome)
    // Paid already, by an earlier press or an earlier run: only the confirmation is missing.
    case .failed(.inProgress): answer = .pending(reason)
    case .purchased, .failed, .pending: answer = outcome
    }
  }

  /// The reader left: before they agreed there is nothing to keep.
  mutating func left() { if outcome == .notAuthorized, !isPaidWithoutAccess { self = PaymentAttempt() } }

  // MARK: What they come to

  private var outcome: AuthorizationState { .from(started: authorizationStarted, tokenError: tokenError, hasToken: hasToken) }

  /// What the screen shows, from the state of the authorization and the store's answer. Nothing else joins the two.
  var standing: Standing {
    switch (outcome, answer) {
    case (_, .purchased): .bought
    case (_, .pending(let reason)): .waiting(reason)
    case (_, .failed(let failure)): .failed(failure)
    case (.failed(let sentence), _): .failed(.authorization(sentence))
    case (.authorized, _): .charging
    case (.authorizing, _): .authorizing
    case (.notAuthorized, _): isPressed ? .asking : .untouched
    }
  }

  /// Whether the purchase has not answered yet.
  var isRunning: Bool {
    switch standing {
    case .asking, .authorizing, .charging: true
    case .untouched, .waiting, .failed, .bought: false
    }
  }

  /// Whether the request to the store is being repeated: that may take any time, and the reader need not wait for it.
  var isRetrying: Bool { isRunning && wasRetried }

  /// Whether leaving now calls it off, or leaves nothing behind.
  var canCancel: Bool { !isRunning || standing == .asking }

  /// Whether "Pay" makes sense now.
  var canStart: Bool { standing == .untouched || hasFailed }

  /// Whether another try may succeed.
  var hasFailed: Bool {
    guard case .failed(let failure) = standing else { return false }
    switch failure {
    case .inProgress, .alreadyOwned, .unknownProduct: return false
    // Another try would be another charge, or end in the same way.
    case .refused(PurchaseError.receiptRejected, _), .refused(PurchaseError.ownedElsewhere, _): return false
    case .notSignedIn, .notAllowed, .storage, .authorization, .declined, .refused: return true
    }
  }

  /// Whether it was charged, and the publication refused the receipt.
  var isPaidWithoutAccess: Bool {
    if case .failed(.refused(PurchaseError.receiptRejected, _)) = standing { true } else { false }
  }

  /// What to say.
  var status: PaymentViewModel.State.Status? {
    switch standing {
    case .untouched: nil
    case .asking: .working(question ?? Self.paying)
    case .authorizing: .working(Self.paying)
    case .charging: .working(progress == .retrying ? "There is no answer about the payment yet. Asking again…" : Self.paying)
    case .waiting(.interrupted(let sentence, let page)): .confirm(sentence, page: page)
    case .waiting(let reason): .waiting(reason.sentence)
    case .failed(let failure): .problem(failure.sentence)
    case .bought: .done("Done.")
    }
  }

  /// One sentence for all short steps: a reader could not read more.
  private static let paying = "Paying…"
}
