import Foundation

/// A TCP socket that listens. We make it, so that errors can be reported and the port is known after a request for port 0.
struct ListenSocket {
  let handle: Int32
  let port: Int

  /// - Throws: ``Listener/Failure``.
  init(address: String, port: Int) throws(Listener.Failure) {
    guard (0...65535).contains(port) else { throw .badAddress("port \(port)") }
    // getaddrinfo takes 1.2 for 1.0.0.2.
    var ignored = in6_addr()
    guard inet_pton(AF_INET, address, &ignored) == 1 || inet_pton(AF_INET6, address, &ignored) == 1 else { throw .badAddress(address) }
    var hints = addrinfo()
    hints.ai_flags = AI_PASSIVE | AI_NUMERICHOST | AI_NUMERICSERV
    hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
    var found: UnsafeMutablePointer<addrinfo>?
    guard getaddrinfo(address, "\(port)", &hints, &found) == 0, let found else { throw .badAddress(address) }
    defer { freeaddrinfo(found) }
    let type = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
    let handle = socket(found.pointee.ai_family, type, 0)
    guard handle >= 0 else { throw Self.failure(address, port, errno) }
    var yes: Int32 = 1
    setsockopt(handle, SOL_SOCKET, SO_REUSEADDR, &yes, socklen_t(MemoryLayout<Int32>.size))
    guard bind(handle, found.pointee.ai_addr, found.pointee.ai_addrlen) == 0, listen(handle, 512) == 0 else {
      let reason = errno
      close(handle)
      throw Self.failure(address, port, reason)
    }
    self.handle = handle
    self.port = Self.boundPort(handle) ?? port
  }

  private static func failure(_ address: String, _ port: Int, _ code: Int32) -> Listener.Failure {
    code == EADDRINUSE
      ? .inUse(address: address, port: port) : .refused(address: address, port: port, reason: String(cString: strerror(code)))
  }

  private static func boundPort(_ handle: Int32) -> Int? {
    var storage = sockaddr_storage()
    var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
    let answered = withUnsafeMutablePointer(to: &storage) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(handle, $0, &length) == 0 }
    }
    guard answered else { return nil }
    return withUnsafeBytes(of: &storage) { bytes in
      // The port lies at the same place in both families, highest byte first.
      Int(bytes[2]) << 8 | Int(bytes[3])
    }
  }
}
