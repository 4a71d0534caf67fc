import Foundation
import Runtime
import Testing

@Suite struct AdjustableClockTests {
  private let base = ManualClock()
  private let start: Date

  init() { start = base.now }

  private func asleep(_ clock: AdjustableClock, _ duration: Duration) async -> Task<Duration, any Error> {
    let count = base.sleeperCount
    let task = Task {
      try await clock.sleep(for: duration)
      return clock.uptime
    }
    await base.waitForSleepers(count + 1)
    return task
  }

  @Test func withoutChangesItIsTheClockUnderneath() {
    let clock = AdjustableClock(base)
    base.advance(by: .seconds(90))
    #expect(clock.now == base.now)
    #expect(clock.uptime == base.uptime)
    base.setNow(start)
    #expect(clock.now == start)
  }

  @Test func aMonthPassesInThirtySeconds() {
    let clock = AdjustableClock(base, rate: AdjustableClock.monthInThirtySeconds)
    base.advance(by: .seconds(30))
    #expect(clock.uptime == .seconds(30 * 86_400))
    #expect(clock.now == start + 30 * 86_400)
  }

  @Test func steppingMovesWallTimeAndUptimeAlike() {
    let clock = AdjustableClock(base)
    clock.step(by: .seconds(3600))
    #expect(clock.uptime == .seconds(3600))
    #expect(clock.now == start + 3600)
    clock.step(by: .seconds(-10))
    #expect(clock.uptime == .seconds(3600))
  }

  @Test func aNewRateCountsFromNowOn() {
    let clock = AdjustableClock(base)
    base.advance(by: .seconds(10))
    clock.rate = 100
    base.advance(by: .seconds(10))
    clock.rate = 0
    base.advance(by: .seconds(10))
    #expect(clock.uptime == .seconds(1010))
    #expect(clock.ahead == .seconds(980))
    clock.rate = -3
    #expect(clock.rate == 0)
  }

  @Test func aLaterOneGoesOnWhereAnEarlierOneWas() {
    let earlier = AdjustableClock(base)
    earlier.step(by: .seconds(500))
    #expect(AdjustableClock(base, ahead: earlier.ahead).now == earlier.now)
  }

  @Test func sleepersWakeWhenTheirTimeHasCome() async throws {
    let clock = AdjustableClock(base, rate: 60)
    let minute = await asleep(clock, .seconds(60))
    base.advance(by: .seconds(1))
    #expect(try await minute.value == .seconds(60))
  }

  @Test func steppingWakesWhoIsDueAndNobodyElse() async throws {
    let clock = AdjustableClock(base)
    let short = await asleep(clock, .seconds(10))
    let long = await asleep(clock, .seconds(20))
    clock.step(by: .seconds(15))
    #expect(try await short.value == .seconds(15))
    await base.waitForSleepers()
    base.advance(by: .seconds(5))
    #expect(try await long.value == .seconds(20))
  }

  @Test func sleepersFollowANewRate() async throws {
    let clock = AdjustableClock(base)
    let task = await asleep(clock, .seconds(1000))
    base.advance(by: .seconds(100))
    clock.rate = 100
    // The sleep underneath was cancelled, and is begun again for nine seconds.
    await base.waitForSleepers()
    base.advance(by: .seconds(8))
    #expect(base.sleeperCount == 1)
    base.advance(by: .seconds(1))
    #expect(try await task.value == .seconds(1000))
  }

  @Test func nobodyWakesWhileItStandsStill() async throws {
    let clock = AdjustableClock(base, rate: 0)
    let task = await asleep(clock, .seconds(1))
    base.advance(by: .seconds(86_400))
    #expect(base.sleeperCount == 1)
    clock.step(by: .seconds(1))
    #expect(try await task.value == .seconds(1))
  }

  @Test func aCancelledSleepEnds() async {
    let task = await asleep(AdjustableClock(base), .seconds(1))
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(base.sleeperCount == 0)
  }

  @Test func nothingToWaitForIsNoSleep() async throws {
    try await AdjustableClock(base).sleep(for: .zero)
    try await AdjustableClock(base).sleep(for: .seconds(-1))
  }
}
