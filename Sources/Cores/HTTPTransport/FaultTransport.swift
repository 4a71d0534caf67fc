import Foundation
import Runtime
import Synchronization

/// Wraps another transport and makes requests fail, by rule and by seed: for tests, and for people who want to see the app with a bad
/// network. Safe from any thread.
public final class FaultTransport: Transport {
  private struct State {
    var plan: FaultPlan
    /// How many requests each rule matched.
    var matches: [Int]
  }

  private struct Verdict {
    var delay: Duration = .zero
    var fault: FaultPlan.Fault?
    /// Chance, for what the fault itself leaves open.
    var chance: UInt64 = 0
  }

  private let wrapped: any Transport
  private let clock: any AppClock
  private let state: Mutex<State>

  /// - Parameters:
  ///   - wrapped: what answers when nothing goes wrong.
  ///   - plan: what goes wrong.
  ///   - clock: what delays wait on.
  public init(_ wrapped: any Transport, plan: FaultPlan, clock: any AppClock) {
    self.wrapped = wrapped
    self.clock = clock
    state = Mutex(State(plan: plan, matches: Array(repeating: 0, count: plan.rules.count)))
  }

  /// The plan; setting it starts all counts again.
  public var plan: FaultPlan {
    get { state.withLock { $0.plan } }
    set { state.withLock { $0 = State(plan: newValue, matches: Array(repeating: 0, count: newValue.rules.count)) } }
  }

  /// Sends a request, or does to it what the plan says.
  /// - Throws: ``TransportError``; `CancellationError`, also out of a delay.
  public func send(_ request: Request) async throws -> Response {
    let verdict = judge(request)
    if verdict.delay > .zero { try await clock.sleep(for: verdict.delay) }
    switch verdict.fault {
    case .refuse: throw TransportError.unreachable("refused by the fault plan")
    case .status(let status, let body): return Response(status, body: Data(body.utf8))
    case .drop:
      _ = try await wrapped.send(request)
      throw TransportError.cutShort("dropped by the fault plan")
    case .truncate(let bytes):
      var response = try await wrapped.send(request)
      response.body = response.body.prefix(bytes)
      return response
    case .corrupt:
      var response = try await wrapped.send(request)
      var chance = SplitMix(state: verdict.chance)
      for index in response.body.indices where index == response.body.startIndex || chance.next() % 16 == 0 {
        response.body[index] ^= UInt8(truncatingIfNeeded: chance.next()) | 1
      }
      return response
    case .delay, nil: return try await wrapped.send(request)
    }
  }

  private func judge(_ request: Request) -> Verdict {
    state.withLock { state in
      var verdict = Verdict()
      for (index, rule) in state.plan.rules.enumerated() {
        guard rule.method == nil || rule.method == request.method, request.target.hasPrefix(rule.path) else { continue }
        // Every rule counts its matches, also after another rule has hit, so that chance does not depend on other rules.
        let match = state.matches[index]
        state.matches[index] += 1
        guard match >= rule.skip, rule.count.map({ match < rule.skip + $0 }) ?? true else { continue }
        var chance = SplitMix(state: state.plan.seed &+ UInt64(index) << 32 &+ UInt64(match))
        guard chance.fraction() < rule.probability else { continue }
        if case .delay(let duration) = rule.fault {
          verdict.delay += duration
        } else if verdict.fault == nil {
          verdict.fault = rule.fault
          verdict.chance = chance.next()
        }
      }
      return verdict
    }
  }
}
