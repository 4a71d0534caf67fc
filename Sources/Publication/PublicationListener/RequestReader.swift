import CMicroHTTPD
import Foundation
import HTTPTransport
import PublicationServer

/// Takes one step of a request: head, part of the body, end, answer.
struct RequestReader {
  private let daemon: Daemon
  private let exchange: Exchange
  private let connection: OpaquePointer

  init(_ daemon: Daemon, _ exchange: Exchange, _ connection: OpaquePointer) {
    self.daemon = daemon
    self.exchange = exchange
    self.connection = connection
  }

  /// - Returns: whether the connection may go on.
  func proceed(_ method: String, _ version: String, _ part: UnsafeRawBufferPointer) -> Bool {
    if let answer = exchange.answer, exchange.refusal == nil {
      guard exchange.isAwaitingAdmission else {
        defer { exchange.releaseBody() }
        return queue(answer)
      }
      return refuse(answer)
    }
    guard exchange.hasBegun else {
      exchange.hasBegun = true
      exchange.head = matinee_mhd_head_size(connection)
      (exchange.method, exchange.version) = (method, version)
      exchange.limit = daemon.limits.body
      daemon.connections.enter(.body, connection, limit: exchange.limit, at: daemon.uptime)
      if let refusal = refusal(needsHost: version != "HTTP/1.0") { return refuse(refusal) }
      if let target = exchange.target, let requestMethod = Request.Method(rawValue: method), exchange.declared > 0 {
        let head = Request(requestMethod, target, headers: headers())
        exchange.limit = daemon.bodyLimit(head)
        exchange.isAwaitingAdmission = !hasRoom && daemon.admit(head, exchange, connection)
        if exchange.isAwaitingAdmission { return true }
      }
      return hasRoom ? true : refuse(tooLarge)
    }
    if exchange.isAwaitingAdmission, let admitted = exchange.admitted {
      exchange.isAwaitingAdmission = false
      (exchange.limit, exchange.place) = admitted
      daemon.connections.enter(.body, connection, limit: admitted.limit, at: daemon.uptime)
      guard hasRoom else { return refuse(tooLarge) }
      if part.isEmpty { return true }
    }
    guard part.isEmpty else { return take(part) }
    if let refusal = exchange.refusal { return queue(refusal, closing: true) }
    guard let target = exchange.target else { return false }
    guard let requestMethod = Request.Method(rawValue: method) else { return queue(daemon.unknownMethod(target)) }
    // The library itself leaves the body out of an answer to HEAD, and sends its length.
    let routedMethod = requestMethod == .head ? .get : requestMethod
    guard let body = exchange.file.map(\.data) ?? exchange.body else { return queue(noRoom, closing: true) }
    if exchange.file != nil { daemon.told(ofDocumentWithRoom: true) }
    var request = Request(routedMethod, target, headers: headers(), body: body)
    request.client = ClientAddress.of(connection, request.headers, trusting: daemon.limits.trustedProxies)
    daemon.reportUnnamedProxy(on: connection, request.headers)
    daemon.dispatch(request, exchange, connection)
    return true
  }

  /// The answer to a request whose head the library refuses.
  var refusalOfHead: Response {
    if let refusal = refusal(needsHost: false) { return refusal }
    guard exchange.declared == .max else {
      return .problem(400, "bad_request", "The request cannot be read, or has too many cookies.")
    }
    return .problem(413, "too_large", "The body is longer than any that is read.")
  }

