import Foundation
import Patience
import Runtime
import Synchronization
import Testing

@Suite struct ManualClockTests {
  @Test func sleepersWakeWhenDue() async throws {
    let clock = ManualClock()
    let task = Task { try await clock.sleep(for: .seconds(5)) }
    await clock.waitForSleepers()
    clock.advance(by: .seconds(4))
    #expect(clock.sleeperCount == 1)
    clock.advance(by: .seconds(1))
    try await task.value
    #expect(clock.uptime == .seconds(5))
  }

  @Test func cancelledSleeperThrows() async {
    let clock = ManualClock()
    let task = Task { try await clock.sleep(for: .seconds(5)) }
    await clock.waitForSleepers()
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(clock.sleeperCount == 0)
  }

  @Test func aRebootCountsAnewAndLetsSleepersSleepOn() async throws {
    let clock = ManualClock()
    let (boot, now) = (clock.boot, clock.now)
    let task = Task { try await clock.sleep(for: .seconds(5)) }
    await clock.waitForSleepers()
    clock.advance(by: .seconds(3))
    clock.reboot()
    #expect(clock.boot != boot)
    #expect(clock.uptime == .zero)
    #expect(clock.now == now + 3)
    clock.advance(by: .seconds(1))
    #expect(clock.sleeperCount == 1)
    clock.advance(by: .seconds(1))
    try await task.value
  }

  @Test func settingTheWallClockLeavesUptimeAlone() {
    let clock = ManualClock()
    clock.setNow(.distantPast)
    #expect(clock.uptime == .zero)
    #expect(clock.now == .distantPast)
  }
}

@Suite struct ThreadExecutorTests {
  actor Owner {
    nonisolated let executor = ThreadExecutor(name: "owner")
    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }
    func isOnThread() -> Bool { executor.isCurrent }
  }

  @Test func actorRunsOnItsThread() async {
    let owner = Owner()
    #expect(await owner.isOnThread())
    #expect(!owner.executor.isCurrent)
  }

  @Test func runDeliversResultsAndErrors() async throws {
    let executor = ThreadExecutor(name: "work")
    #expect(try await executor.run { executor.isCurrent })
    await #expect(throws: CancellationError.self) { try await executor.run { throw CancellationError() } }
  }
}

@MainActor @Suite struct EffectsTests {
  @Test func completionsAreNumberedInOrderOfArrival() async throws {
    let effects = Effects()
    var seen: [Effects.Delivery] = []
    effects.onDelivery = { seen.append($0) }
    effects.deliver("tap")
    let value = try await effects.run("load") { 7 }
    #expect(value == 7)
    #expect(seen.map(\.number) == [1, 2])
    #expect(seen.map(\.label) == ["tap", "load"])
  }

  @Test func settledWaitsForEffectsStartedByEffects() async throws {
    let effects = Effects()
    let clock = ManualClock()
    var steps: [String] = []
    Task {
      try await effects.run("first") { try await clock.sleep(for: .seconds(1)) }
      steps.append("first")
      try await effects.run("second") {}
      steps.append("second")
    }
    await clock.waitForSleepers()
    clock.advance(by: .seconds(1))
    await effects.settled()
    #expect(steps == ["first", "second"])
  }

  /// Each timer is begun by the one before it, on another thread.
  @Test func settledWaitsForTimersThatTheirClockHasWokenOrDoesNotKnowYet() async throws {
    let (effects, clock) = (Effects(), ManualClock())
    var rounds = 0
    let task = Task {
      while true {
        try await effects.sleep("round", for: .seconds(1), on: clock)
        rounds += 1
      }
    }
    for round in 0..<1_000 {
      await effects.settled()
      #expect((rounds, clock.sleeperCount) == (round, 1))
      clock.advance(by: .seconds(1))
    }
    task.cancel()
  }

  @Test func settledLeavesWhatATestHolds() async throws {
    let (effects, clock) = (Effects(), ManualClock())
    var steps: [String] = []
    let held = Task { try await effects.run("held") { try await clock.sleep(for: .seconds(1)) } }
    await clock.waitForSleepers()
    Task {
      for step in ["first", "second"] {
        try await effects.run(step) {}
        steps.append(step)
      }
    }
    await effects.settled(holding: 1)
    #expect((steps, effects.inFlight) == (["first", "second"], 1))
    clock.advance(by: .seconds(1))
    await effects.settled()
    #expect(effects.inFlight == 0)
    try await held.value
  }

  @Test func aTaskIsWaitedForNoLongerThanOneHasPatience() async throws {
    let (effects, clock) = (Effects(), ManualClock())
    #expect(await effects.wait("patience", for: .seconds(2), on: clock, until: Task {}))
    let gate = Task { _ = try? await clock.sleep(for: .seconds(60)) }
    async let isInTime = effects.wait("patience", for: .seconds(2), on: clock, until: gate)
    await clock.waitForSleepers(2)
    clock.advance(by: .seconds(2))
    #expect(await !isInTime)
    #expect(!gate.isCancelled)
    gate.cancel()
  }

