import Foundation
import TestSupport

/// What the toolchain says a built module declares in public, as files in a folder: the module's own, and one for each module it extends.
struct SymbolGraphs {
  let folder: URL

  struct Failure: Error, CustomStringConvertible { let description: String }

  /// - Throws: ``Failure`` when the module cannot be read.
  init(of module: String) async throws {
    folder = FileManager.default.temporaryDirectory.appending(path: "matinee-symbols-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let outcome = try await Program(
      [
        "swift-symbolgraph-extract", "-module-name", module, "-target", try await Self.target(), "-output-dir", folder.path,
        "-minimum-access-level", "public", "-skip-synthesized-members", "-skip-inherited-docs",
      ] + (try await Self.importing())
    ).run()
    guard outcome.status == 0 else {
      remove()
      throw Failure(description: outcome.output)
    }
  }

  func remove() { try? FileManager.default.removeItem(at: folder) }

  func files() throws -> [URL] {
    try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted().map { folder.appending(path: $0) }
  }

  /// What a compiler needs to import any library product: one of the C libraries has its headers in a folder of its own.
  static func importing() async throws -> [String] {
    let headers = try await Program(["pkg-config", "--cflags-only-I", "libxml-2.0"]).run().output
    return try Checkout.importing() + headers.split(whereSeparator: \.isWhitespace).flatMap { ["-Xcc", String($0)] }
  }

  /// The triple that modules here are built for.
  private static func target() async throws -> String {
    struct Answer: Decodable {
      struct Target: Decodable { let unversionedTriple: String }
      let target: Target
    }
    let answer = try await Program(["swiftc", "-print-target-info"]).run().output
    return try JSONDecoder().decode(Answer.self, from: Data(answer.utf8)).target.unversionedTriple
  }
}
