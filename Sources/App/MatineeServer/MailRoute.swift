import Foundation
import PublicationMailer
import PublicationServer

/// How a running server sends mails.
enum MailRoute: Equatable {
  /// By a mail server at this address.
  case server(String, from: String)
  /// Into a folder, for development.
  case folder(String)

  /// The variable that the mail server's password is in: other users can read the options of a process.
  static let password = "MATINEE_SMTP_PASSWORD"

  /// - Throws: `SMTPMailer.Server.Malformed`.
  func mailer(now: @escaping @Sendable () -> Date) throws -> any Mailer {
    switch self {
    case .server(let address, let sender):
      let server = try SMTPMailer.Server(address, password: ProcessInfo.processInfo.environment[Self.password])
      return SMTPMailer(server, from: sender, now: now)
    case .folder(let folder):
      return MailFolder(folder, now: now)
    }
  }
}
