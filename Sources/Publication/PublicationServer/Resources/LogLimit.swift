import Foundation
import Runtime
import Synchronization

/// Keeps one client from filling the operator's log, which may lie on the publication's own disk: a few lines of each kind are written in a
/// minute, and the next one says how many were left out.
final class LogLimit: Sendable {
  private struct Kind {
    var since: Duration
    var count = 0
  }

  /// How many lines of one kind are written in ``period``.
  static let most = 20
  static let period = Duration.seconds(60)
  /// More kinds than there are sentences; beyond it all begin again.
  private static let mostKinds = 500
  private let clock: any AppClock
  private let writeLine: @Sendable (String) -> Void
  private let kinds = Mutex<[String: Kind]>([:])

  init(clock: any AppClock, write: @escaping @Sendable (String) -> Void) {
    self.clock = clock
    writeLine = write
  }

  /// Writes a line, unless there were too many of its kind: lines of one kind differ only in numbers and identifiers.
  func write(_ line: String) {
    let name = line.split(separator: " ").filter { !$0.contains(where: \.isNumber) }.joined(separator: " ")
    let now = clock.uptime
    let before: Int? = kinds.withLock { kinds in
      if kinds.count >= Self.mostKinds, kinds[name] == nil { kinds = [:] }
      let kind = kinds[name] ?? Kind(since: now)
      if now - kind.since >= Self.period {
        kinds[name] = Kind(since: now, count: 1)
        return max(0, kind.count - Self.most)
      }
      kinds[name] = Kind(since: kind.since, count: kind.count + 1)
      return kind.count < Self.most ? 0 : nil
    }
    guard let before else { return }
    if before > 0 { writeLine("\(before) more lines like the next one were left out.") }
    writeLine(line)
  }
}
