import Foundation
import Runtime
import SQLiteStorage

/// The proved time: the seller's last signed time, plus the time that has passed on this machine since. It is never ahead of the seller's,
/// and never goes back, also when the wall clock is set. A restart of the machine proves nothing by itself: time continues from the last
/// value that was written down.
struct TrustedTime: Equatable, Sendable {
  /// What a receipt is worth at this time.
  enum Access: Equatable {
    /// In force by every clock.
    case inForce
    /// Over by one clock at least, and not confirmed by the store: access continues for a while.
    case inGrace
    /// Over.
    case expired
  }

  /// What was proved, when ``uptime`` was read; long ago while nothing is.
  private(set) var time: Date = .distantPast
  private(set) var uptime: Duration = .zero
  private(set) var boot = ""
  /// Starts of the program without an answer of the store, including this one.
  private(set) var starts = 0

  /// The time now.
  func now(_ clock: any AppClock) -> Date {
    boot == clock.boot ? time + max(clock.uptime - uptime, .zero).seconds : time
  }

  /// The best guess: the wall clock, unless it is proved to be behind.
  func guess(_ clock: any AppClock) -> Date { max(now(clock), clock.now) }

  /// Moves the time forward: to a signed time, or by the time that has passed.
  mutating func advance(to signed: Date = .distantPast, _ clock: any AppClock) {
    (time, uptime, boot) = (max(now(clock), signed), clock.uptime, clock.boot)
  }

  /// The store said what is in force.
  mutating func heardFromStore() { starts = 0 }

  /// Decides what has ended at a time. The proved time alone decides the end, so that a clock set back gains nothing. The wall clock may
  /// only raise a doubt: a clock set forward, or a machine that was off for long, leaves the grace and its count of starts.
  func access(until expires: Date?, _ clock: any AppClock) -> Access {
    guard let expires else { return .inForce }
    let proved = now(clock)
    if proved < expires, clock.now < expires { return .inForce }
    return proved < expires + Config.offlineGrace.seconds && starts <= Config.offlineStarts ? .inGrace : .expired
  }

  /// How long until a judgement about one of these ends may change by itself. At most an hour: the wall clock may be set meanwhile, and
  /// what has passed is to be written down now and then.
  func timeUntilNextCheck(of ends: [Date], _ clock: any AppClock) -> Duration {
    let (proved, wall) = (now(clock), clock.now)
    let waits = ends.flatMap { end in
      [
        end.timeIntervalSince(proved), end.timeIntervalSince(wall), (end + Config.offlineGrace.seconds).timeIntervalSince(proved),
      ]
    }
    return .seconds(waits.filter { $0 > 0 }.reduce(3600, min))
  }
}

extension Journal {
  /// Counts a start of the program, and returns the time of the earlier one.
  /// - Throws: `SQLiteError`.
  func beginTime(seller: String, purchasePath: String) async throws -> TrustedTime {
    let clock = clock
    return try await database.run { connection in
      try connection.transaction {
        var time =
          try connection.queryOne(
            "SELECT * FROM trusted_time WHERE seller = ? AND purchase_path = ?", seller, purchasePath, map: TrustedTime.init)
          ?? TrustedTime()
        time.begin(clock)
        try Self.store(time, seller: seller, purchasePath: purchasePath, in: connection)
        return time
      }
    }
  }

  /// Writes down how far time is proved.
  /// - Throws: `SQLiteError`.
  func store(_ time: TrustedTime, seller: String, purchasePath: String) async throws {
    try await database.run { connection in try Self.store(time, seller: seller, purchasePath: purchasePath, in: connection) }
  }

  private static func store(_ time: TrustedTime, seller: String, purchasePath: String, in connection: Connection) throws {
    try connection.execute(
      "INSERT OR REPLACE INTO trusted_time (seller, purchase_path, time, uptime, boot, starts) VALUES (?, ?, ?, ?, ?, ?)", seller,
      purchasePath,
      time.time,
      time.uptime.seconds, time.boot, time.starts)
  }
}

extension TrustedTime {
  fileprivate init(_ row: Row) throws {
    time = try row.get("time", as: Date.self)
    uptime = .seconds(try row.get("uptime", as: Double.self))
    boot = try row.get("boot", as: String.self)
    starts = try row.get("starts", as: Int.self)
  }

  fileprivate mutating func begin(_ clock: any AppClock) {
    advance(clock)
    starts += 1
  }
}
