import Foundation
import TestSupport
import Testing

/// The public API of what other apps take, against the lists in Symbols: whoever changes it sees so, and says so in the commit.
@Suite struct SymbolTests {
  private static var isOurToolchain: Bool {
    #if compiler(>=6.4)
      false
    #else
      true
    #endif
  }

  static let modules = [
    "ContentCache", "FeatureFlags", "NavigationCore", "OpenIDConnect", "OpenIDConnectTesting", "PurchaseService", "PurchaseServiceTesting",
    "SessionService", "SessionServiceTesting", "SignedReceipts", "StubStore",
  ]

  @Test(.enabled(if: isOurToolchain, "another toolchain words declarations in its own way"), arguments: modules)
  func thePublicAPIIsTheOneThatWasWrittenDown(_ module: String) async throws {
    let lines = try await SymbolList(module: module).lines
    #expect(lines.count > 5)
    let file = Checkout.root.appending(path: "Tests/LibraryTests/Symbols/\(module).txt")
    if ProcessInfo.processInfo.environment["MATINEE_UPDATE_SYMBOLS"] == "1" {
      try Data((lines.joined(separator: "\n") + "\n").utf8).write(to: file)
    }
    let written = try String(contentsOf: file, encoding: .utf8).split(separator: "\n").map(String.init)
    let changes = lines.difference(from: written).map { change in
      switch change {
      case .insert(_, let line, _): "+ \(line)"
      case .remove(_, let line, _): "- \(line)"
      }
    }
    #expect(
      changes == [],
      """
      The public API of \(module) changed:
      \(changes.joined(separator: "\n"))
      If that is meant: MATINEE_UPDATE_SYMBOLS=1 meson-helpers/test --headless --filter SymbolTests
      """)
  }
}
