import Foundation
import HTTPTransport
import PublicationServer
import Runtime

/// A publication's router behind a TCP port, by libmicrohttpd.
///
///     let listener = try Listener(publication, port: 0, clock: SystemClock())
///     print(listener.origin)
///     await listener.stop()
///
/// Requests are read on one thread and answered by tasks. Safe from any thread.
public final class Listener: Sendable {
  /// What a request and a connection may take.
  public struct Limits: Equatable, Sendable {
    /// The largest body, in bytes; above it the answer is 413. A document that a reader imports may be larger.
    public var body = 64 << 10
    /// The folder for documents that readers import, while they are received; on a disk, so that they take no memory.
    public var uploads = NSTemporaryDirectory()
    /// The largest head of a request, in bytes; above it the answer is 431, or 414 when most of it is the target.
    public var head = 32 << 10
    /// How many connections are open at a time; more wait to be accepted. Fewer where the process may not have as many files open
    /// (`ulimit -n`).
    public var connections = 512
    /// How long a connection may stand idle.
    public var idle = Duration.seconds(30)
    /// How long the head of a request may take as a whole, counted from the moment that the connection is free for it.
    public var headTime = Duration.seconds(60)
    /// How long a body may take as a whole, and an answer; a body that may be large has a second more for each 64 KiB.
    public var bodyTime = Duration.seconds(60)
    /// Addresses of proxies, of which the address in `X-Forwarded-For` is believed.
    public var trustedProxies: Set<String> = []
    /// The most bytes of large answers that wait until clients have received them; a request for more gets 503. One answer is always
    /// allowed.
    public var unsent = 256 << 20
    /// How long ``Listener/stop()`` waits for answers that are under way.
    public var grace = Duration.seconds(10)
    /// The limits that suit one publication on one machine.
    public init() {}

    /// How many files everything but connections may have open: the database and its log for each of six connections, 32 feeds that are
    /// fetched, documents that come in, the payment provider's process.
    private static let otherFiles = 112

    /// The connections that fit, where the process may have so many files open: one without a free place would shut out all clients.
    func connections(withFiles files: Int) -> Int { min(connections, max(4, files - Self.otherFiles)) }

    /// The most files that the process may have open.
    static var openFiles: Int {
      var limit = rlimit()
      guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return .max }
      return Int(clamping: limit.rlim_cur)
    }
  }

  /// A report for the operator. Given on any thread.
  public enum Notice: Equatable, Sendable {
    /// A proxy at this address of this machine sends `X-Forwarded-For` and is none of ``Limits/trustedProxies``: its clients are not
    /// distinguished, so nothing is limited for each of them. Reported once.
    case unnamedProxy(String)
    /// ``Limits/uploads`` takes no more of a document. Reported again only after a document was stored whole.
    case noRoom(folder: String)
  }

  /// Why nothing listens.
  public enum Failure: Error, Equatable, Sendable, CustomStringConvertible {
    /// It is no IP address, or no port.
    case badAddress(String)
    /// Another program listens there.
    case inUse(address: String, port: Int)
    /// The system does not allow it; the reason is its own.
    case refused(address: String, port: Int, reason: String)

    /// Why nothing listens, in a sentence for the operator.
    public var description: String {
      switch self {
      case .badAddress(let text): "“\(text)” cannot be listened on: an IP address such as 127.0.0.1 and a port from 0 to 65535 can."
      case .inUse(let address, let port): "Port \(port) of \(address) is in use by another program."
      case .refused(let address, let port, let reason): "Port \(port) of \(address) cannot be listened on: \(reason)."
      }
    }
  }

  /// Who decides about bodies, by a request's head alone.
  struct Admission: Sendable {
    /// The most bytes that the body may have.
    let limit: @Sendable (Request) -> Int
    /// Decides about a body that is larger than ``Limits/body``.
    let decide: @Sendable (Request) async -> Publication.Admission
  }

  /// The port it listens on, also when it was left to the system.
  public let port: Int
  /// Where clients find it, such as `http://127.0.0.1:8080`; this machine itself when it listens on all addresses.
  public let origin: String
  private let daemon: Daemon

  /// Listens, and answers from now on.
  /// - Parameters:
  ///   - address: an IPv4 or IPv6 address; loopback by default.
  ///   - port: 0 for any that is free.
  ///   - notify: called with reports for the operator.
  /// - Throws: ``Failure``.
  public convenience init(
    _ publication: Publication, address: String = "127.0.0.1", port: Int, limits: Limits = Limits(), clock: any AppClock,
    notify: @escaping @Sendable (Notice) -> Void = { _ in }
  ) throws(Failure) {
    try self.init(
      address: address, port: port, limits: limits, clock: clock, unknownMethod: { publication.methodNotAllowed(at: $0) },
      admission: Admission(limit: { publication.bodyLimit($0) }, decide: { await publication.admit($0) }),
      notify: notify, handler: { await publication.handle($0) })
    publication.limitWaiting(toPlaces: limits.connections(withFiles: Limits.openFiles))
  }

  /// The same for any handler.
  init(
    address: String = "127.0.0.1", port: Int = 0, limits: Limits = Limits(), clock: any AppClock,
    unknownMethod: @escaping @Sendable (_ target: String) -> Response = { _ in Response(501) }, admission: Admission? = nil,
    notify: @escaping @Sendable (Notice) -> Void = { _ in }, handler: @escaping @Sendable (Request) async -> Response
  ) throws(Failure) {
    let socket = try ListenSocket(address: address, port: port)
    var limits = limits
    limits.connections = limits.connections(withFiles: Limits.openFiles)
    self.port = socket.port
    let host = ["0.0.0.0", "::"].contains(address) ? "127.0.0.1" : address
    origin = host.contains(":") ? "http://[\(host)]:\(socket.port)" : "http://\(host):\(socket.port)"
    daemon = Daemon(
      limits: limits, clock: clock, unknownMethod: unknownMethod, admission: admission, notify: notify, handler: handler)
    guard daemon.start(socket.handle) else {
      // The socket is not closed here: on most ways to fail the library has done so.
      throw .refused(address: address, port: socket.port, reason: "libmicrohttpd did not start (\(String(cString: strerror(errno))))")
    }
  }

  /// Takes no further request, waits for those under way as long as the limits say, and closes everything. A client whose answer is
  /// still waited for then gets 503.
  public func stop() async { await daemon.stop() }

  deinit {
    let daemon = daemon
    Task { await daemon.stop() }
  }
}
