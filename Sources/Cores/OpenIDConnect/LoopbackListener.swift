import Foundation
import HTTPTransport
import Runtime
import Synchronization

/// Takes the redirect of a provider's page at a port of this computer (RFC 8252, section 7.3).
///
/// A browser connects more than once, and so may any page in it: each request gets an answer, and the wait goes on until one of them is the
/// right one. Other users of the computer are not heard: the page's address, with all that its answer is checked by, stands in the browser's
/// command line, which they can read. Safe from any thread.
final class LoopbackListener: Sendable {
  let port: Int
  private let thread = ThreadExecutor(name: "loopback")
  private let state: Mutex<(socket: Int32, wake: Int32, isClosed: Bool)>
  private let wakeReader: Int32
  private let app: String

  /// - Parameters:
  ///   - ports: one of them; any free one when empty.
  ///   - app: what people call the app that waits.
  /// - Throws: ``OpenIDError/noPort(_:)``; ``OpenIDError/unusable(_:)`` when the system has no socket.
  init(ports: [Int], app: String) throws(OpenIDError) {
    self.app = app
    var found: (socket: Int32, port: Int)?
    for port in ports.isEmpty ? [0] : ports where found == nil { found = Self.listen(at: port) }
    guard let found else { throw ports.isEmpty ? .unusable("this computer has no free port") : .noPort(ports) }
    var pipes: [Int32] = [-1, -1]
    guard socketpair(AF_UNIX, Self.stream, 0, &pipes) == 0 else {
      Glibc.close(found.socket)
      throw .unusable("this computer has no free socket")
    }
    port = found.port
    wakeReader = pipes[0]
    state = Mutex((found.socket, pipes[1], false))
  }

  deinit {
    close()
    Glibc.close(wakeReader)
    state.withLock { _ = Glibc.close($0.wake) }
  }

