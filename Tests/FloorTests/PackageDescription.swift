import Foundation

/// The package as SwiftPM describes it.
struct PackageDescription: Decodable {
  struct Target: Decodable {
    let name: String
    let type: String
    let path: String
    let sources: [String]
    let dependencies: [String]?

    enum CodingKeys: String, CodingKey {
      case name, type, path, sources
      case dependencies = "target_dependencies"
    }
  }

  let targets: [Target]

  func target(_ name: String) -> Target? { targets.first { $0.name == name } }

  static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

  enum Failure: Error { case describing(status: Int32, String) }

  /// The whole package, with the targets that a headless build leaves out.
  static let current = Result { try describe() }

  private static func describe() throws -> PackageDescription {
    let scratch = FileManager.default.temporaryDirectory.appending(path: "matinee-floors-\(ProcessInfo.processInfo.processIdentifier)")
    try FileManager.default.createDirectory(at: scratch, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: scratch) }
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/env")
    // A build folder of its own: `swift test` holds the lock of the usual one.
    process.arguments = [
      "swift", "package", "--package-path", root.path, "--scratch-path", scratch.path, "--manifest-cache", "none", "describe", "--type",
      "json",
    ]
    process.environment = ProcessInfo.processInfo.environment.filter { $0.key != "MATINEE_HEADLESS" }
    // Files, not pipes: nobody has to read them while it runs.
    let answer = scratch.appending(path: "answer.json")
    let complaints = scratch.appending(path: "complaints")
    try Data().write(to: answer)
    try Data().write(to: complaints)
    process.standardOutput = try FileHandle(forWritingTo: answer)
    process.standardError = try FileHandle(forWritingTo: complaints)
    process.standardInput = FileHandle.nullDevice
    try process.run()
    process.waitUntilExit()
    guard process.terminationStatus == 0 else {
      throw Failure.describing(status: process.terminationStatus, try String(contentsOf: complaints, encoding: .utf8))
    }
    return try JSONDecoder().decode(PackageDescription.self, from: Data(contentsOf: answer))
  }
}
