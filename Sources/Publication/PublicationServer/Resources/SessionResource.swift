import Foundation
import HTTPTransport
import PublicationAPI
import Runtime
import SignedReceipts

/// Signing in and out.
struct SessionResource {
  let readers: any ReaderRepository
  let content: any ContentRepository
  let hasher: PasswordHasher
  let throttle: SignInThrottle
  let sessions: SessionCache
  let imports: ImportDesk
  let clock: any AppClock
  let random: any RandomSource
  let offersSampleAccount: Bool

  nonisolated(nonsending) func signIn(_ call: Call, _ credentials: Credentials) async throws -> Response {
    let email = ReaderResource.normalized(credentials.email)
    guard email.utf8.count <= ReaderResource.longestAddress, credentials.password.utf8.count <= PasswordRule.longest else {
      throw Problem.badRequest("The address or the password is too long.")
    }
    let isPublic = try await isPublicPassword(credentials, email)
    let found = isPublic ? nil : try await readers.reader(email: email)
    let signOuts = found.map { sessions.signOuts(of: $0.reader.id) }
    let guess = SignInThrottle.Key(email: email, client: call.request.client)
    switch try await compare(credentials.password, with: found?.password, guess) {
    case .answer(let response): return response
    case .wrong: throw Problem.wrongCredentials
    case .right: break
    }
    if let found, sessions.signOuts(of: found.reader.id) != signOuts {
      throttle.takeBack(guess)
      throw Problem.sessionEnded
    }
    guard let found, let response = try await start(found.reader, password: found.password, device: credentials.device) else {
      throttle.failed(guess, at: clock.uptime)
      throw Problem.wrongCredentials
    }
    throttle.succeeded(guess, at: clock.uptime)
    return response
  }

  /// Begins a session of a reader who is known by now.
  /// - Returns: the answer, with tokens; `nil` when the password is another one than this by now, or the reader is gone.
  nonisolated(nonsending) func start(_ reader: Reader, password: PasswordHash, device: String?) async throws -> Response? {
    let tokens = try NewTokens(from: random)
    let session = try await readers.startSession(
      tokens.digests, of: reader.id, password: password, device: Self.shown(device), at: clock.unixTime)
    guard let session else { return nil }
    learn(tokens, reader, session)
    return try .json(tokens.answer(for: reader), status: 201)
  }

  private enum Comparison {
    case right, wrong
    /// It was not compared, and why.
    case answer(Response)
  }

  /// Compares a password with an account's, as one more guess of a client. A wrong one is counted here; the caller counts a right one.
  /// - Parameter hash: the account's; `nil` for none, which is wrong and takes as long.
  private nonisolated(nonsending) func compare(
    _ password: String, with hash: PasswordHash?, _ guess: SignInThrottle.Key
  ) async throws -> Comparison {
    // For each client alone: otherwise everybody could lock a reader out by guessing. A client without an address is not limited.
    let (wrong, right) = (throttle.pause(guess, at: clock.uptime), throttle.pauseAfterRight(guess, at: clock.uptime))
    let pause = max(wrong, right)
    guard pause == 0 else {
      let wait = pause == 1 ? "in a second" : "in \(pause) seconds"
      let what = wrong > 0 ? "wrong passwords" : "sign-ins"
      return .answer(.problem(429, .tooManyAttempts, "Too many \(what). Try again \(wait).", retryAfter: pause))
    }
    throttle.start(guess, at: clock.uptime)
    do {
      if try await matches(password, hash, guess) { return .right }
    } catch is PasswordHasher.Busy {
      throttle.takeBack(guess)
      return .answer(Self.busy)
    } catch is CancellationError {
      throttle.takeBack(guess)
      return .answer(Response(499))
    }
    throttle.failed(guess, at: clock.uptime)
    return .wrong
  }

  private static var busy: Response {
    .problem(503, .busy, "Many are signing in at the moment. Try again in a few seconds.", retryAfter: 3)
  }

  nonisolated(nonsending) func refresh(_ request: RefreshRequest) async throws -> Response {
    guard let old = try Publication.digests(ofToken: request.refreshToken) else { throw Problem.sessionEnded }
    let tokens = try NewTokens(after: request.refreshToken, from: random)
    switch try await readers.exchange(old, for: tokens.digests, at: clock.unixTime) {
    case .exchanged(let reader, let session):
      learn(tokens, reader, session)
      return try .json(tokens.answer(for: reader))
    case .reused(let session):
      imports.endSessions([session])
      throw Problem(
        code: .sessionReused,
        title:
          "Your session was used from another place too, so it was ended. Sign in again, and change your password if that was not you.",
        status: 401)
    case .unknown: throw Problem.sessionEnded
    }
  }

