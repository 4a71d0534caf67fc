import Foundation
import PublicationServer
import Testing

/// Mails as they are written.
@Suite struct MailTests {
  private static let noon = Date(timeIntervalSince1970: 1_780_056_000)

  private func message(_ mail: Mail, from address: String = "post@sample.example") -> String {
    String(decoding: mail.message(from: address, date: Self.noon, id: "1-2"), as: UTF8.self)
  }

  @Test func aMailIsAMessage() {
    #expect(
      message(Mail(sender: "The Sample", recipient: "ada@example.org", subject: "A code", text: "012345\n")) == """
        From: The Sample <post@sample.example>\r
        To: <ada@example.org>\r
        Subject: A code\r
        Date: Fri, 29 May 2026 12:00:00 +0000\r
        Message-ID: <1-2@sample.example>\r
        MIME-Version: 1.0\r
        Content-Type: text/plain; charset=utf-8\r
        Content-Transfer-Encoding: base64\r
        Auto-Submitted: auto-generated\r
        \r
        MDEyMzQ1DQo=\r

        """)
  }

  /// What a publication is called, or a reader's address, ends no field and begins none.
  @Test(arguments: ["A\r\nBcc: all@example.org", "A\nBcc: all@example.org", "A\u{2028}Bcc: all@example.org", "A\u{85}\r\n\r\nBcc: x"])
  func nothingBecomesAFieldOfItsOwn(text: String) {
    for message in [
      message(Mail(sender: "The Sample", recipient: text, subject: "a", text: "b")),
      message(Mail(sender: "The Sample", recipient: "a", subject: text, text: "b")),
      message(Mail(sender: text, recipient: "a", subject: "a", text: "b"), from: text),
    ] {
      let head = message.components(separatedBy: "\r\n\r\n")[0].components(separatedBy: "\r\n")
      #expect(head.count { !$0.hasPrefix(" ") } == 9, "\(head)")
      #expect(!head.contains { $0.hasPrefix("Bcc") })
    }
  }

  @Test func longNamesAreEncodedInWordsOfTheRightLength() {
    let name = String(repeating: "Übermäßige Größe ", count: 8)
    let head = message(Mail(sender: "a", recipient: "a@b.c", subject: name, text: "")).components(separatedBy: "\r\n\r\n")[0]
    let words = head.components(separatedBy: "=?utf-8?B?").dropFirst().map { $0.components(separatedBy: "?=")[0] }
    #expect(words.map { String(decoding: Data(base64Encoded: $0)!, as: UTF8.self) }.joined() == name)
    for line in head.components(separatedBy: "\r\n") { #expect(line.utf8.count <= 78) }
  }

  @Test func aFolderHasAFileForEach() async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "mail-\(UUID().uuidString)").path
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let mailer = MailFolder(folder, now: { Self.noon })
    for number in 1...2 { try await mailer.send(Mail(sender: "The Sample", recipient: "a@b.c", subject: "\(number)", text: "x\n")) }
    let files = try FileManager.default.contentsOfDirectory(atPath: folder)
    #expect(files.count == 2)
    for file in files {
      #expect(file.hasPrefix("20260529T120000Z-") && file.hasSuffix(".eml"))
      let mode = try FileManager.default.attributesOfItem(atPath: folder + "/" + file)[.posixPermissions] as? Int
      #expect(mode == 0o600, "codes are for their reader")
    }
  }
}
