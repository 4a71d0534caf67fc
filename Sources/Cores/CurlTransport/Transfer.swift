import CCurl
import Foundation
import HTTPTransport
import Synchronization

/// One request on its way.
///
/// @unchecked: `phase` is under its lock; everything else below it belongs to the loop's thread once the transfer was started.
final class Transfer: @unchecked Sendable {
  private enum Phase {
    case new
    case waiting(CheckedContinuation<Response, any Error>)
    case finished
  }

  let request: Request
  private let fields: [String]
  private let phase = Mutex(Phase.new)

  private var handle: UnsafeMutableRawPointer?
  private var list: UnsafeMutablePointer<curl_slist>?
  private var sent = 0
  private var limit = 0
  /// Why it was ended here.
  private var failure: TransportError?
  /// The only coding of an answer that is undone. Others need windows of many megabytes, and several, of which one undoes the next, may
  /// keep the processor busy for hours without a byte of an answer.
  static let coding = "gzip"
  private var headers = Headers()
  private enum HeaderPhase { case before, within, behind }
  private var headerPhase = HeaderPhase.before
  /// Of all headers, those of redirects and interim answers too, and of trailers.
  private var headerBytes = 0
  private static let mostHeaderBytes = 256 << 10
  private var body = Data()
  /// How many bytes of the answer it holds.
  var bufferedBytes: Int { body.count }
  /// How many it held when the loop last looked and found more than before, and when that was: a number that the loop raises.
  var grown = (bytes: 0, round: 0)
  private let message = UnsafeMutablePointer<CChar>.allocate(capacity: Int(CURL_ERROR_SIZE))

