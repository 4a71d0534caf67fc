import SQLiteStorage

/// Lines for the operator, without secrets. From any thread.
struct OperatorLog: Sendable {
  /// Where the database is; `nil` for memory.
  let folder: String?
  let write: @Sendable (String) -> Void

  func callAsFunction(_ line: String) { write(line) }

  /// Writes what went wrong while something was done.
  func callAsFunction(_ what: String, _ error: any Error) { write("\(what): \(sentence(error))") }

  /// Logs a failure of a feed that only the operator can fix: readers see the others.
  func feed(_ error: any Error) {
    switch error {
    case let failure as FeedFetcher.Failure:
      // The query of a URL may hold a secret, such as a reader's token.
      if let details = failure.details { write("feeds: \(failure.url.prefix { $0 != "?" }.prefix(200)): \(details)") }
    case let failure as SQLiteError: self("imports", failure)
    default: break
    }
  }

  private func sentence(_ error: any Error) -> String {
    guard let error = error as? SQLiteError else { return "\(error)" }
    // Without this, each request would log the whole statement, which is of no use to the operator.
    if error.isCorruption {
      return "\(Publication.databaseName) is damaged (\(error.message)). Put a backup of the publication in its place."
    }
    // A full disk is named by the folder, since an operator may have several.
    guard error.code == .full else { return "\(error)" }
    return "\(folder.map { "The disk of \($0)" } ?? "The publication’s memory") is full, and nothing of this was stored."
  }
}
