import Foundation
import HTTPTransport
import PublicationAPI
import Runtime

/// Signing in, and setting another password, by a code that is mailed.
struct CodeResource {
  let codes: any CodeRepository
  /// `nil` when none are sent.
  let mails: MailQueue?
  let session: SessionResource

  /// Has a code mailed. An address that is no reader's gets none, and its client the same answer.
  nonisolated(nonsending) func request(_ call: Call, _ request: CodeRequest) async throws -> Response {
    guard let mails else { throw Self.notOffered }
    let email = ReaderResource.normalized(request.email)
    guard email.utf8.count <= ReaderResource.longestAddress else { throw Problem.badRequest("The address is too long.") }
    let (challenge, code) = (session.random.token(), newCode())
    let found = try await session.readers.reader(email: email)?.reader
    let sample = try await session.content.info()?.sampleAccount.map { ReaderResource.normalized($0.email) }
    // The sample account has no mailbox, nor has who gave no address.
    let recipient = found.flatMap { $0.hasAddress && $0.email != sample ? $0 : nil }
    // Made for an unknown address as well, so that the time of the answer tells nothing.
    let (codeDigest, mail) = (try Self.digest(code, challenge), try await mail(code, to: recipient?.email ?? email))
    let mailed = MailedCode(
      digest: try Digest.sha256(Data(challenge.utf8)), code: recipient == nil ? Data() : codeDigest,
      // However its letters with accents are encoded, it is one address to the limits.
      email: found?.email ?? email.precomposedStringWithCanonicalMapping, client: Self.network(of: call.request.client),
      requestedAt: session.clock.unixTime)
    let isOwn = session.throttle.isOwn(SignInThrottle.Key(email: email, client: call.request.client), at: session.clock.uptime)
    guard try await codes.add(mailed, isOwn: isOwn) else {
      return .problem(
        429, .tooManyAttempts, "Too many codes were asked for. Use one that you got, or try again in an hour.", retryAfter: 3600)
    }
    if recipient != nil { mails.send(mail) }
    return try .json(CodeChallenge(challenge: challenge, expiresIn: Int(MailedCode.lifetime)), status: 202)
  }

  private nonisolated(nonsending) func mail(_ code: String, to recipient: String) async throws -> Mail {
    let name = try await session.content.info()?.name ?? "The publication"
    return Mail(
      sender: name, recipient: recipient, subject: "\(code) is your code for \(name)",
      text: """
        Your code for \(name) is

            \(code)

        Type it into Matinee, where you asked for it. It is good for ten minutes, and once.

        If you did not ask for it, do nothing: without the window in which it was asked for, nobody can use it. Never tell it to anybody.

        """)
  }

  /// Signs in by a code, and sets another password if there is one.
  nonisolated(nonsending) func signIn(_ call: Call, _ credentials: CodeCredentials) async throws -> Response {
    guard mails != nil else { throw Self.notOffered }
    guard credentials.challenge.utf8.count <= 128, credentials.code.utf8.count <= 64 else {
      throw Problem.badRequest("“challenge” or “code” is too long.")
    }
    let digest = try Digest.sha256(Data(credentials.challenge.utf8))
    guard let mailed = try await codes.code(digest, at: session.clock.unixTime) else { throw Self.expired }
    let key = SignInThrottle.Key(email: mailed.email, client: call.request.client)
    let uptime = session.clock.uptime
    let pause = session.throttle.isOwn(key, at: uptime) ? 0 : session.throttle.pauseOfCodes(for: mailed.email, at: uptime)
    guard pause == 0 else {
      let minutes = (pause + 59) / 60
      return .problem(
        429, .tooManyAttempts,
        "Too many wrong codes were tried. Try again in \(minutes == 1 ? "a minute" : "\(minutes) minutes"), or sign in by your password.",
        retryAfter: pause)
    }
    // Before the code is used up.
    if let password = credentials.newPassword { try PasswordRule.check(password, email: mailed.email) }
    guard let left = try await codes.countTry(digest, at: session.clock.unixTime) else { throw Self.expired }
    let code = credentials.code.filter { !$0.isWhitespace }
    guard try Self.digest(code, credentials.challenge) == mailed.code else {
      session.throttle.failedCode(for: mailed.email, at: uptime)
      guard left > 0 else { throw Self.expired }
      throw Problem(
        code: .wrongCode, title: "That is not the code. You have \(left) \(left == 1 ? "try" : "tries") left.", status: 401)
    }
    let hash: PasswordHash? =
      if let password = credentials.newPassword { try await session.hasher.hash(password) } else { nil }
    guard let found = try await session.readers.reader(email: mailed.email), try await codes.use(digest) else { throw Self.expired }
    if let hash {
      session.sessions.signOut(found.reader.id)
      session.imports.endSessions(try await session.readers.setPassword(hash, of: found.reader.id))
    }
    guard let response = try await session.start(found.reader, password: hash ?? found.password, device: credentials.device) else {
      throw Self.expired
    }
    session.throttle.succeeded(key, at: session.clock.uptime)
    return response
  }

  /// The client, to the limits of codes: of an IPv6 address the /56 network, which providers give to one household, and not each of its 256
  /// networks of /64.
  private static func network(of client: String?) -> String? {
    guard let client, client.hasSuffix("/64") else { return client }
    var bytes = [UInt8](repeating: 0, count: 16)
    guard inet_pton(AF_INET6, String(client.dropLast(3)), &bytes) == 1 else { return client }
    return bytes.prefix(7).map { String($0, radix: 16) }.joined(separator: ".") + "/56"
  }

  private func newCode() -> String {
    // This assumes that `codeLength` is six: three bytes, and a million codes. The numbers from 16,000,000 on would make some codes likelier.
    while true {
      let number = session.random.bytes(3).reduce(0) { $0 << 8 | Int($1) }
      guard number < 16_000_000 else { continue }
      let digits = String(number % 1_000_000)
      return String(repeating: "0", count: CodeChallenge.codeLength - digits.count) + digits
    }
  }

  /// Without the challenge, which is 256 bits long, no attacker finds a code by its digest.
  private static func digest(_ code: String, _ challenge: String) throws -> Data { try Digest.sha256(fields: [challenge, code]) }

  private static let notOffered = Problem(code: .notOffered, title: "This publication mails no codes.", status: 404)
  private static let expired = Problem(code: .codeExpired, title: "This code is no longer valid. Ask for a new one.", status: 401)
}

extension Publication {
  /// Mails codes, with which readers sign in and set another password: offered from here on.
  /// - Parameters:
  ///   - mailer: sends them.
  ///   - delay: how long after the request, by when the answer is out. A mail that is sent at once takes time from the answer, which tells
  ///     whether the address is a reader's.
  public func sendMail(by mailer: any Mailer, after delay: Duration = .zero) {
    mails = MailQueue(mailer, delay: delay, clock: clock, log: log)
  }
}
