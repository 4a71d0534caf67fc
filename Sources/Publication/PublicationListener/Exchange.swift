import CMicroHTTPD
import Foundation
import HTTPTransport
import Synchronization

/// One request and its answer.
///
/// Everything but `outcome` is touched by libmicrohttpd's thread alone.
// @unchecked: see above; `outcome` is a lock's.
final class Exchange: @unchecked Sendable {
  private enum Outcome {
    case none
    case waiting(Connection)
    case answered(Response)
  }

  /// A connection of libmicrohttpd, which may be resumed from any thread while it is suspended.
  // @unchecked: used once, by whoever answers first.
  struct Connection: @unchecked Sendable { let pointer: OpaquePointer }

  /// The request's target as it came; `nil` when it is not text.
  let target: String?
  var hasBegun = false
  var isTooLarge = false
  var body = Data()
  var refused = 0
  private let outcome = Mutex(Outcome.none)

  init(target: String?) { self.target = target }

  /// The answer, once there is one.
  var answer: Response? { outcome.withLock { if case .answered(let response) = $0 { response } else { nil } } }

  /// Puts the connection to sleep until ``finish(_:)``.
  func suspend(_ connection: OpaquePointer) {
    outcome.withLock { $0 = .waiting(Connection(pointer: connection)) }
    MHD_suspend_connection(connection)
  }

  /// Gives the answer; only the first one counts.
  func finish(_ response: Response) {
    let connection: Connection? = outcome.withLock { outcome in
      guard case .waiting(let connection) = outcome else { return nil }
      outcome = .answered(response)
      return connection
    }
    if let connection { MHD_resume_connection(connection.pointer) }
  }
}
