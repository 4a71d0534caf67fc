import FeatureFlags
import Foundation
import HTTPTransport
import PublicationAPI

/// Switches, and what is counted on each side of them.
extension Publication {
  // MARK: For the operator

  /// Sets a flag, new or known. A client's next session follows it.
  /// - Throws: `Problem` with ``Problem/Code/badRequest`` for a rule that makes no sense.
  public func setFlag(_ flag: FlagRecord) async throws {
    do throws(FlagRule.Malformed) { _ = try FlagRule(flag) } catch { throw Problem.badRequest(error.description) }
    try await switches.setFlag(flag)
  }

  /// All flags, by name.
  public func flags() async throws -> [FlagRecord] { try await switches.flags() }

  /// What was counted for a flag.
  /// - Throws: `Problem` with ``Problem/Code/notFound``.
  public func flagReport(_ name: String) async throws -> FlagReport {
    guard let report = try await switches.report(name) else { throw Problem.notFound("flag") }
    return report
  }

  func setFlag(_ call: Call) async throws -> Response {
    let rule: FlagRuleRequest = try call.body()
    let flag = FlagRecord(name: call.parameter, percent: rule.percent, minVersion: rule.minVersion, features: rule.features)
    try await setFlag(flag)
    return try .json(flag)
  }

  // MARK: For clients

  func flags(_ call: Call) async throws -> Response {
    guard let text = call.request.query("client"), let version = ClientVersion(text) else {
      throw Problem.badRequest("“client” is the client’s version, such as 1.2.0.")
    }
    let features = call.request.query("features")?.split(separator: ",").map(String.init) ?? []
    guard features.count <= 100 else { throw Problem.badRequest("“features” names at most 100 of them, with commas between.") }
    let client = Capabilities(version: version, features: Set(features))
    return try .json(FlagList(flags: await switches.flags().filter { (try? FlagRule($0))?.applies(to: client) ?? false }))
  }

  func countEvents(_ call: Call) async throws -> Response {
    let reader = try call.signedIn.id
    let batch: FlagEventBatch = try call.body()
    guard batch.events.count <= FlagEventBatch.limit else {
      throw Problem.badRequest("“events” holds at most \(FlagEventBatch.limit) of them.")
    }
    let events = try batch.events.enumerated().map { index, event in try event.checked("events.\(index)") }
    guard try await switches.eventCount(of: reader, since: now - 86_400) < Self.eventsADay else {
      var response = Response.problem(429, .tooManyAttempts, "There were too many events of this reader today.")
      response.headers["Retry-After"] = "3600"
      return response
    }
    // What only a newer server would count is taken, so that the client does not send it for ever.
    try await switches.count(events.filter { FlagEventRecord.Kind(rawValue: $0.kind) != nil }, of: reader, at: now)
    return Response(204)
  }

  /// How many rows a reader's events may make in a day: far more than anybody's reading does.
  private static let eventsADay = 2000
}

/// `PUT /v1/operator/flags/NAME`: turns a switch. What it does not say is not asked of a client.
public struct FlagRuleRequest: Codable, Equatable, Sendable {
  /// For how many of a hundred readers it is on.
  public var percent: Int
  /// The first version of the client that it is for.
  public var minVersion: String?
  /// What a client has to report.
  public var features: [String]?
  /// Makes one.
  public init(percent: Int, minVersion: String? = nil, features: [String]? = nil) {
    self.percent = percent
    self.minVersion = minVersion
    self.features = features
  }
}

extension FlagRule {
  /// From the wire.
  fileprivate init(_ flag: FlagRecord) throws(Malformed) {
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
