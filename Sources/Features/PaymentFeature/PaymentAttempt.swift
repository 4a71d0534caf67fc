import PublicationClient
import PurchaseService

/// One press of "Pay": the facts about it, and what they come to. Status text and buttons read ``outcome``; nothing else stores success.
struct PaymentAttempt: Equatable {
  /// Whether the purchase has not answered yet.
  private(set) var isRunning: Bool
  /// What the purchase answered.
  var result: PurchaseOutcome<PurchasableProduct>?
  private var stage: PurchaseStage?
  // The three facts.
  private var authorizationStarted = false
  private var tokenError: String?
  private var hasToken = false

  /// What to say while the reader has not agreed.
  private let question: String

  init(question: String = "", isRunning: Bool = false) {
    self.question = question
    self.isRunning = isRunning
  }

  /// Where the authorization stands.
  var outcome: PaymentOutcome { .from(started: authorizationStarted, tokenError: tokenError, hasToken: hasToken) }

  mutating func reached(_ stage: PurchaseStage) {
    self.stage = stage
    switch stage {
    case .begun, .waitingForAuthorization: break
    case .authorizing: authorizationStarted = true
    case .charging, .retrying, .verifying, .unlocked: hasToken = true
    }
  }

  /// - Parameter reason: what the payment that is under way already waits for, when that is why this one was not begun.
  mutating func ended(_ result: PurchaseOutcome<PurchasableProduct>, waitingFor reason: PendingReason = .storeUnavailable) {
    isRunning = false
    switch result {
    case .cancelled: self = PaymentAttempt()
    case .failed(.authorization(let sentence)):
      tokenError = sentence
      self.result = result
    // Paid already, by an earlier press or an earlier run: what is left is to wait for it.
    case .failed(.inProgress): self.result = .pending(reason)
    case .purchased, .failed, .pending: self.result = result
    }
  }

  /// Whether nothing was pressed, or what was has been cancelled.
  var isUntouched: Bool { !isRunning && result == nil }
  /// Whether "Pay" makes sense now.
  var canStart: Bool { isUntouched || hasFailed }

  /// Whether another try may succeed.
  var hasFailed: Bool {
    guard case .failed(let failure) = result else { return false }
    switch failure {
    case .inProgress, .alreadyOwned, .unknownProduct: return false
    // Another try would be another charge.
    case .refused(PurchaseFailure.receiptRejected, _): return false
    case .notSignedIn, .notAllowed, .storage, .authorization, .declined, .refused: return true
    }
  }

  /// What to say.
  var status: PaymentViewModel.State.Status? {
    switch (outcome, result) {
    case (.failed(let sentence), _): .problem(sentence)
    case (_, .purchased): .done("Unlocked. Thank you!")
    case (_, .pending(.interrupted(let sentence, let page))): .confirm(sentence, page: page)
    case (_, .pending(let reason)): .waiting(reason.sentence)
    case (_, .failed(let failure)): .problem(failure.sentence)
    case (_, .cancelled): nil
    case (.notAuthorized, nil): isRunning ? .working(question) : nil
    case (.authorizing, nil): .working("Authorizing the payment…")
    case (.authorized, nil): .working(stageText)
    }
  }

  private var stageText: String {
    switch stage {
    case .verifying: "Verifying the receipt…"
    case .unlocked: "Unlocked."
    case .retrying: "The publication does not answer. Asking again…"
    case .begun, .waitingForAuthorization, .authorizing, .charging, nil: "Charging…"
    }
  }
}
