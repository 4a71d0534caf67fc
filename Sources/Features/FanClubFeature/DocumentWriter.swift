import Foundation
import Runtime

/// Writes a document where the reader wants it, on a thread of its own: a slow disk would hold up the shared pool.
actor DocumentWriter {
  /// Why it could not be written, in a sentence for the reader.
  struct Unwritable: Error { let sentence: String }

  private let executor = ThreadExecutor(name: "document")
  nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  /// Writes all of it, or leaves what is there as it is.
  func write(_ document: Data, to path: String) throws(Unwritable) {
    let file = URL(fileURLWithPath: path)
    // A new file takes the place of the old one, and not that of a link to it.
    do { try document.write(to: file.resolvingSymlinksInPath(), options: .atomic) } catch {
      throw Unwritable(sentence: "“\(file.lastPathComponent)” cannot be written: \(error.systemReason).")
    }
  }
}
