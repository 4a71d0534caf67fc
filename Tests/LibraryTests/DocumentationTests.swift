import Foundation
import TestSupport
import Testing

/// The pages that people read about the purchase library.
@Suite struct DocumentationTests {
  private static var isThere: Bool {
    (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
      .contains { FileManager.default.isExecutableFile(atPath: "\($0)/docc") }
  }

  @Test(.enabled(if: isThere, "there is no docc on the PATH")) func everyPageAndEveryLinkIsWhole() async throws {
    let symbols = try await SymbolGraphs(of: "PurchaseService")
    defer { symbols.remove() }
    let outcome = try await Program([
      "docc", "convert", Listing.catalogue.path, "--additional-symbol-graph-dir", symbols.folder.path, "--output-path",
      symbols.folder.appending(path: "pages").path, "--fallback-display-name", "PurchaseService", "--fallback-bundle-identifier",
      "app.matinee.PurchaseService", "--warnings-as-errors",
    ]).run()
    #expect(outcome.status == 0, "\(outcome.output)")
    #expect(!outcome.output.contains("warning:"), "\(outcome.output)")
  }
}
