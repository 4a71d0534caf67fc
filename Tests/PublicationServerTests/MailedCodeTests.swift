import Foundation
import HTTPTransport
import Patience
import PublicationAPI
import PublicationServer
import Synchronization
import Testing

/// Signing in, and setting another password, by a code that is mailed.
@Suite(.timeLimit(.minutes(10))) struct MailedCodeTests {
  private let box = Mailbox()
  private let rig: Rig

  init() async throws {
    rig = try await Rig()
    await rig.publication.sendMail(by: box)
  }

  private func ask(_ email: String = "ada@example.org", from client: String? = "192.0.2.1") async throws -> Response {
    var request = Request(.post, "/v1/session/code", body: try Wire.encode(CodeRequest(email: email)))
    request.client = client
    return await rig.publication.handle(request)
  }

  private func challenge(_ email: String = "ada@example.org") async throws -> String {
    let response = try await ask(email)
    #expect(response.status == 202)
    let challenge = try Wire.decode(CodeChallenge.self, from: response.body)
    #expect(challenge.expiresIn == 600)
    return challenge.challenge
  }

  private func signIn(_ challenge: String, _ code: String, newPassword: String? = nil, from client: String? = nil) async throws -> Response
  {
    let credentials = CodeCredentials(challenge: challenge, code: code, device: "Desk", newPassword: newPassword)
    var request = Request(.post, "/v1/session/mailed", body: try Wire.encode(credentials))
    request.client = client
    return await rig.publication.handle(request)
  }

  /// Lets time pass until so many mails are sent.
  private func pass(until count: Int) async {
    while box.mails.withLock({ $0.count < count }) {
      rig.clock.advance(by: .seconds(1))
      await Task.yield()
    }
  }

  private func other(than code: String, _ step: Int = 1) -> String {
    let digits = String(((Int(code) ?? 0) + step) % 1_000_000)
    return String(repeating: "0", count: 6 - digits.count) + digits
  }

  @Test func theCodeOfTheMailSignsInOnce() async throws {
    let challenge = try await challenge(" ADA@example.org ")
    let code = await box.code()
    #expect(code.count == 6 && code.allSatisfy(\.isNumber))
    let mail = box.mails.withLock { $0[0] }
    #expect(mail.recipient == "ada@example.org")
    #expect(mail.text.contains("\n    \(code)\n"))
    let response = try await signIn(challenge, " \(code.prefix(3)) \(code.suffix(3)) ")
    #expect(response.status == 201)
    let signedIn = try Wire.decode(SignedIn.self, from: response.body)
    #expect(signedIn.reader.name == "Ada")
    #expect(try await rig.get("/v1/session", signedIn.accessToken, as: Reader.self).email == "ada@example.org")
    #expect(try await rig.get("/v1/sessions", signedIn.accessToken, as: [ReaderSession].self).map(\.device) == ["Desk"])
    let again = try await signIn(challenge, code)
    #expect(again.status == 401)
    #expect(try again.problem == Problem(code: .codeExpired, title: "This code is no longer valid. Ask for a new one.", status: 401))
  }

  @Test func fiveTriesAreAll() async throws {
    let challenge = try await challenge()
    let code = await box.code()
    for left in [4, 3, 2, 1] {
      let response = try await signIn(challenge, other(than: code, left))
      #expect(response.status == 401)
      #expect(try response.problem.title == "That is not the code. You have \(left) \(left == 1 ? "try" : "tries") left.")
      #expect(try response.problem.code == .wrongCode)
    }
    #expect(try await signIn(challenge, other(than: code)).problem.code == .codeExpired)
    #expect(try await signIn(challenge, code).problem.code == .codeExpired, "too late for the right one")
  }

  @Test func theFifthTryMayBeTheRightOne() async throws {
    let challenge = try await challenge()
    let code = await box.code()
    for step in 1...4 { _ = try await signIn(challenge, other(than: code, step)) }
    #expect(try await signIn(challenge, code).status == 201)
  }

  /// Many at a time are no more tries than one after the other.
  @Test func guessesAtTheSameTimeAreCounted() async throws {
    let challenge = try await challenge()
    let code = await box.code()
    let statuses = try await withThrowingTaskGroup(of: Problem.Code.self) { group in
      for step in 1...40 { group.addTask { [self] in try await signIn(challenge, other(than: code, step)).problem.code } }
      return try await group.reduce(into: []) { $0.append($1) }
    }
    #expect(statuses.count { $0 == .wrongCode } == 4)
    #expect(statuses.count { $0 == .codeExpired } == 36)
  }

  @Test func tenMinutesAreAll() async throws {
    let challenge = try await challenge()
    let code = await box.code()
    rig.clock.advance(by: .seconds(600))
    #expect(try await signIn(challenge, code).problem.code == .codeExpired)
    let second = try await self.challenge()
    let newer = await box.code(2)
    rig.clock.advance(by: .seconds(599))
    #expect(try await signIn(second, newer).status == 201)
  }

  /// A code alone is worth nothing: whoever sees the mail has not asked for it.
  @Test func aCodeBelongsToTheAppThatAsked() async throws {
    let first = try await challenge()
    let second = try await challenge("bo@example.org")
    let (codeOfAda, codeOfBo) = (await box.code(1), await box.code(2))
    if codeOfAda != codeOfBo {
      #expect(try await signIn(second, codeOfAda).problem.code == .wrongCode)
      #expect(try await signIn(first, codeOfBo).problem.code == .wrongCode)
    }
    #expect(try await signIn("never asked", codeOfAda).problem.code == .codeExpired)
    let response = try await signIn(second, codeOfBo)
    #expect(try Wire.decode(SignedIn.self, from: response.body).reader.name == "Bo")
  }

  /// Neither by the answer to the request nor by the answers to guesses.
  @Test func nothingTellsWhetherAnAddressIsKnown() async throws {
    var seen: [[String]] = []
    for email in ["ada@example.org", "nobody@example.org", "sample@example.org"] {
      let response = try await ask(email)
      var answers = ["\(response.status) \(response.headers.fields.map(\.name).sorted()) \(response.body.count)"]
      let challenge = try Wire.decode(CodeChallenge.self, from: response.body).challenge
      for guess in ["", "1", "abcdef", "12345678901234567890", "é"] { answers.append(try await signIn(challenge, guess).problem.title) }
      seen.append(answers)
    }
    #expect(seen[0] == seen[1] && seen[1] == seen[2], "\(seen)")
    await box.count(1)
    // The mails of the others would be there by now: they are sent in the order in which they were asked for.
    _ = try await challenge("bo@example.org")
    await box.count(2)
    #expect(box.mails.withLock { $0.map(\.recipient) } == ["ada@example.org", "bo@example.org"])
  }

  @Test func aForgottenPasswordIsReplaced() async throws {
    let old = try await rig.signIn()
    let challenge = try await challenge()
    let code = await box.code()
    let short = try await signIn(challenge, code, newPassword: "short")
    #expect(short.status == 400)
    #expect(try short.problem.title == "A password has at least 10 characters.")
    let common = try await signIn(challenge, code, newPassword: "Password123")
    #expect(common.status == 400)
    #expect(try common.problem.title == "This password is one of the commonest, which are tried first. Choose another one.")
    let wrong = try await signIn(challenge, other(than: code), newPassword: "a new password")
    #expect(try wrong.problem.title == "That is not the code. You have 4 tries left.", "a password that is refused is no try")
    #expect(await rig.send(.get, "/v1/session", token: old).status == 200)
    let response = try await signIn(challenge, code, newPassword: "a new password")
    #expect(response.status == 201)
    let token = try Wire.decode(SignedIn.self, from: response.body).accessToken
    #expect(try await rig.get("/v1/session", token, as: Reader.self).name == "Ada")
    #expect(await rig.publication.handle(Request(.get, "/v1/session", headers: ["Authorization": "Bearer \(old)"])).status == 401)
    let credentials = { (password: String) in try Wire.encode(Credentials(email: "ada@example.org", password: password)) }
    #expect(await rig.send(.post, "/v1/session", body: try credentials(Rig.password)).status == 401)
    #expect(await rig.send(.post, "/v1/session", body: try credentials("a new password")).status == 201)
  }

  /// One who floods a reader's mail does not keep that reader out.
  @Test func codesAreLimitedByClientAndAddress() async throws {
    for _ in 1...5 { #expect(try await ask().status == 202) }
    let refused = try await ask()
    #expect(refused.status == 429)
    #expect(refused.headers["Retry-After"] == "3600")
    #expect(try await ask(from: "192.0.2.2").status == 202, "from elsewhere")
    #expect(try await ask("bo@example.org").status == 202, "to somebody else")
    // Whether there is such a reader makes no difference.
    for _ in 1...5 { #expect(try await ask("nobody@example.org").status == 202) }
    #expect(try await ask("nobody@example.org").status == 429)
    for number in 3...100 { _ = try await ask(from: "192.0.2.\(number)") }
    await box.count(20)
    _ = try await ask("bo@example.org", from: "192.0.2.200")
    await until { box.mails.withLock({ $0.last?.recipient == "bo@example.org" }) }
    #expect(box.mails.withLock { $0.count { $0.recipient == "ada@example.org" } } == 20)
    rig.clock.advance(by: .seconds(3601))
    #expect(try await ask().status == 202)
  }

  /// Whoever asks for codes from everywhere uses up neither what all readers together get nor what one of them gets where they are at home.
  @Test func strangersShutNobodyOff() async throws {
    let filling = """
      WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 10000)
      INSERT INTO mailed_code SELECT randomblob(32), x'', 'nobody' || i || '@example.org', '198.51.100.' || i, \(Int(rig.clock.now.timeIntervalSince1970)), 0 FROM n
      """
    try await rig.publication.run(filling)
    #expect(try await ask("nobody@example.org", from: "192.0.2.2").status == 202)
    #expect(try await rig.publication.rows("mailed_code") == 10_000, "the oldest of nobody's is gone")
    #expect(try await ask().status == 202)
    _ = await box.code()
    // One reader's.
    for number in 10...28 { _ = try await ask(from: "192.0.2.\(number)") }
    #expect(try await ask(from: "192.0.2.100").status == 429)
    let credentials = try Wire.encode(Credentials(email: "ada@example.org", password: Rig.password))
    var signIn = Request(.post, "/v1/session", body: credentials)
    signIn.client = "192.0.2.100"
    #expect(await rig.publication.handle(signIn).status == 201)
    #expect(try await ask(from: "192.0.2.100").status == 202, "a client that signed in as the reader")
    // Those of all.
    try await rig.publication.run(filling.replacing("x''", with: "x'01'"))
    #expect(try await ask("bo@example.org", from: "192.0.2.100").status == 429, "another reader's")
    #expect(try await ask(from: "192.0.2.100").status == 202)
  }

  @Test func aPublicationWithoutAMailServerOffersNone() async throws {
    let rig = try await Rig()
    #expect(try await rig.get("/v1/publication", nil, as: PublicationInfo.self).mailsCodes == false)
    #expect(try await self.rig.get("/v1/publication", nil, as: PublicationInfo.self).mailsCodes == true)
    for (path, body) in [
      ("/v1/session/code", try Wire.encode(CodeRequest(email: "ada@example.org"))),
      ("/v1/session/mailed", try Wire.encode(CodeCredentials(challenge: "a", code: "b"))),
    ] {
      let response = await rig.send(.post, path, body: body)
      #expect(response.status == 404)
      #expect(try response.problem.code == .notOffered)
    }
  }

  /// It is tried again, and the one behind it too.
  @Test func aMailThatIsNotTakenIsTriedAgain() async throws {
    box.refuses.withLock { $0 = true }
    _ = try await challenge()
    await until { box.tries.withLock(\.self) >= 1 }
    box.refuses.withLock { $0 = false }
    await pass(until: 1)
    #expect(box.tries.withLock { $0 } == 2)
  }

  /// The work for it would be noticed in the time of the answer.
  @Test func aMailIsSentSomeTimeAfterTheAnswer() async throws {
    await rig.publication.sendMail(by: box, after: .milliseconds(200))
    _ = try await challenge()
    await rig.clock.waitForSleepers()
    #expect(box.tries.withLock(\.self) == 0)
    rig.clock.advance(by: .milliseconds(200))
    await box.count(1)
  }

  /// Whoever asks for codes to a mailbox that takes none must not delay those of others.
  @Test func oneMailboxKeepsNoOtherWaiting() async throws {
    box.full.withLock { $0 = ["ada@example.org"] }
    for _ in 0..<5 { _ = try await challenge() }
    _ = try await challenge("bo@example.org")
    await box.count(1)
    #expect(box.mails.withLock { $0.map(\.recipient) } == ["bo@example.org"])
    // One of hers is tried, and the others wait behind it.
    #expect(box.tries.withLock { $0 } == 2)
    box.full.withLock { $0 = [] }
    await pass(until: 6)
    #expect(box.tries.withLock { $0 } == 7)
  }

  /// Readers whose mail server says nothing about their mailboxes, each of whom asks for so many codes.
  private func askForHangingMailboxes(_ count: Int, codes: Int) async throws {
    let recipients = (0..<count).map { "m\($0)@example.org" }
    for email in recipients { try await rig.publication.addReader(email: email, name: "M", password: Rig.password) }
    box.isSilent(about: recipients, on: rig.clock)
    for code in 0..<codes {
      for (number, email) in recipients.enumerated() {
        #expect(try await ask(email, from: "198.51.100.\(number * 10 + code / 5)").status == 202)
      }
    }
  }

  /// Of those that hang at the moment, each has a place for five seconds.
  private func passFiveSeconds(hanging: Int, inPlaces: Int = 4) async {
    await until { box.tries.withLock { $0 } == hanging }
    await rig.clock.waitForSleepers(hanging + inPlaces)
    rig.clock.advance(by: .seconds(5))
  }

  /// A mail server that says nothing about a recipient has the mailer wait for half a minute, again and again.
  @Test func mailboxesThatHangKeepNoOtherWaiting() async throws {
    try await askForHangingMailboxes(8, codes: 5)
    _ = try await challenge("bo@example.org")
    await passFiveSeconds(hanging: 4)
    #expect(box.mails.withLock { $0.isEmpty })
    await passFiveSeconds(hanging: 8)
    await box.count(1)
    #expect(box.mails.withLock { $0.map(\.recipient) } == ["bo@example.org"])
    // By now it is known who they are.
    _ = try await challenge()
    await box.count(2)
    // Half a minute after the first of them, and five seconds later those are tried again: two at a time.
    await rig.clock.waitForSleepers(8)
    rig.clock.advance(by: .seconds(20))
    await rig.clock.waitForSleepers(8)
    rig.clock.advance(by: .seconds(5))
    await rig.clock.waitForSleepers(8)
    _ = try await challenge("bo@example.org")
    await box.count(3)
    #expect(box.tries.withLock { $0 } == 8 + 3 + 2)
  }

  /// Nor may they fill the queue.
  @Test func mailboxesThatHangLeaveRoomForOthers() async throws {
    try await askForHangingMailboxes(11, codes: 20)
    _ = try await challenge("bo@example.org")
    await passFiveSeconds(hanging: 4)
    await passFiveSeconds(hanging: 8)
    await box.count(1)
    #expect(box.mails.withLock { $0.map(\.recipient) } == ["bo@example.org"])
  }

  /// Whoever could read the mail before must not come in by it after that.
  @Test(arguments: ["password", "operator", "sign-out", "others", "code"]) func aCodeDoesNotOutlive(what: String) async throws {
    let ada = try await rig.signIn()
    let (first, second) = (try await challenge(), try await challenge())
    let code = await box.code(2)
    let bo = try await challenge("bo@example.org")
    let codeOfBo = await box.code(3)
    switch what {
    case "password":
      let change = PasswordChange(currentPassword: Rig.password, newPassword: "a new password")
      #expect(await rig.send(.put, "/v1/password", token: ada, body: try Wire.encode(change)).status == 204)
    case "operator":
      let password = try Wire.encode(PasswordRequest(password: "a new password"))
      #expect(try await rig.operate(.put, "readers/ada@example.org/password", password).status == 200)
    case "sign-out": #expect(try await rig.operate(.delete, "readers/ada@example.org/sessions").status == 200)
    case "others": #expect(await rig.send(.delete, "/v1/sessions", token: ada).status == 200)
    default: #expect(try await signIn(first, await box.code(1), newPassword: "a new password").status == 201)
    }
    #expect(try await signIn(second, code).problem.code == .codeExpired)
    #expect(try await signIn(bo, codeOfBo).status == 201, "another reader's")
  }

  /// A million codes, and twenty times five tries an hour, would be a matter of time.
  @Test func wrongCodesAreCountedByAddress() async throws {
    for number in 1...10 {
      let response = try await ask(from: "192.0.2.\(number)")
      let challenge = try Wire.decode(CodeChallenge.self, from: response.body).challenge
      let code = await box.code(number)
      #expect(try await signIn(challenge, other(than: code), from: "192.0.2.\(number)").problem.code == .wrongCode)
      rig.clock.advance(by: .seconds(1200))
    }
    let challenge = try await challenge()
    let code = await box.code(11)
    let refused = try await signIn(challenge, code, from: "192.0.2.1")
    #expect(refused.status == 429)
    #expect(refused.headers["Retry-After"] == "2400")
    #expect(try refused.problem.title == "Too many wrong codes were tried. Try again in 40 minutes, or sign in by your password.")
    // Another reader's code is none of them, and where the reader is at home all are taken.
    let bo = try await self.challenge("bo@example.org")
    #expect(try await signIn(bo, await box.code(12), from: "192.0.2.1").status == 201)
    var password = Request(
      .post, "/v1/session", body: try Wire.encode(Credentials(email: "ada@example.org", password: Rig.password)))
    password.client = "198.51.100.1"
    #expect(await rig.publication.handle(password).status == 201)
    #expect(try await signIn(challenge, code, from: "198.51.100.1").status == 201)
    // After the hour there is one more try, and the next hour begins.
    rig.clock.advance(by: .seconds(3000))
    let next = try await self.challenge()
    let nextCode = await box.code(13)
    #expect(try await signIn(next, other(than: nextCode)).problem.code == .wrongCode)
    #expect(try await signIn(next, nextCode).status == 429)
    // A day after the first of them there are fewer than ten.
    rig.clock.advance(by: .seconds(86_400))
    let last = try await self.challenge()
    #expect(try await signIn(last, await box.code(14)).status == 201)
  }

  /// A household has 256 networks of the size that is one client elsewhere.
  @Test func aWiderNetworkIsOneClient() async throws {
    for number in 0..<5 { #expect(try await ask(from: "2001:db8:0:1\(number)::/64").status == 202) }
    #expect(try await ask(from: "2001:db8:0:1f::/64").status == 429)
    #expect(try await ask(from: "2001:db8:0:2ff::/64").status == 202)
  }

  /// However its letters are encoded.
  @Test(arguments: [true, false]) func anAddressIsCountedOnce(isKnown: Bool) async throws {
    let forms = ["ren\u{E9}e.\u{E9}@example.org", "rene\u{301}e.e\u{301}@example.org", "ren\u{E9}e.e\u{301}@example.org"]
    if isKnown { try await rig.publication.addReader(email: forms[1], name: "Ren\u{E9}e", password: Rig.password) }
    for number in 0..<5 { #expect(try await ask(forms[number % 3]).status == 202) }
    for form in forms { #expect(try await ask(form).status == 429) }
  }

  @Test func whoIsRemovedMeanwhileIsNotSignedIn() async throws {
    let challenge = try await challenge()
    let code = await box.code()
    #expect(try await rig.operate(.delete, "readers/ada@example.org").status == 204)
    #expect(try await signIn(challenge, code).problem.code == .codeExpired)
  }
}