  /// - Throws: ``TransportError/unsupported(_:)`` for a request that HTTP cannot express.
  init(_ request: Request) throws(TransportError) {
    self.request = request
    guard request.target.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7f }) else {
      throw .unsupported("\(request.target) is not percent-encoded")
    }
    if !request.body.isEmpty, ![.post, .put].contains(request.method) {
      throw .unsupported("\(request.method.rawValue) carries no body")
    }
    for (name, value) in request.headers.fields {
      let isToken = !name.isEmpty && name.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7f && $0 != UInt8(ascii: ":") }
      guard isToken, !value.utf8.contains(where: { $0 < 0x20 && $0 != 0x09 || $0 == 0x7f }) else {
        throw .unsupported("the header field \(name) has characters that HTTP cannot carry")
      }
    }
    // curl's notation: "Name;" is a field without a value, "Name:" removes the one that curl would add.
    var fields = request.headers.fields.map { $0.value.isEmpty ? "\($0.name);" : "\($0.name): \($0.value)" }
    if request.headers["Expect"] == nil { fields.append("Expect:") }
    if request.headers["Content-Type"] == nil { fields.append("Content-Type:") }
    self.fields = fields
    message.initialize(repeating: 0, count: Int(CURL_ERROR_SIZE))
  }

  deinit {
    message.deallocate()
    matinee_curl_slist_free_all(list)
  }

  /// Takes the continuation of the caller; false when the transfer was cancelled before it began, which resumes it at once.
  func begin(_ continuation: CheckedContinuation<Response, any Error>) -> Bool {
    let begun = phase.withLock { phase in
      guard case .new = phase else { return false }
      phase = .waiting(continuation)
      return true
    }
    if !begun { continuation.resume(throwing: CancellationError()) }
    return begun
  }

  /// Resumes the caller, once; false when it was resumed before or does not wait yet.
  @discardableResult
  func finish(_ result: Result<Response, any Error>) -> Bool {
    let continuation: CheckedContinuation<Response, any Error>? = phase.withLock { phase in
      defer { phase = .finished }
      guard case .waiting(let continuation) = phase else { return nil }
      return continuation
    }
    continuation?.resume(with: result)
    return continuation != nil
  }

  /// Whether the caller was resumed.
  var isFinished: Bool {
    phase.withLock { phase in
      if case .finished = phase { true } else { false }
    }
  }

  /// Writes the request into a handle that is otherwise as new.
  func prepare(_ handle: UnsafeMutableRawPointer, limits: NetworkTransport.Limits) {
    self.handle = handle
    limit = limits.body
    for field in fields { list = matinee_curl_slist_append(list, field) ?? list }
    let me = Unmanaged.passUnretained(self).toOpaque()
    matinee_curl_set_string(handle, CURLOPT_URL, request.target)
    matinee_curl_set_list(handle, CURLOPT_HTTPHEADER, list)
    matinee_curl_set_pointer(handle, CURLOPT_ERRORBUFFER, message)
    matinee_curl_set_pointer(handle, CURLOPT_PRIVATE, me)
    matinee_curl_set_pointer(handle, CURLOPT_WRITEDATA, me)
    matinee_curl_set_transfer(handle, CURLOPT_WRITEFUNCTION, receiveBody)
    matinee_curl_set_pointer(handle, CURLOPT_HEADERDATA, me)
    matinee_curl_set_transfer(handle, CURLOPT_HEADERFUNCTION, receiveHeader)
    matinee_curl_set_offset(handle, CURLOPT_MAXFILESIZE_LARGE, curl_off_t(limits.body))
    switch request.method {
    case .get: matinee_curl_set_long(handle, CURLOPT_HTTPGET, 1)
    case .head: matinee_curl_set_long(handle, CURLOPT_NOBODY, 1)
    case .delete: matinee_curl_set_string(handle, CURLOPT_CUSTOMREQUEST, "DELETE")
    // As an upload and not as a renamed POST, so that a redirect keeps or drops method and body together.
    case .put:
      matinee_curl_set_long(handle, CURLOPT_UPLOAD, 1)
      matinee_curl_set_offset(handle, CURLOPT_INFILESIZE_LARGE, curl_off_t(request.body.count))
    case .post:
      matinee_curl_set_long(handle, CURLOPT_POST, 1)
      matinee_curl_set_offset(handle, CURLOPT_POSTFIELDSIZE_LARGE, curl_off_t(request.body.count))
    }
    // When a connection that it kept closes without an answer, libcurl sends the request again by itself, though the server may have acted on
    // it. With a new password or a code the second answer says the opposite of what happened. On a new connection it does not.
    if !request.body.isEmpty { matinee_curl_set_long(handle, CURLOPT_FRESH_CONNECT, 1) }
    matinee_curl_set_pointer(handle, CURLOPT_READDATA, me)
    matinee_curl_set_transfer(handle, CURLOPT_READFUNCTION, sendBody)
    matinee_curl_set_pointer(handle, CURLOPT_SEEKDATA, me)
    matinee_curl_set_seek(handle, rewindBody)
  }

  /// The result of the transfer with this handle.
  func result(_ code: CURLcode, of handle: UnsafeMutableRawPointer) -> Result<Response, any Error> {
    guard code == CURLE_OK else {
      let text = message.pointee == 0 ? String(cString: matinee_curl_easy_strerror(code)) : String(cString: message)
      if let failure { return .failure(failure) }
      var (system, certificate) = (0, 0)
      matinee_curl_get_long(handle, CURLINFO_OS_ERRNO, &system)
      matinee_curl_get_long(handle, CURLINFO_SSL_VERIFYRESULT, &certificate)
      return .failure(TransportError(code, text, limit: limit, errno: Int32(truncatingIfNeeded: system), certificate: certificate))
    }
    // curl takes a connection that closes within the header for a whole answer without a body.
    guard headerPhase == .behind else { return .failure(TransportError.cutShort("the connection closed within the header")) }
    var status = 0
    matinee_curl_get_long(handle, CURLINFO_RESPONSE_CODE, &status)
    if headers["Content-Encoding"] != nil, request.method != .head {
      headers["Content-Encoding"] = nil
      headers["Content-Length"] = nil
    }
    return .success(Response(status, headers: headers, body: body))
  }

  fileprivate func received(_ bytes: UnsafeMutablePointer<CChar>, _ count: Int) -> Int {
    guard body.count + count <= limit else { return end(.tooLarge(limit: limit)) }
    bytes.withMemoryRebound(to: UInt8.self, capacity: count) { body.append($0, count: count) }
    return count
  }

  /// - Returns: what makes curl end the transfer.
  private func end(_ failure: TransportError) -> Int {
    self.failure = failure
    return 0
  }

  fileprivate func receivedHeader(_ bytes: UnsafeMutablePointer<CChar>, _ count: Int) -> Int {
    let bytes = bytes.withMemoryRebound(to: UInt8.self, capacity: count) { [UInt8](UnsafeBufferPointer(start: $0, count: count)) }
    headerBytes += count
    guard headerBytes <= Self.mostHeaderBytes else {
      return end(.unreadable("the header has more than \(Self.mostHeaderBytes >> 10) KB"))
    }
    // Within a header it is a field like others.
    let isStatus = headerPhase != .within && bytes.starts(with: "HTTP/".utf8)
    // Trailers (RFC 9112, 7.1.2): nothing here has a use for them.
    if headerPhase == .behind, !isStatus { return count }
    headerPhase = .within
    if isStatus {
      // A new answer: after a redirect, or after an interim one.
      headers = Headers()
      // curl would repeat a custom method there, where "see other" means to look and not to delete.
      if let handle, request.method == .delete,
        bytes.split(separator: UInt8(ascii: " ")).dropFirst().first?.elementsEqual("303".utf8) == true
      {
        matinee_curl_set_string(handle, CURLOPT_CUSTOMREQUEST, nil)
      }
    } else if bytes.allSatisfy({ [10, 13].contains($0) }) {
      headerPhase = .behind
    } else {
      // By bytes, as curl reads it: an accent behind the colon would make it another character.
      let parts = bytes.split(separator: UInt8(ascii: ":"), maxSplits: 1, omittingEmptySubsequences: false)
        .map { String(decoding: $0, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines) }
      guard parts.count == 2 else { return count }
      headers.add(parts[0], parts[1])
      // Before the first byte of the body is decoded.
      let isRead =
        switch parts[0].lowercased() {
        case "content-encoding":
          headers.values(of: parts[0]).count == 1 && ["", "identity", "none", Self.coding, "x-gzip"].contains(parts[1].lowercased())
        case "transfer-encoding": ["", "identity", "chunked"].contains(parts[1].lowercased())
        default: true
        }
      guard isRead else { return end(.unreadable("the answer is encoded as \(parts[1].prefix(60)), and only \(Self.coding) is read")) }
    }
    return count
  }

  fileprivate func send(_ buffer: UnsafeMutablePointer<CChar>, _ room: Int) -> Int {
    let count = min(room, request.body.count - sent)
    guard count > 0 else { return 0 }
    buffer.withMemoryRebound(to: UInt8.self, capacity: count) {
      request.body.copyBytes(to: $0, from: request.body.startIndex + sent..<request.body.startIndex + sent + count)
    }
    sent += count
    return count
  }

  fileprivate func seek(_ offset: Int) -> Int32 {
    guard 0...request.body.count ~= offset else { return CURL_SEEKFUNC_FAIL }
    sent = offset
    return CURL_SEEKFUNC_OK
  }
}

