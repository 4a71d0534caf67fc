import FeatureFlags
import Foundation
import HTTPTransport
import PublicationAPI
import Runtime

/// How often things happen in the app, of readers who agreed to that.
struct AnalyticsResource {
  let analytics: any AnalyticsRepository
  let clock: any AppClock

  nonisolated(nonsending) func count(_ call: Call, _ batch: AnalyticsBatch) async throws -> Response {
    let reader = try call.signedIn.id
    guard let id = UUID(uuidString: batch.id) else { throw Problem.badRequest("“id” is no UUID.") }
    guard (1...AnalyticsBatch.limit).contains(batch.events.count) else {
      throw Problem.badRequest("“events” holds 1 to \(AnalyticsBatch.limit) of them.")
    }
    for (index, event) in batch.events.enumerated() {
      for (member, text) in [("name", event.name), ("detail", event.detail ?? "none")] where !FlagRule.isName(text) {
        throw Problem.badRequest("“events[\(index)].\(member)” is no word: that is 1 to 64 of a-z, 0-9, “.”, “_” and “-”.")
      }
    }
    let load = try await analytics.load(of: reader, since: clock.unixTime - 86_400)
    guard load.batches < Self.mostADay.batches, load.events < Self.mostADay.events else {
      return .problem(429, .tooManyAttempts, "There were too many events of this reader today.", retryAfter: 3600)
    }
    // Names that only a newer server counts are accepted, so that the client does not send them for ever.
    try await analytics.count(AnalyticsBatch(id: id.uuidString, events: batch.events), of: reader, at: clock.unixTime)
    return Response(204)
  }

  nonisolated(nonsending) func counts(_ call: Call) async throws -> Response {
    let text = call.query(.days) ?? "30"
    guard let days = Int64(text), (1...366).contains(days) else { throw Problem.badRequest("“days” is a number from 1 to 366.") }
    return try .json(await analytics.counts(since: clock.unixTime - (days - 1) * 86_400))
  }

  /// Far more than anybody's reading makes.
  private static let mostADay = (batches: 1000, events: 5000)
}
