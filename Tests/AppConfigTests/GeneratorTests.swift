import Foundation
import TestSupport
import Testing

/// The generator as the build runs it.
@Suite struct GeneratorTests {
  /// Runs it on the release flavour's file after `change`.
  private func generate(_ change: (String) -> String) async throws -> (outcome: Program.Outcome, file: String, source: String?) {
    let folder = FileManager.default.temporaryDirectory.appending(path: "matinee-generator-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let (input, output) = (folder.appending(path: "release.json"), folder.appending(path: "GeneratedConfig.swift"))
    let whole = try String(contentsOf: AppConfigTests.folder.appending(path: "release.json"), encoding: .utf8)
    let changed = change(whole)
    try Data(changed.utf8).write(to: input)
    let outcome = try await Program([Checkout.products.appending(path: "ConfigGenerator").path, input.path, output.path]).run()
    return (outcome, input.path, try? String(contentsOf: output, encoding: .utf8))
  }

  @Test func aGoodFileBecomesSwift() async throws {
    let (outcome, _, source) = try await generate { $0.replacing("https://matinee.example", with: "https://matinee.org") }
    #expect(outcome.status == 0)
    #expect(outcome.output == "")
    #expect(source?.contains("  public var flavour: Flavour { .release }\n") == true)
    #expect(source?.contains("  public var identity: String { \"app.matinee.Matinee\" }\n") == true)
    #expect(source?.contains("  public var hasTesterPanel: Bool { false }\n") == true)
  }

  @Test func aReleaseWithoutAHomepageSaysSo() async throws {
    let (outcome, file, source) = try await generate { $0 }
    #expect(outcome.status == 0)
    #expect(outcome.output.hasPrefix("\(file): warning: The homepage is a placeholder."))
    #expect(source != nil)
  }

  @Test(arguments: [
    ("\"canBuy\": true", "\"canBuy\": yes", 4, ""),
    ("\"canBuy\": true", "\"canBuy\": \"yes\"", 4, ""),
    ("\"canBuy\"", "\"canBy\"", 4, "canBuy"),
    ("  \"canBuy\": true,\n", "", 1, "canBuy"),
    ("\"canBuy\": true", "\"canBuy\": true, \"canBuy\": false", 4, "canBuy"),
    ("\"canBuy\": true", "\"canBuy\": true, \"userAgent\": \"M\"", 4, "userAgent"),
    ("https://matinee.example", "matinee.example/", 3, "this takes an https address without a slash at its end, not “matinee.example/”"),
    ("app.matinee.Matinee", "Matinee", 2, "this takes an application id such as org.example.App, not “Matinee”"),
  ])
  func aBadOneIsRefusedByFileAndLine(_ part: String, _ instead: String, line: Int, says: String) async throws {
    let (outcome, file, source) = try await generate { whole in
      #expect(whole.contains(part))
      return whole.replacing(part, with: instead)
    }
    #expect(outcome.status == 1)
    #expect(outcome.output.hasPrefix("\(file):\(line):"), "\(outcome.output)")
    #expect(outcome.output.contains(#/:\d+:\d+: error: /#))
    #expect(says == "" || outcome.output.contains(says), "\(outcome.output)")
    #expect(source == nil)
  }

  /// Otherwise each change to what the generator is made of would recompile the configuration and all that reads it.
  @Test func whatStaysTheSameIsNotWrittenAgain() async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "matinee-generator-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let output = folder.appending(path: "GeneratedConfig.swift").path
    let old = Date(timeIntervalSince1970: 1_000_000_000)
    for (flavour, isWritten) in [("release", true), ("release", false), ("beta", true)] {
      let input = AppConfigTests.folder.appending(path: "\(flavour).json").path
      let outcome = try await Program([Checkout.products.appending(path: "ConfigGenerator").path, input, output]).run()
      #expect(outcome.status == 0)
      let date = try FileManager.default.attributesOfItem(atPath: output)[.modificationDate] as? Date
      #expect((date != old) == isWritten, "\(flavour)")
      try FileManager.default.setAttributes([.modificationDate: old], ofItemAtPath: output)
    }
  }

  @Test func aMissingFileIsNamed() async throws {
    let outcome = try await Program([Checkout.products.appending(path: "ConfigGenerator").path, "/nowhere/beta.json", "/nowhere/x"]).run()
    #expect(outcome.status == 1)
    #expect(outcome.output.hasPrefix("/nowhere/beta.json: error: "))
  }
}
