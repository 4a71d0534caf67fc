import Foundation
import Synchronization

/// The driven app as a process: its lines on stderr and stdout as they come, and its end.
public final class AppProcess: Sendable {
  private struct Output {
    var lines: [String] = []
    var partial = Data()
    var isClosed = false
  }

  private let process: Process
  private let output = Mutex(Output())

  init(executable: URL, arguments: [String], environment: [String: String]) throws {
    process = Process()
    process.executableURL = executable
    process.arguments = arguments
    process.environment = environment
    process.standardInput = FileHandle.nullDevice
    let pipe = Pipe()
    process.standardOutput = pipe
    process.standardError = pipe
    pipe.fileHandleForReading.readabilityHandler = { [weak self] handle in
      let data = handle.availableData
      guard data.isEmpty else { return self?.take(data) ?? () }
      handle.readabilityHandler = nil
      self?.output.withLock { $0.isClosed = true }
    }
    try process.run()
  }

  private func take(_ data: Data) {
    output.withLock { output in
      output.partial += data
      while let end = output.partial.firstIndex(of: UInt8(ascii: "\n")) {
        output.lines.append(String(decoding: output.partial[..<end], as: UTF8.self))
        output.partial = Data(output.partial[(end + 1)...])
      }
    }
  }

  /// Every whole line it wrote so far.
  public var lines: [String] { output.withLock(\.lines) }

  /// Whether it has ended and `lines` has all that it wrote: the last of it may arrive after the end.
  public var isComplete: Bool { !isRunning && output.withLock(\.isClosed) }

  /// The process id.
  public var identifier: Int32 { process.processIdentifier }

  /// Whether it has not ended.
  public var isRunning: Bool { process.isRunning }

  /// How it ended; the number of the signal when one ended it. Only once it has.
  public var status: Int32 { process.terminationStatus }

  /// Sends `signal` to it and, since it leads a group, to what it started.
  public func signal(_ signal: Int32) { kill(identifier, signal) }

  /// Ends it at once, as a power cut would, and waits until it is gone.
  public func killNow() {
    if isRunning { kill(identifier, SIGKILL) }
    process.waitUntilExit()
  }
}
