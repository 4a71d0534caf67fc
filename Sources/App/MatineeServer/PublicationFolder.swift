import Foundation
import PublicationServer
import Runtime
import SQLiteStorage

/// A folder with a publication in it, which this process alone has open.
struct PublicationFolder {
  /// Why there is no publication to work with.
  enum Failure: Error, Equatable, CustomStringConvertible {
    case notInitialised(path: String)
    case alreadyInitialised(path: String, name: String)
    /// There is no room for what stands beside the database while it is open.
    case noRoom(path: String)
    /// The database cannot be read; the reason is SQLite's.
    case damaged(path: String, reason: String)

    var description: String {
      switch self {
      case .notInitialised(let path):
        "There is no publication in \(path) yet: make yours with “matinee-server init”, or try the sample with “matinee-server init --sample”."
      case .alreadyInitialised(let path, let name): "There is a publication in \(path) already, “\(name)”; it was left as it is."
      case .noRoom(let path): "The disk is full, and \(path) cannot be opened without some room. Nothing is lost: make room, and try again."
      case .damaged(let path, let reason): "\(path) is damaged (\(reason)). Put a backup of the publication in its place."
      }
    }
  }

  private let folder: DataFolder
  private let lock: FolderLock

  /// - Parameters:
  ///   - path: nil for the reader's data folder.
  ///   - isNew: whether the folder may have no publication yet; otherwise it is not even made.
  /// - Throws: `DataFolder.Failure`, ``Failure``.
  init(_ path: String?, isNew: Bool = false) throws {
    if !isNew { try Self.check(path) }
    let path = path ?? Self.standard
    folder = try DataFolder(path: path)
    lock = try FolderLock(folder.path)
    // A server that was killed leaves its address behind. Another program may listen there by now.
    OperatorAccess.close(folder: folder.path)
  }

  /// Whether there seems to be a publication.
  /// - Throws: `DataFolder.Failure`, ``Failure``.
  static func check(_ path: String?) throws {
    let path = path ?? standard
    guard access(path + "/" + Publication.databaseName, F_OK) != 0 else { return }
    guard errno == ENOENT else { throw DataFolder.Failure.unusable(at: path, String(cString: strerror(errno))) }
    throw Failure.notInitialised(path: path)
  }

  /// The folder.
  var path: String { folder.path }

  /// Opens the publication that is there.
  /// - Parameter needsKey: whether receipts are going to be signed.
  /// - Throws: ``Failure``, and what opening a `Publication` throws.
  func open(needsKey: Bool = false) async throws -> Publication {
    try await naming {
      let publication = try await opened(needsKey: needsKey)
      guard try await publication.isFounded else { throw Failure.notInitialised(path: folder.path) }
      // What is sold in the sample today is sold there too; any other publication stays as it is.
      try await publication.install(SampleContent.publication(openedAt: SystemClock().now))
      return publication
    }
  }

  /// Reports a full disk and a damaged database with the file's name and with what to do.
  private func naming(_ work: () async throws -> Publication) async throws -> Publication {
    let file = folder.file(Publication.databaseName)
    do { return try await work() } catch let error as SQLiteError where error.code == .full {
      throw Failure.noRoom(path: file)
    } catch let error as SQLiteError where error.isCorruption {
      throw Failure.damaged(path: file, reason: error.message)
    }
  }

  /// Founds a publication where there is none.
  /// - Parameter content: called when there is none yet.
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
    let (folder, lock) = (folder, lock)
    return try await Publication(
      folder: folder.path, gateway: gateway, clock: SystemClock(), offersSampleAccount: false, needsKey: needsKey,
      log: { line in
        // The folder stays locked as long as the publication may write to it.
        _ = (folder, lock)
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

/// A lock on a folder itself. The file in it that `DataFolder` locks can be deleted, and made again by another process.
private final class FolderLock: Sendable {
  private let descriptor: Int32

  /// - Throws: `DataFolder.Failure`.
  init(_ path: String) throws(DataFolder.Failure) {
    let descriptor = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard descriptor >= 0 else { throw .unusable(at: path, String(cString: strerror(errno))) }
    guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
      let error = errno
      close(descriptor)
      throw error == EWOULDBLOCK ? .inUse(path: path) : .unusable(at: path, String(cString: strerror(error)))
    }
    self.descriptor = descriptor
  }

  deinit { close(descriptor) }
}
