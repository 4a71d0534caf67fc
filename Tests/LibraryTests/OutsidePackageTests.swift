import Foundation
import TestSupport
import Testing

/// A package of its own, outside this checkout, that takes the purchase library by path: no GTK, no network, and no more code than the
/// documentation shows.
@Suite(.serialized) struct OutsidePackageTests {
  /// Kept between runs beside the other builds: another folder each time would compile everything anew.
  private static let scratch = Checkout.root.appending(path: ".build/outside")

  /// Makes the package, runs SwiftPM on it and takes it away again.
  private func swift(_ command: String, _ arguments: String...) async throws -> Program.Outcome {
    let folder = FileManager.default.temporaryDirectory.appending(path: "matinee-outside-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: folder) }
    let page = try Listing.all(on: "TestingYourPaywall")
    let manifest = page[0].replacing("\"../matinee\"", with: "\"\(Checkout.root.path)\"")
    for (path, text) in [
      ("Package.swift", manifest), ("Sources/Shop/main.swift", try Listing.all(on: "PurchaseService")[0]),
      ("Tests/ShopTests/ShopTests.swift", page[1] + page[2]),
    ] {
      let file = folder.appending(path: path)
      try FileManager.default.createDirectory(at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
      try Data(text.utf8).write(to: file)
    }
    // A build folder of its own, since whoever runs this holds the lock of the usual one; nothing is looked up anywhere.
    let line =
      ["swift", command, "--package-path", folder.path, "--scratch-path", Self.scratch.path, "--skip-update", "--manifest-cache", "none"]
      + arguments
    // In a network of its own, of which only the loopback is up: Foundation waits for its children by way of that.
    let network = ["unshare", "--map-root-user", "--net", "--", "sh", "-c", "ip link set lo up && exec \"$@\"", "sh"]
    let mayIsolate = try await Program(network + ["true"]).run().status == 0
    let ours = ProcessInfo.processInfo.environment.keys.filter { $0.hasPrefix("MATINEE_") || $0.lowercased().hasSuffix("_proxy") }
    return try await Program((mayIsolate ? network : []) + line, environment: Dictionary(uniqueKeysWithValues: ours.map { ($0, nil) }))
      .run()
  }

  @Test func theListingsAreAsShortAsTheySay() throws {
    let program = try Listing.all(on: "PurchaseService")[0].split(separator: "\n").filter { !$0.isEmpty }
    #expect(program.count <= 20)
    #expect(try Listing.all(on: "TestingYourPaywall")[0].split(separator: "\n").count <= 12)
  }

  @Test func itsTestsPass() async throws {
    let outcome = try await swift("test")
    #expect(outcome.status == 0, "\(outcome.output)")
    #expect(outcome.output.contains("Test run with 2 tests "), "\(outcome.output)")
    let program = Self.scratch.appending(path: "debug/ShopPackageTests.xctest")
    let libraries = try await Program(["ldd", program.path]).run().output
    #expect(libraries.contains("libsqlite3"), "\(libraries)")
    #expect(!libraries.contains(/libgtk|libcurl|libsecret|libmicrohttpd/), "\(libraries)")
  }

  @Test func theTwentyLinesSellSomething() async throws {
    let outcome = try await swift("run", "Shop")
    #expect(outcome.status == 0, "\(outcome.output)")
    #expect(outcome.output.hasSuffix("purchased(\"song\")\nAda owns [\"song\"]\n"), "\(outcome.output)")
  }
}
