import CSecretShims
import Foundation
import Runtime
import SessionService
import Synchronization

/// Keeps a session in the desktop's keyring, through the Secret Service or, in a sandbox, the portal that replaces it.
///
/// There is no other place: without a service each call throws, and no token is ever written to a file that the keyring does not
/// encrypt. A locked keyring asks the user for its password, unless there is nothing in it to find. Calls run one after another on a
/// thread of their own. That a session is to be forgotten is noted in a file, since a keyring may hang until the app ends. Safe from any
/// thread.
public final class SecretServiceTokenStore: TokenStore {
  /// How long to wait for the keyring.
  public struct Limits: Sendable {
    /// For an answer that needs no person.
    public var answer: Duration
    /// For an answer that may need the user to type the keyring's password.
    public var prompt: Duration

    /// By default five seconds for an answer and ninety for a prompt.
    public init(answer: Duration = .seconds(5), prompt: Duration = .seconds(90)) {
      self.answer = answer
      self.prompt = prompt
    }
  }

  /// The version of libsecret that this build was compiled with: the library itself does not say which one runs.
  public static var libraryVersion: String {
    let number = matinee_secret_version()
    return "\(number / 10_000).\(number / 100 % 100).\(number % 100)"
  }

  /// The stored session, as JSON. Fields are only ever added: there is a new account name for a form that older versions cannot read.
  private struct Record: Codable {
    var token: String
    var user: User
  }

  private static let account = "session"

  private let schema: String
  private let publication: String
  private let limits: Limits
  private let mark: String
  /// How often a session was to be forgotten in this process. Also guards the file ``mark``.
  private let forgotten = Mutex(0)
  private let thread = ThreadExecutor(name: "keyring")

  /// - Parameters:
  ///   - schema: the app's identity, which the keyring shows as the kind of secret.
  ///   - publication: the origin of the publication whose session it is; each has one.
  ///   - folder: where a file notes that the stored session is to be forgotten.
  ///   - limits: how long to wait.
  public init(schema: String, publication: String, folder: String, limits: Limits = Limits()) {
    self.schema = schema
    self.publication = publication
    self.limits = limits
    mark = folder + "/signed-out"
  }

  /// The stored session. An entry that is no session counts as none, and the next save replaces it. A keyring that hangs is given as long
  /// as a person, since the app does not wait for it.
  public func load() async throws(TokenStoreError) -> StoredSession? {
    if forgotten.withLock({ _ in FileManager.default.fileExists(atPath: mark) }) {
      try await clear()
      return nil
    }
    let text = try await call { [schema, publication, limits] in
      matinee_secret_load(
        schema, publication, Self.account, max(limits.answer, limits.prompt).milliseconds, limits.prompt.milliseconds)
    }
    guard let text, let record = try? JSONDecoder().decode(Record.self, from: Data(text.revealed.utf8)) else { return nil }
    return StoredSession(token: Secret(record.token), user: record.user)
  }

  /// Keeps a session instead of the one before.
  public func save(_ session: StoredSession) async throws(TokenStoreError) {
    let record = Record(token: session.token.revealed, user: session.user)
    guard let data = try? JSONEncoder().encode(record) else { throw .failed("The session cannot be encoded.") }
    let text = Secret(String(decoding: data, as: UTF8.self))
    let count = forgotten.withLock { $0 }
    try await call { [schema, publication, limits] in
      matinee_secret_save(
        schema, publication, Self.account, "Matinee session at \(publication)", text.revealed, limits.answer.milliseconds,
        limits.prompt.milliseconds)
    }
    removeMark(of: count)
  }

  /// Removes the stored session.
  public func clear() async throws(TokenStoreError) {
    let count = forgotten.withLock { $0 }
    try await call { [schema, publication, limits] in
      matinee_secret_clear(schema, publication, Self.account, limits.answer.milliseconds, limits.prompt.milliseconds)
    }
    removeMark(of: count)
  }

  /// Leaves a file, which ``load()`` looks for. Where none can be written, a session that the keyring does not forget is found again.
  public func willClear() async {
    forgotten.withLock { count in
      count += 1
      _ = FileManager.default.createFile(atPath: mark, contents: nil)
    }
  }

  /// A later sign-out may have left it again, for the very session that was stored.
  private func removeMark(of count: Int) {
    forgotten.withLock { if $0 == count { try? FileManager.default.removeItem(atPath: mark) } }
  }

  /// Runs a call on the keyring's thread.
  /// - Returns: the text of what was found; `nil` for none.
  @discardableResult private func call(
    _ work: @escaping @Sendable () -> matinee_secret_answer
  ) async throws(TokenStoreError) -> Secret? {
    do {
      return try await thread.run {
        let answer = work()
        defer { matinee_secret_answer_free(answer) }
        let text = answer.text.map { String(cString: $0) }
        switch answer.outcome {
        case .done: return text.map { Secret($0) }
        case .not_found: return nil
        case .no_service: throw TokenStoreError.noService(text ?? "")
        case .locked: throw TokenStoreError.locked
        case .timed_out: throw TokenStoreError.timedOut
        case .failed: throw TokenStoreError.failed(text ?? "")
        }
      }
    } catch {
      throw error as? TokenStoreError ?? .failed("\(error)")
    }
  }
}

extension Duration {
  fileprivate var milliseconds: UInt32 { UInt32(clamping: Int64(max(seconds, 0) * 1000)) }
}
