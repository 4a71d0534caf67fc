import Foundation
import TestSupport
import Testing

/// The pages that people read about the library products.
@Suite struct DocumentationTests {
  private static var isThere: Bool {
    (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
      .contains { FileManager.default.isExecutableFile(atPath: "\($0)/docc") }
  }

  @Test func everyLibraryProductIsFound() throws {
    let manifest = try String(contentsOf: Checkout.root.appending(path: "Package.swift"), encoding: .utf8)
    #expect(Library.all.count == manifest.matches(of: /product: true/).count)
  }

  @Test(.enabled(if: isThere, "there is no docc on the PATH"), arguments: Library.all)
  func everyPageAndEveryLinkIsWhole(_ library: Library) async throws {
    #expect(FileManager.default.fileExists(atPath: library.catalogue.path))
    let symbols = try await SymbolGraphs(of: library.name)
    defer { symbols.remove() }
    let outcome = try await Program([
      "docc", "convert", library.catalogue.path, "--additional-symbol-graph-dir", symbols.folder.path, "--output-path",
      symbols.folder.appending(path: "pages").path, "--fallback-display-name", library.name, "--fallback-bundle-identifier",
      "app.matinee.\(library.name)",
    ]).run()
    #expect(outcome.status == 0, "\(outcome.output)")
    let warnings = outcome.output.matches(of: /warning: ([^\n]*)\n\s*--> (\S*?):\d/).map { (text: $0.output.1, file: $0.output.2) }
    #expect(warnings.count == outcome.output.matches(of: /warning:/).count, "\(outcome.output)")
    #expect(warnings.map { "\($0.file): \($0.text)" } == [])
  }

  @Test(arguments: Library.all) func theLandingPageHasEveryTopLevelSymbolInAGroup(_ library: Library) async throws {
    let topics = try #require(try library.page().components(separatedBy: "\n## Topics\n").dropFirst().first)
    let named = Set(topics.matches(of: /(?m)^- ``([^`\/]+)``/).map { String($0.output.1) })
    let symbols = try await SymbolList.topLevelNames(of: library.name)
    #expect(!symbols.isEmpty)
    #expect(symbols.subtracting(named).sorted() == [], "the landing page of \(library.name) does not name these")
  }

  @Test(arguments: Library.all) func theFirstSampleIsShortAndCompiles(_ library: Library) async throws {
    let page = try library.page()
    #expect(page.contains("\n### When to use it\n") && page.contains("\n### When not to use it\n"))
    let sample = try #require(try library.listings().first)
    #expect(sample.split(separator: "\n").count <= 20)
    let folder = FileManager.default.temporaryDirectory.appending(path: "matinee-sample-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let file = folder.appending(path: "main.swift")
    try Data(sample.utf8).write(to: file)
    let outcome = try await Program(
      ["swiftc", "-typecheck", "-swift-version", "6", "-warnings-as-errors"] + (try await SymbolGraphs.importing()) + [file.path]
    ).run()
    #expect(outcome.status == 0, "\(outcome.output)")
  }
}
