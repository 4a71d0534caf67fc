/// The floors of the house, from the ground up, and the few edges that need a word of their own. docs/engineers.md explains them.
enum Floor: Int, Comparable, CaseIterable {
  case system, cores, publication, features, app, tools, tests

  /// The floor that a target's folder lies on.
  init?(path: String) {
    let found: [(String, Floor)] = [
      ("Sources/System/", .system), ("Sources/Cores/", .cores), ("Sources/Publication/", .publication),
      ("Sources/Features/", .features), ("Sources/App/", .app), ("Sources/Tools/", .tools), ("Tests/", .tests),
    ]
    guard let floor = found.first(where: { path.hasPrefix($0.0) })?.1 else { return nil }
    self = floor
  }

  static func < (one: Floor, other: Floor) -> Bool { one.rawValue < other.rawValue }
}

enum House {
  /// What a target may import from its own floor. Every core may import Runtime besides, and every feature FeatureKit.
  static let neighbors: [String: Set<String>] = [
    "CStoreBaseline": ["CSQLite"],
    "CGtkShims": ["CGtk"],
    "CListBaseline": ["CGtk"],
    "CStartBaseline": ["CGtk"],
    "CSecretShims": ["CSecret"],
    "CFeedBaseline": ["CXML2"],
    "CurlTransport": ["HTTPTransport"],
    "ContentCache": ["SQLiteStorage"],
    "PurchaseService": ["SignedReceipts", "SQLiteStorage"],
    "StubStore": ["PurchaseService", "SignedReceipts"],
    "PurchaseServiceTesting": ["PurchaseService", "SignedReceipts"],
    "FeatureFlags": ["SQLiteStorage"],
    "OpenIDConnect": ["SignedReceipts", "HTTPTransport"],
    "SessionServiceTesting": ["SessionService"],
    "OpenIDConnectTesting": ["OpenIDConnect", "SignedReceipts", "HTTPTransport"],
    "PublicationClient": ["PublicationAPI"],
    "PublicationCommerce": ["PublicationClient", "PublicationAPI"],
    "ReaderContent": ["PublicationClient", "PublicationAPI"],
    "PublicationServer": ["PublicationAPI", "FeedFormats"],
    "PublicationListener": ["PublicationServer"],
    "PublicationMailer": ["PublicationServer"],
    "Screens": ["Gtk", "AppCore"],
    "Matinee": ["Screens", "Gtk", "DesktopServices", "AppAssembly", "AppCore", "AppConfig", "BuildInfo"],
    "MatineeServer": ["AppConfig", "BuildInfo"],
    "AppAssembly": ["AppCore"],
    "AppScenarios": ["AppAssembly", "AppCore"],
    "MatineeScenario": ["AppScenarios", "AppConfig", "BuildInfo"],
    "MatineeBench": ["AppConfig", "BuildInfo", "Gtk"],
    "MatineeLedger": ["BuildInfo"],
    "MatineeTour": ["Driver"],
    "ConfigPlugin": ["ConfigGenerator"],
  ]

  /// Who may import a target, where the floors alone would let in more. Tests may import everything.
  static let importers: [String: Set<String>] = [
    "CGtk": ["Gtk", "CGtkShims", "CListBaseline", "CStartBaseline"],
    "CGtkShims": ["Gtk"],
    "CAppResources": ["Gtk", "Screens"],
    "CListBaseline": ["MatineeBench"],
    "CSecret": ["CSecretShims"],
    "CSecretShims": ["DesktopServices"],
    "CGio": ["Driver"],
    "CStoreBaseline": ["MatineeBench"],
    "CSQLite": ["SQLiteStorage", "CStoreBaseline"],
    "CCurl": ["CurlTransport", "PublicationMailer"],
    "COpenSSL": ["SignedReceipts", "PublicationServer"],
    "CXML2": ["FeedFormats", "CFeedBaseline"],
    "CMicroHTTPD": ["PublicationListener"],
    "CSamplePublication": ["PublicationServer"],
    "CFeedBaseline": ["MatineeBench"],
    "CStubProducts": ["Matinee"],
    // Only executables join the two ends of the seam.
    "PublicationServer": ["PublicationListener", "PublicationMailer", "Matinee", "MatineeServer", "MatineeScenario"],
    "PublicationListener": ["MatineeServer"],
    "PublicationMailer": ["MatineeServer"],
    "CurlTransport": ["Matinee", "MatineeServer", "MatineeScenario", "AppConfig"],
    "Gtk": ["Screens", "Matinee", "MatineeBench"],
    "Driver": ["MatineeTour"],
    // Test automation: what people run links none of it.
    "AppScenarios": ["MatineeScenario"],
    "AppConfig": ["Matinee", "MatineeServer", "MatineeScenario", "MatineeBench"],
    "BuildInfo": ["Matinee", "MatineeServer", "MatineeLedger", "MatineeScenario", "MatineeBench"],
  ]

  /// What is wrong with `target` importing `dependency`; nil when the floors allow it.
  static func objection(to target: PackageDescription.Target, importing dependency: PackageDescription.Target) -> String? {
    guard let floor = Floor(path: target.path), let below = Floor(path: dependency.path) else {
      return "\(target.name) or \(dependency.name) lies on no floor"
    }
    if floor == .tests || dependency.type == "plugin" { return nil }
    let edge = "\(target.name) imports \(dependency.name)"
    if below > floor { return "\(edge), which lies above it" }
    if let importers = importers[dependency.name], !importers.contains(target.name) {
      return "\(edge), which is for \(importers.sorted().joined(separator: ", "))"
    }
    // Runtime alone, for its JSON reader that says where a file is wrong.
    if floor == .tools, below != .tools, below != .system, dependency.name != "Runtime" { return "\(edge): tools know nothing of the app" }
    if below == floor {
      let common: [Floor: Set<String>] = [.cores: ["Runtime"], .features: ["FeatureKit"]]
      let allowed = (neighbors[target.name] ?? []).union(common[floor] ?? [])
      if !allowed.contains(dependency.name) { return "\(edge), which is on its own floor and not among its neighbors" }
    }
    return nil
  }
}
