import Foundation
import Synchronization

/// The driven app as a process: its lines on stderr and stdout as they come, and its end.
public final class AppProcess: Sendable {
  private struct Output {
    var lines: [String] = []
    var partial = Data()
    var isClosed = false

    mutating func take(_ data: Data) {
      partial += data
      while let end = partial.firstIndex(of: UInt8(ascii: "\n")) {
        lines.append(String(decoding: partial[..<end], as: UTF8.self))
        partial = Data(partial[(end + 1)...])
      }
    }
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
    try process.run()
    // A thread, because `FileHandle.readabilityHandler` does not hear every end: one in thirty of programs that end at once.
    let reading = pipe.fileHandleForReading
    Thread.detachNewThread { [self] in
      while case let data = reading.availableData, !data.isEmpty { output.withLock { $0.take(data) } }
      output.withLock { $0.isClosed = true }
    }
  }

  /// Every whole line it wrote so far.
  public var lines: [String] { output.withLock(\.lines) }

  /// Whether it has ended and `lines` has all that it wrote: the last of it may arrive after the end.
  public var isComplete: Bool { !isRunning && output.withLock(\.isClosed) }

  /// The system's number of the process.
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
