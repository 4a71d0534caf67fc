import Foundation
import HTTPTransport
import PublicationAPI
import Runtime
import SQLiteStorage
import SignedReceipts

/// A publication: its content, its readers and what they bought, in one SQLite file, behind one function.
///
/// The same actor answers in process, for an app that embeds it, and behind a listener. It runs on a thread of its own.
public actor Publication {
  private nonisolated let executor = ThreadExecutor(name: "publication")
  /// The thread that owns the database.
  public nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  nonisolated let clock: any AppClock
  nonisolated let identifiers: any IdentifierSource
  nonisolated let gateway: any PaymentGateway
  private let path: String
  private let keyPath: String?
  private let log: @Sendable (String) -> Void
  private var connection: Connection?
  private var key: SigningKey?
  private let router = Router()
  /// Wrong passwords in a row, by address: forgotten when the process ends.
  var throttle = Throttle()
  /// Charges that are being asked of the gateway, by order: whoever asks again waits for the same answer.
  var charges: [Order.ID: Task<Order, any Error>] = [:]

  /// Opens a publication, or makes an empty one.
  /// - Parameters:
  ///   - folder: holds `publication.sqlite` and the key that receipts are signed with; nil keeps both in memory.
  ///   - gateway: charges readers.
  ///   - log: told of what broke in here, in a line without secrets.
  /// - Throws: `SQLiteError`, `MigrationError`, `KeyError`; `CocoaError` when the key file cannot be read or written.
  public init(
    folder: String?, gateway: any PaymentGateway, clock: any AppClock, identifiers: any IdentifierSource = RandomIdentifiers(),
    log: @escaping @Sendable (String) -> Void = { _ in }
  ) async throws {
    path = folder.map { $0 + "/publication.sqlite" } ?? ":memory:"
    keyPath = folder.map { $0 + "/receipts.pem" }
    self.gateway = gateway
    self.clock = clock
    self.identifiers = identifiers
    self.log = log
    try await open()
  }

  // On its own thread: closing writes the log into the file.
  isolated deinit { connection = nil }

  private func open() async throws {
    let connection = try Connection(path: path, synchronous: .full, executor: executor)
    try connection.migrate(Schema.migrations)
    key = try keyPath.map(Self.signingKey) ?? .generate(.es256, kid: "publication-1")
    self.connection = connection
  }

  /// Answers one request; whatever goes wrong becomes an answer too.
  public func handle(_ request: Request) async -> Response {
    do {
      return try await router.answer(request, self)
    } catch let problem as Problem {
      return .problem(problem)
    } catch {
      log("\(request.method.rawValue) \(request.path): \(error)")
      return .problem(Problem(code: .internalError, title: "Something broke in the publication. Try again later.", status: 500))
    }
  }

  /// The database; every use of it is on this actor's thread.
  var database: Connection {
    get throws {
      guard let connection else { throw SQLiteError(code: 21, message: "the publication was closed", sql: "") }
      return connection
    }
  }

  var signingKey: SigningKey {
    get throws {
      guard let key else { throw SQLiteError(code: 21, message: "the publication was closed", sql: "") }
      return key
    }
  }

  /// The time, in whole seconds.
  var now: Int64 { Int64(clock.now.timeIntervalSince1970) }

  private static func signingKey(_ path: String) throws -> SigningKey {
    if FileManager.default.fileExists(atPath: path) {
      return try SigningKey(pem: String(contentsOfFile: path, encoding: .utf8), kid: "publication-1")
    }
    let key = try SigningKey.generate(.es256, kid: "publication-1")
    // Readable by nobody else from its first moment, and never there in part.
    let temporary = path + ".new"
    try? FileManager.default.removeItem(atPath: temporary)
    guard FileManager.default.createFile(atPath: temporary, contents: Data(try key.pem().utf8), attributes: [.posixPermissions: 0o600])
    else { throw CocoaError(.fileWriteUnknown, userInfo: [NSFilePathErrorKey: temporary]) }
    try FileManager.default.moveItem(atPath: temporary, toPath: path)
    return key
  }
}

extension Response {
  /// A JSON answer.
  static func json(_ value: some Encodable, status: Int = 200) throws -> Response {
    Response(status, headers: ["Content-Type": "application/json", "Cache-Control": "no-store"], body: try Wire.encode(value))
  }

  /// An answer that says what went wrong.
  static func problem(_ problem: Problem) -> Response {
    var response = Response(
      problem.status, headers: ["Content-Type": "application/problem+json", "Cache-Control": "no-store"],
      body: (try? Wire.encode(problem)) ?? Data())
    if problem.status == 401 { response.headers["WWW-Authenticate"] = "Bearer" }
    return response
  }
}

extension Problem {
  static func notFound(_ what: String) -> Problem { Problem(code: .notFound, title: "There is no such \(what).", status: 404) }
  static func badRequest(_ title: String) -> Problem { Problem(code: .badRequest, title: title, status: 400) }
}
