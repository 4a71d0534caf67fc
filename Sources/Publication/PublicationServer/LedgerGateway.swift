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
  private var connection: (process: Process, input: FileHandle, output: FileHandle)?

  private struct Call: Encodable {
    let token: String
    let amount: Int
    let currency: String
    let key: String
  }

  private struct Answer: Decodable {
    let charge: String?
    let declined: String?
  }

  /// - Parameters:
  ///   - program: the path of `matinee-ledger`.
  ///   - file: what it writes every call into.
  ///   - delay: how long it keeps each answer back, in milliseconds; for tests of crashes.
  public init(program: String, file: String, delay: Int = 0) {
    self.program = program
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
      answer = try ask(Call(token: token, amount: amount, currency: currency, key: key))
    } catch {
      stop()
      throw .unavailable("\(program): \(error)")
    }
    if let charge = answer.charge { return charge }
    throw .declined(answer.declined ?? "The payment was declined.")
  }

  private struct Ended: Error {}

  private func ask(_ call: Call) throws -> Answer {
    let (_, input, output) = try connect()
    var line = try JSONEncoder().encode(call)
    line.append(UInt8(ascii: "\n"))
    try input.write(contentsOf: line)
    var answer = Data()
    while answer.last != UInt8(ascii: "\n") {
      guard let part = try output.read(upToCount: 1), !part.isEmpty else { throw Ended() }
      answer.append(part)
    }
    return try JSONDecoder().decode(Answer.self, from: answer)
  }

  private func connect() throws -> (process: Process, input: FileHandle, output: FileHandle) {
    if let connection, connection.process.isRunning { return connection }
    stop()
    let process = Process()
    let (input, output) = (Pipe(), Pipe())
    process.executableURL = URL(fileURLWithPath: program)
    process.arguments = arguments
    process.standardInput = input
    process.standardOutput = output
    try process.run()
    let made = (process, input.fileHandleForWriting, output.fileHandleForReading)
    connection = made
    return made
  }

  /// Closes the pipes; the process ends with its input.
  private func stop() {
    try? connection?.input.close()
    try? connection?.output.close()
    connection = nil
  }

  isolated deinit { stop() }
}
