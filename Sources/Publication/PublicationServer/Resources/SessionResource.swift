import FeedFormats
import Foundation
import HTTPTransport
import PublicationAPI

/// Signing in and out.
extension Publication {
  /// Adds a reader.
  /// - Throws: `Problem` with ``Problem/Code/conflict`` when the address is taken, ``Problem/Code/badRequest`` when it is none or the
  ///   name or the password cannot be used.
  @discardableResult public func addReader(email: String, name: String, password: String) async throws -> Reader {
    let (reader, hash) = try await newReader(email: email, name: name, password: password)
    guard try await readers.add(reader, password: hash) else {
      throw Problem.conflict("There is a reader with the address \(reader.email) already.")
    }
    return reader
  }

  /// A reader with a hashed password, not stored yet.
  func newReader(email: String, name: String, password: String) async throws -> (reader: Reader, password: PasswordHash) {
    let email = Self.normalized(email)
    guard Self.isAddress(email) else { throw Problem.badRequest("“\(email.prefix(100))” is no email address.") }
    return (Reader(id: identifiers.next().uuidString, email: email, name: try Self.readerName(name)), try await newHash(of: password))
  }

  /// - Throws: `Problem` for a password that cannot be one.
  private func newHash(of password: String) async throws -> PasswordHash {
    guard !password.isEmpty, password.utf8.count <= Self.longestPassword else {
      throw Problem.badRequest("A password has 1 to \(Self.longestPassword) bytes.")
    }
    // Nobody types one, and much of what a password passes through ends there.
    guard !password.utf8.contains(0) else { throw Problem.badRequest("A password has no NUL character.") }
    return try await hasher.hash(password)
  }

  /// A name as it is shown: on one line, and turning around nothing beside it.
  private static func readerName(_ text: String) throws(Problem) -> String {
    let name = text.visibleText.trimmingCharacters(in: .whitespacesAndNewlines)
    guard (1...200).contains(name.count) else { throw Problem.badRequest("A reader’s name has 1 to 200 characters.") }
    let breaks: Set<Unicode.GeneralCategory> = [.control, .lineSeparator, .paragraphSeparator]
    guard !text.unicodeScalars.contains(where: { breaks.contains($0.properties.generalCategory) }) else {
      throw Problem.badRequest("A reader’s name is one line, without control characters.")
    }
    return name
  }

  /// For how long a session may stand unused, in seconds: ninety days.
  static let sessionLifetime: Int64 = 90 * 86_400

  /// Sets another password of a reader, who has to sign in again everywhere.
  func setPassword(_ call: Call) async throws -> Response {
    let request: PasswordRequest = try call.body()
    let reader = try await namedReader(call)
    let hash = try await newHash(of: request.password)
    try await readers.setPassword(hash, of: reader.id)
    _ = try await endSessions(of: reader.id)
    return try .json(reader)
  }

  func endSessions(_ call: Call) async throws -> Response {
    try .json(EndedSessions(count: try await endSessions(of: namedReader(call).id)))
  }

  func removeReader(_ call: Call) async throws -> Response {
    let reader = try await namedReader(call)
    for attempt in try await orderBook.openAttempts() {
      guard let order = try await orderBook.order(attempt.order), order.reader == reader.id else { continue }
      throw Problem.conflict(
        order.state == .deferred
          ? "A payment of this reader waits for an answer. Approve or decline order \(order.code) first."
          : "The payment provider has yet to say whether it charged order \(order.code) of this reader, and is asked again. Try later.")
    }
    _ = try await endSessions(of: reader.id)
    try await readers.remove(reader.id, password: hasher.nobody)
    return Response(204)
  }

  /// The reader whose address is in the path.
  private func namedReader(_ call: Call) async throws -> Reader {
    guard let reader = try await readers.reader(email: Self.normalized(call.parameter))?.reader else {
      throw Problem(code: .notFound, title: "There is no reader with the address \(call.parameter.prefix(100)).", status: 404)
    }
    return reader
  }

  private func endSessions(of reader: Reader.ID) async throws -> Int {
    let ended = try await readers.endSessions(of: reader)
    for digest in ended { imports.endSession(digest) }
    return ended.count
  }

