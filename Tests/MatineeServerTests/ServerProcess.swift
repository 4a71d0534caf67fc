import Foundation
import PublicationServer
import Runtime
import TestSupport

/// The built `matinee-server`, run by a test.
enum Server {
  static let program = URL(fileURLWithPath: LedgerGateway.besideThisProgram).deletingLastPathComponent()
    .appendingPathComponent("matinee-server").path

  struct Outcome: Equatable, Sendable {
    var status: Int32
    var output: String
    var errors: String
  }

  /// Runs it to its end.
  /// - Parameters:
  ///   - bytes: what it reads, when that is no text.
  ///   - moment: returns when it is to be told to stop.
  static func run(
    _ arguments: [String], input: String = "", bytes: Data? = nil, environment: [String: String] = [:],
    stoppedAt moment: (() async throws -> Void)? = nil
  ) async throws -> Outcome {
    let (running, errorReader) = (ThreadExecutor(name: "server-run"), ThreadExecutor(name: "server-errors"))
    let (child, output, errors) = try start(arguments, input: bytes ?? Data(input.utf8), environment: environment)
    async let said = errorReader.run { errors.readDataToEndOfFile() }
    async let run = running.run { (output.readDataToEndOfFile(), child.wait()) }
    if let moment {
      do { try await moment() } catch {
        child.signal(SIGKILL)
        throw error
      }
      child.signal(SIGTERM)
    }
    let (text, ending) = try await run
    return Outcome(
      status: ending.number, output: String(decoding: text, as: UTF8.self), errors: String(decoding: try await said, as: UTF8.self))
  }

  /// Makes the sample publication in a folder.
  static func makeSample(_ folder: String) async throws {
    let made = try await run(["init", "--sample", "--data", folder])
    guard made.status == 0 else { throw RunningServer.NoLine(text: made.errors) }
  }

  /// - Parameter errors: the pipe for its standard error.
  static func start(
    _ arguments: [String], input: Data, environment: [String: String], errors: Pipe = Pipe()
  ) throws -> (child: ChildProcess, output: FileHandle, errors: FileHandle) {
    let (standardInput, output) = (Pipe(), Pipe())
    // Less than a pipe holds, so this does not wait for the child.
    try standardInput.fileHandleForWriting.write(contentsOf: input)
    let child = try ChildProcess(
      program, arguments, environment: ProcessInfo.processInfo.environment.merging(environment) { $1 },
      input: standardInput.fileHandleForReading.fileDescriptor, output: output.fileHandleForWriting.fileDescriptor,
      errors: errors.fileHandleForWriting.fileDescriptor)
    for handle in [standardInput.fileHandleForWriting, output.fileHandleForWriting, errors.fileHandleForWriting] { try handle.close() }
    return (child, output.fileHandleForReading, errors.fileHandleForReading)
  }
}

/// A folder for a test, gone with the object.
final class Folder: Sendable {
  let path = NSTemporaryDirectory() + "matinee-server-\(UUID().uuidString)"
  init() throws {
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
  }
  deinit { try? FileManager.default.removeItem(atPath: path) }
  func file(_ name: String) -> String { path + "/" + name }
  func write(_ name: String, _ text: String) throws -> String {
    try Data(text.utf8).write(to: URL(fileURLWithPath: file(name)))
    return file(name)
  }
}

/// `matinee-server serve`, running. Ends with the object at the latest.
final class RunningServer: Sendable {
  struct NoLine: Error { let text: String }

  let origin: String
  var port: Int { URL(string: origin)?.port ?? 0 }
  var process: pid_t { child.identifier }
  private let child: ChildProcess
  private let executor = ThreadExecutor(name: "server")
  private let said: Task<String, any Error>

  /// - Parameters:
  ///   - options: those of `serve`, besides port and folder.
  ///   - unread: a pipe for its standard error that the test sees to; nil for one of which everything is read.
  init(folder: String, options: [String] = [], environment: [String: String] = [:], unread: Pipe? = nil) async throws {
    let (child, output, errors) = try Server.start(
      ["serve", "--port", "0", "--data", folder] + options, input: Data(), environment: environment, errors: unread ?? Pipe())
    self.child = child
    let errorReader = ThreadExecutor(name: "server-errors")
    let isRead = unread == nil
    said = Task { try await errorReader.run { isRead ? String(decoding: errors.readDataToEndOfFile(), as: UTF8.self) : "" } }
    let line = try await executor.run { String(decoding: output.line(), as: UTF8.self) }
    guard line.hasPrefix("Listening on http://127.0.0.1:"), line.hasSuffix("\n") else { throw NoLine(text: line) }
    origin = line.dropFirst("Listening on ".count).trimmingCharacters(in: .newlines)
  }

  deinit {
    child.signal(SIGKILL)
    _ = child.wait()
  }

  /// Sends a signal, and waits for the end.
  /// - Returns: the exit status; below zero the signal that ended it.
  func end(_ signal: Int32) async throws -> Int32 {
    child.signal(signal)
    return try await executor.run { [child] in child.wait().number }
  }

  /// What it wrote on the standard error, once it has ended.
  var errors: String { get async throws { try await said.value } }
}

extension ChildProcess.Ending {
  /// The exit status; below zero the signal.
  fileprivate var number: Int32 {
    switch self {
    case .exit(let status): status
    case .signal(let signal): -signal
    }
  }
}
