import AppCore
import Foundation
import Testing

/// Random inputs through the whole app under transport faults. What must hold whatever is pressed is checked after each of them.
///
/// MATINEE_WALKS=SEEDS×INPUTS (such as 20x10000) walks farther; MATINEE_SEED=N walks one way again, as the report of a failure says.
@MainActor @Suite(.serialized) struct AppWalkTests {
  private nonisolated static let environment = ProcessInfo.processInfo.environment
  private nonisolated static let size: (seeds: UInt64, inputs: Int) = {
    let parts = (environment["MATINEE_WALKS"] ?? "4x2000").split(separator: "x").map(String.init)
    guard parts.count == 2, let seeds = UInt64(parts[0]), let inputs = Int(parts[1]), seeds > 0, inputs > 0 else {
      preconditionFailure("MATINEE_WALKS is SEEDSxINPUTS, such as 20x10000")
    }
    return (seeds, inputs)
  }()
  nonisolated static let seeds: [UInt64] = environment["MATINEE_SEED"].flatMap { UInt64($0) }.map { [$0] } ?? Array(1...size.seeds)

  @Test(arguments: seeds) func whateverIsPressedTheAppHolds(seed: UInt64) async throws {
    let walk = try await Walk(seed: seed)
    do {
      try await walk.go(Self.size.inputs)
      try await walk.arrive()
    } catch {
      Issue.record("MATINEE_SEED=\(seed), after \(walk.steps) steps: \(error)\n\(walk.trail.suffix(40).joined(separator: "\n"))")
    }
    print("walk \(seed): \(walk.steps) steps, \(walk.places.count) kinds of places, \(walk.starts) starts, \(walk.summary)")
    #expect(walk.places.count >= 15, "the walk came to \(walk.places.sorted()) only")
  }

  /// A walk that leaves an input out finds nothing about it.
  @Test func everyInputOfEveryScreenIsPressed() throws {
    let sources = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
      .appending(path: "Sources/Features")
    let choices = try String(
      contentsOf: URL(filePath: #filePath).deletingLastPathComponent().appending(path: "ScreenChoices.swift"), encoding: .utf8)
    var inputs = 0
    for file in try FileManager.default.subpathsOfDirectory(atPath: sources.path) where file.hasSuffix(".swift") {
      let text = try String(contentsOf: sources.appending(path: file), encoding: .utf8)
      guard let begin = text.range(of: "public enum Input: Codable"), let end = text[begin.upperBound...].range(of: "\n  }\n") else {
        continue
      }
      for line in text[begin.upperBound..<end.lowerBound].split(separator: "\n") {
        guard let name = line.firstMatch(of: /^ {4}case (\w+)/)?.output.1 else { continue }
        inputs += 1
        #expect(choices.contains(".\(name)"), "\(file): \(name)")
      }
    }
    #expect(inputs > 100)
  }
}
