import Foundation
import Runtime
import Synchronization

/// Keeps one client from filling the operator's log, which may lie on the publication's own disk: a few lines of each kind, and so many of
/// all, are written in a minute, and the next one says how many were left out.
final class LogLimit: Sendable {
  private struct Count {
    var since: Duration
    var lines = 0
  }

  private struct Counts {
    var kinds: [String: Count] = [:]
    var all: Count
  }

  /// How many lines of one kind are written in ``period``.
  static let most = 20
  /// How many lines are written in ``period``: a client may choose words that appear in them, and so make many kinds.
  static let mostOfAll = 1_000
  static let period = Duration.seconds(60)
  /// More kinds than there are sentences; beyond it all begin again.
  private static let mostKinds = 500
  private let clock: any AppClock
  private let writeLine: @Sendable (String) -> Void
  private let counts: Mutex<Counts>

  init(clock: any AppClock, write: @escaping @Sendable (String) -> Void) {
    self.clock = clock
    writeLine = write
    counts = Mutex(Counts(all: Count(since: clock.uptime)))
  }

  /// Writes a line, unless there were too many of its kind: lines of one kind differ only in numbers and identifiers.
  func write(_ line: String) {
    let name = line.split(separator: " ").filter { !$0.contains(where: \.isNumber) }.joined(separator: " ")
    let now = clock.uptime
    let (ofKind, ofAll): (Int?, Int?) = counts.withLock { counts in
      if counts.kinds.count >= Self.mostKinds, counts.kinds[name] == nil { counts.kinds = [:] }
      guard let ofKind = Self.leftOut(&counts.kinds[name, default: Count(since: now)], most: Self.most, now) else { return (nil, nil) }
      return (ofKind, Self.leftOut(&counts.all, most: Self.mostOfAll, now))
    }
    guard let ofKind, let ofAll else { return }
    if ofAll > 0 { writeLine("\(ofAll) more lines were left out.") }
    if ofKind > 0 { writeLine("\(ofKind) more lines like the next one were left out.") }
    writeLine(line)
  }

  /// Counts a line.
  /// - Returns: how many were left out before it; `nil` when it is left out itself.
  private static func leftOut(_ count: inout Count, most: Int, _ now: Duration) -> Int? {
    if now - count.since >= period {
      defer { count = Count(since: now, lines: 1) }
      return max(0, count.lines - most)
    }
    count.lines += 1
    return count.lines <= most ? 0 : nil
  }
}
