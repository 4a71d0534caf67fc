import Foundation
import HTTPTransport
import PublicationAPI
import Runtime

/// Signing in and out.
struct SessionResource {
  let readers: any ReaderRepository
  let content: any ContentRepository
  let hasher: PasswordHasher
  let throttle: Throttle
  let sessions: SessionCache
  let imports: ImportDesk
  let clock: any AppClock
  let offersSampleAccount: Bool

  nonisolated(nonsending) func signIn(_ call: Call, _ credentials: Credentials) async throws -> Response {
    let email = ReaderResource.normalized(credentials.email)
    guard email.utf8.count <= ReaderResource.longestAddress, credentials.password.utf8.count <= ReaderResource.longestPassword else {
      throw Problem.badRequest("The address or the password is too long.")
    }
    // Of one client alone: otherwise anybody could lock a reader out by guessing. A client without an address is not limited.
    let guess = Throttle.Key(email: email, client: call.request.client)
    let pause = throttle.pause(guess, at: clock.uptime)
    guard pause == 0 else {
      let wait = pause == 1 ? "in a second" : "in \(pause) seconds"
      var response = Response.problem(429, .tooManyAttempts, "Too many wrong passwords. Try again \(wait).")
      response.headers["Retry-After"] = "\(pause)"
      return response
    }
    throttle.start(guess, at: clock.uptime)
    let isPublic = try await isPublicPassword(credentials, email)
    let found = isPublic ? nil : try await readers.reader(email: email)
    let signOuts = found.map { sessions.signOuts(of: $0.reader.id) }
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
    let tokens = try NewTokens()
    if matches, let found, sessions.signOuts(of: found.reader.id) != signOuts {
      throttle.takeBack(guess)
      throw Problem.sessionEnded
    }
    // The statement that starts the session compares the stored hash again: it may be another one by now.
    guard matches, let found,
      try await readers.startSession(
        tokens.digests, of: found.reader.id, password: found.password, device: Self.shown(credentials.device), at: clock.unixTime)
    else {
      throttle.failed(guess, at: clock.uptime)
      throw Problem(code: .wrongCredentials, title: "Email and password do not match.", status: 401)
    }
    throttle.succeeded(guess, at: clock.uptime)
    sessions.learn(tokens.digests.access, found.reader.id)
    return try .json(tokens.answer(for: found.reader), status: 201)
  }

  nonisolated(nonsending) func refresh(_ call: Call, _ request: RefreshRequest) async throws -> Response {
    guard let digest = try Publication.digest(ofToken: request.refreshToken) else { throw Problem.sessionEnded }
    let tokens = try NewTokens()
    switch try await readers.exchange(digest, for: tokens.digests, at: clock.unixTime) {
    case .exchanged(let reader):
      sessions.learn(tokens.digests.access, reader.id)
      return try .json(tokens.answer(for: reader), status: 201)
    case .reused(let session):
      imports.endSession(session)
      throw Problem(
        code: .sessionReused,
        title:
          "Your session was used from another place too, so it was ended. Sign in again, and change your password if that was not you.",
        status: 401)
    case .unknown: throw Problem.sessionEnded
    }
  }

  /// What a client calls its device: the beginning of it, on one line.
  private static func shown(_ device: String?) -> String? {
    let words = device?.split(whereSeparator: \.isWhitespace).joined(separator: " ") ?? ""
    return words.isEmpty ? nil : String(words.prefix(80))
  }

  nonisolated(nonsending) func signOut(_ call: Call) async throws -> Response {
    guard let digest = try Publication.tokenDigest(call.request), let session = try await readers.endSession(digest) else {
      throw Problem.sessionEnded
    }
    imports.endSession(session)
    return Response(204)
  }

  /// Whose access token a request carries, and of which session it is.
  /// - Throws: `Problem` with ``Problem/Code/sessionEnded``.
  nonisolated(nonsending) func authenticate(_ request: Request) async throws -> (reader: Reader, session: SessionFamily.ID) {
    guard let digest = try Publication.tokenDigest(request) else { throw Problem.sessionEnded }
    let found = try await readers.reader(access: digest, at: clock.unixTime)
    sessions.learn(digest, found?.reader.id)
    guard let found else { throw Problem.sessionEnded }
    return found
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

  static func tokenDigest(_ request: Request) throws -> Data? {
    guard let value = request.headers["Authorization"], value.utf8.count <= 1024, value.prefix(7).lowercased() == "bearer " else {
      return nil
    }
    return try digest(ofToken: value.dropFirst(7).trimmingCharacters(in: .whitespaces))
  }

  /// What is stored of a token; `nil` for what cannot be one.
  static func digest(ofToken token: String) throws -> Data? {
    token.isEmpty || token.utf8.count > 512 ? nil : try Digest.sha256(Data(token.utf8))
  }
}

/// Tokens for a client, and what is stored of them.
private struct NewTokens {
  private let access: String
  private let refresh: String
  let digests: SessionFamily.Tokens

  init() throws {
    (access, refresh) = (try Secrets.token(), try Secrets.token())
    digests = SessionFamily.Tokens(access: try Digest.sha256(Data(access.utf8)), refresh: try Digest.sha256(Data(refresh.utf8)))
  }

  func answer(for reader: Reader) -> SignedIn { SignedIn(accessToken: access, refreshToken: refresh, reader: reader) }
}

extension Problem {
  fileprivate static let sessionEnded = Problem(code: .sessionEnded, title: "Your session has ended. Sign in again.", status: 401)
}
