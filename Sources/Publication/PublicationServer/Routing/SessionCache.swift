import Foundation
import PublicationAPI
import Synchronization

/// Maps the digest of a token to its reader, as found by earlier requests. With it, a reader's requests are counted before they reach the
/// publication's thread. Safe from any thread.
final class SessionCache: Sendable {
  /// More than are used on one day.
  static let most = 50_000
  private let most: Int
  /// Of an access token.
  struct Entry {
    let reader: Reader.ID
    let session: SessionFamily.ID?
    /// When the token ends, in seconds since 1970.
    let expires: Int64
  }

  private let entries = Mutex<[Data: Entry]>([:])
  private let ended = Mutex<[Reader.ID: Int]>([:])

  /// - Parameter most: beyond that any other one is forgotten.
  init(_ most: Int = SessionCache.most) { self.most = most }

  /// The reader of a token with that digest; `nil` when no request has shown it.
  func reader(_ digest: Data) -> Reader.ID? { entries.withLock { $0[digest]?.reader } }

  /// The session of an access token, as long as that lasts; `nil` when no request has shown it.
  func session(_ digest: Data, at time: Int64) -> SessionFamily.ID? {
    entries.withLock { $0[digest].flatMap { $0.expires > time ? $0.session : nil } }
  }

  /// Records the reader of a token; `nil` for a token that is no longer valid.
  func learn(_ digest: Data, _ entry: Entry?) {
    entries.withLock { entries in
      if entry != nil, entries[digest] == nil, entries.count >= most { entries.remove(at: entries.startIndex) }
      entries[digest] = entry
    }
  }

  /// Counts that the operator ends all sessions of a reader: a sign-in that is under way meanwhile starts none.
  func signOut(_ reader: Reader.ID) { ended.withLock { $0[reader, default: 0] += 1 } }

  /// How often that was.
  func signOuts(of reader: Reader.ID) -> Int { ended.withLock { $0[reader] ?? 0 } }
}
