import Foundation
import PurchaseService
import Synchronization

/// An authorizer that answers as it is told and keeps what it was asked. Safe from any thread.
public final class ScriptedAuthorizer: PaymentAuthorizer {
  /// Answers; `started` is to be called where the person agrees.
  public typealias Answer = @Sendable (_ order: OrderSummary, _ started: @Sendable () async -> Void) async throws -> PaymentAuthorization

  private let answer: Answer
  private let asked = Mutex<[OrderSummary]>([])

  /// - Parameter answer: what asking gets; agrees with the token `token` unless given.
  public init(
    _ answer: @escaping Answer = { _, started in
      await started()
      return .authorized(PaymentToken("token"))
    }
  ) { self.answer = answer }

  /// What was asked for.
  public var orders: [OrderSummary] { asked.withLock { $0 } }

  /// See `PaymentAuthorizer`.
  public func authorize(_ order: OrderSummary, started: @escaping @Sendable () async -> Void) async throws -> PaymentAuthorization {
    asked.withLock { $0.append(order) }
    return try await answer(order, started)
  }
}

/// A fetcher that answers as it is told.
public struct ScriptedProducts: ProductFetcher {
  private let answer: @Sendable ([Product.ID]) async throws -> [Product]
  /// Answers by a closure.
  public init(_ answer: @escaping @Sendable ([Product.ID]) async throws -> [Product]) { self.answer = answer }
  /// Answers with those of these products that are asked for.
  public init(_ products: [Product]) { answer = { ids in products.filter { ids.contains($0.id) } } }
  /// See `ProductFetcher`.
  public func products(_ ids: [Product.ID]) async throws -> [Product] { try await answer(ids) }
}

/// A door that is shut until it is opened: holds an answer back until the test says so. Safe from any thread.
public final class Gate: Sendable {
  private struct State {
    var isOpen = false
    var waiting: [UInt64: CheckedContinuation<Void, Never>] = [:]
    var watching: [CheckedContinuation<Void, Never>] = []
    var cancelled: Set<UInt64> = []
    var nextID: UInt64 = 0
  }
  private let state = Mutex(State())

  /// Shut.
  public init() {}

  /// Waits until the gate is open, or the task is cancelled.
  public func wait() async {
    let id = state.withLock { state in
      state.nextID += 1
      return state.nextID
    }
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let (passes, watching): (Bool, [CheckedContinuation<Void, Never>]) = state.withLock { state in
          let watching = state.watching
          state.watching = []
          if state.isOpen || state.cancelled.contains(id) { return (true, watching) }
          state.waiting[id] = continuation
          return (false, watching)
        }
        if passes { continuation.resume() }
        for watcher in watching { watcher.resume() }
      }
    } onCancel: {
      let continuation = state.withLock { state in
        state.cancelled.insert(id)
        return state.waiting.removeValue(forKey: id)
      }
      continuation?.resume()
    }
  }

  /// Lets everyone through, now and later.
  public func open() {
    let waiting = state.withLock { state in
      state.isOpen = true
      defer {
        state.waiting = [:]
        state.watching = []
      }
      return state.waiting.values + state.watching
    }
    for continuation in waiting { continuation.resume() }
  }

  /// Returns once somebody waits at the gate, or it is open.
  public func reached() async {
    await withCheckedContinuation { continuation in
      let isReached = state.withLock { state in
        if !state.waiting.isEmpty || state.isOpen { return true }
        state.watching.append(continuation)
        return false
      }
      if isReached { continuation.resume() }
    }
  }
}
