import Foundation
import Glibc
import Synchronization

/// A socket server that answers with whatever bytes a test wants, right or wrong. A thread for each connection.
public final class LoopbackServer: Sendable {
  /// A request as it came over the wire.
  public struct Received: Sendable {
    /// `GET`.
    public var method = ""
    /// As it was asked for: `/a?b=c`.
    public var target = ""
    /// The header fields, in order.
    public var fields: [(name: String, value: String)] = []
    /// What came with it.
    public var body = Data()

    /// The value of the first field of that name.
    public func field(_ name: String) -> String? { fields.first { $0.name.lowercased() == name.lowercased() }?.value }
  }

  /// What follows a request.
  public enum Reply: Sendable {
    /// A whole answer; the connection stays.
    case answer(Int, fields: [String] = [], body: Data = Data())
    /// These bytes; then the connection is closed.
    case bytes(Data)
    /// These bytes; then the connection is reset.
    case reset(after: Data = Data())
    /// These bytes; then nothing until the client goes.
    case hang(after: Data = Data())
    /// These bytes, and then the others again and again until the client goes.
    case flood(Data, after: Data)

    /// A whole answer with that text.
    public static func text(_ text: String) -> Reply { .answer(200, body: Data(text.utf8)) }
    /// This text in place of an answer; then the connection is closed.
    public static func raw(_ text: String) -> Reply { .bytes(Data(text.utf8)) }
  }

  /// The port that it listens on.
  public let port: Int
  private let socket: Int32
  private let seen = Mutex<[Received]>([])

  /// Where it is: `http://127.0.0.1:8080`.
  public var origin: String { "http://127.0.0.1:\(port)" }
  /// Every request so far.
  public var received: [Received] { seen.withLock { $0 } }

  /// Listens on a free port.
  /// - Parameters:
  ///   - greeting: bytes that a connection begins with, before anything was asked.
  ///   - reply: what follows a request; called on the connection's thread, which it may hold up.
  public init(greeting: Data = Data(), _ reply: @escaping @Sendable (Received) -> Reply) throws {
    let (socket, port) = try Self.listen()
    self.socket = socket
    self.port = port
    Thread {
      while true {
        let connection = accept(socket, nil, nil)
        guard connection >= 0 else { return }
        let thread = Thread { [weak self] in
          Self.write(greeting, connection)
          while let request = Self.read(connection) {
            self?.seen.withLock { $0.append(request) }
            guard Self.send(reply(request), request.method == "HEAD", connection) else { return }
          }
          close(connection)
        }
        thread.stackSize = 1 << 18
        thread.start()
      }
    }.start()
  }

  deinit {
    shutdown(socket, Int32(SHUT_RDWR))
    close(socket)
  }

  /// A port that nobody listens on.
  public static func freePort() throws -> Int {
    let (socket, port) = try listen()
    close(socket)
    return port
  }

  private static func listen() throws -> (Int32, Int) {
    let socket = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = inet_addr("127.0.0.1")
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let listening = withUnsafeMutablePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(socket, $0, length) == 0 && Glibc.listen(socket, 512) == 0 && getsockname(socket, $0, &length) == 0
      }
    }
    guard listening else { throw POSIXError(.init(rawValue: errno) ?? .EIO) }
    return (socket, Int(UInt16(bigEndian: address.sin_port)))
  }

  private static func read(_ connection: Int32) -> Received? {
    var buffer = Data()
    var request = Received()
    let end = Data("\r\n\r\n".utf8)
    while buffer.range(of: end) == nil { guard more(connection, &buffer) else { return nil } }
    guard let head = buffer.range(of: end) else { return nil }
    let lines = String(decoding: buffer[..<head.lowerBound], as: UTF8.self).components(separatedBy: "\r\n")
    let words = lines[0].components(separatedBy: " ")
    request.method = words[0]
    request.target = words[1]
    request.fields = lines.dropFirst().map { line in
      let parts = line.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
      return (String(parts[0]), parts.count > 1 ? parts[1].trimmingCharacters(in: .whitespaces) : "")
    }
    let length = Int(request.field("Content-Length") ?? "0") ?? 0
    while buffer.count - head.upperBound < length { guard more(connection, &buffer) else { return nil } }
    request.body = Data(buffer[head.upperBound..<head.upperBound + length])
    return request
  }

  private static func more(_ connection: Int32, _ buffer: inout Data) -> Bool {
    var chunk = [UInt8](repeating: 0, count: 65536)
    let count = recv(connection, &chunk, chunk.count, 0)
    guard count > 0 else { return false }
    buffer.append(contentsOf: chunk[..<count])
    return true
  }

  /// Whether the client took it.
  @discardableResult private static func write(_ data: Data, _ connection: Int32) -> Bool {
    data.withUnsafeBytes { bytes in
      var done = 0
      while done < bytes.count {
        let count = Glibc.send(connection, bytes.baseAddress! + done, bytes.count - done, Int32(MSG_NOSIGNAL))
        guard count > 0 else { return false }
        done += count
      }
      return true
    }
  }

  /// Whether the connection stays open.
  private static func send(_ reply: Reply, _ isHead: Bool, _ connection: Int32) -> Bool {
    switch reply {
    case .answer(let status, let fields, let body):
      let head = ["HTTP/1.1 \(status) x", "Content-Length: \(body.count)"] + fields
      write(Data((head.joined(separator: "\r\n") + "\r\n\r\n").utf8) + (isHead ? Data() : body), connection)
      return true
    case .bytes(let data):
      write(data, connection)
      close(connection)
    case .reset(let data):
      write(data, connection)
      var linger = linger(l_onoff: 1, l_linger: 0)
      setsockopt(connection, SOL_SOCKET, SO_LINGER, &linger, socklen_t(MemoryLayout<Glibc.linger>.size))
      close(connection)
    case .hang(let data):
      write(data, connection)
      var rest = Data()
      while more(connection, &rest) {}
      close(connection)
    case .flood(let chunk, let head):
      var isTaken = write(head, connection)
      while isTaken { isTaken = write(chunk, connection) }
      close(connection)
    }
    return false
  }
}
