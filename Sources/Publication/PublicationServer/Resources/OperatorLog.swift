import SQLiteStorage

/// Lines for the operator, without secrets. From any thread.
struct OperatorLog: Sendable {
  /// Where the database is; `nil` for memory.
  let folder: String?
  let write: @Sendable (String) -> Void

  func callAsFunction(_ line: String) { write(line) }

  /// Writes what went wrong while something was done.
  func callAsFunction(_ what: String, _ error: any Error) { write("\(what): \(sentence(error))") }

  /// Writes what went wrong with a feed, if only the operator can make use of it: readers are told the rest.
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
    // Each request would bring the whole statement into the log, and the operator can do nothing about that.
    if error.isCorruption {
      return "\(Publication.databaseName) is damaged (\(error.message)). Put a backup of the publication in its place."
    }
    // A full disk is named by the folder, since an operator may have several.
    guard error.code == .full else { return "\(error)" }
    return "\(folder.map { "The disk of \($0)" } ?? "The publication’s memory") is full, and nothing of this was stored."
  }
}
