import CMicroHTTPD
import Foundation
import HTTPTransport
import Synchronization

/// The state of each connection of a listener, so that none keeps its place without progress.
///
/// libmicrohttpd has a time-out for silence only, and does not notice that a suspended connection's client went away. A connection is ended
/// by `shutdown` on its descriptor, upon which the library closes it. Safe from any thread.
final class Connections: Sendable {
  /// A step of a request.
  enum Phase: Equatable {
    /// Nothing was read yet, or not the whole head.
    case head
    /// The head is there, and not the whole body.
    case body
    /// The answer is being made; the connection is suspended.
    case answering
    /// The answer is written out.
    case sending
  }

  private struct Entry {
    let descriptor: Int32
    /// The client at the other end; `nil` when clients cannot be distinguished.
    let client: String?
    var phase = Phase.head
    /// When the phase started, by uptime.
    var since: Duration
    /// How many bytes of the body were received.
    var received = 0
    /// Since when the client has not received all of its answers, by uptime, and how many bytes of answers it had received then; `nil` while
    /// it has received all. A client that sends the next requests before it has read the answers does not begin anew with each of them.
    var taking: (since: Duration, delivered: UInt64)?
    /// How many bytes of a body may come.
    var limit = 0
    var exchange: Exchange?
    /// How many bytes of the connection were read when the phase started.
    var readBefore: Int64 = 0
    /// How many of them the requests took that were answered.
    var taken: Int64 = 0
    /// How many bytes of an answer the library has a copy of.
    var buffered = 0
    var isEnded = false

    /// Whether an answer is being made, or its client receives it at a fair rate: then the connection stays.
    func isAnswered(at uptime: Duration) -> Bool {
      phase == .answering || (phase == .sending && !isSlow(at: uptime, rate: Connections.rate))
    }

    /// Whether its client takes its answers at less than this rate, in bytes a second.
    func isSlow(at uptime: Duration, rate: Int) -> Bool {
      guard phase == .sending, let taking, case let age = uptime - taking.since, age > Connections.patience else { return false }
      return Double(taken(since: taking)) < Double(rate) * (age / .seconds(1))
    }

    /// How many bytes of answers the client has received since then.
    func taken(since taking: (since: Duration, delivered: UInt64)) -> UInt64 {
      let delivered = Connections.delivered(descriptor)
      return delivered > taking.delivered ? delivered - taking.delivered : 0
    }

    /// The bytes of its body, or of its answers, per second of its age, plus one whole body of the usual size: so new connections have time, and
    /// a slow trickle of bytes wins none.
    func pace(at uptime: Duration, usually body: Int) -> Double {
      let (bytes, since) = if phase == .sending, let taking { (Int(taken(since: taking)), taking.since) } else { (received, since) }
      return Double(bytes + body) / max(0.001, (uptime - since) / .seconds(1))
    }
  }

  // The pointer is a name here, and never followed.
  private struct State: @unchecked Sendable { var entries: [OpaquePointer: Entry] = [:] }

  /// The least rate, in bytes a second, of a body and of an answer after the time that each has.
  private static let rate = 64 << 10
  /// The least rate of a large answer where there is no room for another one.
  private static let scarceRate = 1 << 20
  /// How long a client has before its rate decides whether the connection can be given to another one.
  private static let patience = Duration.seconds(5)
  /// The most bytes of an answer that is not counted.
  private static let small = 64 << 10
  private let limits: Listener.Limits
  private let state = Mutex(State())

  init(limits: Listener.Limits) { self.limits = limits }

  var count: Int { state.withLock { $0.entries.count } }

  /// A connection was accepted. When places run short, or one client has more than a quarter of them, the slowest connection of all, or of
  /// that client, is closed.
  func opened(_ connection: OpaquePointer, descriptor: Int32, client: String?, at uptime: Duration) {
    state.withLock { state in
      let places = state.entries.filter { !$0.value.isEnded && $0.value.client == client }.count
      state.entries[connection] = Entry(descriptor: descriptor, client: client, since: uptime)
      let hasTooMany = client != nil && places >= max(1, limits.connections / 4)
      guard hasTooMany || state.entries.count > limits.connections - max(2, (limits.connections + 15) / 16) else { return }
      let slowest = state.entries
        .filter { !$0.value.isEnded && $0.key != connection && (!hasTooMany || $0.value.client == client) }
        .filter { !$0.value.isAnswered(at: uptime) }
        .map { (name: $0.key, pace: $0.value.pace(at: uptime, usually: limits.body)) }
        .min { $0.pace < $1.pace }
      if let slowest { Self.end(&state, slowest.name) } else if hasTooMany { Self.end(&state, connection) }
    }
  }

