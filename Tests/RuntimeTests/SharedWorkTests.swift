import Patience
import Synchronization
import Testing

@testable import Runtime

@Suite struct SharedWorkTests {
  private struct Mishap: Error {}

  /// Work that ends when its clock is moved, and counts how often it was begun.
  private final class Slow: Sendable {
    let clock = ManualClock()
    let begun = Mutex(0)
    let shared = SharedWork<String, Int>()

    func ask(_ key: String = "a", fails: Bool = false) -> Task<Int, any Error> {
      Task {
        try await shared.value(for: key) { [self] in
          let number = begun.withLock { begun in
            begun += 1
            return begun
          }
          try await clock.sleep(for: .seconds(1))
          if fails { throw Mishap() }
          return number
        }
      }
    }

    func waiting(_ count: Int, for key: String = "a") async { await until { shared.waiting(for: key) == count } }
  }

  private let slow = Slow()

  @Test func manyAskAndItIsDoneOnce() async throws {
    let asking = (0..<20).map { _ in slow.ask() }
    await slow.waiting(20)
    #expect(slow.shared.count == 1)
    await slow.clock.waitForSleepers()
    slow.clock.advance(by: .seconds(1))
    for task in asking { #expect(try await task.value == 1) }
    #expect(slow.shared.count == 0)
  }

  @Test func eachKeyHasItsOwn() async throws {
    let asking = ["a", "b", "c"].map { slow.ask($0) }
    await slow.clock.waitForSleepers(3)
    #expect(slow.shared.count == 3)
    slow.clock.advance(by: .seconds(1))
    var numbers: Set<Int> = []
    for task in asking { numbers.insert(try await task.value) }
    #expect(numbers == [1, 2, 3])
  }

  @Test func aFailureIsForAllAndTheNextBeginsAnew() async throws {
    let asking = (0..<3).map { _ in slow.ask(fails: true) }
    await slow.waiting(3)
    await slow.clock.waitForSleepers()
    slow.clock.advance(by: .seconds(1))
    for task in asking { await #expect(throws: Mishap.self) { try await task.value } }
    let again = slow.ask()
    await slow.clock.waitForSleepers()
    slow.clock.advance(by: .seconds(1))
    #expect(try await again.value == 2)
  }

  @Test func whoIsCancelledLeavesAtOnceAndTheOthersStay() async throws {
    let (leaving, staying) = (slow.ask(), slow.ask())
    await slow.waiting(2)
    leaving.cancel()
    await #expect(throws: CancellationError.self) { try await leaving.value }
    #expect(slow.shared.waiting(for: "a") == 1)
    await slow.clock.waitForSleepers()
    slow.clock.advance(by: .seconds(1))
    #expect(try await staying.value == 1)
  }

  @Test func workThatNobodyWaitsForIsCancelled() async throws {
    let asking = (0..<3).map { _ in slow.ask() }
    await slow.waiting(3)
    await slow.clock.waitForSleepers()
    for task in asking { task.cancel() }
    for task in asking { await #expect(throws: CancellationError.self) { try await task.value } }
    #expect(slow.shared.count == 0)
    await until { slow.clock.sleeperCount == 0 }
    let again = slow.ask()
    await slow.clock.waitForSleepers()
    slow.clock.advance(by: .seconds(1))
    #expect(try await again.value == 2)
  }

  @Test func workThatDoesNotNoticeIsForgottenAllTheSame() async throws {
    let (shared, gate) = (SharedWork<Int, String>(), ManualClock())
    let first = Task {
      try await shared.value(for: 1) {
        // Deaf to its cancellation.
        await Task.detached { try? await gate.sleep(for: .seconds(1)) }.value
        return "old"
      }
    }
    await gate.waitForSleepers()
    first.cancel()
    await #expect(throws: CancellationError.self) { try await first.value }
    let second = Task {
      try await shared.value(for: 1) {
        try await gate.sleep(for: .seconds(2))
        return "new"
      }
    }
    await gate.waitForSleepers(2)
    gate.advance(by: .seconds(1))
    gate.advance(by: .seconds(1))
    #expect(try await second.value == "new")
  }

  @Test func whoIsCancelledBeforehandBeginsNothing() async {
    let task = Task {
      while !Task.isCancelled { await Task.yield() }
      return try await slow.shared.value(for: "b") { 1 }
    }
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(slow.shared.waiting(for: "b") == 0)
  }
}
