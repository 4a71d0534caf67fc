import FeatureFlags
import Foundation
import PublicationAPI

/// A publication as the source of rules and the sink of events. A value: safe from any thread.
public struct PublicationFlags: FlagSource, FlagSink {
  private let client: APIClient
  private let account: @Sendable (_ user: Reader.ID) async -> APIClient?

  /// - Parameters:
  ///   - client: asks for the rules, which are open to all.
  ///   - account: see ``PublicationQueue/init(account:)``.
  public init(_ client: APIClient, account: @escaping @Sendable (_ user: Reader.ID) async -> APIClient?) {
    self.client = client
    self.account = account
  }

  /// Asks for the rules: `GET /v1/flags`. A rule that cannot be read does not affect others; a publication without flags has no rules.
  /// - Throws: `FlagError`.
  public func rules(for client: ClientCapabilities) async throws -> FetchedRules {
    do throws(ClientError) {
      let list: LenientFlagList = try await self.client.flags(client.version.description, features: client.features.sorted())
      return FetchedRules(
        rules: list.flags.compactMap { try? $0.rule.get() },
        malformed: list.flags.compactMap { if case .failure(let malformed) = $0.rule { malformed } else { nil } })
    } catch {
      if error.isNotFound { return FetchedRules(rules: []) }
      throw FlagError(error)
    }
  }

  /// Hands events over: `POST /v1/events`.
  /// - Throws: `FlagError`.
  public func send(_ events: [FlagEvent], of user: String) async throws {
    guard let client = await account(user) else { throw FlagError.unreachable }
    do throws(ClientError) {
      try await client.count(FlagEventBatch(events: events.map(FlagEventRecord.init)))
    } catch { throw FlagError(error) }
  }
}

extension APIClient {
  /// The rules for a client, needs no token.
  @concurrent func flags<List: Decodable & Sendable>(_ version: String, features: [String]) async throws(ClientError) -> List {
    try await call(
      .get, .flags, query: [(.client, version), (.features, features.isEmpty ? nil : features.joined(separator: ","))],
      as: .none)
  }

  /// Sends events of the reader; those that were accepted before are not counted again.
  func count(_ batch: FlagEventBatch) async throws(ClientError) { try await send(.post, .events, body: batch) }
}

extension APIClient {
  /// Has events counted; a batch that was accepted before is not counted again.
  /// - Throws: ``ClientError``.
  public func count(_ batch: AnalyticsBatch) async throws(ClientError) { try await send(.post, .analytics, body: batch) }
}

extension FlagEvent.Name {
  /// A paywall was shown.
  public static let paywallSeen = Self(rawValue: FlagEventRecord.Kind.paywallSeen.rawValue)
  /// A purchase was charged, verified and unlocked.
  public static let bought = Self(rawValue: FlagEventRecord.Kind.bought.rawValue)
  /// A purchase failed, for the reason of its code.
  public static let failed = Self(rawValue: FlagEventRecord.Kind.failed.rawValue)
}

extension FlagEventRecord {
  fileprivate init(_ event: FlagEvent) {
    self.init(
      id: event.id.uuidString, kind: event.name.rawValue, code: event.code.map(Self.code),
      buckets: event.buckets.mapValues(\.rawValue))
  }

  /// Stores may use any text as a code; one with other characters is counted under another code.
  private static func code(_ text: String) -> String {
    let word = text.lowercased()
    return FlagRule.isName(word) ? word : "other"
  }
}

extension FlagError {
  /// From a call that failed.
  fileprivate init(_ error: ClientError) {
    switch (error, error.disposition) {
    // The publication makes no sense to this version, and will not at the next try either.
    case (.undecodable, _), (_, .refused), (_, .notFound): self = .refused(error.sentence)
    case (_, .retryLater), (_, .sessionEnded), (_, .cancelled): self = .unreachable
    }
  }
}

/// `FlagList`, of which each rule is read by itself.
private struct LenientFlagList: Decodable {
  struct Element: Decodable {
    let rule: Result<FlagRule, FlagRule.Failure>

    init(from decoder: any Decoder) throws {
      guard let record = try? FlagRecord(from: decoder) else {
        let name = try? decoder.container(keyedBy: Key.self).decode(String.self, forKey: .name)
        rule = .failure(FlagRule.Failure("The rule of the flag “\(name?.prefix(64) ?? "without a name")” cannot be read."))
        return
      }
      rule = Result { () throws(FlagRule.Failure) in
        try FlagRule(name: record.name, percent: record.percent, minimumVersion: record.minVersion, features: record.features ?? [])
      }
    }

    private enum Key: CodingKey { case name }
  }

  let flags: [Element]
}
