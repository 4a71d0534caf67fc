import Foundation

/// Runs the project's scripts on a machine that is made up: their own folder, a PATH of stand-ins, another user.
struct Shell {
  static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

  struct Answer {
    let status: Int32
    let output: String
  }

  /// A folder of its own, gone with `remove()`.
  let folder: URL

  init() throws {
    // Not in the folder of the session, which nobody else may enter.
    folder = URL(filePath: "/tmp/matinee-scripts-\(UUID().uuidString.prefix(8))", directoryHint: .isDirectory)
    try FileManager.default.createDirectory(at: bin, withIntermediateDirectories: true)
    try FileManager.default.copyItem(at: Self.root.appending(path: "meson-helpers"), to: folder.appending(path: "meson-helpers"))
    // Another user has to get in.
    for path in [folder.path, bin.path] { try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: path) }
  }

  func remove() { try? FileManager.default.removeItem(at: folder) }

  /// The only folder on the PATH.
  var bin: URL { folder.appending(path: "bin") }

  /// Puts a stand-in named `name` on the PATH.
  func stand(in name: String, _ script: String) throws {
    let (draft, file) = (folder.appending(path: name), bin.appending(path: name))
    try Data("#!/bin/bash\n\(script)\n".utf8).write(to: draft)
    try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: draft.path)
    // Copied by another process: what this one wrote may be open in a child that another test starts just now, and what somebody
    // writes to cannot be executed.
    _ = try Self.run(["/bin/cp", "-p", draft.path, file.path], environment: [:])
  }

  /// Puts a program of this machine on the PATH.
  func keep(_ names: String...) throws {
    for name in names {
      guard let folder = ["/usr/bin", "/bin"].first(where: { FileManager.default.isExecutableFile(atPath: "\($0)/\(name)") }) else {
        continue
      }
      try FileManager.default.createSymbolicLink(atPath: bin.appending(path: name).path, withDestinationPath: "\(folder)/\(name)")
    }
  }

  /// Runs `meson-helpers/SCRIPT`, or a line of bash after sourcing common.sh.
  func run(_ script: String, _ arguments: String..., asNobody: Bool = false, environment: [String: String] = [:]) throws -> Answer {
    try Self.run(
      ["/bin/bash", folder.appending(path: "meson-helpers/\(script)").path] + arguments, asNobody: asNobody,
      environment: ["PATH": bin.path, "HOME": folder.path].merging(environment) { $1 })
  }

  /// Runs `line` in a bash that has sourced common.sh.
  func evaluate(_ line: String, asNobody: Bool = false) throws -> Answer {
    try Self.run(
      ["/bin/bash", "-c", "set -euo pipefail; source '\(folder.path)/meson-helpers/common.sh'; \(line)"], asNobody: asNobody,
      environment: ["PATH": bin.path, "HOME": folder.path])
  }

  static func run(_ command: [String], asNobody: Bool = false, environment: [String: String]) throws -> Answer {
    let process = Process()
    let demoted = asNobody && geteuid() == 0 ? ["/usr/bin/setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", "--"] : []
    let line = demoted + command
    process.executableURL = URL(filePath: line[0])
    process.arguments = Array(line.dropFirst())
    process.environment = environment
    process.standardInput = FileHandle.nullDevice
    let pipe = Pipe()
    process.standardOutput = pipe
    process.standardError = pipe
    try process.run()
    let output = String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    return Answer(status: process.terminationStatus, output: output)
  }
}