  /// The library is about to close it. Until this returns the descriptor is open, and the connection's own.
  func closed(_ connection: OpaquePointer) { state.withLock { $0.entries[connection] = nil } }

  /// The request line was received.
  func began(_ exchange: Exchange, _ connection: OpaquePointer) { state.withLock { $0.entries[connection]?.exchange = exchange } }

  /// Answers requests for which no callback ran yet, and closes their connections to the library's own answer.
  /// - Parameter answer: called with the exchange, once the request line was received, and with how many bytes of the head were read: fewer
  ///   than that, when the client sent them before it had the answer to another request.
  /// - Returns: whether there was one.
  func refuse(_ answer: (_ connection: OpaquePointer, Exchange?, _ size: Int) -> Response?) -> Bool {
    state.withLock { state in
      var isAnswered = false
      for (connection, entry) in state.entries where entry.phase == .head && !entry.isEnded {
        let size = matinee_mhd_read_bytes(entry.descriptor) - entry.readBefore
        guard let response = answer(connection, entry.exchange, Int(size)) else { continue }
        Self.refuse(&state, connection, response)
        isAnswered = true
      }
      return isAnswered
    }
  }

  /// Answers the only request of which some of the head was read, and not all of it; none if there are several.
  /// - Parameter hasLine: whether its request line was read; `nil` when that is unknown.
  func refuseOnly(_ response: Response, hasLine: Bool?) {
    state.withLock { state in
      // Also those that were ended: the library may still read what they sent.
      let begun = state.entries.filter { _, entry in
        entry.phase == .head && (hasLine == nil || hasLine == (entry.exchange != nil))
          && matinee_mhd_read_bytes(entry.descriptor) > entry.taken
      }
      guard begun.count == 1, let (connection, entry) = begun.first, !entry.isEnded else { return }
      Self.refuse(&state, connection, response)
    }
  }

  private static func refuse(_ state: inout State, _ connection: OpaquePointer, _ response: Response) {
    guard let descriptor = state.entries[connection]?.descriptor else { return }
    state.entries[connection]?.isEnded = true
    write(response, descriptor)
  }

  /// Answers in the library's place, which finds the connection closed for writing from then on.
  /// - Parameter withBody: false for HEAD, whose answer has the length of a body and none.
  func answer(_ response: Response, _ connection: OpaquePointer, withBody: Bool) {
    state.withLock { state in
      if let entry = state.entries[connection] { Self.write(response, entry.descriptor, withBody: withBody) }
    }
  }