  private static let stream = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)

  private static func listen(at port: Int) -> (socket: Int32, port: Int)? {
    guard let number = UInt16(exactly: port) else { return nil }
    let descriptor = socket(AF_INET, stream, 0)
    guard descriptor >= 0 else { return nil }
    // The port of a sign-in that has just ended is free again at once.
    var on: Int32 = 1
    setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &on, socklen_t(MemoryLayout<Int32>.size))
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = number.bigEndian
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let isBound = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(descriptor, $0, size) == 0 && Glibc.listen(descriptor, 16) == 0 && getsockname(descriptor, $0, &size) == 0
      }
    }
    guard isBound else {
      Glibc.close(descriptor)
      return nil
    }
    return (descriptor, Int(UInt16(bigEndian: address.sin_port)))
  }

  /// Ends the wait, and frees the port before it returns.
  func close() {
    state.withLock { state in
      guard !state.isClosed else { return }
      state.isClosed = true
      // The other thread's `poll` has a hold on the socket, which would keep the port taken.
      shutdown(state.socket, Int32(SHUT_RDWR))
      Glibc.close(state.socket)
      var byte: UInt8 = 1
      _ = write(state.wake, &byte, 1)
    }
  }

  /// Replies to requests until one of them has the answer, or ``close()`` is called. To be called once.
  /// - Parameter read: reads the query of each request for the redirect's path; called on the listener's thread.
  /// - Returns: `nil` after ``close()``.
  func answer(
    _ read: @escaping @Sendable ([(name: String, value: String)]) -> AuthorizationRequest.Answer
  ) async -> AuthorizationRequest.Answer? {
    try? await thread.run { self.serve(read) } ?? nil
  }

  // MARK: On the thread

  private struct Client {
    let descriptor: Int32
    let since: Duration
    var head: [UInt8] = []
    var isAnswered = false
  }

  /// How long a client may take for its request, and for leaving.
  private static let patience = Duration.seconds(10)
  private static let mostClients = 16
  private static let longestHead = 16 << 10

  private func serve(_ read: ([(name: String, value: String)]) -> AuthorizationRequest.Answer) -> AuthorizationRequest.Answer? {
    let clock = SystemClock()
    var clients: [Client] = []
    defer { for client in clients { Glibc.close(client.descriptor) } }
    while true {
      let socket = state.withLock { $0.isClosed ? nil : $0.socket }
      guard let socket else { return nil }
      let entry = { (descriptor: Int32) in pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0) }
      var entries = [entry(wakeReader), entry(socket)] + clients.map { entry($0.descriptor) }
      guard poll(&entries, nfds_t(entries.count), 1000) >= 0 || errno == EINTR else { return nil }
      for (index, entry) in entries.dropFirst(2).enumerated() where entry.revents != 0 {
        if !Self.read(&clients[index]) || clients[index].isAnswered { continue }
        guard let target = Self.target(clients[index].head, port: port) else { continue }
        clients[index].isAnswered = true
        guard case .callback(let query) = target else {
          send(.nothing, status: 404, to: clients[index].descriptor)
          continue
        }
        let answer = read(query)
        switch answer {
        case .code: send(.signedIn, status: 200, to: clients[index].descriptor)
        case .failure: send(.failed, status: 200, to: clients[index].descriptor)
        case .unrelated:
          send(.other, status: 400, to: clients[index].descriptor)
          continue
        }
        return answer
      }
      clients.removeAll { client in
        let isFinished = client.head.isEmpty && client.isAnswered || clock.uptime - client.since > Self.patience
        if isFinished { Glibc.close(client.descriptor) }
        return isFinished
      }
      if entries[1].revents != 0 {
        // Once it is closed, its number may be another file's.
        let accepted = state.withLock { state in state.isClosed ? -1 : accept(state.socket, nil, nil) }
        guard accepted >= 0 else {
          // Without a descriptor to spare it would be asked again at once.
          if errno == EMFILE || errno == ENFILE { usleep(100_000) }
          continue
        }
        guard Self.isOwn(accepted, port: port) else {
          Glibc.close(accepted)
          continue
        }
        _ = fcntl(accepted, F_SETFD, FD_CLOEXEC)
        _ = fcntl(accepted, F_SETFL, O_NONBLOCK)
        // Pages that open many connections push their own out, not the one that has just come.
        if clients.count == Self.mostClients { Glibc.close(clients.removeFirst().descriptor) }
        clients.append(Client(descriptor: accepted, since: clock.uptime))
      }
    }
  }

  /// Whether this user owns the other end of a connection, by the kernel's tables (proc_net_tcp: local address, remote address, …, uid).
  /// Without `/proc` every connection counts as the user's: no other user can read the browser's command line then.
  private static func isOwn(_ descriptor: Int32, port: Int) -> Bool {
    var address = sockaddr_in()
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let hasPeer = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { getpeername(descriptor, $0, &size) == 0 }
    }
    guard hasPeer else { return false }
    let (client, server) = (hex(UInt16(bigEndian: address.sin_port)), hex(UInt16(port)))
    // A table is read in pieces, between which a line may move and be missed.
    for _ in 1...20 {
      // A socket of the other family may connect to an address of this one.
      let tables = ["/proc/net/tcp", "/proc/net/tcp6"].compactMap { path in
        (try? FileHandle(forReadingAtPath: path)?.readToEnd()).map { String(decoding: $0, as: UTF8.self) }
      }
      guard tables.contains(where: { !$0.isEmpty }) else { return true }
      for table in tables {
        for line in table.split(separator: "\n") where line.contains(client) {
          let fields = line.split(separator: " ", omittingEmptySubsequences: true)
          guard fields.count > 7, fields[1].hasSuffix(client), fields[2].hasSuffix(server) else { continue }
          return UInt32(fields[7]) == getuid()
        }
      }
      usleep(1000)
    }
    return false
  }

  /// A port of 127.0.0.1 as the tables have it.
  private static func hex(_ port: UInt16) -> String { String(format: "%08X:%04X", UInt32(0x7F00_0001).bigEndian, UInt32(port)) }

  /// Reads what came. One that was answered, or sends too much, is over once it leaves, which an empty head says.
  private static func read(_ client: inout Client) -> Bool {
    var bytes = [UInt8](repeating: 0, count: 4096)
    let count = recv(client.descriptor, &bytes, bytes.count, 0)
    if count < 0, errno == EAGAIN || errno == EINTR { return false }
    guard count > 0, client.head.count + count <= longestHead, !client.isAnswered else {
      (client.head, client.isAnswered) = ([], true)
      return false
    }
    client.head += bytes.prefix(count)
    return true
  }

  private enum Target { case callback([(name: String, value: String)]), other }

  /// What a whole head asks for; `nil` while it is not whole.
  private static func target(_ head: [UInt8], port: Int) -> Target? {
    let lines = String(decoding: head, as: UTF8.self).split(separator: "\r\n", omittingEmptySubsequences: false)
    guard lines.contains("") && head.suffix(4) == [13, 10, 13, 10] else { return nil }
    let words = lines[0].split(separator: " ", omittingEmptySubsequences: false)
    let hosts = lines.dropFirst().filter { $0.lowercased().hasPrefix("host:") }.map { $0.dropFirst(5).trimmingCharacters(in: .whitespaces) }
    // A page of another name that resolves to this computer is not the provider's redirect.
    guard words.count == 3, words[0] == "GET", words[2].hasPrefix("HTTP/1."), hosts == ["127.0.0.1:\(port)"] else { return .other }
    let request = Request(.get, String(words[1]))
    return request.path == AuthorizationRequest.path ? .callback(request.query) : .other
  }

  private func send(_ page: LoopbackPage, status: Int, to descriptor: Int32) {
    let body = page.html(of: app)
    let reason = status == 200 ? "OK" : status == 404 ? "Not Found" : "Bad Request"
    let head = """
      HTTP/1.1 \(status) \(reason)\r
      Content-Type: text/html; charset=utf-8\r
      Content-Length: \(body.utf8.count)\r
      Cache-Control: no-store\r
      Content-Security-Policy: default-src 'none'; style-src 'unsafe-inline'\r
      Referrer-Policy: no-referrer\r
      X-Content-Type-Options: nosniff\r
      Connection: close\r
      \r

      """
    // The kernel has room for a first answer of this size.
    let bytes = Array((head + body).utf8)
    _ = Glibc.send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT))
    shutdown(descriptor, Int32(SHUT_WR))
  }
}

