import Foundation
import Runtime

/// The stub payment provider, `matinee-ledger`, in a process of its own: it records every call and moves no money.
///
/// The process is started with the first charge, and again when it has ended. Its pipes are read and written on a thread of their own.
public actor LedgerGateway: PaymentGateway {
  private nonisolated let executor = ThreadExecutor(name: "ledger")
  /// The thread that waits for the process.
  public nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  private let program: String
  private let arguments: [String]
  private let patience: Duration
  private var ledger: LedgerProcess?

  private struct Call: Encodable {
    var operation: String
    var key: String
    var token: String?
    var amount: Int?
    var currency: String?
  }

  private struct Answer: Decodable {
    let result: String
    let charge: String?
    let reason: String?
  }

  /// - Parameters:
  ///   - program: the path of `matinee-ledger`.
  ///   - file: what it writes every call into.
  ///   - delay: how long each answer is delayed, in milliseconds; for tests of crashes.
  ///   - patience: how long an answer may take; after that the charge's outcome is unknown.
  public init(program: String, file: String, delay: Int = 0, patience: Duration = .seconds(30)) {
    self.program = program
    self.patience = patience
    arguments = (delay > 0 ? ["--delay-ms", "\(delay)"] : []) + [file]
  }

  /// The program beside the one that runs.
  public static var besideThisProgram: String {
    let own = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? CommandLine.arguments[0]
    return URL(fileURLWithPath: own).deletingLastPathComponent().appendingPathComponent("matinee-ledger").path
  }

  /// Sends a call to the ledger.
  /// - Throws: ``GatewayError``.
  public func charge(token: String, amount: Int, currency: String, key: String) async throws(GatewayError) -> String {
    try charged(Call(operation: "charge", key: key, token: token, amount: amount, currency: currency))
  }

  /// Stands in for the bank or the parent that the ledger waits for.
  /// - Throws: ``GatewayError``.
  public func settle(key: String, approved: Bool) async throws(GatewayError) -> String {
    try charged(Call(operation: approved ? "approve" : "decline", key: key))
  }

  /// Has the ledger record a refund.
  /// - Throws: ``GatewayError``.
  public func refund(key: String) async throws(GatewayError) {
    let answer = try answer(Call(operation: "refund", key: key))
    switch answer.result {
    case "refunded": return
    case "declined": throw .declined(answer.reason ?? "It was refused.")
    default: throw unavailable(answer)
    }
  }

  /// A token that is always approved: on the page the reader has agreed. The ledger gets it at the charge.
  public func authorize(amount: Int, currency: String, key: String) async throws(GatewayError) -> String { "tok_approved" }

  private func charged(_ call: Call) throws(GatewayError) -> String {
    let answer = try answer(call)
    switch (answer.result, answer.charge) {
    case ("charged", let charge?): return charge
    case ("declined", _): throw .declined(answer.reason ?? "The payment was declined.")
    case ("deferred", _): throw .deferred
    case ("needs_action", _): throw .needsAction
    default: throw unavailable(answer)
    }
  }

  private func unavailable(_ answer: Answer) -> GatewayError { .unavailable("\(program): \(answer.reason ?? answer.result)") }

  private func answer(_ call: Call) throws(GatewayError) -> Answer {
    do {
      return try send(call)
    } catch {
      ledger = nil
      throw .unavailable("\(program): \(error)")
    }
  }

  private func send(_ call: Call) throws -> Answer {
    let line = try JSONEncoder().encode(call)
    let deadline = ContinuousClock.now + patience
    if let ledger, !ledger.hasEnded {
      // The process may end meanwhile; repeating the request to a new one with the same key is safe.
      do { return try decode(ledger.exchange(line, until: deadline)) } catch LedgerProcess.Failure.ended { self.ledger = nil }
    }
    let started = try LedgerProcess(program, arguments)
    ledger = started
    return try decode(started.exchange(line, until: deadline))
  }

  private func decode(_ line: Data) throws -> Answer { try JSONDecoder().decode(Answer.self, from: line) }

  /// The process, while there is one.
  var process: ChildProcess? { ledger?.process }

  /// Ends the process, as after a crash of it; the next charge starts another.
  public func stop() { ledger = nil }

  isolated deinit { ledger = nil }
}
