import Foundation
import Testing

@testable import PublicationServer

@Suite struct BillingPeriodTests {
  @Test(arguments: [
    ("2024-01-31T12:00:00Z", "P1M", "2024-02-29T12:00:00Z"), ("2023-01-31T12:00:00Z", "P1M", "2023-02-28T12:00:00Z"),
    ("2024-02-29T00:00:00Z", "P1Y", "2025-02-28T00:00:00Z"), ("2024-12-15T23:59:59Z", "P3M", "2025-03-15T23:59:59Z"),
    ("2024-03-30T01:30:00Z", "P1D", "2024-03-31T01:30:00Z"), ("2024-03-25T00:00:00Z", "P1W", "2024-04-01T00:00:00Z"),
  ])
  func ends(start: String, period: String, end: String) throws {
    let style = Date.ISO8601FormatStyle()
    let found = try BillingPeriod(period).end(from: Int64(style.parse(start).timeIntervalSince1970))
    #expect(found == Int64(try style.parse(end).timeIntervalSince1970))
  }

  @Test(arguments: ["", "P", "M", "1M", "P0M", "P-1M", "PM", "P1", "P1H", "PT1M", "P1M2D", "P1001Y", "P99999999999999999999Y"])
  func whatIsNoPeriod(text: String) {
    #expect(throws: BillingPeriod.Failure(text: text)) { try BillingPeriod(text) }
  }

  @Test func whatCannotBeSoldIsNotInstalled() async throws {
    let rig = try await Rig()
    var content = Rig.content
    content.products[0].period = nil
    let publication = try await Publication(folder: nil, gateway: rig.gateway, clock: rig.clock)
    await #expect(throws: BillingPeriod.Failure.self) { try await publication.install(content) }
    #expect(try await publication.isFounded == false)
  }
}
