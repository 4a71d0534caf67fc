import Foundation
import PublicationServer
import Runtime

/// The built `matinee-server`, run by a test.
enum Server {
  static let program = URL(fileURLWithPath: LedgerGateway.besideThisProgram).deletingLastPathComponent().appendingPathComponent(
    "matinee-server")

  struct Outcome: Equatable, Sendable {
    var status: Int32
    var output: String
    var errors: String
  }

  /// Runs it to its end.
  static func run(_ arguments: [String], input: String = "", environment: [String: String] = [:]) async throws -> Outcome {
    let executor = ThreadExecutor(name: "server-run")
    return try await executor.run {
      let (process, output, errors) = try start(arguments, input: input, environment: environment)
      let reader = ErrorReader(errors)
      let text = output.readDataToEndOfFile()
      process.waitUntilExit()
      return Outcome(
        status: process.terminationReason == .exit ? process.terminationStatus : -process.terminationStatus,
        output: String(decoding: text, as: UTF8.self), errors: reader.text())
    }
  }

  fileprivate static func start(
    _ arguments: [String], input: String, environment: [String: String]
  ) throws -> (process: Process, output: FileHandle, errors: FileHandle) {
    let process = Process()
    let (standardInput, output, errors) = (Pipe(), Pipe(), Pipe())
    process.executableURL = program
    process.arguments = arguments
    process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
    process.standardInput = standardInput
    process.standardOutput = output
    process.standardError = errors
    try process.run()
    try standardInput.fileHandleForWriting.write(contentsOf: Data(input.utf8))
    try standardInput.fileHandleForWriting.close()
    return (process, output.fileHandleForReading, errors.fileHandleForReading)
  }

  /// Reads beside the standard output, so that neither pipe fills up.
  private final class ErrorReader: Sendable {
    private let done = DispatchSemaphore(value: 0)
    private nonisolated(unsafe) var data = Data()  // written before `done` is signalled, read after

    init(_ handle: FileHandle) {
      Thread { [self] in
        data = handle.readDataToEndOfFile()
        done.signal()
      }.start()
    }

    func text() -> String {
      done.wait()
      return String(decoding: data, as: UTF8.self)
    }
  }
}

/// `matinee-server serve`, running. Ends with the object at the latest.
final class RunningServer: Sendable {
  struct NoLine: Error { let text: String }

  let origin: String
  private let process: Process
  private let executor = ThreadExecutor(name: "server")

  init(folder: String, environment: [String: String] = [:]) async throws {
    let (process, line) = try await executor.run {
      let (process, output, _) = try Server.start(["serve", "--port", "0", "--data", folder], input: "", environment: environment)
      var line = Data()
      while line.last != UInt8(ascii: "\n") {
        let byte = output.readData(ofLength: 1)
        if byte.isEmpty { break }
        line += byte
      }
      return (process, String(decoding: line, as: UTF8.self))
    }
    self.process = process
    guard line.hasPrefix("Listening on http://127.0.0.1:"), line.hasSuffix("\n") else { throw NoLine(text: line) }
    origin = line.dropFirst("Listening on ".count).trimmingCharacters(in: .newlines)
  }

  deinit { if process.isRunning { kill(process.processIdentifier, SIGKILL) } }

  /// Sends a signal, and waits for the end.
  /// - Returns: the exit status; below zero the signal that ended it.
  func end(_ signal: Int32) async throws -> Int32 {
    kill(process.processIdentifier, signal)
    return try await executor.run { [self] in
      process.waitUntilExit()
      return process.terminationReason == .exit ? process.terminationStatus : -process.terminationStatus
    }
  }
}
