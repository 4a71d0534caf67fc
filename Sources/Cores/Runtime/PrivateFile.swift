import Foundation

/// A file for its owner's eyes, such as one with a secret in it.
public enum PrivateFile {
  /// Writes the file so that only its owner can ever read it, that it is never incomplete, and that it is on the disk when this returns.
  /// - Throws: `CocoaError`.
  public static func write(_ data: Data, to path: String) throws {
    let partial = path + ".partial"
    unlink(partial)
    let file = open(partial, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard file >= 0 else { throw failure(partial) }
    defer { close(file) }
    let isWritten = data.withUnsafeBytes { Glibc.write(file, $0.baseAddress, $0.count) } == data.count
    guard isWritten, fsync(file) == 0, rename(partial, path) == 0, isNameStored(path) else {
      throw failure(path)
    }
  }

  /// What the system said last.
  private static func failure(_ path: String) -> CocoaError {
    let cause = NSError(domain: NSPOSIXErrorDomain, code: Int(errno))
    return CocoaError(.fileWriteUnknown, userInfo: [NSFilePathErrorKey: path, NSUnderlyingErrorKey: cause])
  }

  /// Whether the folder's entry is on the disk too.
  private static func isNameStored(_ path: String) -> Bool {
    let folder = open(URL(fileURLWithPath: path).deletingLastPathComponent().path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard folder >= 0 else { return false }
    defer { close(folder) }
    return fsync(folder) == 0
  }
}
