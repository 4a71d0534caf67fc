import Foundation
import Runtime
import SQLiteStorage

/// Failures to write the files beside the database.
enum StorageFailure {
  /// The error for people in place of one of Foundation, whose text is for developers. A disk that is full is reported as by the database,
  /// so that all who handle that have one sentence, whichever file met it first.
  /// - Parameters:
  ///   - error: what Foundation or `PrivateFile` threw.
  ///   - path: the file or the folder that was to be written.
  static func of(_ error: any Error, at path: String) -> any Error {
    guard isFull(error) else { return Publication.Failure.unusable(path: path, reason: error.systemReason) }
    return SQLiteError(code: SQLiteError.Code.full.rawValue, message: error.systemReason, sql: path)
  }

  private static func isFull(_ error: any Error) -> Bool {
    guard let error = error as? CocoaError else { return false }
    if error.code == .fileWriteOutOfSpace { return true }
    guard let cause = error.underlying as NSError?, cause.domain == NSPOSIXErrorDomain else { return false }
    return cause.code == Int(ENOSPC) || cause.code == Int(EDQUOT)
  }
}
