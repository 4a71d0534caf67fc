import Foundation
import Runtime

/// A program that a test runs to its end.
public struct Program: Sendable {
  /// What it left behind.
  public struct Outcome: Sendable {
    /// 0 to 255; 128 and the signal's number when a signal ended it.
    public let status: Int32
    /// What it wrote, errors among the rest.
    public let output: String
  }

  /// Its name on the PATH, and its arguments.
  public let command: [String]
  /// Added to this process's environment; `nil` takes a variable away.
  public let environment: [String: String?]

  /// Runs nothing yet.
  public init(_ command: [String], environment: [String: String?] = [:]) {
    self.command = command
    self.environment = environment
  }

  /// Runs it, with nothing to read. Waits on a thread of its own: a compiler takes its time.
  /// - Throws: what the file system or the start of the program throws.
  public func run() async throws -> Outcome {
    try await ThreadExecutor(name: "program").run { [self] in
      let file = FileManager.default.temporaryDirectory.appending(path: "matinee-output-\(UUID().uuidString)")
      try Data().write(to: file)
      defer { try? FileManager.default.removeItem(at: file) }
      let (output, nothing) = (try FileHandle(forWritingTo: file), try FileHandle(forReadingFrom: URL(filePath: "/dev/null")))
      // The tests run on memory that is overwritten when it is given back. Whoever reads it still is found out in our own programs alone,
      // which are named by their path: it has ended the compiler's package manager.
      let taken = command[0].contains("/") ? environment : ["GLIBC_TUNABLES": nil].merging(environment) { $1 }
      let variables = ProcessInfo.processInfo.environment.merging(taken.mapValues { $0 ?? "" }) { $1 }
        .filter { name, _ in taken[name] != .some(nil) }
      let child = try ChildProcess(
        "/usr/bin/env", command, environment: variables, input: nothing.fileDescriptor, output: output.fileDescriptor,
        errors: output.fileDescriptor)
      let status: Int32 =
        switch child.wait() {
        case .exit(let status): status
        case .signal(let number): 128 + number
        }
      return Outcome(status: status, output: String(decoding: try Data(contentsOf: file), as: UTF8.self))
    }
  }
}

/// This checkout, and what was built of it.
public enum Checkout {
  /// Where Package.swift lies.
  public static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
  /// Where the running tests and everything beside them were built.
  public static let products = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent()

  /// Whether git keeps these sources; an unpacked archive has no history.
  public static let isRepository = FileManager.default.fileExists(atPath: root.appending(path: ".git").path)

  /// What the version of a program that was built here looks like, and nothing else. In a repository it counts commits and names one:
  /// `unknown` would mean that the build did not find the git that is there.
  public static var version: Regex<Substring> {
    isRepository ? /(?!0\.0\.0 )\d+\.\d+\.\d+ \([1-9]\d*\.\d+\.[0-9a-f]{4,40}\)/ : /(?!0\.0\.0 )\d+\.\d+\.\d+ \(0\.\d+\.unknown\)/
  }

  /// What a compiler needs to import the modules that were built.
  /// - Throws: what the file system throws.
  public static func importing() throws -> [String] {
    let system = root.appending(path: "Sources/System")
    let folders = try FileManager.default.contentsOfDirectory(atPath: system.path).sorted().map { system.appending(path: $0).path }
    // Of a C target that has code the build writes the module map.
    let maps = try FileManager.default.contentsOfDirectory(atPath: products.path).sorted().map {
      products.appending(path: $0 + "/module.modulemap").path
    }
    return ([products.appending(path: "Modules").path] + folders).flatMap { ["-I", $0] }
      + maps.filter(FileManager.default.fileExists).flatMap { ["-Xcc", "-fmodule-map-file=" + $0] }
  }
}
