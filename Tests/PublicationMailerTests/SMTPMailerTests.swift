import Foundation
import PublicationMailer
import PublicationServer
import Testing

/// Mails by SMTP, at a server that is not ours.
@Suite(.timeLimit(.minutes(2))) struct SMTPMailerTests {
  private static let mail = Mail(
    sender: "The Sample", recipient: "ada@example.org", subject: "012345 is your code for Die Übung", text: "Your code is\n\n    012345\n")

  private func mailer(_ url: String, _ identity: TestIdentity, trusts: Bool = true, password: String? = nil) throws -> SMTPMailer {
    SMTPMailer(
      try SMTPMailer.Server(url, password: password), from: "post@sample.example", certificates: trusts ? identity.certificate : nil,
      now: { Date(timeIntervalSince1970: 1_780_000_000) })
  }

  /// What a mail program makes of it.
  private func read(_ message: String) throws -> (fields: [String: String], text: String) {
    let parts = message.replacing("\r\n", with: "\n").split(separator: "\n\n", maxSplits: 1)
    let fields = parts[0].replacing("\n ", with: " ").split(separator: "\n").map { line in
      (String(line.prefix { $0 != ":" }), line.drop { $0 != ":" }.dropFirst(2))
    }
    let text = String(parts[1]).replacing("\n", with: "")
    return (
      Dictionary(fields.map { ($0, String($1)) }) { first, _ in first },
      String(decoding: Data(base64Encoded: text) ?? Data(), as: UTF8.self)
    )
  }

  @Test(arguments: [("smtps", ""), ("smtp", "--starttls")]) func aMailArrivesEncrypted(scheme: String, option: String) async throws {
    let identity = try await TestIdentity()
    defer { identity.remove() }
    let server = option.isEmpty ? try await MailServer(identity: identity) : try await MailServer(option, identity: identity)
    try await mailer("\(scheme)://127.0.0.1:\(server.port)", identity).send(Self.mail)
    let taken = try await server.next()
    #expect(taken.encrypted)
    #expect(taken.sender == "post@sample.example")
    #expect(taken.recipients == ["ada@example.org"])
    let (fields, text) = try read(taken.message)
    #expect(fields["From"] == "The Sample <post@sample.example>")
    #expect(fields["To"] == "<ada@example.org>")
    #expect(fields["Date"] == "Thu, 28 May 2026 20:26:40 +0000")
    #expect(fields["Message-ID"]?.hasSuffix("@sample.example>") == true)
    let subject = try #require(fields["Subject"]).split(separator: " ").map { word in
      String(decoding: Data(base64Encoded: word.dropFirst(10).dropLast(2).description) ?? Data(), as: UTF8.self)
    }
    #expect(subject.joined() == Self.mail.subject)
    #expect(text.replacing("\r\n", with: "\n") == Self.mail.text)
  }

  @Test func theUserSignsIn() async throws {
    let identity = try await TestIdentity()
    defer { identity.remove() }
    let server = try await MailServer("--starttls", "--user", "post", "--password", "curtain", identity: identity)
    let url = "smtp://post@127.0.0.1:\(server.port)"
    await #expect {
      try await mailer(url, identity, password: "wrong").send(Self.mail)
    } throws: { ($0 as? SMTPMailer.Failure)?.reply == 535 && !"\($0)".contains("wrong") }
    try await mailer(url, identity, password: "curtain").send(Self.mail)
    #expect(try await server.next().user == "post")
  }

  /// Neither to a server without TLS nor to one that may be another's.
  @Test func nothingIsSentThatOthersCouldRead() async throws {
    let identity = try await TestIdentity()
    defer { identity.remove() }
    let plain = try await MailServer("--plain", identity: identity)
    await #expect(throws: SMTPMailer.Failure.self) { try await mailer("smtp://127.0.0.1:\(plain.port)", identity).send(Self.mail) }
    let strange = try await MailServer(identity: identity)
    await #expect(throws: SMTPMailer.Failure.self) {
      try await mailer("smtps://127.0.0.1:\(strange.port)", identity, trusts: false).send(Self.mail)
    }
  }

  @Test func theServersReplyIsTold() async throws {
    let identity = try await TestIdentity()
    defer { identity.remove() }
    let server = try await MailServer(identity: identity)
    let url = "smtps://127.0.0.1:\(server.port)"
    let lost = Mail(sender: "a", recipient: "nobody@example.org", subject: "a", text: "b")
    await #expect {
      try await mailer(url, identity).send(lost)
    } throws: { error in
      guard let failure = error as? SMTPMailer.Failure else { return false }
      return failure.reply == 550 && failure.server == url && failure.description.hasSuffix(" (reply 550).")
    }
    // The thread is free for the next.
    try await mailer(url, identity).send(Self.mail)
    #expect(try await server.next().recipients == ["ada@example.org"])
  }

  @Test func aServerThatIsNotThereIsToldOf() async throws {
    let identity = try await TestIdentity()
    defer { identity.remove() }
    // Port 1 has no service here.
    await #expect {
      try await mailer("smtps://127.0.0.1:1", identity).send(Self.mail)
    } throws: { ($0 as? SMTPMailer.Failure)?.reply == nil }
  }

  @Test(arguments: [
    ("mail.example.org", "“mail.example.org” is no address such as smtps://USER@HOST:465."),
    ("http://mail.example.org", "“http://mail.example.org” is no address such as smtps://USER@HOST:465."),
    ("smtps://", "“smtps://” is no address such as smtps://USER@HOST:465."),
    ("smtps://mail.example.org/box", "“smtps://mail.example.org/box” is no address such as smtps://USER@HOST:465."),
    ("smtps://a:b@mail.example.org", "“smtps://mail.example.org” has a password in it, which others can see."),
    ("smtps://a@mail.example.org", "“smtps://a@mail.example.org” names a user without a password."),
  ])
  func anAddressThatIsNoneIsRefused(address: String, sentence: String) {
    #expect { try SMTPMailer.Server(address, password: nil) } throws: { "\($0)" == sentence }
  }
}
