import Foundation
import Runtime
import SignedReceipts
import Synchronization

/// The part of a test store that survives the program: a JSON file, replaced as a whole with each change.
final class StubDisk: Sendable {
  struct Saved: Codable {
    var version = StubDisk.version
    var key: Data
    var signature: SignatureAlgorithm
    /// How far the store's clock was ahead, in seconds.
    var ahead: Double
    var ledger: StubLedger
  }

  private struct Header: Decodable { let version: Int }

  static let version = 1

  private let path: String
  /// Of what was written last.
  private let written = Mutex(0)
  private let executor = ThreadExecutor(name: "stub-store")

  init(path: String) { self.path = path }

  /// What an earlier run left; `nil` at the first start.
  func load() throws(TestStore.Refusal) -> Saved? {
    guard FileManager.default.fileExists(atPath: path) else { return nil }
    guard let data = FileManager.default.contents(atPath: path), let header = try? JSONDecoder().decode(Header.self, from: data) else {
      throw .init(sentence: "The test store's \(path) cannot be read. Delete it to begin again.")
    }
    guard header.version <= Self.version else {
      throw .init(sentence: "The test store's \(path) is from a newer Matinee, and is left as it is.")
    }
    do { return try JSONDecoder().decode(Saved.self, from: data) } catch {
      throw .init(sentence: "The test store's \(path) cannot be read. Delete it to begin again.")
    }
  }

  /// Returns when this state, or a newer one, is on the disk; or the reason why it is not.
  func save(_ saved: Saved, _ revision: Int) async -> String? {
    do {
      try await executor.run { [path, self] in
        guard written.withLock({ $0 < revision }) else { return }
        try JSONEncoder().encode(saved).write(to: URL(fileURLWithPath: path), options: .atomic)
        // It holds the key that the test store signs with.
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
        written.withLock { $0 = revision }
      }
      return nil
    } catch { return "\(error.systemReason)" }
  }
}
