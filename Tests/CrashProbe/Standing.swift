import Foundation
import Runtime
import Synchronization

/// Says where the client stands, and keeps whoever says so standing until the test lets go. One at a time.
///
/// Ends the process when the test is gone.
final class Standing: Sendable {
  private let turn = Mutex<Void>(())

  func say(_ line: Line) {
    turn.withLock { _ in
      guard let text = try? JSONEncoder().encode(line) else { _exit(1) }
      FileHandle.standardOutput.write(text + [UInt8(ascii: "\n")])
      var word: UInt8 = 0
      while read(0, &word, 1) != 1 { guard errno == EINTR else { _exit(1) } }
    }
  }
}

/// The machine's clock, on which waits for the store take as long as the test wants.
struct StandingClock: AppClock {
  private let standing: Standing
  private let system = SystemClock()

  init(_ standing: Standing) { self.standing = standing }

  var now: Date { system.now }
  var uptime: Duration { system.uptime }
  var boot: String { system.boot }

  func sleep(for duration: Duration) async throws {
    // What ends in an hour or later is access, and no answer.
    guard duration < .seconds(3600) else { return try await system.sleep(for: duration) }
    standing.say(.stands("waits"))
    try Task.checkCancellation()
  }
}
