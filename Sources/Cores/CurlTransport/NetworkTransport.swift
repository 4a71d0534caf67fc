import CCurl
import Foundation
import HTTPTransport
import Synchronization

/// The network, through libcurl: all transfers run on one thread, and may be awaited on any.
///
/// Redirects are followed (at most ``Limits/redirects``, `http` and `https` only): a 307 or 308 keeps method and body, and `Authorization`
/// never goes to another host. Content encodings are undone. Connections are kept and used again. The environment's proxy is used, but not
/// for this machine itself.
public final class NetworkTransport: Transport {
  /// What a transfer may take.
  public struct Limits: Equatable, Sendable {
    /// The time until a connection stands.
    public var connect = Config.connectTimeout
    /// The time for the whole transfer, redirects included; time spent waiting for a free slot does not count.
    public var total = Config.requestTimeout
    /// How long nothing may arrive, in whole seconds.
    public var stall = Config.stallTimeout
    /// The largest body accepted, decoded, in bytes.
    public var body: Int
    /// How many redirects are followed; with 0 a redirect is an answer like any other.
    public var redirects: Int
    /// How many transfers run at a time; more wait, first come, first served.
    public var concurrent = 32
    /// How many bytes of answers all transfers of the transport may hold together. Beyond that, the one of the large ones fails that has
    /// waited longest for more of its answer: servers that send much and then nothing would fill the memory.
    package var bufferedBytes = Int.max

    /// The limits of this build, with others for what is expected.
    public init(body: Int = 64 << 20, redirects: Int = 5) { (self.body, self.redirects) = (body, redirects) }

    /// For documents of strangers' servers, by a caller who decides about each redirect.
    /// - Parameter largest: how long a document may be, in bytes.
    package static func strangers(largest: Int) -> Self {
      var limits = Self(body: largest, redirects: 0)
      // Thirty-two of the largest feeds would be six times as much.
      limits.bufferedBytes = 256 << 20
      return limits
    }
  }

  /// The version of the running libcurl, which this loads; `nil` where there is none.
  public static var libraryVersion: String? { matinee_curl_global_init() == CURLE_OK ? String(cString: matinee_curl_version()) : nil }

  /// The origin of targets that are paths; `nil` when only absolute URLs are sent.
  public let origin: Origin?
  private let limits: Limits
  private let certificates: String?
  private let usesProxy: Bool
  /// Made for the first request: an unused transport has no thread and loads no library.
  private let loop = Mutex<CurlLoop?>(nil)

  /// - Parameters:
  ///   - origin: scheme, host and port of the publication, such as `https://example.org`.
  ///   - limits: what a transfer may take.
  ///   - certificates: a PEM file of authorities to trust instead of the system's.
  ///   - usesProxy: whether requests use the environment's proxy; false for requests that no proxy may read.
  /// - Throws: `TransportError.unsupported` when `origin` is no origin.
  public init(
    origin: String?, limits: Limits = Limits(), certificates: String? = nil, usesProxy: Bool = true
  ) throws(TransportError) {
    do throws(Origin.Failure) { self.origin = try origin.map { text throws(Origin.Failure) in try Origin(text) } } catch {
      throw .unsupported("An address of a publication is needed, such as https://example.org, \(error.reason)")
    }
    self.limits = limits
    self.certificates = certificates
    self.usesProxy = usesProxy
  }

  deinit { loop.withLock { $0?.stop() } }

  /// Sends a request: a path goes to ``origin``, an absolute URL where it says, there without `Authorization` unless it is ``origin``.
  /// - Throws: `TransportError`; `CancellationError` at once when the task is cancelled.
  public func send(_ request: Request) async throws -> Response {
    try Task.checkCancellation()
    let transfer = try Transfer(try resolved(request))
    let loop = try running()
    return try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        if transfer.begin(continuation) { loop.start(transfer) }
      }
    } onCancel: {
      if transfer.finish(.failure(CancellationError())) { loop.cancel(transfer) }
    }
  }

  private func running() throws -> CurlLoop {
    try loop.withLock { loop in
      if let loop { return loop }
      let made = try CurlLoop(limits: limits, userAgent: Config.userAgent, certificates: certificates, usesProxy: usesProxy)
      loop = made
      return made
    }
  }

  private func resolved(_ request: Request) throws(TransportError) -> Request {
    var request = request
    if request.target.hasPrefix("/") {
      guard let origin else { throw .unsupported("\(request.target) needs a publication's address") }
      request.target = origin.text + request.target
      return request
    }
    guard let target = Origin(of: request.target) else { throw .unsupported("\(request.target) is no http or https address") }
    if let origin, target != origin { request.headers["Authorization"] = nil }
    return request
  }
}
