import Foundation
import Runtime

/// A mail of the publication: plain text, to one reader.
public struct Mail: Equatable, Sendable {
  /// What the publication calls itself, beside the address that mails come from.
  public let sender: String
  /// The reader's address.
  public let recipient: String
  /// The subject, in one line.
  public let subject: String
  /// What the mail says; its lines end with a newline.
  public let text: String

  public init(sender: String, recipient: String, subject: String, text: String) {
    self.sender = sender
    self.recipient = recipient
    self.subject = subject
    self.text = text
  }
}

/// Sends mails. Called on any thread.
public protocol Mailer: Sendable {
  /// Hands a mail over; returns when it was accepted. It has to end by itself, also where nothing answers: there may be several at a time.
  /// - Throws: an error whose description says why not, for the operator's log.
  func send(_ mail: Mail) async throws
}

extension Mail {
  /// The message as it is sent (RFC 5322), with lines that end in CR LF.
  /// - Parameters:
  ///   - address: where it comes from.
  ///   - date: when.
  ///   - id: makes it unique, of letters, digits and `-`.
  public func message(from address: String, date: Date, id: String) -> Data {
    let domain = address.split(separator: "@").last.map(String.init) ?? "localhost"
    let fields = [
      "From: \(Self.word(sender)) <\(Self.line(address))>", "To: <\(Self.line(recipient))>", "Subject: \(Self.word(subject))",
      "Date: \(Self.date(date))", "Message-ID: <\(id)@\(Self.line(domain))>", "MIME-Version: 1.0",
      "Content-Type: text/plain; charset=utf-8", "Content-Transfer-Encoding: base64",
      // RFC 3834, 5: automatic replies, such as those about a holiday, are not wanted.
      "Auto-Submitted: auto-generated",
    ]
    let body = Data(text.split(separator: "\n", omittingEmptySubsequences: false).joined(separator: "\r\n").utf8)
    let encoded = body.base64EncodedString(options: [.lineLength76Characters, .endLineWithCarriageReturn, .endLineWithLineFeed])
    return Data((fields.joined(separator: "\r\n") + "\r\n\r\n" + encoded + "\r\n").utf8)
  }

  /// A text as words of a field: in quotation marks or, where it has other letters than ASCII's, encoded (RFC 2047).
  private static func word(_ text: String) -> String {
    let line = line(text)
    guard line.utf8.allSatisfy({ (0x20..<0x7f).contains($0) }) else {
      // An encoded word has 75 characters at most; a letter is not divided between two.
      var words: [String] = [""]
      for character in line {
        if words[words.count - 1].utf8.count + character.utf8.count > 42 { words.append("") }
        words[words.count - 1].append(character)
      }
      return words.map { "=?utf-8?B?\(Data($0.utf8).base64EncodedString())?=" }.joined(separator: "\r\n ")
    }
    return line
  }

  /// Without what would end the field.
  private static func line(_ text: String) -> String {
    String(String.UnicodeScalarView(text.unicodeScalars.map { ReaderResource.breaks.contains($0.properties.generalCategory) ? " " : $0 }))
  }

  private static func date(_ date: Date) -> String {
    let style = Date.VerbatimFormatStyle(
      format: """
        \(weekday: .abbreviated), \(day: .defaultDigits) \(month: .abbreviated) \(year: .defaultDigits) \
        \(hour: .twoDigits(clock: .twentyFourHour, hourCycle: .zeroBased)):\(minute: .twoDigits):\(second: .twoDigits) +0000
        """,
      locale: Locale(identifier: "en_US_POSIX"), timeZone: .gmt, calendar: Calendar(identifier: .gregorian))
    return date.formatted(style)
  }
}

/// Writes each mail into a file of its own, for development: `20260601T120000Z-….eml`, which mail programs open.
public struct MailFolder: Mailer {
  private let folder: String
  private let address: String
  private let now: @Sendable () -> Date

  /// - Parameters:
  ///   - folder: where the files are written, a path; made if it is not there.
  ///   - address: where the mails come from.
  ///   - now: the time.
  public init(_ folder: String, from address: String = "publication@localhost", now: @escaping @Sendable () -> Date) {
    self.folder = folder
    self.address = address
    self.now = now
  }

  /// See ``Mailer``.
  /// - Throws: `CocoaError`.
  public func send(_ mail: Mail) async throws {
    let (date, id) = (now(), UUID().uuidString.lowercased())
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    let name = date.formatted(.iso8601.dateSeparator(.omitted).timeSeparator(.omitted)) + "-" + id + ".eml"
    try PrivateFile.write(mail.message(from: address, date: date, id: id), to: folder + "/" + name)
  }
}
