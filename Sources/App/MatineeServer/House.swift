import Foundation
import PublicationServer
import Runtime
import SQLiteStorage

/// A folder with a publication in it, which this process alone has open.
struct House {
  private let folder: DataFolder

  /// - Parameter path: nil for the reader's data folder.
  /// - Throws: `DataFolder.Failure`.
  init(_ path: String?) throws(DataFolder.Failure) { folder = try DataFolder(path: path ?? Self.standard) }

  /// The folder.
  var path: String { folder.path }

  /// Opens the publication, and founds it in an empty folder.
  /// - Parameter sample: whether the sample's posts come along; who imports feeds first wants a publication of their own.
  func open(sample: Bool) async throws -> Publication {
    let clock = SystemClock()
    let gateway = LedgerGateway(program: LedgerGateway.besideThisProgram, file: folder.file("ledger.jsonl"))
    let folder = folder
    let publication = try await Publication(
      folder: folder.path, gateway: gateway, clock: clock, offersSampleAccount: false,
      log: { line in
        // The folder stays locked as long as somebody may write to it.
        _ = folder
        Program.say(line)
      })
    let content = try SampleContent.publication(openedAt: clock.now)
    try await publication.install(sample ? content : content.withoutPosts)
    return publication
  }

  /// `$XDG_DATA_HOME/matinee/server`, by the XDG Base Directory Specification.
  private static var standard: String {
    let environment = ProcessInfo.processInfo.environment
    let data = environment["XDG_DATA_HOME"].flatMap { $0.hasPrefix("/") ? $0 : nil }
    return (data ?? (environment["HOME"] ?? NSHomeDirectory()) + "/.local/share") + "/matinee/server"
  }
}
