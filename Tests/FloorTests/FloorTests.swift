import Testing

@Suite struct FloorTests {
  let package: PackageDescription

  init() throws {
    package = try PackageDescription.current.get()
  }

  private func files(_ floors: Floor..., except: Set<String> = []) throws -> [SourceText] {
    try package.targets.filter { target in
      Floor(path: target.path).map(floors.contains) == true && !except.contains(target.name)
    }.flatMap { try $0.swiftFiles() }
  }

  @Test func everyTargetLiesOnAFloor() {
    #expect(package.targets.filter { Floor(path: $0.path) == nil }.map(\.path) == [])
    #expect(package.targets.count > 5)
  }

  @Test func noEdgeLeavesTheFloors() throws {
    var objections: [String] = []
    for target in package.targets {
      for name in target.dependencies ?? [] {
        guard let dependency = package.target(name) else { continue }
        if let objection = House.objection(to: target, importing: dependency) { objections.append(objection) }
      }
    }
    #expect(objections == [])
  }

  /// The compiler lets a file import what its target reaches only by way of others.
  @Test func everyImportIsADeclaredDependency() throws {
    var undeclared: [String] = []
    for target in package.targets {
      let declared = Set(target.dependencies ?? [])
      for file in try target.swiftFiles() {
        for module in file.imports where package.target(module) != nil && !declared.contains(module) {
          undeclared.append("\(file.path) imports \(module)")
        }
      }
    }
    #expect(undeclared == [])
  }

  @Test func onlyTheWrapperKnowsGtkAndGLib() throws {
    let known = /\b(gtk|gdk|gsk|g)_[a-z]\w*|\b(OpaquePointer|Unsafe(Mutable)?(Raw)?Pointer)\b|^\s*(@\w+ )*import (CGtk|CGtkShims)\b/
    let places = try files(.app, except: ["Gtk"]).flatMap { $0.places(of: known) }
    #expect(places == [])
  }

  @Test func nothingIsShared() throws {
    let places = try files(.cores, .publication, .features, .app, .tools).flatMap {
      $0.places(of: /\bstatic\s+(let|var)\s+(shared|default|sharedInstance)\b|\.shared\b/)
    }
    #expect(places == [])
  }

  /// `SessionTableTests` walks the table; this is what makes the table all there is.
  @Test func theSessionsStateIsSetInOnePlace() throws {
    let session = try #require(package.target("SessionService")).swiftFiles()
    #expect(session.flatMap { $0.places(of: /LastValue<State>/) }.count == 1)
    let places = session.flatMap { $0.places(of: /\bcurrent\.value\s*=[^=]|\bcurrent\s*=[^=]/) }.filter { !$0.contains("LastValue<State>") }
    #expect(places.count == 1 && places.first?.hasSuffix("current.value = state") == true, "\(places)")
  }

  @Test func noModuleSharesItsNameWithAType() throws {
    let modules = package.targets.map(\.name)
    var places: [String] = []
    for target in package.targets where Floor(path: target.path) != .tests {
      for file in try target.swiftFiles() {
        for line in file.lines {
          let declaration = /\b(?:class|struct|enum|actor|protocol|typealias)\s+(\w+)/
          guard let name = line.text.firstMatch(of: declaration)?.output.1, modules.contains(String(name)) else { continue }
          places.append("\(file.path):\(line.number): \(name)")
        }
      }
    }
    // A plugin's type carries its name: nothing can import it.
    #expect(places.filter { !$0.contains("Plugin/") } == [])
  }

  @Test func argumentsOfMoreThanThreeHaveLabels() throws {
    let files = try package.targets.flatMap { try $0.swiftFiles() }
    #expect(files.flatMap { $0.declarations(withMorePositionalArgumentsThan: 3) } == [])
  }

  @Test func onlyTheClockReadsTheTime() throws {
    let reading = /\bDate\(\)|\bDate\.now\b|\bDate\(timeIntervalSinceNow:|\b(Continuous|Suspending)Clock\b|\bCFAbsoluteTimeGetCurrent\b/
    let app = try ["AppCore", "AppAssembly"].flatMap { try package.target($0)?.swiftFiles() ?? [] }
    let places = try (files(.cores, .publication, .features) + app)
      .filter { !$0.path.hasSuffix("/AppClock.swift") }
      .flatMap { $0.places(of: reading) }
    #expect(places == [])
  }

  @Test func featuresDrawNothing() throws {
    let places = try files(.cores, .publication, .features).flatMap { $0.places(of: /^\s*import (Gtk|Screens|DesktopServices)\b/) }
    #expect(places == [])
  }
}
