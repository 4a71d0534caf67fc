import PublicationServer
import Synchronization

/// Charges by token, once for each key, and remembers every call. A test may hold calls back, or lose their answers.
actor CountingGateway: PaymentGateway {
  struct Call: Equatable, Sendable {
    var key: String
    var token: String
  }

  /// What becomes of an answer.
  enum Line { case up, suspended, lost }

  private(set) var calls: [Call] = []
  private var answers: [String: Result<String, GatewayError>] = [:]
  /// Keys that were given back, as often as that was asked.
  private(set) var refunds: [String] = []
  private var line = Line.up
  private var suspended: [CheckedContinuation<Void, Never>] = []
  private var waiting: [(count: Int, continuation: CheckedContinuation<Void, Never>)] = []

  func set(_ line: Line) {
    self.line = line
    guard line == .up else { return }
    for continuation in suspended { continuation.resume() }
    suspended = []
  }

  /// Waits until it was asked to charge or to refund that many times.
  func waitForCalls(_ count: Int) async {
    guard calls.count + refunds.count < count else { return }
    await withCheckedContinuation { waiting.append((count, $0)) }
  }

  /// How many charges there are, whatever was asked how often.
  var charges: Int { answers.values.count { (try? $0.get()) != nil } }

  func charge(token: String, amount: Int, currency: String, key: String) async throws(GatewayError) -> String {
    calls.append(Call(key: key, token: token))
    let answer = answers[key] ?? decide(token)
    answers[key] = answer
    try await arrive()
    return try answer.get()
  }

  private func arrive() async throws(GatewayError) {
    let count = calls.count + refunds.count
    for waiter in waiting where waiter.count <= count { waiter.continuation.resume() }
    waiting.removeAll { $0.count <= count }
    switch line {
    case .up: break
    case .suspended: await withCheckedContinuation { suspended.append($0) }
    case .lost: throw .unavailable("the answer was lost")
    }
  }

  private func decide(_ token: String) -> Result<String, GatewayError> {
    switch token {
    case "tok_approved": .success("ch_\(calls.count)")
    case "tok_deferred": .failure(.deferred)
    case "tok_interrupted": .failure(.needsAction)
    default: .failure(.declined("Your bank said no."))
    }
  }

  func settle(key: String, approved: Bool) async throws(GatewayError) -> String {
    guard let answer = answers[key] else { throw .unavailable("no such charge") }
    if answer == .failure(.deferred) { answers[key] = approved ? .success("ch_settled") : .failure(.declined("They said no.")) }
    if line == .lost { throw .unavailable("the answer was lost") }
    return try (answers[key] ?? answer).get()
  }

  func refund(key: String) async throws(GatewayError) {
    guard (try? answers[key]?.get()) != nil else { throw .unavailable("nothing was charged") }
    refunds.append(key)
    try await arrive()
  }

  func authorize(amount: Int, currency: String, key: String) async throws(GatewayError) -> String {
    if line == .lost { throw .unavailable("the answer was lost") }
    return "tok_approved"
  }
}
