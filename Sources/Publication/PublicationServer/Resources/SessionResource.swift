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
    let token = try Secrets.token()
    let digest = try Digest.sha256(Data(token.utf8))
    if matches, let found, sessions.signOuts(of: found.reader.id) != signOuts {
      throttle.takeBack(guess)
      throw Problem.sessionEnded
    }
    // The statement that starts the session compares the stored hash again: it may be another one by now.
    guard matches, let found,
      try await readers.startSession(digest, of: found.reader.id, password: found.password, at: clock.unixTime)
    else {
      throttle.failed(guess, at: clock.uptime)
      throw Problem(code: .wrongCredentials, title: "Email and password do not match.", status: 401)
    }
    throttle.succeeded(guess, at: clock.uptime)
    sessions.learn(digest, found.reader.id)
    return try .json(SignedIn(token: token, reader: found.reader), status: 201)
  }

  nonisolated(nonsending) func signOut(_ call: Call) async throws -> Response {
    if let digest = try Publication.tokenDigest(call.request) {
      try await readers.endSession(digest)
      imports.endSession(digest)
    }
    return Response(204)
  }

  /// Whose token a request carries.
  /// - Throws: `Problem` with ``Problem/Code/sessionEnded``.
  nonisolated(nonsending) func authenticate(_ request: Request) async throws -> Reader {
    let digest = try Publication.tokenDigest(request)
    let reader = if let digest { try await readers.reader(session: digest, at: clock.unixTime) } else { nil as Reader? }
    if let digest { sessions.learn(digest, reader?.id) }
    guard let reader else {
      throw Problem.sessionEnded
    }
    return reader
  }

  /// Whether it is the sample account with the password that everyone knows, where it is not offered: a folder may have been an app's.
  private nonisolated(nonsending) func isPublicPassword(_ credentials: Credentials, _ email: String) async throws -> Bool {
    guard !offersSampleAccount, let sample = try await content.info()?.sampleAccount else { return false }
    return ReaderResource.normalized(sample.email) == email && sample.password == credentials.password
  }
}

extension Publication {
  /// For how long a session may stand unused, in seconds: ninety days.
  static let sessionLifetime: Int64 = 90 * 86_400

  static func tokenDigest(_ request: Request) throws -> Data? {
    guard let value = request.headers["Authorization"], value.utf8.count <= 1024, value.prefix(7).lowercased() == "bearer " else {
      return nil
    }
    let token = value.dropFirst(7).trimmingCharacters(in: .whitespaces)
    return token.isEmpty || token.utf8.count > 512 ? nil : try Digest.sha256(Data(token.utf8))
  }
}

extension Problem {
  fileprivate static let sessionEnded = Problem(code: .sessionEnded, title: "Your session has ended. Sign in again.", status: 401)
}
