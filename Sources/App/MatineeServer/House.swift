import Foundation
import PublicationServer
import Runtime
import SQLiteStorage

/// A folder with a publication in it, which this process alone has open.
struct House {
  /// Why there is no publication to work with.
  enum Failure: Error, Equatable, CustomStringConvertible {
    case notInitialised(path: String)
    case alreadyInitialised(path: String, name: String)

    var description: String {
      switch self {
      case .notInitialised(let path):
        "There is no publication in \(path) yet: make yours with “matinee-server init”, or try the sample with “matinee-server init --sample”."
      case .alreadyInitialised(let path, let name): "There is a publication in \(path) already, “\(name)”; it was left as it is."
      }
    }
  }

  private let folder: DataFolder

  /// - Parameters:
  ///   - path: nil for the reader's data folder.
  ///   - isNew: whether the folder may have no publication yet; otherwise it is not even made.
  /// - Throws: `DataFolder.Failure`, ``Failure``.
  init(_ path: String?, isNew: Bool = false) throws {
    let path = path ?? Self.standard
    if !isNew, access(path + "/" + Publication.databaseName, F_OK) != 0 {
      guard errno == ENOENT else { throw DataFolder.Failure.unusable(path: path, reason: String(cString: strerror(errno))) }
      throw Failure.notInitialised(path: path)
    }
    folder = try DataFolder(path: path)
    // A server that was killed leaves its address behind. Another program may listen there by now.
    OperatorAccess.close(folder: folder.path)
  }

  /// The folder.
  var path: String { folder.path }

  /// Opens the publication that is there.
  /// - Parameter needsKey: whether receipts are going to be signed.
  /// - Throws: ``Failure``, and what opening a `Publication` throws.
  func open(needsKey: Bool = false) async throws -> Publication {
    let publication = try await opened(needsKey: needsKey)
    guard try await publication.isFounded else { throw Failure.notInitialised(path: folder.path) }
    // What is sold in the sample today is sold there too; any other publication stays as it is.
    try await publication.install(SampleContent.publication(openedAt: SystemClock().now))
    return publication
  }

  /// Founds a publication where there is none.
  /// - Parameter content: asked for when there is none yet.
  /// - Throws: ``Failure``, errors of `content`, and errors of opening a `Publication`.
  func found(_ content: () throws -> PublicationContent) async throws {
    if FileManager.default.fileExists(atPath: folder.file(Publication.databaseName)) {
      let publication = try await opened()
      let name = try await publication.name
      await publication.close()
      if let name { throw Failure.alreadyInitialised(path: folder.path, name: name) }
    }
    let content = try content()
    let publication = try await opened()
    try await publication.install(content)
    await publication.close()
  }

  private func opened(needsKey: Bool = false) async throws -> Publication {
    let gateway = LedgerGateway(program: LedgerGateway.besideThisProgram, file: folder.file("ledger.jsonl"))
    let folder = folder
    return try await Publication(
      folder: folder.path, gateway: gateway, clock: SystemClock(), offersSampleAccount: false, needsKey: needsKey,
      log: { line in
        // The folder stays locked as long as somebody may write to it.
        _ = folder
        Program.say(line)
      })
  }

  /// `$XDG_DATA_HOME/matinee/server`, by the XDG Base Directory Specification.
  private static var standard: String {
    let environment = ProcessInfo.processInfo.environment
    let data = environment["XDG_DATA_HOME"].flatMap { $0.hasPrefix("/") ? $0 : nil }
    return (data ?? (environment["HOME"] ?? NSHomeDirectory()) + "/.local/share") + "/matinee/server"
  }
}