  /// Finds errors in a request's head. They are checked before any of the body is read: request smuggling relies on a proxy and a server
  /// that disagree about where a request ends.
  private func refusal(needsHost: Bool) -> Response? {
    let (size, length) = (matinee_mhd_head_size(connection), exchange.target?.utf8.count ?? 0)
    if let refusal = Self.refusal(ofHeadWith: size, target: length, limit: daemon.limits.head) { return refusal }
    guard isWholeHead else { return .problem(400, "bad_request", "The head of the request holds more than its fields.") }
    exchange.target = exchange.target.map(Self.originForm)
    guard let target = exchange.target, target.hasPrefix("/"), !target.utf8.contains(where: { $0 <= 0x20 || $0 == 0x7F }) else {
      return .problem(400, "bad_request", "The request's target is not a path.")
    }
    if Self.containsNUL(Request(.get, target).path) {
      return .problem(400, "bad_request", "The path holds a byte that no path has.")
    }
    let headers = headers()
    // A name such as "Content-Length " is another field here, and may be the same field to a proxy.
    guard
      headers.fields.allSatisfy({ $0.name.utf8.allSatisfy(Self.isTokenByte) && !$0.name.isEmpty && $0.value.utf8.allSatisfy(Self.isText) })
    else { return .problem(400, "bad_request", "A header field has a name or a value that none has.") }
    let hosts = headers.fields.count { $0.name.lowercased() == "host" }
    guard hosts == 1 || (hosts == 0 && !needsHost) else {
      return .problem(400, "bad_request", "The request does not name its host, or names several.")
    }
    guard headers.fields.count(where: { $0.name.lowercased() == "authorization" }) <= 1 else {
      return .problem(400, "bad_request", "The request says more than once who asks.")
    }
    let lengths = headers.fields.filter { $0.name.lowercased() == "content-length" }
    let encodings = headers.fields.filter { $0.name.lowercased() == "transfer-encoding" }
    guard lengths.count + encodings.count <= 1 else {
      return .problem(400, "bad_request", "The request says more than once how long it is.")
    }
    guard encodings.isEmpty || exchange.version != "HTTP/1.0" else {
      return .problem(400, "bad_request", "HTTP/1.0 has no transfer encodings.")
    }
    if let encoding = encodings.first {
      guard encoding.value.lowercased() == "chunked" else {
        return .problem(501, "not_implemented", "No transfer encoding is understood.")
      }
      // The library accepts a bare line feed as the end of a chunk's line, and shows only the chunks' content.
      return .problem(411, "length_required", "A body comes with its length: “Content-Length” is missing.")
    }
    if let length = lengths.first {
      guard !length.value.isEmpty, length.value.utf8.allSatisfy((UInt8(ascii: "0")...UInt8(ascii: "9")).contains) else {
        return .problem(400, "bad_request", "The request's length is no number.")
      }
      exchange.declared = Int(length.value) ?? .max
    } else {
      exchange.declared = 0
    }
    return nil
  }

  /// The answer in place of the library's own, to a head that it cannot read; `nil` for a status that it answers nothing else with.
  /// - Returns: the answer, and whether the request line was read before; `nil` when that is unknown.
  static func refusal(by status: Int, limit: Int) -> (answer: Response, hasLine: Bool?)? {
    switch status {
    case 400: (.problem(400, "bad_request", "The head of the request cannot be read."), nil)
    case 414: (.problem(414, "too_large", "The request's target is too long: a head has at most \(limit) bytes."), false)
    case 431: (.problem(431, "too_large", "The head of the request has more than \(limit) bytes, or too many fields."), true)
    case 505: (.problem(505, "not_implemented", "The request is in a version of HTTP that is not understood; HTTP/1.1 is."), false)
    default: nil
    }
  }

  /// The answer to a head that is too large, whole or not; `nil` for any other.
  /// - Parameters:
  ///   - size: how many bytes of it were received.
  ///   - target: how many of them are the request's target; all of them while that is not whole.
  static func refusal(ofHeadWith size: Int, target: Int, limit: Int) -> Response? {
    guard size > limit else { return nil }
    return target > size / 2
      ? .problem(414, "too_large", "The request's target is too long: a head has at most \(limit) bytes.")
      : .problem(431, "too_large", "The head of the request has more than \(limit) bytes.")
  }

  /// Whether a path holds `%00`. By bytes: Foundation takes milliseconds to find it in a long one.
  private static func containsNUL(_ path: Substring) -> Bool {
    var rest = path.utf8[...]
    while let sign = rest.firstIndex(of: UInt8(ascii: "%")) {
      rest = rest[rest.index(after: sign)...]
      if rest.starts(with: "00".utf8) { return true }
    }
    return false
  }

  /// The path and query of a target in absolute form, as a client sends it to a proxy (RFC 9112, 3.2.2); any other as it is.
  private static func originForm(_ target: String) -> String {
    guard let scheme = ["http://", "https://"].first(where: { target.prefix(8).lowercased().hasPrefix($0) }) else { return target }
    let rest = target.dropFirst(scheme.count)
    guard let path = rest.firstIndex(where: { $0 == "/" || $0 == "?" }) else { return "/" }
    return rest[path] == "/" ? String(rest[path...]) : "/" + rest[path...]
  }

  /// Whether the head is as long as its request line and fields together.
  ///
  /// libmicrohttpd 0.9.75 ends a head at a field without a name, drops the continuation of a folded field, and cuts a value at a NUL, each
  /// time silently. A proxy before it may take what it reads as the body, or as no body, for another request. The places of the pieces in
  /// the connection's memory show what was between them.
  private var isWholeHead: Bool {
    let told = matinee_mhd_head_size(connection)
    guard told > 0, let method = exchange.method, let target = exchange.target, let version = exchange.version else { return true }
    // The request line, and the empty line at the end.
    var size = method.utf8.count + 1 + target.utf8.count + 1 + version.utf8.count + 2 + 2
    withUnsafeMutablePointer(to: &size) { size in
      _ = MHD_get_connection_values_n(
        connection, .HEADER_KIND,
        { context, _, name, nameSize, value, valueSize in
          guard let size = context?.assumingMemoryBound(to: Int.self), let name else { return .YES }
          // The colon, and the white space that may follow it.
          let gap = value.map { UnsafeRawPointer($0) - UnsafeRawPointer(name) - nameSize } ?? 2
          size.pointee += nameSize + ((1...64).contains(gap) ? gap : 2) + valueSize + 2
          return .YES
        }, size)
    }
    return size == told
  }

