import Foundation

/// What a built module offers, one line a declaration, members below their type: made by the toolchain, readable in a diff.
struct SymbolList {
  private struct Graph: Decodable {
    struct Symbol: Decodable {
      struct Fragment: Decodable { let spelling: String }
      struct Identifier: Decodable { let precise: String }
      let identifier: Identifier
      let pathComponents: [String]
      let declarationFragments: [Fragment]
    }
    struct Relationship: Decodable {
      let kind: String
      let source: String
      let targetFallback: String?
      let target: String
    }
    let symbols: [Symbol]
    let relationships: [Relationship]
  }

  let lines: [String]

  /// - Throws: `SymbolGraphs.Failure` when the module cannot be read.
  init(module: String) async throws {
    let files = try await SymbolGraphs(of: module)
    defer { files.remove() }
    let graphs = try files.files().map { try JSONDecoder().decode(Graph.self, from: Data(contentsOf: $0)) }
    lines = Self.lines(graphs.flatMap(\.symbols), graphs.flatMap(\.relationships))
  }

  /// The names of what a module itself declares in public outside of any type.
  /// - Throws: `SymbolGraphs.Failure` when the module cannot be read.
  static func topLevelNames(of module: String) async throws -> Set<String> {
    let files = try await SymbolGraphs(of: module)
    defer { files.remove() }
    let file = files.folder.appending(path: module + ".symbols.json")
    let symbols = try JSONDecoder().decode(Graph.self, from: Data(contentsOf: file)).symbols
    return Set(symbols.filter { $0.pathComponents.count == 1 }.map { $0.pathComponents[0] })
  }

  private static func lines(_ symbols: [Graph.Symbol], _ relationships: [Graph.Relationship]) -> [String] {
    let names = Dictionary(symbols.map { ($0.identifier.precise, $0.pathComponents.joined(separator: ".")) }) { first, _ in first }
    // What nearly every type is says nothing.
    let common: Set = ["Copyable", "Escapable", "SendableMetatype"]
    var conformances: [String: Set<String>] = [:]
    for relationship in relationships where relationship.kind == "conformsTo" || relationship.kind == "inheritsFrom" {
      let whole = names[relationship.target] ?? relationship.targetFallback ?? relationship.target
      let name = whole.hasPrefix("Swift.") ? String(whole.dropFirst("Swift.".count)) : whole
      if !common.contains(name) { conformances[relationship.source, default: []].insert(name) }
    }
    let entries = symbols.map { symbol in
      let declaration = symbol.declarationFragments.map(\.spelling).joined().split(whereSeparator: \.isNewline).joined(separator: " ")
      let protocols = conformances[symbol.identifier.precise].map { " // " + $0.sorted().joined(separator: ", ") } ?? ""
      let indent = String(repeating: "  ", count: symbol.pathComponents.count - 1)
      return (path: symbol.pathComponents, line: indent + declaration + protocols)
    }
    return entries.sorted { one, other in
      one.path == other.path ? one.line < other.line : one.path.lexicographicallyPrecedes(other.path)
    }.map(\.line)
  }
}
