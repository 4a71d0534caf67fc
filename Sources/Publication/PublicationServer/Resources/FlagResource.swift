import FeatureFlags
import Foundation
import HTTPTransport
import PublicationAPI
import Runtime

/// Switches, and what is counted on each side of them.
struct FlagResource {
  let flags: any FlagRepository
  let clock: any AppClock

  // MARK: For the operator

  nonisolated(nonsending) func set(_ flag: FlagRecord) async throws {
    do throws(FlagRule.Failure) { _ = try FlagRule(flag) } catch { throw Problem.badRequest(error.description) }
    try await flags.setFlag(flag)
  }

  nonisolated(nonsending) func all() async throws -> Response { try .json(FlagList(flags: await flags.flags())) }

  nonisolated(nonsending) func report(_ call: Call) async throws -> Response { try .json(await report(call.parameter)) }

  nonisolated(nonsending) func report(_ name: String) async throws -> FlagReport {
    guard let report = try await flags.report(name) else {
      throw Problem(code: .notFound, title: "There is no flag “\(name.prefix(64))”.", status: 404)
    }
    return report
  }

  nonisolated(nonsending) func set(_ call: Call, _ rule: FlagRuleRequest) async throws -> Response {
    let flag = FlagRecord(name: call.parameter, percent: rule.percent, minVersion: rule.minVersion, features: rule.features)
    try await set(flag)
    return try .json(flag)
  }

  // MARK: For clients

  nonisolated(nonsending) func list(_ call: Call) async throws -> Response {
    // No version is longer, and a longer text would be split at each of its dots.
    guard let text = call.query(.client), text.utf8.count <= 200, let version = ClientVersion(text) else {
      throw Problem.badRequest("“client” is the client’s version, such as 1.2.0.")
    }
    let features = call.names(.features, most: 100)
    guard features.count <= 100 else { throw Problem.badRequest("“features” names at most 100 of them, with commas between.") }
    let client = ClientCapabilities(version: version, features: Set(features))
    return try .json(FlagList(flags: await flags.flags().filter { (try? FlagRule($0))?.applies(to: client) ?? false }))
  }

  nonisolated(nonsending) func count(_ call: Call, _ batch: FlagEventBatch) async throws -> Response {
    let reader = try call.signedIn.id
    guard batch.events.count <= FlagEventBatch.limit else {
      throw Problem.badRequest("“events” holds at most \(FlagEventBatch.limit) of them.")
    }
    guard !batch.events.isEmpty else { return Response(204) }
    let events = try batch.events.enumerated().map { index, event in try event.checked("events[\(index)]") }
    guard try await flags.eventCount(of: reader, since: clock.unixTime - 86_400) < Self.eventsADay else {
      return .problem(429, .tooManyAttempts, "There were too many events of this reader today.", retryAfter: 3600)
    }
    // Events that only a newer server counts are accepted, so that the client does not send them for ever.
    try await flags.count(events.filter { FlagEventRecord.Kind(rawValue: $0.kind) != nil }, of: reader, at: clock.unixTime)
    return Response(204)
  }

  /// How many rows a reader's events may make in a day: far more than anybody's reading does.
  private static let eventsADay = 2000
}

extension Publication {
  /// Sets a flag, new or existing. A client's next session follows it.
  /// - Throws: `Problem` with `Problem.Code.badRequest` for an invalid rule.
  public func setFlag(_ flag: FlagRecord) async throws { try await flagResource.set(flag) }

  /// All flags, by name.
  /// - Throws: `SQLiteError`; ``Publication/Failure/closed``.
  public func flags() async throws -> [FlagRecord] { try await flagRepository.flags() }

  /// What was counted for a flag; for tests.
  /// - Throws: `Problem` with `Problem.Code.notFound`.
  public func flagReport(_ name: String) async throws -> FlagReport { try await flagResource.report(name) }
}

extension FlagRule {
  /// From the wire.
  fileprivate init(_ flag: FlagRecord) throws(Failure) {
    try self.init(name: flag.name, percent: flag.percent, minimumVersion: flag.minVersion, features: flag.features ?? [])
  }
}

extension FlagEventRecord {
  /// The event with its identifier in the one form that is stored.
  /// - Throws: `Problem` that says what is wrong.
  fileprivate func checked(_ place: String) throws(Problem) -> FlagEventRecord {
    guard let uuid = UUID(uuidString: id) else { throw .badRequest("“\(place).id” is no UUID.") }
    guard FlagRule.isName(kind) else { throw .badRequest("“\(place).kind” is no word.") }
    if let code, !FlagRule.isName(code) { throw .badRequest("“\(place).code” is no code: that is 1 to 64 of a-z, 0-9, “.”, “_” and “-”.") }
    if kind == Kind.failed.rawValue, code == nil { throw .badRequest("“\(place).code” is missing: it says why a purchase failed.") }
    guard buckets.count <= FlagEventBatch.bucketLimit, buckets.keys.allSatisfy(FlagRule.isName) else {
      throw .badRequest("“\(place).buckets” names what is no flag, or more than \(FlagEventBatch.bucketLimit).")
    }
    guard buckets.values.allSatisfy({ Variant(rawValue: $0) != nil }) else {
      throw .badRequest("“\(place).buckets” has a side that is neither on nor off.")
    }
    var event = self
    event.id = uuid.uuidString
    return event
  }
}
