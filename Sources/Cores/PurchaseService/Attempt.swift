/// The part of a purchase in which a person is asked, and may still leave. It is decided once: by the authorizer's answer, or by the
/// person's leaving if that is earlier.
@MainActor final class Attempt {
  /// What is known of the authorization.
  struct Facts {
    var started = false
    var tokenError: String?
    var token: PaymentToken?
  }

  /// The user who was signed in at the first step.
  let user: String
  private(set) var isCancelled = false
  /// Whether the caller has left, before or after the person agreed.
  private(set) var isLeft = false
  private var facts = Facts()
  private var task: Task<Void, Never>?
  private var waiting: CheckedContinuation<Facts, Never>?
  private let onProgress: @MainActor (PurchaseProgress) -> Void

  init(user: String, onProgress: @escaping @MainActor (PurchaseProgress) -> Void) {
    self.user = user
    self.onProgress = onProgress
  }

  func report(_ progress: PurchaseProgress) { onProgress(progress) }

  /// The person leaves. Nothing happens once they have agreed.
  func cancel() {
    isLeft = true
    guard !facts.started, !isCancelled else { return }
    isCancelled = true
    task?.cancel()
    decide()
  }

  /// The person agreed.
  func started() {
    guard !isCancelled, !facts.started else { return }
    facts.started = true
    report(.authorizing)
  }

  /// Asks the person; returns what is known once that is decided.
  func authorize(_ order: OrderSummary, _ authorizer: any PaymentAuthorizer, _ environment: PurchaseEnvironment) async -> Facts {
    guard !isCancelled else { return facts }
    return await withCheckedContinuation { continuation in
      waiting = continuation
      task = Task {
        do {
          let answer = try await environment.effects.run("purchase.authorize") {
            try await authorizer.authorize(order) { await self.started() }
          }
          self.answered(answer)
        } catch is CancellationError {
          self.answered(.cancelled)
        } catch {
          self.failed(error)
        }
      }
    }
  }

  /// Returns when the authorizer has ended, whichever way the attempt was decided.
  func authorizerEnded() async { await task?.value }

  private func answered(_ authorization: PaymentAuthorization) {
    guard waiting != nil else { return }
    switch authorization {
    case .authorized(let token):
      started()
      facts.token = token
    case .cancelled: facts.started = false
    }
    decide()
  }

  private func failed(_ error: any Error) {
    guard waiting != nil else { return }
    facts.tokenError =
      (error as? PaymentAuthorizationError)?.sentence ?? "The payment provider cannot be reached, so nothing was charged. Try again."
    decide()
  }

  private func decide() {
    waiting?.resume(returning: facts)
    waiting = nil
  }
}
