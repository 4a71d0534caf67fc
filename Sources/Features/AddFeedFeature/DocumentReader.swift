import FeedFormats
import Foundation
import PublicationAPI
import Runtime

/// Reads a document that the reader chose, on a thread of its own: fifty megabytes from a slow disk would hold up the shared pool.
actor DocumentReader {
  /// Why it could not be read, in a sentence for the reader.
  struct Unreadable: Error { let sentence: String }

  private let executor = ThreadExecutor(name: "document")
  nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  /// - Throws: ``Unreadable``, `FeedError` for one that is larger than a publication takes.
  func contents(of path: String) throws -> Data {
    let (file, limit) = (URL(fileURLWithPath: path), Import.documentLimit)
    let name = file.lastPathComponent
    var isFolder: ObjCBool = false
    if FileManager.default.fileExists(atPath: path, isDirectory: &isFolder), isFolder.boolValue {
      throw Unreadable(sentence: "“\(name)” is a folder, and no feed or list of feeds.")
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
      throw Unreadable(sentence: "“\(name)” cannot be read: \(error.systemReason).")
    }
    guard size <= limit else { throw FeedError(.tooLarge(bytes: size, limit: limit), source: name, offset: limit) }
    return document
  }
}
