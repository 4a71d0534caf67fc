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
    guard batch.events.count <= AnalyticsBatch.limit else {
      throw Problem.badRequest("“events” holds at most \(AnalyticsBatch.limit) of them.")
    }
    for (index, event) in batch.events.enumerated() {
      for (member, text) in [("name", event.name), ("detail", event.detail ?? "none")] where !FlagRule.isName(text) {
        throw Problem.badRequest("“events[\(index)].\(member)” is no word: that is 1 to 64 of a-z, 0-9, “.”, “_” and “-”.")
      }
    }
    guard try await analytics.eventCount(of: reader, since: clock.unixTime - 86_400) < Self.eventsADay else {
      var response = Response.problem(429, .tooManyAttempts, "There were too many events of this reader today.")
      response.headers["Retry-After"] = "3600"
      return response
    }
    try await analytics.count(AnalyticsBatch(id: id.uuidString, events: batch.events), of: reader, at: clock.unixTime)
    return Response(204)
  }

  nonisolated(nonsending) func counts(_ call: Call) async throws -> Response {
    let text = call.query("days") ?? "30"
    guard let days = Int64(text), (1...3660).contains(days) else { throw Problem.badRequest("“days” is a number from 1 to 3660.") }
    return try .json(await analytics.counts(since: clock.unixTime - (days - 1) * 86_400))
  }

  /// Far more than anybody's reading makes.
  private static let eventsADay = 5000
}