/// What the browser shows after the provider's page.
enum LoopbackPage: Equatable {
  case signedIn, failed, other, nothing

  private func words(_ app: String) -> (heading: String, sentence: String) {
    switch self {
    case .signedIn: ("Back to \(app)", "You can close this page. \(app) goes on by itself.")
    case .failed: ("Nobody was signed in", "You can close this page. \(app) says what happened.")
    case .other: ("This sign-in is over", "\(app) waits for another one. Look for its page, or begin again in \(app).")
    case .nothing: ("There is nothing here", "\(app) waits for a sign-in at this address for a moment.")
    }
  }

  /// - Parameter app: its name, which has no markup.
  func html(of app: String) -> String {
    let words = words(app)
    let style = """
      body { font: 17px/1.5 system-ui, sans-serif; color: #222; background: #faf8f5; display: grid; place-items: center;
        min-height: 90vh; margin: 0 24px; text-align: center }
      h1 { font-size: 28px; margin: 0 0 8px }
      @media (prefers-color-scheme: dark) { body { color: #eee; background: #1d1b1a } }
      """
    return """
      <!doctype html>
      <html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">
      <title>\(words.heading)</title><style>\(style)</style>
      <main><h1>\(words.heading)</h1><p>\(words.sentence)</p></main></html>

      """
  }
}
