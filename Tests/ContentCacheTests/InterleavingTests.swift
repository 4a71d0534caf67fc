import Foundation
import Testing

/// Random interleavings of what a reader does, what the server does, answers, lost answers, fetches, waits, ends of the process and
/// sign-outs. The invariant after every step: what the reader sees is the server's last known state with the pending actions on top. At
/// the end, with the network back, the server's state is what the reader did last.
///
/// A failure names its seed; `MATINEE_SEED=7` plays that one alone.
@MainActor @Suite(.timeLimit(.minutes(5))) struct InterleavingTests {
  @Test func readerSeesServerStateAndPendingActions() async throws {
    let asked = ProcessInfo.processInfo.environment["MATINEE_SEED"].flatMap(UInt64.init)
    for seed in asked.map({ $0...$0 }) ?? 1...300 {
      let play = try await Play(seed: seed)
      for step in 1...60 {
        try await play.step()
        guard play.check("MATINEE_SEED=\(seed), step \(step), \(play.lastStep)") else { return }
      }
      guard try await play.finish("MATINEE_SEED=\(seed)") else { return }
    }
  }
}
