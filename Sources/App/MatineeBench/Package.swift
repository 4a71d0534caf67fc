import Foundation

/// A Swift package in a folder, as this program builds it: for debugging, the app alone, without tests.
struct Package {
  let folder: URL
  let product: String
  /// Where a source file is that the app's package has at `core` and `name`.
  let place: @Sendable (_ core: String, _ name: String) -> String
  let targets: [Target]

  /// A target that the app is made of.
  struct Target: Decodable {
    let name: String
    let path: String
    let module_type: String
    let sources: [String]
    let target_dependencies: [String]?
    var isSwift: Bool { module_type == "SwiftTarget" }
  }

  func file(_ core: String, _ name: String) -> URL { folder.appendingPathComponent(place(core, name)) }

  /// Builds it.
  /// - Returns: how long that took, which modules were recompiled, and whether the program was linked again.
  func build() throws -> (seconds: Double, compiled: Set<String>, isLinked: Bool) {
    let start = ContinuousClock.now
    let output = try Self.swift(["build", "--product", product], in: folder)
    let time = ContinuousClock.now - start
    let modules = output.matches(of: /\] (?:Compiling|Emitting module) (\w+)/).map { String($0.1) }
    return (time / .seconds(1), Set(modules), output.contains("] Linking \(product)\n"))
  }

  /// Every target that imports one, itself or through others.
  func importers(of name: String) throws -> Set<String> {
    var found: Set<String> = []
    var rest = [name]
    while let next = rest.popLast() {
      for target in targets where target.target_dependencies?.contains(next) == true && found.insert(target.name).inserted {
        rest.append(target.name)
      }
    }
    return found
  }

  /// Copies the package whose folder this is, without what was built.
  static func copy(of path: String, into folder: URL) throws -> Package {
    guard FileManager.default.fileExists(atPath: path + "/Sources/Cores/PurchaseService") else {
      throw Mistake(description: "build is measured in the repository's folder; \(path) is another.")
    }
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    for name in ["Package.swift", "Sources", "Resources", "data", "meson-helpers"] {
      try FileManager.default.copyItem(atPath: "\(path)/\(name)", toPath: folder.appendingPathComponent(name).path)
    }
    struct Described: Decodable { let targets: [Target] }
    let text = try swift(["package", "describe", "--type", "json"], in: folder)
    let all = try JSONDecoder().decode(Described.self, from: Data(text.drop { $0 != "{" }.utf8)).targets
    let byName = Dictionary(all.map { ($0.name, $0) }) { first, _ in first }
    var (names, rest) = (Set<String>(), ["Matinee"])
    while let next = rest.popLast() {
      // A plugin's generator is a program of its own.
      guard let target = byName[next], target.module_type != "PluginTarget", names.insert(next).inserted else { continue }
      rest += target.target_dependencies ?? []
    }
    let targets = all.filter { names.contains($0.name) }
    let paths = Dictionary(targets.map { ($0.name, $0.path) }) { first, _ in first }
    return Package(folder: folder, product: "matinee", place: { "\(paths[$0] ?? $0)/\($1)" }, targets: targets)
  }

  /// Runs `swift`, and returns what it printed.
  static func swift(_ arguments: [String], in folder: URL) throws -> String {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = ["swift"] + arguments
    process.currentDirectoryURL = folder
    process.environment = ProcessInfo.processInfo.environment.merging(["MATINEE_TESTS": "0"]) { $1 }
    let pipe = Pipe()
    process.standardOutput = pipe
    process.standardError = FileHandle.standardError
    try process.run()
    let output = pipe.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    let text = String(decoding: output, as: UTF8.self)
    guard process.terminationStatus == 0 else {
      let errors = text.split(separator: "\n").filter { $0.contains("error:") }.prefix(20).joined(separator: "\n")
      throw Mistake(description: "swift \(arguments.joined(separator: " ")) failed in \(folder.path):\n\(errors)")
    }
    return text
  }
}
