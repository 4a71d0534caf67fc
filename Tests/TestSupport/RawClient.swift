import Foundation
import Runtime

/// A TCP connection of a test that sends whatever bytes it likes. Reading gives up after two minutes, so that no test hangs.
public final class RawClient: Sendable {
  /// Why there is no connection, or no answer.
  public struct Failure: Error {
    /// For who reads the log.
    public let reason: String
  }

  /// What a server answered.
  public struct Answer: Equatable, Sendable {
    /// The three digits of its first line.
    public var status: Int
    /// The header fields, by their names in small letters.
    public var fields: [String: String]
    /// What came with it, as text.
    public var body: String
  }

  private let socket: Int32
  private let executor = ThreadExecutor(name: "raw-client")

  /// An IPv4 address of this machine that is not loopback, and whose connections to it stay on loopback all the same; `nil` if it has none.
  public static let ownAddress: String? = {
    var first: UnsafeMutablePointer<ifaddrs>?
    guard getifaddrs(&first) == 0 else { return nil }
    defer { freeifaddrs(first) }
    return sequence(first: first, next: { $0?.pointee.ifa_next }).lazy.compactMap { entry -> String? in
      guard let entry, let address = entry.pointee.ifa_addr, address.pointee.sa_family == sa_family_t(AF_INET) else { return nil }
      let number = address.withMemoryRebound(to: sockaddr_in.self, capacity: 1) { $0.pointee.sin_addr }
      let text = String(cString: inet_ntoa(number))
      return text.hasPrefix("127.") ? nil : text
    }.first
  }()

  /// Connects to this machine.
  /// - Parameters:
  ///   - destination: the loopback address that it connects to.
  ///   - source: the address of this machine that it comes from; `nil` for loopback.
  public init(port: Int, to destination: String = "127.0.0.1", from source: String? = nil) throws {
    socket = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = in_port_t(port).bigEndian
    address.sin_addr.s_addr = inet_addr(destination)
    if let source {
      var own = sockaddr_in()
      own.sin_family = sa_family_t(AF_INET)
      own.sin_addr.s_addr = inet_addr(source)
      let bound = withUnsafePointer(to: &own) {
        $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(socket, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) }
      }
      guard bound == 0 else { throw Failure(reason: String(cString: strerror(errno))) }
    }
    let connected = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { connect(socket, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) }
    }
    // `deinit` closes it: the object is whole already.
    guard connected == 0 else { throw Failure(reason: String(cString: strerror(errno))) }
    var limit = timeval(tv_sec: 120, tv_usec: 0)
    setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
  }

  deinit { close(socket) }

  /// Sends all of it.
  public func send(_ text: String) async throws {
    try await executor.run { [socket] in
      var rest = Data(text.utf8)
      while !rest.isEmpty {
        let count = rest.withUnsafeBytes { Glibc.send(socket, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
        guard count > 0 else { throw Failure(reason: String(cString: strerror(errno))) }
        rest = rest.dropFirst(count)
      }
    }
  }

  /// The next answer, by its length.
  public func answer(bodiless: Bool = false) async throws -> Answer {
    try await executor.run { [socket] in
      var bytes = Data()
      while bytes.range(of: Data("\r\n\r\n".utf8)) == nil {
        guard let more = try Self.read(socket, 1) else {
          throw Failure(reason: "ended in the head: \(String(decoding: bytes, as: UTF8.self))")
        }
        bytes += more
      }
      let lines = String(decoding: bytes, as: UTF8.self).components(separatedBy: "\r\n").filter { !$0.isEmpty }
      var fields: [String: String] = [:]
      for line in lines.dropFirst() {
        let parts = line.split(separator: ":", maxSplits: 1)
        fields[parts[0].lowercased()] = parts.count > 1 ? parts[1].trimmingCharacters(in: .whitespaces) : ""
      }
      var body = Data()
      let length = bodiless ? 0 : fields["content-length"].flatMap { Int($0) } ?? 0
      while body.count < length {
        guard let more = try Self.read(socket, length - body.count) else { throw Failure(reason: "ended in the body") }
        body += more
      }
      let status = lines.first?.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
      return Answer(status: status, fields: fields, body: String(decoding: body, as: UTF8.self))
    }
  }

  /// Whether the other end has closed, once everything it sent was read.
  public func isClosed() async throws -> Bool { try await executor.run { [socket] in try Self.read(socket, 1) == nil } }

  /// Reads that many bytes, or until the other end closes.
  /// - Returns: how many there were.
  public func receive(_ count: Int) async throws -> Int {
    try await executor.run { [socket] in
      var got = 0
      while got < count, let more = try Self.read(socket, min(1 << 16, count - got)) { got += more.count }
      return got
    }
  }

  /// Everything until the other end closes.
  public func rest() async throws -> String {
    try await executor.run { [socket] in
      var bytes = Data()
      while let more = try Self.read(socket, 4096) { bytes += more }
      return String(decoding: bytes, as: UTF8.self)
    }
  }

  /// - Returns: `nil` once the other end has closed, or reset.
  private static func read(_ socket: Int32, _ count: Int) throws -> Data? {
    var buffer = [UInt8](repeating: 0, count: count)
    let got = recv(socket, &buffer, count, 0)
    if got < 0, errno == EAGAIN { throw Failure(reason: "nothing came in time") }
    return got > 0 ? Data(buffer.prefix(got)) : nil
  }
}