  private func learn(_ tokens: NewTokens, _ reader: Reader, _ session: SessionFamily.ID) {
    let expires = clock.unixTime + Publication.accessLifetime
    sessions.learn(tokens.digests.access, SessionCache.Entry(reader: reader.id, session: session, expires: expires))
  }

  /// A client's name of its device: its beginning, on one line, without invisible characters.
  static func shown(_ device: String?) -> String? {
    let seen = String.UnicodeScalarView(
      (device ?? "").unicodeScalars.map { ReaderResource.breaks.contains($0.properties.generalCategory) ? " " : $0 })
    var name = ""
    for character in String(seen).visibleText.split(whereSeparator: \.isWhitespace).joined(separator: " ") {
      guard name.count < 80, name.utf8.count + character.utf8.count <= 320 else { break }
      name.append(character)
    }
    return name.isEmpty ? nil : name
  }

  nonisolated(nonsending) func signOut(_ call: Call) async throws -> Response {
    guard let token = try Publication.bearer(call.request).flatMap(Publication.digests(ofToken:)),
      let session = try await readers.endSession(token, at: clock.unixTime)
    else { throw Problem.sessionEnded }
    imports.endSessions([session])
    return Response(204)
  }

  // MARK: All of a reader's

  nonisolated(nonsending) func list(_ call: Call) async throws -> Response {
    let found = try await readers.sessions(of: try call.signedIn.id, at: clock.unixTime, limit: SessionFamily.most)
    return try .json(
      found.map { session in
        ReaderSession(
          id: "\(session.id)", device: session.device, began: Date(timeIntervalSince1970: TimeInterval(session.began)),
          lastSeen: Date(timeIntervalSince1970: TimeInterval(session.used)), isCurrent: session.id == call.session)
      })
  }

  nonisolated(nonsending) func end(_ call: Call) async throws -> Response {
    guard let id = SessionFamily.ID(call.parameter), try await readers.endSession(id, of: try call.signedIn.id) else {
      throw Problem.notFound("session")
    }
    imports.endSessions([id])
    return Response(204)
  }

  nonisolated(nonsending) func endOthers(_ call: Call) async throws -> Response {
    try .json(EndedSessions(count: try await endSessions(of: call.signedIn.id, except: call.session)))
  }

  /// Ends a reader's sessions, but for one, and their imports.
  /// - Returns: how many there were.
  nonisolated(nonsending) func endSessions(of reader: Reader.ID, except session: SessionFamily.ID? = nil) async throws -> Int {
    // A sign-in that is under way would be there afterwards.
    sessions.signOut(reader)
    let ended = try await readers.endSessions(of: reader, except: session)
    imports.endSessions(ended)
    return ended.count
  }

  nonisolated(nonsending) func changePassword(_ call: Call, _ change: PasswordChange) async throws -> Response {
    let reader = try call.signedIn
    if let sample = try await content.info()?.sampleAccount, ReaderResource.normalized(sample.email) == reader.email {
      throw Problem(code: .notOffered, title: "The password of the sample account is everybody’s, and stays.", status: 403)
    }
    guard change.currentPassword.utf8.count <= PasswordRule.longest else { throw Problem.badRequest("The password is too long.") }
    try PasswordRule.check(change.newPassword, email: reader.email)
    let guess = SignInThrottle.Key(email: reader.email, client: call.request.client)
    let old = try await readers.reader(email: reader.email)?.password
    switch try await compare(change.currentPassword, with: old, guess) {
    case .answer(let response): return response
    case .wrong:
      // This change may have been made before: its answer was lost, and the reader sends it again.
      do {
        guard try await matches(change.newPassword, old, guess) else { throw Problem.wrongPassword }
      } catch is PasswordHasher.Busy { return Self.busy }
      throttle.succeeded(guess, at: clock.uptime)
      return Response(204)
    case .right: throttle.succeeded(guess, at: clock.uptime)
    }
    let hash = try await hasher.hash(change.newPassword)
    guard let old, let session = call.session,
      let ended = try await readers.changePassword(hash, from: old, of: reader.id, retaining: session)
    else { throw Problem.wrongPassword }
    imports.endSessions(ended)
    return Response(204)
  }