  @Test func timersAreDeliveredAndNotWaitedFor() async throws {
    let effects = Effects()
    let clock = ManualClock()
    var seen: [String] = []
    effects.onDelivery = { seen.append($0.label) }
    let task = Task { try await effects.sleep("spinner", for: .milliseconds(300), on: clock) }
    await clock.waitForSleepers()
    await effects.settled()
    #expect(seen == [])
    #expect((effects.timers, effects.inFlight) == (1, 0))
    clock.advance(by: .milliseconds(300))
    try await task.value
    #expect(seen == ["spinner"])
    #expect(effects.timers == 0)
  }

  @Test func whatSleepsKnowsWhatItSleepsFor() async throws {
    let effects = Effects()
    struct Clock: AppClock {
      let seen: @Sendable (EffectKind?) -> Void
      let base = ManualClock()
      var now: Date { base.now }
      var uptime: Duration { base.uptime }
      var boot: String { base.boot }
      func sleep(for duration: Duration) async throws { seen(EffectKind.current) }
    }
    let scopes = Mutex<[EffectKind?]>([])
    let clock = Clock(seen: { scope in scopes.withLock { $0.append(scope) } })
    try await clock.sleep(for: .seconds(1))
    try await effects.run("load") { try await clock.sleep(for: .seconds(1)) }
    try await effects.sleep("spinner", for: .seconds(1), on: clock)
    #expect(scopes.withLock { $0 } == [nil, .effect, .timer])
  }

  @Test func aCancelledTimerHasEndedAndIsNotDelivered() async throws {
    let effects = Effects()
    let clock = ManualClock()
    effects.onDelivery = { Issue.record("delivered: \($0.label)") }
    let task = Task { try await effects.sleep("spinner", for: .milliseconds(300), on: clock) }
    await clock.waitForSleepers()
    #expect(effects.timers == 1)
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(effects.timers == 0)
  }
}

@Suite struct SystemClockTests {
  @Test func uptimeCountsFromTheBootThatItNames() throws {
    let clock = SystemClock()
    let before = clock.uptime
    #expect(before > .zero)
    #expect(clock.uptime >= before)
    #expect(!clock.boot.isEmpty)
    #expect(SystemClock().boot == clock.boot)
    let known = try String(contentsOfFile: "/proc/sys/kernel/random/boot_id", encoding: .utf8)
    #expect(known.hasPrefix(clock.boot))
    // The kernel's own count, which leaves out what a container may add, is never ahead of it by more than the reading takes.
    let kernel = try String(contentsOfFile: "/proc/uptime", encoding: .utf8).split(separator: " ").first.flatMap { Double($0) }
    #expect(clock.uptime.seconds + 1 >= (kernel ?? 0))
  }
}

@MainActor @Suite struct LastValueTests {
  @Test func anObserverIsToldBeforeTheAssignmentReturns() {
    let last = LastValue(1)
    var seen: [Int] = []
    let observation = last.observe { seen.append($0) }
    #expect(seen == [1])
    last.value = 2
    #expect(seen == [1, 2])
    last.value = 2
    #expect(seen == [1, 2])
    last.value = 1
    #expect(seen == [1, 2, 1])
    observation.cancel()
    last.value = 3
    #expect(seen == [1, 2, 1])
  }

  /// Nobody is told an older value after a newer one, and each observer is told in the order in which they came.
  @Test func anObserverMayAssignAnotherValue() {
    let last = LastValue(1)
    var seen: [String] = []
    let first = last.observe {
      seen.append("a\($0)")
      if $0 == 2 { last.value = 3 }
    }
    let second = last.observe { seen.append("b\($0)") }
    last.value = 2
    #expect(seen == ["a1", "b1", "a2", "a3", "b3"])
    withExtendedLifetime((first, second)) {}
  }

  /// Such as a page that a change opens: it is told at once, and not after those who were there before.
  @Test func anObserverMayBringAnother() {
    let last = LastValue(1)
    var seen: [String] = []
    var inner: Observation?
    let first = last.observe {
      seen.append("a\($0)")
      guard $0 == 2 else { return }
      inner = last.observe { seen.append("b\($0)") }
      seen.append("there")
      last.value = 3
    }
    let second = last.observe { seen.append("c\($0)") }
    last.value = 2
    #expect(seen == ["a1", "c1", "a2", "b2", "there", "a3", "c3", "b3"])
    withExtendedLifetime((first, second, inner)) {}
  }

