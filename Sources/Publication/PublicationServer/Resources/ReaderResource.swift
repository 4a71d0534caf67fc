import FeedFormats
import Foundation
import HTTPTransport
import PublicationAPI
import Runtime

/// Readers, as the operator adds, lists and removes them.
struct ReaderResource {
  let session: SessionResource
  let orders: any OrderRepository
  let identifiers: any IdentifierSource
  /// Removes what a removed reader did. Their read marks go in the background.
  let removeActivity: nonisolated(nonsending) (Reader.ID) async throws -> Void

  nonisolated(nonsending) func add(_ request: NewReaderRequest) async throws -> Response {
    try .json(await add(email: request.email, name: request.name, password: request.password), status: 201)
  }

  nonisolated(nonsending) func add(email: String, name: String, password: String) async throws -> Reader {
    let (reader, hash) = try await new(email: email, name: name, password: password)
    guard try await session.readers.add(reader, password: hash) else {
      throw Problem.conflict("There is a reader with the address \(reader.email) already.")
    }
    return reader
  }

  nonisolated(nonsending) func list(_ call: Call) async throws -> Response {
    let limit = try call.limit(standard: 500)
    var page = try await session.readers.readers(after: call.cursor(.readers)?.id, limit: limit + 1)
    var next: String?
    if page.count > limit {
      page.removeLast()
      let cursor = Cursor(.readers, key: "", id: page.last?.email ?? "").text
      next = call.request.path + APIParameter.query([(.cursor, cursor), (.limit, call.query(.limit))])
    }
    var listed: [ListedReader] = []
    for reader in page {
      let inForce = try await orders.inForce(of: reader.id, at: session.clock.unixTime)
      listed.append(ListedReader(email: reader.email, name: reader.name, access: ListedReader.Access.all(inForce)))
    }
    return try .json(listed).linked(to: next)
  }

  /// A reader with a hashed password, not stored yet.
  /// - Parameter isSample: whether it is the sample account, whose password is known to all and may be any.
  nonisolated(nonsending) func new(
    email: String, name: String, password: String, isSample: Bool = false
  ) async throws -> (reader: Reader, password: PasswordHash) {
    let (email, name) = try Self.validate(email: email, name: name)
    if !isSample { try PasswordRule.check(password, email: email) }
    return (Reader(id: identifiers.next().uuidString, email: email, name: name), try await session.hasher.hash(password))
  }

  /// Sets another password of a reader, who has to sign in again everywhere.
  nonisolated(nonsending) func setPassword(_ call: Call, _ request: PasswordRequest) async throws -> Response {
    let reader = try await namedReader(call)
    try PasswordRule.check(request.password, email: reader.email)
    let hash = try await session.hasher.hash(request.password)
    session.sessions.signOut(reader.id)
    session.imports.endSessions(try await session.readers.setPassword(hash, of: reader.id))
    return try .json(reader)
  }

  nonisolated(nonsending) func endSessions(_ call: Call) async throws -> Response {
    try .json(EndedSessions(count: try await session.endSessions(of: namedReader(call).id)))
  }

  nonisolated(nonsending) func remove(_ call: Call) async throws -> Response {
    let reader = try await namedReader(call)
    if let order = try await orders.undecided(of: reader.id).first {
      throw Problem.conflict(
        order.state == .deferred
          ? "A payment of this reader waits for an answer. Approve or decline order \(order.code) first."
          : "The payment provider has yet to say whether it charged order \(order.code) of this reader, and is asked again. Try later.")
    }
    _ = try await session.endSessions(of: reader.id)
    try await session.readers.remove(reader.id, password: session.hasher.placeholder, at: session.clock.unixTime)
    try await removeActivity(reader.id)
    return Response(204)
  }

  /// The reader whose address is in the path.
  private nonisolated(nonsending) func namedReader(_ call: Call) async throws -> Reader {
    guard let reader = try await session.readers.reader(email: Self.normalized(call.parameter))?.reader else {
      throw Problem(code: .notFound, title: "There is no reader with the address \(call.parameter.prefix(100)).", status: 404)
    }
    return reader
  }

  // MARK: Names and passwords

  /// Whether a reader may have this name: ``addReader(email:name:password:)`` checks it before the password.
  /// - Returns: both as they are stored.
  /// - Throws: `Problem` with `Problem.Code.badRequest`.
  static func validate(email: String, name: String) throws(Problem) -> (email: String, name: String) {
    let email = normalized(email).precomposedStringWithCanonicalMapping
    guard isAddress(email) else { throw Problem.badRequest("“\(email.prefix(100))” is no email address.") }
    return (email, try readerName(name))
  }

  /// Characters that a name must not have: they break the line, or control a terminal.
  static let breaks: Set<Unicode.GeneralCategory> = [.control, .lineSeparator, .paragraphSeparator]

  /// A name as it is shown: on one line, and without effect on the direction of the text beside it.
  static func readerName(_ text: String) throws(Problem) -> String {
    let name = text.visibleText.trimmingCharacters(in: .whitespacesAndNewlines)
    guard (1...200).contains(name.count) else { throw Problem.badRequest("A reader’s name has 1 to 200 characters.") }
    guard !text.unicodeScalars.contains(where: { breaks.contains($0.properties.generalCategory) }) else {
      throw Problem.badRequest("A reader’s name is one line, without control characters.")
    }
    return name
  }

  static let longestAddress = 254

  /// The form for comparison. Both encodings of a letter with an accent, as one code point and as two, are the same address: Swift compares
  /// strings so, and ``ReaderRepository/reader(email:)`` does.
  static func normalized(_ email: String) -> String { email.trimmingCharacters(in: .whitespacesAndNewlines).lowercased() }

  /// Something, one `@`, something, and nothing that hides or breaks a line.
  private static func isAddress(_ email: String) -> Bool {
    let parts = email.split(separator: "@", omittingEmptySubsequences: false)
    return parts.count == 2 && parts.allSatisfy { !$0.isEmpty } && email.utf8.count <= longestAddress
      && !email.unicodeScalars.contains {
        $0.properties.isWhitespace || $0.properties.isDefaultIgnorableCodePoint
          || [.control, .format].contains($0.properties.generalCategory)
      }
  }
}

extension Publication {
  /// Adds a reader.
  /// - Throws: `Problem` with `Problem.Code.conflict` when the address is taken, `Problem.Code.badRequest` when the address, the name or
  ///   the password is invalid.
  @discardableResult public func addReader(email: String, name: String, password: String) async throws -> Reader {
    try await readerResource.add(email: email, name: name, password: password)
  }

  /// Whether a reader may have this name: ``addReader(email:name:password:)`` checks it before the password.
  /// - Throws: `Problem` with `Problem.Code.badRequest`.
  public static func validateReader(email: String, name: String) throws(Problem) {
    _ = try ReaderResource.validate(email: email, name: name)
  }

  /// The most bytes of a password, in UTF-8.
  public static let longestPassword = PasswordRule.longest
}

extension ListedReader.Access {
  /// One for each entitlement, by what ends last.
  static func all(_ orders: [StoredOrder]) -> [Self] {
    Dictionary(grouping: orders, by: \.entitlement).sorted { $0.key < $1.key }.compactMap { entitlement, orders in
      guard let last = orders.max(by: { ($0.expires ?? .max) < ($1.expires ?? .max) }) else { return nil }
      return Self(
        entitlement: entitlement, productID: last.product,
        until: last.expires.map { Date(timeIntervalSince1970: TimeInterval($0)) })
    }
  }
}