  private nonisolated(nonsending) func matches(
    _ password: String, _ hash: PasswordHash?, _ guess: SignInThrottle.Key
  ) async throws -> Bool {
    let standing = throttle.standing(guess.client, at: clock.uptime)
    return try await hasher.matches(password, hash, client: guess.client, account: guess.email, standing: standing)
  }

  /// Whose access token a request carries, and of which session it is.
  /// - Throws: `Problem` with ``Problem/Code/sessionEnded``.
  nonisolated(nonsending) func authenticate(_ request: Request) async throws -> (reader: Reader, session: SessionFamily.ID) {
    guard let digest = try Publication.tokenDigest(request) else { throw Problem.sessionEnded }
    let found = try await readers.reader(access: digest, at: clock.unixTime)
    sessions.learn(digest, found.map { SessionCache.Entry(reader: $0.reader.id, session: $0.session, expires: $0.expires) })
    guard let found else { throw Problem.sessionEnded }
    return (found.reader, found.session)
  }

  /// Whether it is the sample account with the password that everyone knows, where it is not offered: a folder may have been an app's.
  private nonisolated(nonsending) func isPublicPassword(_ credentials: Credentials, _ email: String) async throws -> Bool {
    guard !offersSampleAccount, let sample = try await content.info()?.sampleAccount else { return false }
    return ReaderResource.normalized(sample.email) == email && sample.password == credentials.password
  }
}

extension Publication {
  /// For how long a session may stand unused, in seconds: ninety days.
  static let sessionIdleTimeout: Int64 = 90 * 86_400
  /// For how long an access token is good, in seconds: an hour.
  static let accessLifetime: Int64 = 3600

  /// The digest of the token that a request carries; `nil` for none, and for what cannot be one.
  static func tokenDigest(_ request: Request) throws -> Data? { try bearer(request).flatMap { try digests(ofToken: $0)?.token } }

  /// The token that a request carries (RFC 6750, section 2.1).
  static func bearer(_ request: Request) -> String? {
    guard let value = request.headers["Authorization"], value.utf8.count <= 1024, value.prefix(7).lowercased() == "bearer " else {
      return nil
    }
    return value.dropFirst(7).trimmingCharacters(in: .whitespaces)
  }

  /// The stored digests of a token; `nil` for a text that cannot be one, which is not looked up.
  static func digests(ofToken token: String) throws -> SessionFamily.Refresh? {
    let isToken = (1...512).contains(token.utf8.count) && token.utf8.allSatisfy { Base64URL.isLetter($0) || $0 == UInt8(ascii: ".") }
    guard isToken else { return nil }
    return SessionFamily.Refresh(
      family: try Digest.sha256(Data(family(token).utf8)), token: try Digest.sha256(Data(token.utf8)))
  }

  /// The half of a refresh token that names its family; a token that is older than families names one itself.
  fileprivate static func family(_ refresh: String) -> Substring { refresh.prefix { $0 != "." } }
}

/// Tokens for a client, and what is stored of them.
private struct NewTokens {
  private let access: String
  private let refresh: String
  let digests: SessionFamily.Tokens

  /// - Parameter old: the refresh token that they are exchanged for; `nil` for those of a new session.
  init(after old: String? = nil, from random: any RandomSource) throws {
    access = random.token()
    refresh = "\(old.map(Publication.family) ?? random.token()[...]).\(random.token())"
    digests = SessionFamily.Tokens(
      access: try Digest.sha256(Data(access.utf8)),
      refresh: SessionFamily.Refresh(
        family: try Digest.sha256(Data(Publication.family(refresh).utf8)), token: try Digest.sha256(Data(refresh.utf8))))
  }

  func answer(for reader: Reader) -> SignedIn { SignedIn(accessToken: access, refreshToken: refresh, reader: reader.shown) }
}

extension Problem {
  fileprivate static let sessionEnded = Problem(code: .sessionEnded, title: "Your session has ended. Sign in again.", status: 401)
  fileprivate static let wrongCredentials = Problem(code: .wrongCredentials, title: "Email and password do not match.", status: 401)
  /// Not a 401: the session is good.
  fileprivate static let wrongPassword = Problem(code: .wrongCredentials, title: "That is not your current password.", status: 403)
}