  /// RFC 9110, 5.6.2.
  private static func isTokenByte(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"): true
    default: "!#$%&'*+-.^_`|~".utf8.contains(byte)
    }
  }

  private static func isText(_ byte: UInt8) -> Bool { byte >= 0x20 && byte != 0x7F || byte == 0x09 }

  private var tooLarge: Response {
    .problem(413, "too_large", "The body has more than \(exchange.limit) bytes.")
  }

  private var hasRoom: Bool { exchange.declared <= exchange.limit }

  private func take(_ part: UnsafeRawBufferPointer) -> Bool {
    if exchange.refusal == nil, !store(part) {
      exchange.refusal = noRoom
      daemon.told(ofDocumentWithRoom: false)
    }
    guard exchange.refusal != nil else {
      daemon.connections.received(part.count, connection)
      return true
    }
    // An answer can be given only at the end, so the rest is read and discarded. It is no longer than the limit.
    (exchange.body, exchange.file) = (Data(), nil)
    return true
  }

  /// Takes a part of the body; one that may be larger than usual goes to a file, so that many of them do not fill the memory.
  private func store(_ part: UnsafeRawBufferPointer) -> Bool {
    guard exchange.limit > daemon.limits.body else {
      exchange.body.append(contentsOf: part)
      return true
    }
    if exchange.file == nil { exchange.file = BodyFile(in: daemon.limits.uploads) }
    return exchange.file?.append(part) ?? false
  }

  private var noRoom: Response {
    .problem(507, "internal_error", "There is no room here for the document. Try again later.")
  }

  private func headers() -> Headers {
    var headers = Headers()
    withUnsafeMutablePointer(to: &headers) { collected in
      _ = MHD_get_connection_values_n(
        connection, .HEADER_KIND,
        { context, _, name, nameSize, value, valueSize in
          let text = { (start: UnsafePointer<CChar>?, size: Int) in
            String(decoding: UnsafeRawBufferPointer(start: start, count: start == nil ? 0 : size), as: UTF8.self)
          }
          context?.assumingMemoryBound(to: Headers.self).pointee.add(text(name, nameSize), text(value, valueSize))
          return .YES
        }, collected)
    }
    return headers
  }

  /// Answers a request before its body is read, and closes the connection. The answer is written at once, and what the client sends
  /// meanwhile is read and thrown away (RFC 9112, 9.6): a connection that is closed with unread bytes is reset, and a proxy that is still
  /// sending loses the answer.
  private func refuse(_ response: Response) -> Bool {
    exchange.isAwaitingAdmission = false
    guard exchange.declared > 0, !daemon.isStopping else { return queue(response, closing: true) }
    exchange.refusal = response
    daemon.connections.enter(.body, connection, at: daemon.uptime)
    daemon.answer(exchange, response, connection)
    return true
  }

  private static func make(_ response: Response) -> OpaquePointer? {
    if response.status == 304, let length = response.headers["Content-Length"].flatMap(UInt64.init) {
      // For an answer without a body the library sends the length that the body would have, and reads none of it.
      return MHD_create_response_from_callback(length, 1, { _, _, _, _ in -1 }, nil, nil)
    }
    return response.body.withUnsafeBytes { bytes in
      // The library copies the bytes, and reads none when there are none.
      MHD_create_response_from_buffer(bytes.count, UnsafeMutableRawPointer(mutating: bytes.baseAddress), .RESPMEM_MUST_COPY)
    }
  }

  private func queue(_ response: Response, closing: Bool = false) -> Bool {
    guard daemon.connections.mayBuffer(response.body.count, connection, at: daemon.uptime) else {
      return queue(.problem(503, "busy", "Too much waits to be sent. Try again in a moment."), closing: closing)
    }
    let made = Self.make(response)
    guard let made else { return false }
    defer { MHD_destroy_response(made) }
    for field in response.headers.fields where field.name.lowercased() != "content-length" {
      MHD_add_response_header(made, field.name, field.value)
    }
    daemon.connections.enter(.sending, connection, at: daemon.uptime)
    if closing || daemon.isStopping { MHD_add_response_header(made, "Connection", "close") }
    return MHD_queue_response(connection, UInt32(response.status), made) == .YES
  }
}
