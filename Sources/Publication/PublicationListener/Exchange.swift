import CMicroHTTPD
import Foundation
import HTTPTransport
import PublicationServer
import Runtime
import Synchronization

/// One request and its answer.
///
/// Everything but `outcome` is touched by libmicrohttpd's thread alone.
// @unchecked: see above; `outcome` is a lock's.
final class Exchange: @unchecked Sendable {
  private enum Outcome {
    case none
    case waiting(Connection)
    /// A body of that many bytes is allowed, in a place that the request keeps until it ends.
    case admitted(Int, UploadPlace?)
    case answered(Response)
  }

  /// A connection of libmicrohttpd, which may be resumed from any thread while it is suspended.
  // @unchecked: used once, by the first to answer.
  struct Connection: @unchecked Sendable { let pointer: OpaquePointer }

  /// The request's target; `nil` when it is not text.
  var target: String?
  /// The method and the version of the request line, once the head is there.
  var method: String?
  var version: String?
  var hasBegun = false
  /// Whether a decision on the body is awaited; no part of the body was read yet.
  var isAwaitingAdmission = false
  /// The most bytes that the body may have.
  var limit = 0
  /// How many it has by its own account.
  var declared = 0
  /// How many the head has.
  var head = 0
  /// How many bytes of its connection the request takes; a body that is too large is not read.
  var size: Int64 { Int64(head + (declared <= limit ? declared : 0)) }
  /// Why the body is thrown away as it comes.
  var refusal: Response?
  var body = Data()
  /// Where the body is that is larger than usual.
  var file: BodyFile?
  /// Held as long as the request lasts.
  var place: UploadPlace?
  private let outcome = Mutex(Outcome.none)

  init(target: String?) { self.target = target?.streamSafe }

  /// The answer, once there is one.
  var answer: Response? { outcome.withLock { if case .answered(let response) = $0 { response } else { nil } } }

  /// How large a body may come, once that is decided.
  var admitted: (limit: Int, place: UploadPlace?)? {
    outcome.withLock { if case .admitted(let limit, let place) = $0 { (limit, place) } else { nil } }
  }

  /// Puts the connection to sleep until ``finish(_:)`` or ``admit(_:_:)``.
  func suspend(_ connection: OpaquePointer) {
    // In one step: whoever answers from another thread must not wake the connection before it sleeps.
    outcome.withLock {
      $0 = .waiting(Connection(pointer: connection))
      MHD_suspend_connection(connection)
    }
  }

  /// Gives the answer; only the first one counts.
  func finish(_ response: Response) { wake(.answered(response)) }

  /// Releases the answer's body: the library has its own copy, and the client may be slow.
  func releaseBody() {
    outcome.withLock { if case .answered(let response) = $0 { $0 = .answered(Response(response.status, headers: response.headers)) } }
  }

  /// Lets a body of that many bytes come.
  func admit(_ limit: Int, _ place: UploadPlace?) { wake(.admitted(limit, place)) }

  private func wake(_ new: Outcome) {
    let connection: Connection? = outcome.withLock { outcome in
      guard case .waiting(let connection) = outcome else { return nil }
      outcome = new
      return connection
    }
    if let connection { MHD_resume_connection(connection.pointer) }
  }
}
