import Foundation
import PublicationAPI
import PublicationClient
import PurchaseService
import Runtime
import Synchronization

/// Looks at the reader's orders every few minutes, and after each request for their purchases, and reports changes: a refund, an approval,
/// a purchase from elsewhere. It sends one small request each time for any number of listeners, and none while no reader is signed in.
///
/// Safe from any thread: one lock guards all of its state.
final class OrderWatch: Sendable {
  fileprivate struct State {
    var user: Reader.ID?
    /// Each order's state at the last look, or in the answer to its charge.
    var orders: [Order.ID: Order.State] = [:]
    var hasChecked = false
    var listeners: [Int: AsyncStream<QueueUpdate>.Continuation] = [:]
    var nextListener = 0
    /// Asks for a check; `nil` while there are no listeners.
    var checks: AsyncStream<Void>.Continuation?
  }

  private let account: @Sendable (_ user: Reader.ID) async -> APIClient?
  private let clock: any AppClock
  private let pace: Duration
  private let state = Mutex(State())

  init(account: @escaping @Sendable (_ user: Reader.ID) async -> APIClient?, clock: any AppClock, pace: Duration) {
    self.account = account
    self.clock = clock
    self.pace = pace
  }

  /// What changed, from the next look on. Ends with its reader.
  func updates() -> AsyncStream<QueueUpdate> {
    let (updates, listener) = AsyncStream.makeStream(of: QueueUpdate.self)
    let number = state.withLock { state in
      state.nextListener += 1
      state.listeners[state.nextListener] = listener
      if state.checks == nil { state.checks = start() }
      return state.nextListener
    }
    listener.onTermination = { _ in
      let idle = self.state.withLock { state -> AsyncStream<Void>.Continuation? in
        state.listeners[number] = nil
        guard state.listeners.isEmpty else { return nil }
        defer { state.checks = nil }
        return state.checks
      }
      idle?.finish()
    }
    return updates
  }

  /// Looks by the clock, and at each element of the stream, until that ends.
  private func start() -> AsyncStream<Void>.Continuation {
    let (checks, check) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    let timer = Task { [clock, pace] in while (try? await clock.sleep(for: pace)) != nil { check.yield() } }
    check.onTermination = { _ in timer.cancel() }
    Task {
      for await _ in checks {
        let (updates, listeners) = await news()
        for listener in listeners { for update in updates { listener.yield(update) } }
      }
    }
    return check
  }

  /// Looks at once: this reader requested their purchases.
  func checkNow(for user: Reader.ID) {
    let checks = state.withLock { state in
      state.begin(user)
      return state.checks
    }
    checks?.yield()
  }

  /// Records the outcome of a charge, so that a later look does not report it.
  func note(_ order: Order, of user: Reader.ID) {
    state.withLock { state in
      state.begin(user)
      state.orders[order.id] = order.state
    }
  }

  /// The changes, and the listeners to report them to.
  private func news() async -> ([QueueUpdate], [AsyncStream<QueueUpdate>.Continuation]) {
    guard let user = state.withLock({ $0.user }), let client = await account(user), let orders = try? await client.orders() else {
      return ([], [])
    }
    return state.withLock { state in
      guard state.user == user else { return ([], []) }
      let updates = orders.flatMap { order in
        UUID(uuidString: order.id).map { Self.news($0, order, before: state.orders[order.id], isFirstCheck: !state.hasChecked) } ?? []
      }
      for order in orders { state.orders[order.id] = order.state }
      state.hasChecked = true
      // Receipts are requested once, however many are new.
      return (updates.filter { $0 != .receipts } + (updates.contains(.receipts) ? [.receipts] : []), Array(state.listeners.values))
    }
  }

  /// The changes of an order. At the first check, only those that may have happened between two runs and are not seen otherwise.
  private static func news(_ id: UUID, _ order: Order, before: Order.State?, isFirstCheck: Bool) -> [QueueUpdate] {
    guard order.state != before else { return [] }
    switch (before, order.state) {
    case (_, .refunded):
      // What was bought behind it begins earlier now, and so ends earlier.
      return [.revoked(id, reason: order.refundReason ?? "The payment was given back.")] + (isFirstCheck ? [] : [.receipts])
    // A transaction that was submitted here continues; for one from elsewhere the app has to request the receipt.
    case (.deferred, .paid), (.interrupted, .paid): return [.transaction(id), .receipts]
    case (.deferred, _), (.interrupted, _): return [.transaction(id)]
    case (_, .paid) where !isFirstCheck: return [.receipts]
    default: return []
    }
  }
}

extension OrderWatch.State {
  /// Another reader's orders are no news.
  fileprivate mutating func begin(_ user: Reader.ID) {
    guard self.user != user else { return }
    self.user = user
    orders = [:]
    hasChecked = false
  }
}
