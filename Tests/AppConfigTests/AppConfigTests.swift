import AppConfig
import Foundation
import Runtime
import TestSupport
import Testing

@testable import ConfigGenerator

/// From a flavour's file to a `Config` that every module takes.
@Suite struct AppConfigTests {
  static let folder = Checkout.root.appending(path: "Sources/App/AppConfig")
  static let flavours = ["development", "beta", "release"]

  private func facts(_ flavour: String) throws -> BuildFacts {
    let file = Self.folder.appending(path: flavour + ".json")
    return try LocatedJSON.decode(from: Data(contentsOf: file), file: file.path)
  }

  /// What the compiler says to the app's conformances with `config` in the place of the generated `Config`.
  private func compile(_ config: String, without property: String? = nil) async throws -> Program.Outcome {
    let folder = FileManager.default.temporaryDirectory.appending(path: "matinee-config-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let generated = folder.appending(path: "GeneratedConfig.swift")
    try Data(config.utf8).write(to: generated)
    var files = [generated]
    for name in try FileManager.default.contentsOfDirectory(atPath: Self.folder.path) where name.hasSuffix(".swift") {
      let whole = try String(contentsOf: Self.folder.appending(path: name), encoding: .utf8).split(separator: "\n")
      let left = property.map { property in whole.filter { !$0.contains(" var \(property):") } } ?? whole
      let file = folder.appending(path: name)
      try Data(left.joined(separator: "\n").utf8).write(to: file)
      files.append(file)
      if name == "Conformances.swift" { #expect(left.count == whole.count - (property == nil ? 0 : 1)) }
    }
    return try await Program(
      ["swiftc", "-typecheck", "-swift-version", "6", "-warnings-as-errors", "-module-name", "AppConfig"] + Checkout.importing()
        + files.map(\.path)
    ).run()
  }

  private func config(_ flavour: String) throws -> String {
    let file = Self.folder.appending(path: flavour + ".json")
    return GeneratedSource.text(try facts(flavour), path: file.path)
  }

  @Test(arguments: flavours) func theConfigOfEveryFlavourCompiles(_ flavour: String) async throws {
    let outcome = try await compile(config(flavour))
    #expect(outcome.status == 0, "\(outcome.output)")
    #expect(outcome.output == "")
  }

  @Test(arguments: ["offlineGrace", "userAgent"]) func aPropertyThatTheAppDoesNotProvideBreaksTheBuild(_ name: String) async throws {
    let outcome = try await compile(config("release"), without: name)
    #expect(outcome.status != 0)
    #expect(outcome.output.contains("type 'Config' does not conform to protocol"), "\(outcome.output)")
    #expect(outcome.output.contains("protocol requires property '\(name)'"), "\(outcome.output)")
  }

  @Test func whatIsTheSameInEveryFlavourIsNoConfiguration() throws {
    let values = try Self.flavours.map { flavour in
      Mirror(reflecting: try facts(flavour)).children.reduce(into: [:]) { $0[$1.label ?? ""] = "\($1.value)" }
    }
    let same = Set(values.flatMap(\.keys)).filter { key in Set(values.map { $0[key] }).count == 1 }
    #expect(same == ["homepage"])
  }

  @Test func onlyTestersHaveWhatIsForTesters() throws {
    let (development, beta, release) = (try facts("development"), try facts("beta"), try facts("release"))
    #expect([development, beta, release].map(\.canBuy) == [true, false, true])
    #expect([development, beta, release].map(\.allowsStubStore) == [true, true, false])
    #expect([development, beta, release].map(\.hasTesterPanel) == [true, true, false])
  }

  @Test func thisBuildIsOfTheFlavourThatWasAskedFor() throws {
    let requested = ProcessInfo.processInfo.environment["MATINEE_FLAVOUR"] ?? "development"
    #expect(Config().flavour.rawValue == requested)
    #expect(Config().identity == (try facts(requested).identity.text))
    #expect(Config().homepage == (try facts(requested).homepage.text))
  }

  /// A development build is a program of its own beside an installed one.
  @Test func thereIsOneIdentity() throws {
    let identity = try facts("release").identity.text
    #expect(try facts("beta").identity.text == identity)
    #expect(try facts("development").identity.text == identity + ".Devel")
    let names = try FileManager.default.contentsOfDirectory(atPath: Checkout.root.appending(path: "data").path)
    #expect(names.contains(identity + ".desktop"))
  }
}
