import CCurl
import Foundation
import PublicationServer
import Runtime

/// Sends mails by SMTP (RFC 5321), by libcurl, always with TLS: from the first byte (`smtps:`, RFC 8314), or by STARTTLS (`smtp:`, RFC 3207),
/// without which nothing is sent. Each mail on a thread of its own.
public final class SMTPMailer: Mailer {
  /// A mail server, and the account on it.
  public struct Server: Equatable, Sendable {
    /// The server's address: `smtps://HOST[:PORT]`, or `smtp://HOST[:PORT]`.
    public let url: String
    /// The user to authenticate as (RFC 4954); `nil` to send without.
    public let user: String?
    /// The password of ``user``; `nil` to send without a user.
    public let password: String?

    /// Reads an address such as `smtps://ada@mail.example.org:465`.
    /// - Parameter password: the user's, which no address should hold.
    /// - Throws: ``Malformed``.
    public init(_ address: String, password: String?) throws(Malformed) {
      guard let parts = URLComponents(string: address), let scheme = parts.scheme?.lowercased(), ["smtp", "smtps"].contains(scheme),
        let host = parts.encodedHost, !host.isEmpty, parts.path.isEmpty || parts.path == "/", parts.query == nil, parts.fragment == nil
      else { throw Malformed(address: address, reason: "is no address such as smtps://USER@HOST:465") }
      guard parts.password == nil else {
        throw Malformed(address: "\(scheme)://\(host)", reason: "has a password in it, which others can see")
      }
      guard parts.user == nil || password != nil else { throw Malformed(address: address, reason: "names a user without a password") }
      url = "\(scheme)://\(host)\(parts.port.map { ":\($0)" } ?? "")"
      user = parts.user
      self.password = parts.user == nil ? nil : password
    }

    /// An address that is none of a mail server.
    public struct Malformed: Error, Equatable, CustomStringConvertible {
      let address: String
      let reason: String
      /// What is wrong with the address, in a sentence for the operator.
      public var description: String { "“\(address)” \(reason)." }
    }
  }

  /// Why a mail was not sent, for the operator's log.
  public struct Failure: Error, Equatable, CustomStringConvertible {
    /// The address of the mail server that was asked.
    public let server: String
    /// What went wrong, in libcurl's words.
    public let reason: String
    /// The server's last reply (RFC 5321, 4.2); `nil` for none.
    public let reply: Int?
    /// The server, the reason and the reply, in one line.
    public var description: String { "\(server): \(reason)\(reply.map { " (reply \($0))" } ?? "")." }
  }

  private let server: Server
  private let address: String
  private let certificates: String?
  private let now: @Sendable () -> Date

  /// - Parameters:
  ///   - server: takes the mails.
  ///   - address: where they come from.
  ///   - certificates: a PEM file of authorities to trust instead of the system's.
  ///   - now: the time, for the mails' dates.
  public init(_ server: Server, from address: String, certificates: String? = nil, now: @escaping @Sendable () -> Date) {
    self.server = server
    self.address = address
    self.certificates = certificates
    self.now = now
  }

  /// See `Mailer`.
  /// - Throws: ``Failure``.
  public func send(_ mail: Mail) async throws {
    let message = mail.message(from: address, date: now(), id: UUID().uuidString.lowercased())
    try await ThreadExecutor(name: "mail").run { [server, address, certificates] in
      try Self.send(message, to: mail.recipient, from: address, server, certificates)
    }
  }

  private static func send(_ message: Data, to recipient: String, from sender: String, _ server: Server, _ certificates: String?) throws {
    guard matinee_curl_global_init() == CURLE_OK, let easy = matinee_curl_easy_init() else {
      throw Failure(server: server.url, reason: "libcurl cannot be started", reply: nil)
    }
    defer { matinee_curl_easy_cleanup(easy) }
    let recipients = matinee_curl_slist_append(nil, "<\(recipient)>")
    defer { matinee_curl_slist_free_all(recipients) }
    let upload = Upload(message)
    matinee_curl_set_string(easy, CURLOPT_URL, server.url)
    matinee_curl_set_long(easy, CURLOPT_USE_SSL, Int(CURLUSESSL_ALL.rawValue))
    matinee_curl_set_string(easy, CURLOPT_PROTOCOLS_STR, "smtp,smtps")
    matinee_curl_set_string(easy, CURLOPT_USERNAME, server.user)
    matinee_curl_set_string(easy, CURLOPT_PASSWORD, server.password)
    if let certificates { matinee_curl_set_string(easy, CURLOPT_CAINFO, certificates) }
    matinee_curl_set_string(easy, CURLOPT_MAIL_FROM, "<\(sender)>")
    matinee_curl_set_list(easy, CURLOPT_MAIL_RCPT, recipients)
    matinee_curl_set_long(easy, CURLOPT_UPLOAD, 1)
    matinee_curl_set_pointer(easy, CURLOPT_READDATA, Unmanaged.passUnretained(upload).toOpaque())
    matinee_curl_set_transfer(easy, CURLOPT_READFUNCTION) { buffer, size, count, context in
      guard let buffer, let context else { return 0 }
      return Unmanaged<Upload>.fromOpaque(context).takeUnretainedValue().read(into: buffer, size * count)
    }
    matinee_curl_set_long(easy, CURLOPT_NOSIGNAL, 1)
    matinee_curl_set_long(easy, CURLOPT_CONNECTTIMEOUT, 10)
    matinee_curl_set_long(easy, CURLOPT_TIMEOUT, 30)
    let result = withExtendedLifetime(upload) { matinee_curl_easy_perform(easy) }
    guard result != CURLE_OK else { return }
    var reply = 0
    matinee_curl_get_long(easy, CURLINFO_RESPONSE_CODE, &reply)
    throw Failure(
      server: server.url, reason: String(cString: matinee_curl_easy_strerror(result)), reply: reply == 0 ? nil : reply)
  }
}

/// What libcurl reads the message from.
private final class Upload {
  private var rest: Data
  init(_ message: Data) { rest = message }

  func read(into buffer: UnsafeMutablePointer<CChar>, _ most: Int) -> Int {
    let part = rest.prefix(most)
    part.withUnsafeBytes { bytes in
      if let base = bytes.baseAddress { UnsafeMutableRawPointer(buffer).copyMemory(from: base, byteCount: bytes.count) }
    }
    rest = rest.dropFirst(part.count)
    return part.count
  }
}
