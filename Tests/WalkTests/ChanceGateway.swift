import PublicationServer
import Runtime
import Synchronization

/// Decides by the token, once for each key, and sometimes does not answer: before it has charged, or after.
final class ChanceGateway: PaymentGateway {
  private struct State {
    var random: SplitMix
    var decided: [String: Result<String, GatewayError>] = [:]
    var refunded: Set<String> = []
    var isReliable = false

    mutating func fails() -> Bool { !isReliable && random.fraction() < 0.05 }
  }

  private let state: Mutex<State>

  init(seed: UInt64) { state = Mutex(State(random: SplitMix(state: seed))) }

  /// From here on each request is answered.
  func becomeReliable() { state.withLock { $0.isReliable = true } }

  func charge(token: String, amount: Int, currency: String, key: String) async throws(GatewayError) -> String {
    try state.withLock { state in
      if state.fails() { return Result<String, GatewayError>.failure(.unavailable("by chance")) }
      if let known = state.decided[key] { return known }
      switch token {
      case "tok_approved": state.decided[key] = .success("ch_\(key)")
      case "tok_deferred": return .failure(.deferred)
      case "tok_interrupted": return .failure(.needsAction)
      default: state.decided[key] = .failure(.declined("Your bank declined the payment."))
      }
      return state.fails() ? .failure(.unavailable("after it was decided")) : state.decided[key] ?? .failure(.deferred)
    }.get()
  }

  func settle(key: String, approved: Bool) async throws(GatewayError) -> String {
    try await charge(token: approved ? "tok_approved" : "tok_declined", amount: 0, currency: "", key: key)
  }

  func refund(key: String) async throws(GatewayError) {
    let answer: Result<Void, GatewayError> = state.withLock { state in
      if state.fails() { return .failure(.unavailable("by chance")) }
      guard case .success = state.decided[key] else { return .failure(.declined("That was not charged.")) }
      state.refunded.insert(key)
      return .success(())
    }
    try answer.get()
  }

  func authorize(amount: Int, currency: String, key: String) async throws(GatewayError) -> String {
    let fails = state.withLock { $0.fails() }
    if fails { throw .unavailable("by chance") }
    return "tok_approved"
  }
}