// File-scope constants: a callback must not inherit an actor from where it is written.
private let receiveBody: curl_write_callback = { bytes, size, count, context in
  guard let bytes, let context else { return 0 }
  return Unmanaged<Transfer>.fromOpaque(context).takeUnretainedValue().received(bytes, size * count)
}

private let receiveHeader: curl_write_callback = { bytes, size, count, context in
  guard let bytes, let context else { return 0 }
  return Unmanaged<Transfer>.fromOpaque(context).takeUnretainedValue().receivedHeader(bytes, size * count)
}

private let sendBody: curl_read_callback = { buffer, size, count, context in
  guard let buffer, let context else { return 0 }
  return Unmanaged<Transfer>.fromOpaque(context).takeUnretainedValue().send(buffer, size * count)
}

private let rewindBody: curl_seek_callback = { context, offset, origin in
  guard let context, origin == SEEK_SET else { return CURL_SEEKFUNC_CANTSEEK }
  return Unmanaged<Transfer>.fromOpaque(context).takeUnretainedValue().seek(Int(offset))
}

extension TransportError {
  /// What a result code of curl means (curl.se/libcurl/c/libcurl-errors.html).
  /// - Parameters:
  ///   - errno: the system's error of the connection; 0 for none.
  ///   - certificate: OpenSSL's verification result of the certificate.
  init(_ code: CURLcode, _ message: String, limit: Int, errno: Int32, certificate: Int) {
    self =
      switch code {
      case CURLE_OPERATION_TIMEDOUT: .timedOut
      case CURLE_FILESIZE_EXCEEDED: .tooLarge(limit: limit)
      case CURLE_URL_MALFORMAT, CURLE_NOT_BUILT_IN: .unsupported(message)
      // Unsupported protocols were refused before: this one is in the answer, as a redirect or as something other than HTTP.
      case CURLE_UNSUPPORTED_PROTOCOL, CURLE_PARTIAL_FILE, CURLE_GOT_NOTHING, CURLE_SEND_ERROR, CURLE_RECV_ERROR, CURLE_WEIRD_SERVER_REPLY,
        CURLE_BAD_CONTENT_ENCODING, CURLE_HTTP2, CURLE_HTTP2_STREAM, CURLE_HTTP3, CURLE_SEND_FAIL_REWIND, CURLE_TOO_MANY_REDIRECTS:
        .cutShort(message)
      case CURLE_SSL_CONNECT_ERROR, CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_CERTPROBLEM, CURLE_SSL_CIPHER, CURLE_SSL_CACERT_BADFILE,
        CURLE_SSL_ENGINE_NOTFOUND, CURLE_SSL_ENGINE_SETFAILED, CURLE_SSL_ENGINE_INITFAILED, CURLE_USE_SSL_FAILED,
        CURLE_SSL_SHUTDOWN_FAILED, CURLE_SSL_CRL_BADFILE, CURLE_SSL_ISSUER_ERROR, CURLE_SSL_PINNEDPUBKEYNOTMATCH,
        CURLE_SSL_INVALIDCERTSTATUS, CURLE_SSL_CLIENTCERT:
        .insecure(message, code == CURLE_PEER_FAILED_VERIFICATION ? CertificateProblem(certificate) : nil)
      case CURLE_COULDNT_RESOLVE_HOST: .unreachable(message, .unknownName)
      default: .unreachable(message, Obstacle(errno: errno))
      }
  }
}

extension TransportError.Obstacle {
  fileprivate init?(errno: Int32) {
    switch errno {
    case ECONNREFUSED: self = .refused
    case ENETUNREACH, EHOSTUNREACH, ENETDOWN, EADDRNOTAVAIL: self = .noNetwork
    default: return nil
    }
  }
}

extension TransportError.CertificateProblem {
  /// From OpenSSL's verdict (openssl-verification-options(1)). The host name is compared by curl itself; the verdict is 0 or 1 then.
  fileprivate init?(_ verdict: Int) {
    switch verdict {
    case 0, 1, 62: self = .otherHost
    case 9: self = .notYetValid
    case 10: self = .expired
    case 18...21: self = .unknownIssuer
    default: return nil
    }
  }
}
