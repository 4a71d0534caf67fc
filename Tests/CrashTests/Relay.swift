import Foundation
import Synchronization

/// The wire between client and server: keeps its own port while servers come and go, and stands still at every boundary of a request.
///
/// A thread for each connection of the client; each request goes on over a connection of its own.
final class Relay: Sendable {
  /// Where a message stands, in its order.
  enum Boundary: String, CaseIterable, Sendable {
    /// The client has sent it; the server has nothing of it.
    case before
    /// The server has half of it.
    case half
    /// The server has all of it, and does what it does.
    case sent
    /// The server has answered; the client has nothing of that.
    case answered
    /// The client has half of the answer.
    case halfAnswered = "half answered"
  }

  let origin: String
  private let socket: Int32
  private let port = Mutex<UInt16?>(nil)
  private let tell: @Sendable (Event) -> Void

  init(tell: @escaping @Sendable (Event) -> Void) throws {
    self.tell = tell
    let (socket, own) = try Socket.listening()
    self.socket = socket
    origin = "http://127.0.0.1:\(own)"
    // Holds this object until the accepting ends.
    Thread {
      while true {
        let connection = accept(socket, nil, nil)
        if connection < 0, errno == EINTR || errno == ECONNABORTED { continue }
        guard connection >= 0 else { return }
        let thread = Thread { self.serve(connection) }
        thread.stackSize = 1 << 19
        thread.start()
      }
    }.start()
  }

  /// Ends the accepting; connections end by themselves.
  func close() { shutdown(socket, Int32(SHUT_RDWR)) }

  deinit { Glibc.close(socket) }

  /// Where requests go from now on; `nil` for nowhere.
  func lead(to port: UInt16?) { self.port.withLock { $0 = port } }

  private func serve(_ connection: Int32) {
    defer { Glibc.close(connection) }
    while let request = HTTPMessage(from: connection) {
      tell(.exchangeBegan)
      let isOpen = exchange(request, connection)
      tell(.exchangeOver)
      guard isOpen else { return }
    }
  }

  /// Whether the client's connection can stay.
  private func exchange(_ request: HTTPMessage, _ connection: Int32) -> Bool {
    guard stand(.before, request), let server = port.withLock({ $0 }).flatMap(Socket.connected) else { return false }
    defer { Glibc.close(server) }
    let (half, rest) = request.halves
    guard Socket.write(half, server), stand(.half, request) else { return false }
    guard Socket.write(rest, server), stand(.sent, request) else { return false }
    guard let answer = HTTPMessage(from: server), stand(.answered, request) else { return false }
    let (halfAnswer, restOfIt) = answer.halves
    guard Socket.write(halfAnswer, connection), stand(.halfAnswered, request) else { return false }
    return Socket.write(restOfIt, connection)
  }

  /// Whether the message may go on.
  private func stand(_ boundary: Boundary, _ request: HTTPMessage) -> Bool {
    let gate = Gate()
    tell(.stands(Standstill(label: "\(boundary.rawValue) \(request.name)", client: nil, tell: gate.open)))
    return gate.wait() == .goOn
  }
}

/// A request or an answer with a stated length, as bytes.
struct HTTPMessage {
  private let bytes: Data
  private let firstLine: String

  /// Reads one; `nil` when the connection ends before it does.
  init?(from socket: Int32) {
    var bytes = Data()
    let end = Data("\r\n\r\n".utf8)
    while bytes.range(of: end) == nil { guard Socket.more(socket, &bytes) else { return nil } }
    guard let head = bytes.range(of: end) else { return nil }
    let lines = String(decoding: bytes[..<head.lowerBound], as: UTF8.self).components(separatedBy: "\r\n")
    let field = lines.first { $0.lowercased().hasPrefix("content-length:") }
    let length = field.flatMap { Int($0.dropFirst("content-length:".count).trimmingCharacters(in: .whitespaces)) } ?? 0
    while bytes.count - head.upperBound < length { guard Socket.more(socket, &bytes) else { return nil } }
    self.bytes = bytes
    firstLine = lines[0]
  }

  /// Method and path of a request, whatever identifiers, or keys of pages, are in it.
  var name: String {
    let words = firstLine.split(separator: " ")
    guard words.count > 1 else { return firstLine }
    var path = words[1].prefix { $0 != "?" }.split(separator: "/").map { UUID(uuidString: String($0)) == nil ? $0 : "ID" }
    if path.first == "checkout", path.count > 1 { path[1] = "PAGE" }
    return "\(words[0]) /\(path.joined(separator: "/"))"
  }

  var halves: (Data, Data) { (bytes.prefix(bytes.count / 2), bytes.dropFirst(bytes.count / 2)) }
}
