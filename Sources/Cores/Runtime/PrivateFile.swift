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
    guard writeAll(data, to: file), fsync(file) == 0, rename(partial, path) == 0, isNameStored(path) else {
      let cause = failure(path)
      unlink(partial)
      throw cause
    }
  }

  /// A disk that is nearly full takes the first part, and says why only when it is asked for the rest.
  private static func writeAll(_ data: Data, to file: Int32) -> Bool {
    data.withUnsafeBytes { (bytes: UnsafeRawBufferPointer) -> Bool in
      var done = 0
      while done < bytes.count {
        let count = Glibc.write(file, bytes.baseAddress?.advanced(by: done), bytes.count - done)
        if count < 0, errno == EINTR { continue }
        guard count > 0 else { return false }
        done += count
      }
      return true
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
