import Runtime
import Synchronization
import Testing

@testable import PublicationServer

/// What one client can bring into the operator's log.
@Suite struct LogLimitTests {
  @Test func ofOneKindAFewAMinuteAndThenTheirNumber() {
    let clock = ManualClock()
    let lines = Mutex<[String]>([])
    let limit = LogLimit(clock: clock) { line in lines.withLock { $0.append(line) } }
    func take() -> [String] {
      lines.withLock { lines in
        defer { lines = [] }
        return lines
      }
    }
    for number in 0..<1000 { limit.write("order 8F1D2A53-0B4C-4A7E-9C11-6D2E5F3A\(number): refused") }
    #expect(take().count == LogLimit.most)
    // Another sentence has places of its own.
    limit.write("The disk is full.")
    #expect(take() == ["The disk is full."])
    clock.advance(by: LogLimit.period)
    limit.write("order 1: refused")
    #expect(take() == ["\(1000 - LogLimit.most) more lines like the next one were left out.", "order 1: refused"])
    clock.advance(by: LogLimit.period)
    limit.write("order 2: refused")
    #expect(take() == ["order 2: refused"])
  }

  /// A word that a client chooses, such as a name, makes each line one of another kind.
  @Test func ofAllKindsSoManyAMinute() {
    let clock = ManualClock()
    let lines = Mutex<[String]>([])
    let limit = LogLimit(clock: clock) { line in lines.withLock { $0.append(line) } }
    let letters = Array("abcdefghij")
    func word(_ number: Int) -> String { String(String(number).map { letters[Int(String($0))!] }) }
    for number in 0..<5000 { limit.write("The feed of \(word(number)) is no feed.") }
    #expect(lines.withLock(\.count) == LogLimit.mostOfAll)
    clock.advance(by: LogLimit.period)
    limit.write("The disk is full.")
    #expect(lines.withLock { $0.suffix(2) } == ["\(5000 - LogLimit.mostOfAll) more lines were left out.", "The disk is full."])
  }
}
