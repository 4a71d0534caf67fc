import Foundation

/// Blocking sockets that never end the process by a signal.
enum Socket {
  /// A listening socket on any free port of this machine.
  static func listening() throws -> (socket: Int32, port: UInt16) {
    let socket = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    var port: UInt16 = 0
    let code = address(0) { pointer, length in
      guard bind(socket, pointer, length) == 0, listen(socket, 64) == 0 else { return -1 }
      return 0
    }
    var own = sockaddr_in()
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let named = withUnsafeMutablePointer(to: &own) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(socket, $0, &length) }
    }
    guard code == 0, named == 0 else { throw POSIXError(.init(rawValue: errno) ?? .EIO) }
    port = UInt16(bigEndian: own.sin_port)
    return (socket, port)
  }

  /// A connection to a port of this machine; `nil` when nobody listens there.
  static func connected(to port: UInt16) -> Int32? {
    let socket = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    guard address(port, { connect(socket, $0, $1) }) == 0 else {
      close(socket)
      return nil
    }
    return socket
  }

  /// Whether all of it could be written.
  static func write(_ data: Data, _ socket: Int32) -> Bool {
    data.withUnsafeBytes { bytes in
      var done = 0
      while done < bytes.count {
        let count = send(socket, bytes.baseAddress.map { $0 + done }, bytes.count - done, Int32(MSG_NOSIGNAL))
        if count < 0, errno == EINTR { continue }
        guard count > 0 else { return false }
        done += count
      }
      return true
    }
  }

  /// Appends what comes next; `false` when nothing more will.
  static func more(_ socket: Int32, _ data: inout Data) -> Bool {
    var bytes = [UInt8](repeating: 0, count: 65_536)
    while true {
      let count = recv(socket, &bytes, bytes.count, 0)
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { return false }
      data.append(contentsOf: bytes[..<count])
      return true
    }
  }

  private static func address(_ port: UInt16, _ use: (UnsafePointer<sockaddr>, socklen_t) -> Int32) -> Int32 {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = inet_addr("127.0.0.1")
    return withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { use($0, socklen_t(MemoryLayout<sockaddr_in>.size)) }
    }
  }
}
