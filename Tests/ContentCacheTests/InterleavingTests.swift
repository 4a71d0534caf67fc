import Patience
import Testing

/// Random interleavings of what a reader does and reads, what the server does, and another device, answers, lost answers, entity tags, waits,
/// ends of the process that keep the disk, eviction, removals and sign-outs. The invariant after every step: what the reader sees is the
/// server's last known state with the pending actions on top. At the end, with the network back, the server's state is what the reader did
/// last, and the lists are the server's.
///
/// Of 300 seeds ``turn`` says which hundred. A failure names its seed; `MATINEE_SEED=7` plays that one alone, `MATINEE_PLAYS=3000` as many.
@MainActor @Suite(.timeLimit(.minutes(30))) struct InterleavingTests {
  @Test func readerSeesServerStateAndPendingActions() async throws {
    let all = chosenSeeds() ?? turn.map { UInt64($0 * 100 + 1)...UInt64($0 * 100 + 100) } ?? 1...300
    var tally = Play.Tally()
    for seed in all {
      let play = try await Play(seed: seed)
      for step in 1...60 {
        try await play.step()
        guard play.check("MATINEE_SEED=\(seed), step \(step), \(play.lastStep)") else { return }
      }
      guard try await play.finish("MATINEE_SEED=\(seed)") else { return }
      tally.notModified += play.tally.notModified
      tally.evicted += play.tally.evicted
      tally.killed += play.tally.killed
      tally.takenAway += play.tally.takenAway
    }
    // Or it would not be known that these are right.
    guard all.count >= 100 else { return }
    let (often, seldom) = (all.count / 3, all.count / 30)
    #expect(
      tally.notModified > often && tally.evicted > seldom && tally.killed > seldom && tally.takenAway > seldom, "\(tally) of \(all.count)")
  }
}
