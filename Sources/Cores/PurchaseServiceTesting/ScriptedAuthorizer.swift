import PurchaseService
import Synchronization

/// An authorizer that gives scripted answers and records what it was asked. Safe from any thread.
public final class ScriptedAuthorizer: PaymentAuthorizer {
  /// Answers; `started` is to be called where the person agrees.
  public typealias Answer = @Sendable (_ order: OrderSummary, _ started: @Sendable () async -> Void) async throws -> PaymentAuthorization

  private let answer: Answer
  private let received = Mutex<[OrderSummary]>([])

  /// - Parameter answer: the authorizer's answer; by default it agrees with the token `token`.
  public init(
    _ answer: @escaping Answer = { _, started in
      await started()
      return .authorized(PaymentToken("token"))
    }
  ) { self.answer = answer }

  /// The orders that it was called with.
  public var orders: [OrderSummary] { received.withLock { $0 } }

  /// See `PaymentAuthorizer`.
  /// - Throws: what the script throws.
  public func authorize(_ order: OrderSummary, started: @escaping @Sendable () async -> Void) async throws -> PaymentAuthorization {
    received.withLock { $0.append(order) }
    return try await answer(order, started)
  }
}
