import Foundation

/// All Swift sources of the app in one module: what the modules are compared with.
///
/// Imports of one another go; a name that two modules declare is given its module's name in front, in the files that mean it.
struct Monolith {
  private let package: Package
  private let swift: [Package.Target]

  init(of package: Package) {
    self.package = package
    swift = package.targets.filter(\.isSwift)
  }

  /// Writes it as a package of its own.
  func write(into folder: URL) throws -> Package {
    let sources = folder.appendingPathComponent("Sources/Whole")
    try FileManager.default.createDirectory(at: sources, withIntermediateDirectories: true)
    var texts: [(target: String, file: String, text: String)] = []
    for target in swift {
      for file in target.sources where file.hasSuffix(".swift") {
        let url = package.folder.appendingPathComponent(target.path).appendingPathComponent(file)
        texts.append((target.name, file, try String(contentsOf: url, encoding: .utf8)))
      }
    }
    texts += try generated()
    let clashes = clashes(texts)
    for (target, file, text) in texts {
      let name = Self.name(target, file)
      try Data(merged(text, target: target, file: file, clashes: clashes).utf8).write(to: sources.appendingPathComponent(name))
    }
    try writeManifest(into: folder)
    return Package(folder: folder, product: "Whole", place: { "Sources/Whole/\(Self.name($0, $1))" }, targets: [])
  }

  private static func name(_ target: String, _ file: String) -> String {
    file.hasSuffix("main.swift") ? "main.swift" : "\(target)_\(file.replacing("/", with: "_"))"
  }

  /// What plugins made for the app's targets, from a build of theirs.
  private func generated() throws -> [(target: String, file: String, text: String)] {
    _ = try package.build()
    let outputs = package.folder.appendingPathComponent(".build/plugins/outputs")
    let files = FileManager.default.enumerator(at: outputs, includingPropertiesForKeys: nil)?.compactMap { $0 as? URL } ?? []
    return try files.filter { $0.pathExtension == "swift" }.compactMap { url in
      guard let target = swift.first(where: { url.pathComponents.contains($0.name) }) else { return nil }
      return (target.name, url.lastPathComponent, try String(contentsOf: url, encoding: .utf8))
    }
  }

  /// The names that more than one module, or one file by itself, declares: by name, who, and whether for others too.
  private func clashes(_ texts: [(target: String, file: String, text: String)]) -> [String: [String: Bool]] {
    let declaration =
      /(?:@\w+(?:\([^)]*\))? )*(?:(public|internal|private|fileprivate|package) )?(?:(?:final|indirect|nonisolated) )*(?:class|struct|enum|actor|protocol|typealias|func|let|var) (\w+)/
    var owners: [String: [String: Bool]] = [:]
    for (target, file, text) in texts {
      for line in text.split(separator: "\n") {
        guard let match = line.prefixMatch(of: declaration) else { continue }
        let isPrivate = match.1?.hasSuffix("private") == true
        let (name, owner) = (String(match.2), isPrivate ? "\(target)/\(file)" : target)
        owners[name, default: [:]][owner] = owners[name]?[owner] == true || match.1 == "public"
      }
    }
    return owners.filter { $0.value.count > 1 }
  }

  private func merged(_ text: String, target: String, file: String, clashes: [String: [String: Bool]]) -> String {
    let names = swift.map(\.name).joined(separator: "|")
    let imports = Set(text.matches(of: /import (\w+)\n/).map { String($0.1) })
    var text = text.replacing("(?m)^(@testable |@_exported |public )?import (\(names))$", by: "")
    text = text.replacing("\\b(\(names))\\.(?=[A-Z])", by: "")
    for (name, owners) in clashes {
      let own = ["\(target)/\(file)", target].first { owners[$0] != nil }
      let meant = own ?? owners.first { $0.value && imports.contains($0.key) }?.key
      guard let meant else { continue }
      let unique = meant.map { $0.isLetter || $0.isNumber ? String($0) : "_" }.joined() + "_" + name
      // What a colon follows is an argument's label, unless it is being declared.
      text = text.replacing("(?<![.\\w])\(name)\\b(?!:)|(?<=(?:class|struct|enum|actor|let|var|protocol|extension) )\(name)\\b", by: unique)
    }
    return text
  }

  /// The C targets stay where they are.
  private func writeManifest(into folder: URL) throws {
    let system = package.targets.filter { !$0.isSwift }
    try FileManager.default.createSymbolicLink(
      at: folder.appendingPathComponent("System"), withDestinationURL: package.folder.appendingPathComponent("Sources/System"))
    let manifest = try String(contentsOf: package.folder.appendingPathComponent("Package.swift"), encoding: .utf8)
    let configured = manifest.matches(of: /systemLibrary\("(\w+)", pkgConfig: "([^"]+)"/).map { (String($0.1), String($0.2)) }
    let pkgConfig = Dictionary(configured) { first, _ in first }
    let list = { (names: [String]) in "[" + names.map { "\"\($0)\"" }.joined(separator: ", ") + "]" }
    let targets = system.map { target in
      guard let config = pkgConfig[target.name] else {
        return ".target(name: \"\(target.name)\", dependencies: \(list(target.target_dependencies ?? [])), path: \"System/\(target.name)\")"
      }
      return ".systemLibrary(name: \"\(target.name)\", path: \"System/\(target.name)\", pkgConfig: \"\(config)\")"
    }
    // Linked as the app is.
    let linker = "linkerSettings: [.unsafeFlags([\"-use-ld=lld\", \"-Xlinker\", \"-O0\"])]"
    let whole = ".executableTarget(name: \"Whole\", dependencies: \(list(system.map(\.name))), \(linker))"
    let text = """
      // swift-tools-version: 6.2
      import PackageDescription

      let package = Package(name: "whole", targets: [
        \((targets + [whole]).joined(separator: ",\n  "))
      ], swiftLanguageModes: [.v6])

      """
    try Data(text.utf8).write(to: folder.appendingPathComponent("Package.swift"))
  }
}

extension String {
  fileprivate func replacing(_ pattern: String, by text: String) -> String {
    replacingOccurrences(of: pattern, with: text, options: .regularExpression)
  }
}
