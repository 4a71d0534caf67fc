import PublicationAPI
import PublicationServer
import Testing

@testable import MatineeServer

@Suite struct FlagTableTests {
  private func bucket(
    _ variant: String, readers: Int = 0, sessions: Int = 0, seen: Int = 0, bought: Int = 0, failed: [String: Int] = [:], crashes: Int = 0
  ) -> FlagReport.Bucket {
    var bucket = FlagReport.Bucket(variant: variant)
    (bucket.readers, bucket.sessions, bucket.paywallsSeen) = (readers, sessions, seen)
    (bucket.bought, bucket.failed, bucket.crashes) = (bought, failed, crashes)
    return bucket
  }

  @Test func bothSidesStandBesideEachOther() {
    let report = FlagReport(
      flag: FlagRecord(name: "purchase.device_first", percent: 50, minVersion: "1.2", features: ["device_receipts"]),
      buckets: [
        bucket("on", readers: 120, sessions: 340, seen: 210, bought: 31, failed: ["declined": 3, "storage": 1], crashes: 2),
        bucket("off", readers: 118, sessions: 335, seen: 205, bought: 18, failed: ["declined": 9]),
      ])
    #expect(
      FlagTable(report: report).lines.joined(separator: "\n") == """
        purchase.device_first: on for 50 % of the readers, from version 1.2 on, with device_receipts

                                             on                  off
        readers                             120                  118
        sessions                            340                  335
        paywalls seen                       210                  205
        bought                               31                   18
          of paywalls seen   14.8 % (10.6–20.2)     8.8 % (5.6–13.5)
        failed                                4                    9
          of tries            11.4 % (4.5–26.0)   33.3 % (18.6–52.2)
          declined                            3                    9
          storage                             1                    0
        crashes                               2                    0
          of sessions           0.6 % (0.2–2.1)      0.0 % (0.0–1.1)

        In brackets: where the true share lies, 95 times in 100. Where two of them do not overlap, chance hardly explains the difference.
        To see whether a fifth more or less is bought takes about 2988 paywalls on each side; the smaller side has 205.
        """)
  }

  @Test func whereNothingWasCountedNothingIsClaimed() {
    let lines = FlagTable(
      report: FlagReport(flag: FlagRecord(name: "new", percent: 0), buckets: [bucket("on"), bucket("off")])
    ).lines
    #expect(lines.first == "new: on for 0 % of the readers")
    #expect(lines.contains("  of sessions         –     –"))
    #expect(lines.last == "There is too little yet to say how many paywalls a judgement takes.")
  }

  @Test func manyPaywallsAreEnough() {
    let sides = ["on", "off"].map { bucket($0, seen: 5000, bought: 500) }
    let report = FlagReport(flag: FlagRecord(name: "new", percent: 50), buckets: sides)
    #expect(
      FlagTable(report: report).lines.last
        == "There are enough paywalls to see whether a fifth more or less is bought: it takes about 3600 on each side.")
  }

  /// Computed with the formula by another program.
  @Test(arguments: [
    (0, 10, 0.0, 0.2775), (1, 10, 0.0179, 0.4042), (5, 10, 0.2366, 0.7634), (10, 10, 0.7225, 1.0), (81, 263, 0.2553, 0.3662),
  ])
  func intervals(count: Int, total: Int, low: Double, high: Double) {
    let interval = Share(count, of: total).interval
    #expect(abs(interval.low - low) < 0.00011)
    #expect(abs(interval.high - high) < 0.00011)
  }

  @Test func moreOfLessIsAll() { #expect(Share(3, of: 2).text.hasPrefix("100.0 %")) }
}
