import Foundation

/// The small programs that stand in for hands and eyes.
enum Programs {
  /// Runs `name` to its end and returns what it printed.
  @discardableResult
  static func run(_ name: String, _ arguments: [String]) throws -> String {
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/env")
    // A picture of a window waits for ever where something else has grabbed the display.
    process.arguments = ["timeout", "--signal=KILL", "30", name] + arguments
    process.standardInput = FileHandle.nullDevice
    let pipe = Pipe()
    process.standardOutput = pipe
    process.standardError = pipe
    try process.run()
    let output = String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    guard process.terminationStatus == 0 else {
      throw DriverError.program(name, status: process.terminationStatus, output: output)
    }
    return output.trimmingCharacters(in: .whitespacesAndNewlines)
  }
}
