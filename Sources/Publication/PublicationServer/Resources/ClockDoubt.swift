import Foundation
import HTTPTransport
import PublicationAPI
import Runtime

/// A clock that cannot be right: a machine with a dead clock starts in 1970, until the network sets the time.
///
/// A period sold by such a clock would be over before it starts, so nothing is sold, charged or refunded until the clock is right again. A
/// clock that is ahead cannot be detected. What was sold by it lies in the future of the right clock, and is refunded by an operator who
/// confirms that the clock is right.
struct ClockDoubt {
  let orders: any OrderRepository
  let clock: any AppClock
  let log: OperatorLog

  /// Clocks are often corrected by this much, which is no reason for doubt.
  private static let clockTolerance: Int64 = 3600

  /// Why the clock cannot be right, for the operator; `nil` when it may be.
  nonisolated(nonsending) func sentence() async throws -> String? {
    guard let last = try await orders.lastPaid(), let paid = last.paid, paid - clock.unixTime > Self.clockTolerance else { return nil }
    let moments = [clock.unixTime, paid].map { Date(timeIntervalSince1970: TimeInterval($0)).formatted(.iso8601) }
    return
      "The clock says \(moments[0]), and order \(last.code) was paid at \(moments[1]): nothing is sold or given back until the clock is right. "
      + "If it is, that order was paid by a wrong one: “matinee-server order refund --trust-clock \(last.code)”."
  }

  /// - Throws: `Problem` for a reader, when ``sentence()`` has one.
  nonisolated(nonsending) func check() async throws {
    guard let doubt = try await sentence() else { return }
    log(doubt)
    throw Problem(
      code: .paymentUnavailable,
      title: "The publication’s clock is wrong, so nothing is sold at the moment. Nothing is lost; try again later.",
      status: 503)
  }
}

extension Publication {
  /// Why the clock cannot be right, for the operator; `nil` when it may be. The server checks it by itself: this is for tests.
  /// - Throws: `SQLiteError`; ``Publication/Failure/closed``.
  public func clockDoubt() async throws -> String? { try await doubt.sentence() }
}
