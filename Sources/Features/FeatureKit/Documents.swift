import Foundation
import Runtime

/// The files that a person chooses, to read one or to write one.
public struct Documents: Sendable {
  /// Why a file was not read or written.
  public enum Failure: Error, Equatable, Sendable {
    /// A sentence for the reader.
    case impossible(String)
    /// The file has that many bytes, which are more than are read.
    case tooLarge(bytes: Int)
  }

  /// Reads a whole file, of at most that many bytes. Throws ``Failure``.
  public let read: @Sendable (_ path: String, _ limit: Int) async throws -> Data
  /// Writes all of a document to a path, or leaves what is there as it is. Throws ``Failure``.
  public let write: @Sendable (_ document: Data, _ path: String) async throws -> Void

  public init(
    read: @escaping @Sendable (_ path: String, _ limit: Int) async throws -> Data,
    write: @escaping @Sendable (_ document: Data, _ path: String) async throws -> Void
  ) {
    self.read = read
    self.write = write
  }

  /// Those on this computer.
  public static let onDisk = Documents(
    read: { try await DocumentFile().contents(of: $0, limit: $1) }, write: { try await DocumentFile().write($0, to: $1) })
}

/// One file, on a thread of its own: fifty megabytes on a slow disk would hold up the shared pool.
private actor DocumentFile {
  private let executor = ThreadExecutor(name: "document")
  nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  func contents(of path: String, limit: Int) throws(Documents.Failure) -> Data {
    let file = URL(fileURLWithPath: path)
    let name = file.lastPathComponent
    var isFolder: ObjCBool = false
    if FileManager.default.fileExists(atPath: path, isDirectory: &isFolder), isFolder.boolValue {
      throw .impossible("“\(name)” is a folder, and no feed or list of feeds.")
    }
    let document: Data
    let size: Int
    do {
      let handle = try FileHandle(forReadingFrom: file)
      defer { try? handle.close() }
      // What is no plain file has no length; one byte more than is allowed tells that it is too large.
      let length = Int(clamping: (try? handle.seekToEnd()) ?? 0)
      _ = try? handle.seek(toOffset: 0)
      document = length > limit ? Data() : try handle.read(upToCount: limit + 1) ?? Data()
      size = max(length, document.count)
    } catch {
      throw .impossible("“\(name)” cannot be read: \(error.systemReason).")
    }
    guard size <= limit else { throw .tooLarge(bytes: size) }
    return document
  }

  func write(_ document: Data, to path: String) throws(Documents.Failure) {
    let file = URL(fileURLWithPath: path)
    // A new file takes the place of the old one, and not that of a link to it.
    do { try document.write(to: file.resolvingSymlinksInPath(), options: .atomic) } catch {
      throw .impossible("“\(file.lastPathComponent)” cannot be written: \(error.systemReason).")
    }
  }
}
