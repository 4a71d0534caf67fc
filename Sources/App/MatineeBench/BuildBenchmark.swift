import Foundation

/// Debug builds of the app, to the linked program, after a one-line change in each core, beside the same change with all of its sources
/// in one module. Both are copies in a temporary folder; a copy is built once before anything is measured.
struct BuildBenchmark {
  /// For ``Change/body`` in PurchaseService.
  static let goal = 0.25

  let rounds: Int
  /// Only this core; `nil` for all.
  let core: String?

  /// What is changed.
  private enum Change: String, CaseIterable {
    /// A constant in a public function's body: no other module has to be recompiled.
    case body = "a constant in a body"
    /// A public function's parameters: importers have to be recompiled too.
    case signature = "a public signature"
  }

  /// Where a core is changed.
  private struct Place {
    let core: String
    let file: String
    /// The line that opens a public function.
    let opening: String
    /// The text in a public function's parameters that a parameter is added after.
    let parameters: String

    init(_ core: String, _ file: String, _ opening: String, parameters: String) {
      self.core = core
      self.file = file
      self.opening = opening
      self.parameters = parameters
    }

    func edited(_ source: String, _ change: Change, round: Int) throws -> String {
      switch change {
      case .body:
        guard source.contains(opening + "\n") else { throw Mistake(description: "\(core)/\(file) has no “\(opening)” to change.") }
        return source.replacing(opening + "\n", with: "\(opening)\n    withExtendedLifetime(\(round)) {}\n", maxReplacements: 1)
      case .signature:
        guard source.contains(parameters) else { throw Mistake(description: "\(core)/\(file) has no “\(parameters)” to change.") }
        let comma = parameters.hasSuffix("(") ? "" : ", "
        let more = parameters.hasSuffix("(") ? ", " : ""
        let added = source.contains(parameters + ")") ? "" : more
        return source.replacing(parameters, with: "\(parameters)\(comma)bench\(round): Int = 0\(added)", maxReplacements: 1)
      }
    }
  }

  private static let places = [
    Place("Runtime", "Effects.swift", "  public func deliver(_ label: String) {", parameters: "func deliver(_ label: String"),
    Place(
      "HTTPTransport", "FaultTransport.swift", "  public func send(_ request: Request) async throws -> Response {",
      parameters: "public init(_ wrapped: any Transport"),
    Place(
      "CurlTransport", "NetworkTransport.swift", "  public func send(_ request: Request) async throws -> Response {",
      parameters: "origin: String?"),
    Place(
      "SQLiteStorage", "Connection.swift",
      "  public func execute(_ sql: String, values: [(any SQLValue)?]) throws(SQLiteError) -> Int {",
      parameters: "func execute(_ sql: String, values: [(any SQLValue)?]"),
    Place(
      "SignedReceipts", "JWS.swift", "  public static func verify(_ token: String, keys: [VerificationKey]) throws(JWSError) -> Data {",
      parameters: "func verify(_ token: String, keys: [VerificationKey]"),
    Place("ContentCache", "Cache.swift", "  public func removeAll() {", parameters: "func removeAll("),
    Place(
      "PurchaseService", "Price.swift",
      "  public func saving(of period: SubscriptionPeriod, against monthly: Price) -> Int? {",
      parameters: "func saving(of period: SubscriptionPeriod, against monthly: Price"),
    Place("SessionService", "Session.swift", "  public func continueOffline() {", parameters: "func continueOffline("),
    Place("NavigationCore", "NavigationTree.swift", "  public mutating func back() {", parameters: "mutating func back("),
  ]

  /// The cores that are measured.
  static var cores: [String] { places.map(\.core) }

  func run(_ report: (Figure) throws -> Void) async throws {
    guard core.map(Self.cores.contains) ?? true else {
      throw Mistake(description: "there is no core “\(core ?? "")” here; there are \(Self.cores.joined(separator: ", ")).")
    }
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("matinee-bench-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: folder) }
    let modules = try Package.copy(of: FileManager.default.currentDirectoryPath, into: folder.appendingPathComponent("modules"))
    let whole = try Monolith(of: modules).write(into: folder.appendingPathComponent("whole"))
    for package in [modules, whole] { _ = try package.build() }
    for place in Self.places where core == nil || place.core == core {
      for change in Change.allCases { try report(try figure(place, change, modules: modules, whole: whole)) }
    }
  }

  private func figure(_ place: Place, _ change: Change, modules: Package, whole: Package) throws -> Figure {
    var times: [[Double]] = [[], []]
    var compiled: Set<String> = []
    let files = [modules.file(place.core, place.file), whole.file(place.core, place.file)]
    let sources = try files.map { try String(contentsOf: $0, encoding: .utf8) }
    defer { for (file, source) in zip(files, sources) { try? Data(source.utf8).write(to: file) } }
    for round in 0...rounds {
      for (index, package) in [modules, whole].enumerated() {
        try Data(place.edited(sources[index], change, round: round).utf8).write(to: files[index])
        let build = try package.build()
        // The first round only puts the line there; from then on it is changed.
        guard round > 0 else { continue }
        guard build.isLinked else { throw Mistake(description: "\(change.rawValue) of \(place.core) did not change \(package.product).") }
        times[index].append(build.seconds)
        if index == 0 { compiled.formUnion(build.compiled) }
      }
    }
    let isGoal = place.core == "PurchaseService" && change == .body
    return Figure(
      name: "build, \(place.core), \(change.rawValue)", ours: times[0].median, baseline: times[1].median, against: "all in one module",
      goal: isGoal ? Self.goal : nil, remark: try remark(place, change, in: modules, compiled: compiled))
  }

  /// Whether the right modules were recompiled.
  private func remark(_ place: Place, _ change: Change, in package: Package, compiled: Set<String>) throws -> String {
    let importers = try package.importers(of: place.core).union([place.core])
    let surplus = compiled.subtracting(change == .body ? [place.core] : importers)
    guard surplus.isEmpty, compiled.contains(place.core) else {
      throw Mistake(description: "\(change.rawValue) of \(place.core) recompiled \(compiled.sorted().joined(separator: ", ")).")
    }
    return change == .body ? "only that module recompiled" : "\(compiled.count) of \(importers.count) modules that see it recompiled"
  }
}