  private static func write(_ response: Response, _ descriptor: Int32, withBody: Bool = true) {
    let bytes = message(response, withBody: withBody)
    // It is short, and mostly the first that is sent: the kernel has room for it.
    _ = bytes.withUnsafeBytes { send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT)) }
    shutdown(descriptor, Int32(SHUT_WR))
  }

  private static func message(_ response: Response, withBody: Bool) -> Data {
    var head = "HTTP/1.1 \(response.status) \(String(cString: MHD_get_reason_phrase_for(UInt32(response.status))))\r\n"
    for field in response.headers.fields { head += "\(field.name): \(field.value)\r\n" }
    return Data("\(head)Content-Length: \(response.body.count)\r\nConnection: close\r\n\r\n".utf8) + (withBody ? response.body : Data())
  }

  func enter(_ phase: Phase, _ connection: OpaquePointer, exchange: Exchange? = nil, limit: Int = 0, taken: Int64 = 0, at uptime: Duration)
  {
    state.withLock { state in
      guard let entry = state.entries[connection] else { return }
      state.entries[connection]?.phase = phase
      state.entries[connection]?.since = uptime
      state.entries[connection]?.exchange = exchange
      if phase == .head {
        state.entries[connection]?.received = 0
        state.entries[connection]?.buffered = 0
        state.entries[connection]?.taken += taken
        state.entries[connection]?.readBefore = matinee_mhd_read_bytes(entry.descriptor)
      }
      if phase == .answering, !Self.hasUnsent(entry.descriptor) { state.entries[connection]?.taking = nil }
      if phase == .sending, entry.taking == nil { state.entries[connection]?.taking = (uptime, Self.delivered(entry.descriptor)) }
      if phase == .body { state.entries[connection]?.limit = limit }
    }
  }

  /// Whether an answer of that many bytes may wait until its client has received it: clients that read nothing would fill the memory. A
  /// small one always may. A client may have a quarter of ``Listener/Limits/unsent``, or one answer; when that runs short, the slowest
  /// connections that wait for large answers are closed, if that is enough.
  func mayBuffer(_ bytes: Int, _ connection: OpaquePointer, at uptime: Duration) -> Bool {
    state.withLock { state in
      guard let entry = state.entries[connection] else { return true }
      // Nearly all answers are small: only a large one is worth the sum.
      if bytes > Self.small {
        let others = state.entries.filter { !$0.value.isEnded && $0.key != connection && $0.value.buffered > Self.small }
        let own = others.values.reduce(0) { $0 + ($1.client == entry.client ? $1.buffered : 0) }
        guard entry.client == nil || own == 0 || own + bytes <= limits.unsent / 4 else { return false }
        var total = others.values.reduce(0) { $0 + $1.buffered }
        var slowest: [OpaquePointer] = []
        for (name, other) in others.sorted(by: { $0.value.since < $1.value.since }) where total > 0 && total + bytes > limits.unsent {
          guard other.isSlow(at: uptime, rate: Self.scarceRate) else { continue }
          slowest.append(name)
          total -= other.buffered
        }
        guard total == 0 || total + bytes <= limits.unsent else { return false }
        for name in slowest { Self.end(&state, name) }
      }
      state.entries[connection]?.buffered = bytes
      return true
    }
  }

  func received(_ count: Int, _ connection: OpaquePointer) { state.withLock { $0.entries[connection]?.received += count } }

  /// Ends connections whose head, body or answer takes too long.
  /// - Returns: the exchanges whose client went away while the answer is made.
  func sweep(at uptime: Duration) -> [Exchange] {
    state.withLock { state in
      var gone: [Exchange] = []
      for (connection, entry) in state.entries where !entry.isEnded {
        switch entry.phase {
        case .head where uptime - entry.since > limits.headTime: Self.end(&state, connection)
        case .body where uptime - entry.since > limits.bodyTime + .seconds(entry.limit / Self.rate): Self.end(&state, connection)
        case .sending:
          guard let taking = entry.taking else { continue }
          let bytes = max(Int(entry.taken(since: taking)), entry.buffered)
          if uptime - taking.since > limits.bodyTime + .seconds(bytes / Self.rate) { Self.end(&state, connection) }
        case .answering:
          if let exchange = entry.exchange, Self.hasLeft(entry.descriptor) {
            state.entries[connection]?.isEnded = true
            gone.append(exchange)
          }
        default: break
        }
      }
      return gone
    }
  }

  private static func end(_ state: inout State, _ connection: OpaquePointer) {
    guard let entry = state.entries[connection] else { return }
    state.entries[connection]?.isEnded = true
    shutdown(entry.descriptor, Int32(SHUT_RDWR))
  }

  /// How many bytes the other end has acknowledged: the sixteenth word of the kernel's `tcp_info`, before which that of glibc ends.
  private static func delivered(_ descriptor: Int32) -> UInt64 {
    var info = [UInt64](repeating: 0, count: 16)
    var size = socklen_t(info.count * MemoryLayout<UInt64>.size)
    return getsockopt(descriptor, Int32(IPPROTO_TCP), TCP_INFO, &info, &size) == 0 ? info[15] : 0
  }

  /// Whether the kernel has bytes for the other end that it has not acknowledged.
  private static func hasUnsent(_ descriptor: Int32) -> Bool {
    var bytes: Int32 = 0
    return ioctl(descriptor, UInt(TIOCOUTQ), &bytes) == 0 && bytes > 0
  }

  /// Whether the other end has closed the connection, or stopped sending.
  private static func hasLeft(_ descriptor: Int32) -> Bool {
    let left: Int16 = 0x2000  // POLLRDHUP, which Swift does not see
    var entry = pollfd(fd: descriptor, events: left, revents: 0)
    guard poll(&entry, 1, 0) > 0 else { return false }
    return entry.revents & (left | Int16(POLLHUP) | Int16(POLLERR)) != 0
  }
}
