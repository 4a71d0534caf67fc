import Foundation
import Runtime

/// The stub payment provider, `matinee-ledger`, in a process of its own: it writes every call down and charges nobody.
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
    let operation = "charge"
    let key: String
    let token: String
    let amount: Int
    let currency: String
  }

  private struct Answer: Decodable {
    let result: String
    let charge: String?
    let reason: String?
  }

  /// - Parameters:
  ///   - program: the path of `matinee-ledger`.
  ///   - file: what it writes every call into.
  ///   - delay: how long it keeps each answer back, in milliseconds; for tests of crashes.
  ///   - patience: how long an answer may take; after that nothing is known of the charge.
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

  /// Asks the ledger.
  /// - Throws: ``GatewayError``.
  public func charge(token: String, amount: Int, currency: String, key: String) async throws(GatewayError) -> String {
    let answer: Answer
    do {
      answer = try ask(Call(key: key, token: token, amount: amount, currency: currency))
    } catch {
      ledger = nil
      throw .unavailable("\(program): \(error)")
    }
    switch (answer.result, answer.charge) {
    case ("charged", let charge?): return charge
    case ("declined", _): throw .declined(answer.reason ?? "The payment was declined.")
    default: throw .unavailable("\(program): \(answer.reason ?? answer.result)")
    }
  }

  private func ask(_ call: Call) throws -> Answer {
    let line = try JSONEncoder().encode(call)
    if let ledger, !ledger.hasEnded {
      // It may end while it is asked; asking another one with the same key is safe.
      do { return try decode(ledger.ask(line, within: patience)) } catch LedgerProcess.Failure.ended { self.ledger = nil }
    }
    let started = try LedgerProcess(program, arguments)
    ledger = started
    return try decode(started.ask(line, within: patience))
  }

  private func decode(_ line: Data) throws -> Answer { try JSONDecoder().decode(Answer.self, from: line) }

  /// The process, while there is one.
  var process: ChildProcess? { ledger?.process }

  /// Ends the process, as after a crash of it; the next charge starts another.
  public func stop() { ledger = nil }

  isolated deinit { ledger = nil }
}
