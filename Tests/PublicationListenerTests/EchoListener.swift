import Foundation
import HTTPTransport
import Runtime
import Synchronization

@testable import PublicationListener

/// A listener whose handler says what it was asked, and can be held.
final class EchoListener: Sendable {
  private struct State {
    var requests: [Request] = []
    var isSuspended = false
    var suspended: [CheckedContinuation<Void, Never>] = []
    var proxies: [String] = []
    var waiting: [(count: Int, continuation: CheckedContinuation<Void, Never>)] = []
  }

  /// How much the answer to `/large` has: more than the system takes of what nobody reads.
  static let large = 32 << 20

  let clock = ManualClock()
  let listener: Listener
  private let state: Lock

  // Shared with the handler, which is there before this object is.
  private final class Lock: Sendable { let state = Mutex(State()) }

  init(address: String = "127.0.0.1", limits: Listener.Limits = Listener.Limits()) throws {
    let state = Lock()
    self.state = state
    // The library's own time-out goes by the machine's clock, and shall end nothing that a test waits for.
    var limits = limits
    limits.idle = .seconds(600)
    listener = try Listener(
      address: address, limits: limits, clock: clock, unknownMethod: { _ in Response(405, headers: ["Allow": "GET"]) },
      notify: { notice in state.state.withLock { if case .unnamedProxy(let proxy) = notice { $0.proxies.append(proxy) } } },
      handler: { request in
        let waiters = state.state.withLock { state in
          state.requests.append(request)
          let ready = state.waiting.filter { $0.count <= state.requests.count }
          state.waiting.removeAll { $0.count <= state.requests.count }
          return ready
        }
        for waiter in waiters { waiter.continuation.resume() }
        await withCheckedContinuation { continuation in
          let isSuspended = state.state.withLock { state in
            if state.isSuspended { state.suspended.append(continuation) }
            return state.isSuspended
          }
          if !isSuspended { continuation.resume() }
        }
        var body = Data("\(request.method.rawValue) \(request.target) \(request.body.count)".utf8)
        if request.target == "/large" { body += Data(count: Self.large) }
        return Response(200, headers: ["Content-Type": "text/plain"], body: body)
      })
  }

  var requests: [Request] { state.state.withLock { $0.requests } }

  /// The proxies that it was told of.
  var proxies: [String] { state.state.withLock { $0.proxies } }

  func hold() { state.state.withLock { $0.isSuspended = true } }

  func release() {
    let suspended = state.state.withLock { state in
      state.isSuspended = false
      defer { state.suspended = [] }
      return state.suspended
    }
    for continuation in suspended { continuation.resume() }
  }

  /// The sweep of the connections always sleeps; a stop that waits for answers is the second.
  func waitUntilStopping() async { await clock.waitForSleepers(2) }

  func waitForRequests(_ count: Int) async {
    await withCheckedContinuation { continuation in
      let isReady = state.state.withLock { state in
        if state.requests.count >= count { return true }
        state.waiting.append((count, continuation))
        return false
      }
      if isReady { continuation.resume() }
    }
  }
}
