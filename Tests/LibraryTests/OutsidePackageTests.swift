import Foundation
import TestSupport
import Testing

/// A package of its own, outside this checkout, that takes the libraries by path: no GTK, no network, and no more code than the
/// documentation shows.
@Suite(.serialized) struct OutsidePackageTests {
  /// A page whose Swift listings are a program, in their order, and what it takes.
  struct Tutorial: CustomTestStringConvertible, Sendable {
    let program: String
    let library: String
    let page: String
    let products: [String]

    var testDescription: String { "\(library), \(page)" }
  }

  static let tutorials = [
    Tutorial(
      program: "Notes", library: "ContentCache", page: "AListAnActionAndAStore", products: ["ContentCache", "SQLiteStorage", "Runtime"]),
    Tutorial(program: "SignIn", library: "SessionService", page: "SigningIn", products: ["SessionService", "Runtime"]),
    Tutorial(program: "Places", library: "NavigationCore", page: "ACoordinatorWithADeepLink", products: ["NavigationCore"]),
  ]

  /// Kept between runs beside the other builds: another folder each time would compile everything again.
  private static let scratch = Checkout.root.appending(path: ".build/outside")

  /// Builds one package of all samples and plays the tests of the shop, once for all tests here.
  private static let outcome = Task {
    let folder = FileManager.default.temporaryDirectory.appending(path: "matinee-outside-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: folder) }
    for (path, text) in try files() {
      let file = folder.appending(path: path)
      try FileManager.default.createDirectory(at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
      try Data(text.utf8).write(to: file)
    }
    // A build folder of its own, since whoever runs this holds the lock of the usual one; nothing is looked up anywhere.
    return try await isolated([
      "swift", "test", "--package-path", folder.path, "--scratch-path", scratch.path, "--skip-update", "--manifest-cache", "none",
    ])
  }

  /// The manifest that the documentation shows, with a target more for each tutorial.
  private static func files() throws -> [(path: String, text: String)] {
    let purchases = try Library.named("PurchaseService")
    let page = try purchases.listings(on: "TestingYourPaywall")
    let targets = tutorials.map { tutorial in
      let products = tutorial.products.map { ".product(name: \"\($0)\", package: \"matinee\")" }.joined(separator: ", ")
      return "\n    .executableTarget(name: \"\(tutorial.program)\", dependencies: [\(products)]),"
    }
    let manifest = page[0].replacing("\"../matinee\"", with: "\"\(Checkout.root.path)\"")
      .replacing("  targets: [", with: "  targets: [" + targets.joined())
    return [
      ("Package.swift", manifest), ("Sources/Shop/main.swift", try purchases.listings()[0]),
      ("Tests/ShopTests/ShopTests.swift", page[1] + page[2]),
    ]
      + (try tutorials.map { tutorial in
        let listings = try Library.named(tutorial.library).listings(on: tutorial.page)
        return ("Sources/\(tutorial.program)/main.swift", listings.joined(separator: "\n"))
      })
  }

  /// Runs a command in a network of its own, of which only the loopback is up: Foundation waits for its children by way of that.
  private static func isolated(_ command: [String]) async throws -> Program.Outcome {
    let network = ["unshare", "--map-root-user", "--net", "--", "sh", "-c", "ip link set lo up && exec \"$@\"", "sh"]
    let mayIsolate = try await Program(network + ["true"]).run().status == 0
    let ours = ProcessInfo.processInfo.environment.keys.filter { $0.hasPrefix("MATINEE_") || $0.lowercased().hasSuffix("_proxy") }
    return try await Program((mayIsolate ? network : []) + command, environment: Dictionary(uniqueKeysWithValues: ours.map { ($0, nil) }))
      .run()
  }

  /// Runs a program of the package.
  private func run(_ program: String) async throws -> Program.Outcome {
    let built = try await Self.outcome.value
    try #require(built.status == 0, "\(built.output)")
    return try await Self.isolated([Self.scratch.appending(path: "debug/\(program)").path])
  }

  @Test func theListingsAreAsShortAsTheySay() throws {
    let purchases = try Library.named("PurchaseService")
    let program = try purchases.listings()[0].split(separator: "\n").filter { !$0.isEmpty }
    #expect(program.count <= 20)
    #expect(try purchases.listings(on: "TestingYourPaywall")[0].split(separator: "\n").count <= 12)
  }

  @Test func itsTestsPass() async throws {
    let outcome = try await Self.outcome.value
    #expect(outcome.status == 0, "\(outcome.output)")
    #expect(outcome.output.contains("Test run with 2 tests "), "\(outcome.output)")
    let program = Self.scratch.appending(path: "debug/ShopPackageTests.xctest")
    let libraries = try await Program(["ldd", program.path]).run().output
    #expect(libraries.contains("libsqlite3"), "\(libraries)")
    #expect(!libraries.contains(/libgtk|libcurl|libsecret|libmicrohttpd/), "\(libraries)")
  }

  @Test func theTwentyLinesSellSomething() async throws {
    let outcome = try await run("Shop")
    #expect(outcome.status == 0, "\(outcome.output)")
    #expect(outcome.output.hasSuffix("purchased(\"song\")\nAda owns [\"song\"]\n"), "\(outcome.output)")
  }

  @Test(arguments: tutorials) func aTutorialPrintsWhatItSays(_ tutorial: Tutorial) async throws {
    let expected = try #require(try Library.named(tutorial.library).output(on: tutorial.page))
    let outcome = try await run(tutorial.program)
    #expect(outcome.status == 0, "\(outcome.output)")
    #expect(outcome.output == expected)
  }
}
