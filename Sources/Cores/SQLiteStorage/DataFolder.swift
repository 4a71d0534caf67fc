import Foundation
import Runtime

/// A folder that one process at a time owns: where databases are kept.
///
/// The lock goes with the object, and with the process however it ends.
public final class DataFolder: Sendable {
  /// Why the folder cannot be used.
  public enum Failure: Error, Equatable, Sendable, CustomStringConvertible {
    /// Another process owns it.
    case inUse(path: String)
    /// It could not be made or opened; the reason is the system's.
    case unusable(path: String, reason: String)

    /// A path that cannot be used.
    /// - Parameters:
    ///   - path: the path.
    ///   - reason: the system's message, or our own where the path is a file, or leads through one, since the system's is unclear then.
    public static func unusable(at path: String, _ reason: String) -> Failure {
      let whole = URL(fileURLWithPath: path).standardizedFileURL
      var part = whole
      while part.path != "/", access(part.path, F_OK) != 0 { part.deleteLastPathComponent() }
      var status = stat()
      guard stat(part.path, &status) == 0, status.st_mode & S_IFMT != S_IFDIR else { return .unusable(path: path, reason: reason) }
      return .unusable(path: path, reason: "\(part == whole ? "it" : part.path) is a file, not a folder")
    }

    /// What is wrong with the folder, in a sentence for people.
    public var description: String {
      switch self {
      case .inUse(let path): "\(path) is in use by another running program."
      case .unusable(let path, let reason): "\(path) cannot be used: \(reason.hasSuffix(".") ? String(reason.dropLast()) : reason)."
      }
    }
  }

  /// The folder's path, without a closing slash.
  public let path: String
  private let lock: Int32

  /// Makes the folder when there is none, makes it readable by its owner only, and locks it.
  /// - Throws: ``Failure``.
  public init(path: String) throws(Failure) {
    self.path = path.count > 1 && path.hasSuffix("/") ? String(path.dropLast()) : path
    do {
      try FileManager.default.createDirectory(
        atPath: self.path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    } catch {
      throw .unusable(at: self.path, error.systemReason)
    }
    try Self.closeToOthers(self.path)
    let lock = open(self.path + "/lock", O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    guard lock >= 0 else { throw .unusable(path: self.path, reason: String(cString: strerror(errno))) }
    guard flock(lock, LOCK_EX | LOCK_NB) == 0 else {
      let error = errno
      close(lock)
      throw error == EWOULDBLOCK ? .inUse(path: self.path) : .unusable(path: self.path, reason: String(cString: strerror(error)))
    }
    self.lock = lock
  }

  deinit { close(lock) }

  /// Removes all permissions on a folder except its owner's. A folder for all users, such as `/tmp`, is left as it is.
  private static func closeToOthers(_ path: String) throws(Failure) {
    var status = stat()
    guard stat(path, &status) == 0 else { throw .unusable(path: path, reason: String(cString: strerror(errno))) }
    guard status.st_mode & 0o077 != 0 else { return }
    guard status.st_uid == geteuid(), status.st_mode & S_ISVTX == 0 else {
      throw .unusable(path: path, reason: "it is another user’s or for all users, and others can read it")
    }
    guard chmod(path, status.st_mode & 0o7700) == 0 else { throw .unusable(path: path, reason: String(cString: strerror(errno))) }
  }

  /// The path of a file in the folder.
  public func file(_ name: String) -> String { path + "/" + name }
}
