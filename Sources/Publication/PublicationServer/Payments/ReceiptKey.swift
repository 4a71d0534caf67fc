import Foundation
import SignedReceipts

/// The key that receipts are signed with, in a file that its owner alone can read.
enum ReceiptKey {
  /// Reads the key, or makes one at the first start.
  /// - Throws: `KeyError`; `CocoaError` when the file cannot be read or written.
  static func load(_ path: String) throws -> SigningKey {
    if FileManager.default.fileExists(atPath: path) { return try SigningKey(pem: String(contentsOfFile: path, encoding: .utf8)) }
    let key = try SigningKey.generate(.es256)
    try write(Data(try key.pem().utf8), to: path)
    return key
  }

  /// Readable by nobody else from its first moment, never there in part, and on the disk before a receipt is signed with it.
  private static func write(_ data: Data, to path: String) throws {
    let partial = path + ".partial"
    unlink(partial)
    let file = open(partial, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard file >= 0 else { throw CocoaError(.fileWriteUnknown, userInfo: [NSFilePathErrorKey: partial]) }
    defer { close(file) }
    let isWritten = data.withUnsafeBytes { Glibc.write(file, $0.baseAddress, $0.count) } == data.count
    guard isWritten, fsync(file) == 0, rename(partial, path) == 0 else {
      throw CocoaError(.fileWriteUnknown, userInfo: [NSFilePathErrorKey: path])
    }
  }
}
