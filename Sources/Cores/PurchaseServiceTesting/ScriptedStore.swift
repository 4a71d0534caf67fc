import Foundation
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
  public func authorize(_ order: OrderSummary, started: @escaping @Sendable () async -> Void) async throws -> PaymentAuthorization {
    received.withLock { $0.append(order) }
    return try await answer(order, started)
  }
}

/// A fetcher that gives scripted answers and records what it was asked. Safe from any thread.
public final class ScriptedProducts: ProductFetcher {
  /// Answers a request; `call` counts all of them from 1.
  public typealias Answer = @Sendable (_ request: ProductRequest, _ call: Int) async throws -> [Product]

  private let state: Mutex<(answer: Answer, requests: [ProductRequest])>

  /// Answers by a closure, until it is replaced by ``answer(_:)``.
  public init(_ answer: @escaping Answer) { state = Mutex((answer, [])) }
  /// Answers with the requested ones of these products.
  public convenience init(_ products: [Product]) { self.init { request, _ in products.filter { request.ids.contains($0.id) } } }

  /// What requests get from here on.
  public func answer(_ answer: @escaping Answer) { state.withLock { $0.answer = answer } }
  /// Every request, in order of arrival.
  public var requests: [ProductRequest] { state.withLock { $0.requests } }

  /// See `ProductFetcher`.
  public func products(_ request: ProductRequest) async throws -> [Product] {
    let (answer, call) = state.withLock { state in
      state.requests.append(request)
      return (state.answer, state.requests.count)
    }
    return try await answer(request, call)
  }
}

/// A gate that is closed until it is opened: holds an answer back until the test opens it. Safe from any thread.
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

  /// Returns once a task waits at the gate, or it is open.
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