  @Test func anObserverMayEndItselfOrAnother() {
    let last = LastValue(1)
    var seen: [String] = []
    var observations: [Observation] = []
    observations = ["a", "b", "c"].map { name in
      last.observe {
        seen.append("\(name)\($0)")
        if name == "b", $0 == 2 { observations = [] }
      }
    }
    last.value = 2
    last.value = 3
    #expect(seen == ["a1", "b1", "c1", "a2", "b2"])
    #expect(observations.isEmpty)
  }

  @Test func whoeverReleasesAnObservationIsNotTold() {
    let last = LastValue<Int?>(nil)
    var seen: [Int?] = []
    var observation: Observation? = last.observe { seen.append($0) }
    #expect(observation != nil && seen == [nil])
    observation = nil
    last.value = 1
    #expect(seen == [nil])
  }

  @Test func whatComesBackBeforeItIsReadIsNoChange() async {
    let last = LastValue(1)
    var iterator = last.stream().makeAsyncIterator()
    #expect(await iterator.next() == 1)
    last.value = 2
    last.value = 1
    last.value = 3
    last.value = 4
    #expect(await iterator.next() == 4)
    last.value = 5
    last.value = 4
    async let next = iterator.next()
    last.value = 6
    #expect(await next == 6)
  }

  @Test func aReaderIsGivenWhatWasNotReadWhenTheOwnerGoes() async {
    var last: LastValue<Int>? = LastValue(1)
    let stream = last?.stream()
    last?.value = 2
    last = nil
    var seen: [Int] = []
    if let stream { for await value in stream { seen.append(value) } }
    #expect(seen == [2])
  }

  @Test func aCancelledReaderEnds() async {
    let last = LastValue(1)
    let stream = last.stream()
    var seen: [Int] = []
    let task = Task { for await value in stream { seen.append(value) } }
    await until { !seen.isEmpty }
    task.cancel()
    await task.value
    last.value = 2
    #expect(seen == [1])
  }

  @Test func everyReaderHasItsOwnPlace() async {
    let last = LastValue(1)
    var first = last.stream().makeAsyncIterator()
    #expect(await first.next() == 1)
    last.value = 2
    var second = last.stream().makeAsyncIterator()
    #expect(await second.next() == 2)
    #expect(await first.next() == 2)
  }

  @Test func eachStreamStartsWithTheLastValueAndSkipsEqualOnes() async {
    let last = LastValue(1)
    last.value = 2
    var iterator = last.stream().makeAsyncIterator()
    #expect(await iterator.next() == 2)
    last.value = 2
    last.value = 3
    #expect(await iterator.next() == 3)
  }
}

@Suite struct SetOnceTests {
  @Test func secondSetStops() async throws {
    let process = try await #require(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let value = SetOnce<Int>(module: "Shop")
      value.set(1)
      value.set(2)
    }
    let errors = String(decoding: process.standardErrorContent, as: UTF8.self)
    #expect(errors.contains("Shop is set up already: ShopModule.setUp(with:) was called twice"))
  }

  @Test func missingSetStops() async throws {
    let process = try await #require(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = SetOnce<Int>(module: "Shop").get
    }
    let errors = String(decoding: process.standardErrorContent, as: UTF8.self)
    #expect(errors.contains("Shop is not set up: ShopModule.setUp(with:) has not been called"))
  }
}

@Suite struct IdentifierTests {
  @Test func sequentialIdentifiersCount() {
    let source = SequentialIdentifiers()
    #expect(source.next().uuidString == "00000000-0000-0000-0000-000000000001")
    #expect(source.next().uuidString == "00000000-0000-0000-0000-000000000002")
  }
}

@Suite struct RandomnessTests {
  @Test func theSameSeedGivesTheSameSequenceOnEveryMachine() {
    // The reference implementation's first numbers for the seed 0.
    let random = SeededRandom(seed: 0)
    #expect([random.next(), random.next()] == [0xE220_A839_7B1D_CDAF, 0x6E78_9E6A_A1B9_65F4])
  }

  @Test func aFractionIsBelowOne() {
    #expect(FixedRandom(.max).fraction() < 1)
    #expect(FixedRandom(0).fraction() == 0)
    let random = SystemRandom()
    #expect((0..<100).allSatisfy { _ in (0..<1).contains(random.fraction()) })
  }

  @Test func bytesAreThoseOfTheNumbers() {
    let first: [UInt8] = [0xAF, 0xCD, 0x1D, 0x7B, 0x39, 0xA8, 0x20, 0xE2]
    let second: [UInt8] = [0xF4, 0x65, 0xB9, 0xA1, 0x6A, 0x9E, 0x78, 0x6E]
    for count in 0...16 { #expect(SeededRandom(seed: 0).bytes(count) == Array((first + second).prefix(count))) }
    #expect(SystemRandom().bytes(32) != SystemRandom().bytes(32))
  }
}