  func signIn(_ call: Call) async throws -> Response {
    let credentials: Credentials = try call.body()
    let email = Self.normalized(credentials.email)
    guard email.utf8.count <= Self.longestAddress, credentials.password.utf8.count <= Self.longestPassword else {
      throw Problem.badRequest("The address or the password is too long.")
    }
    // Of one client alone: otherwise anybody could keep a reader out by guessing. A client without an address is not limited.
    let guess = Throttle.Key(email: email, client: call.request.client)
    let pause = throttle.pause(guess, at: clock.uptime)
    guard pause == 0 else {
      let wait = pause == 1 ? "in a second" : "in \(pause) seconds"
      var response = Response.problem(429, .tooManyAttempts, "Too many wrong passwords. Try again \(wait).")
      response.headers["Retry-After"] = "\(pause)"
      return response
    }
    throttle.begin(guess, at: clock.uptime)
    let isPublic = try await isPublicPassword(credentials, email)
    let found = isPublic ? nil : try await readers.reader(email: email)
    let matches: Bool
    do {
      matches = try await hasher.matches(
        credentials.password, found?.password, client: guess.client, standing: throttle.standing(guess.client, at: clock.uptime))
    } catch is PasswordHasher.Busy {
      throttle.takeBack(guess)
      var response = Response.problem(503, .busy, "Many are signing in at the moment. Try again in a few seconds.")
      response.headers["Retry-After"] = "3"
      return response
    } catch is CancellationError {
      throttle.takeBack(guess)
      return Response(499)
    }
    guard matches, let reader = found?.reader else {
      throttle.failed(guess, at: clock.uptime)
      throw Problem(code: .wrongCredentials, title: "Email and password do not match.", status: 401)
    }
    throttle.succeeded(guess, at: clock.uptime)
    let token = try Secrets.token()
    try await readers.beginSession(Digest.sha256(Data(token.utf8)), of: reader.id, at: now)
    return try .json(SignedIn(token: token, reader: reader), status: 201)
  }

  func signOut(_ call: Call) async throws -> Response {
    if let digest = try Self.tokenDigest(call.request) {
      try await readers.endSession(digest)
      imports.endSession(digest)
    }
    return Response(204)
  }

  /// Whose token a request carries.
  /// - Throws: `Problem` with ``Problem/Code/sessionEnded``.
  func authenticate(_ request: Request) async throws -> Reader {
    guard let digest = try Self.tokenDigest(request), let reader = try await readers.reader(session: digest, at: now) else {
      throw Problem(code: .sessionEnded, title: "Your session has ended. Sign in again.", status: 401)
    }
    return reader
  }

  /// Whether it is the sample account with the password that everyone knows, where it is not offered: a folder may have been an app's.
  private func isPublicPassword(_ credentials: Credentials, _ email: String) async throws -> Bool {
    guard !offersSampleAccount, let sample = try await content.info()?.sampleAccount else { return false }
    return Self.normalized(sample.email) == email && sample.password == credentials.password
  }

  private static let longestAddress = 254
  private static let longestPassword = 1024

  private static func normalized(_ email: String) -> String { email.trimmingCharacters(in: .whitespacesAndNewlines).lowercased() }

  /// Something, one `@`, something, and nothing that hides or breaks a line.
  private static func isAddress(_ email: String) -> Bool {
    let parts = email.split(separator: "@", omittingEmptySubsequences: false)
    return parts.count == 2 && parts.allSatisfy { !$0.isEmpty } && email.utf8.count <= longestAddress
      && !email.unicodeScalars.contains {
        $0.properties.isWhitespace || $0.properties.isDefaultIgnorableCodePoint
          || [.control, .format].contains($0.properties.generalCategory)
      }
  }

  static func tokenDigest(_ request: Request) throws -> Data? {
    guard let value = request.headers["Authorization"], value.prefix(7).lowercased() == "bearer " else { return nil }
    let token = value.dropFirst(7).trimmingCharacters(in: .whitespaces)
    return token.isEmpty || token.utf8.count > 512 ? nil : try Digest.sha256(Data(token.utf8))
  }
}
