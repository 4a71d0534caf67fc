import Foundation
import Runtime
import SignedReceipts

/// The seller's keys: from memory, else from the journal, else from the seller. An actor that only stores them.
public actor TrustedKeyCache {
  /// How long after a fetch a key that is still unknown is not requested again, so that forged receipts cannot cause requests at will.
  public static let refetchInterval: Duration = .seconds(60)
  /// How long keys are used without asking the seller whether one was revoked.
  public static let refreshInterval: Duration = .seconds(86_400)

  private let seller: String
  private let purchasePath: String
  private let journal: Journal
  private let clock: any AppClock
  private let fetch: @Sendable () async throws -> TrustedKeys
  private var cached: TrustedKeys?
  private var lastFetch: Duration?
  private var lastRefresh: Duration?
  /// When the keys that the journal kept were fetched, by the wall clock.
  private var storedAt: Date?
  private var fetching: Task<TrustedKeys, any Error>?

  /// - Parameters:
  ///   - seller: whose keys, as the journal names it.
  ///   - purchasePath: the name of the path that verifies with them; they verify no other path's receipts.
  ///   - journal: keeps the keys for a start without a network.
  ///   - clock: dates them, and spaces out fetches.
  ///   - fetch: asks the seller for its keys; may throw anything.
  public init(
    seller: String, purchasePath: String, journal: Journal, clock: any AppClock, fetch: @escaping @Sendable () async throws -> TrustedKeys
  ) {
    self.seller = seller
    self.purchasePath = purchasePath
    self.journal = journal
    self.clock = clock
    self.fetch = fetch
  }

  /// The keys that are known; asks the seller only when there are none.
  /// - Throws: ``VerificationError/unavailable(_:)``.
  public func current() async throws(VerificationError) -> TrustedKeys {
    if let cached { return cached }
    let stored = try? await journal.trustedKeys(seller: seller, purchasePath: purchasePath)
    // Another call may have fetched the keys meanwhile.
    if cached == nil { (cached, storedAt) = (stored?.keys, stored?.fetched) }
    if let cached { return cached }
    return try await refetch()
  }

  /// The keys that are known; asks the seller again when they are old, and uses them while it is unreachable.
  /// - Throws: ``VerificationError/unavailable(_:)`` when there are none.
  func fresh() async throws(VerificationError) -> TrustedKeys {
    let keys = try await current()
    guard isOld else { return keys }
    lastRefresh = clock.uptime
    do { return try await refetch() } catch { return keys }
  }

  private var isOld: Bool {
    if let lastRefresh, clock.uptime - lastRefresh < Self.refetchInterval { return false }
    if let lastFetch { return clock.uptime - lastFetch >= Self.refreshInterval }
    // After the clock was set back, the age is unknown.
    guard let age = storedAt.map(clock.now.timeIntervalSince) else { return false }
    return age < 0 || age >= Self.refreshInterval.seconds
  }

  /// The keys after asking the seller once more, because a receipt names one that is not known.
  /// - Throws: ``VerificationError/unavailable(_:)``.
  public func refetched(becauseOf kid: String) async throws(VerificationError) -> TrustedKeys {
    if let cached, cached.keys.contains(where: { $0.kid == kid }) { return cached }
    if let cached, let lastFetch, clock.uptime - lastFetch < Self.refetchInterval { return cached }
    return try await refetch()
  }

  private func refetch() async throws(VerificationError) -> TrustedKeys {
    // Callers that come while a fetch runs wait for that one.
    let task = fetching ?? Task { [fetch] in try await fetch() }
    fetching = task
    do {
      let fetched = try await task.value
      if fetching == task {
        fetching = nil
        cached = fetched
        lastFetch = clock.uptime
        // Keys that are not stored now are requested again at the next start.
        try? await journal.store(fetched, seller: seller, purchasePath: purchasePath)
      }
      return fetched
    } catch {
      if fetching == task { fetching = nil }
      throw .unavailable("\(error)")
    }
  }
}

extension Journal {
  func trustedKeys(seller: String, purchasePath: String) async throws -> (keys: TrustedKeys, fetched: Date)? {
    try await database.run { connection in
      try connection.queryOne("SELECT issuer, keys, fetched FROM trusted_keys WHERE seller = ? AND purchase_path = ?", seller, purchasePath)
      { row in
        let fields = try JSONDecoder().decode([VerificationKey.JWK].self, from: Data(row.get("keys", as: String.self).utf8))
        let keys = TrustedKeys(issuer: try row.get("issuer", as: String.self), keys: try fields.map { try VerificationKey(jwk: $0) })
        return (keys, try row.get("fetched", as: Date.self))
      }
    }
  }

  func store(_ trusted: TrustedKeys, seller: String, purchasePath: String) async throws {
    let keys = String(decoding: try JSONEncoder().encode(trusted.keys.map(\.jwk)), as: UTF8.self)
    let now = clock.now
    _ = try await database.run { connection in
      try connection.execute(
        "INSERT OR REPLACE INTO trusted_keys (seller, purchase_path, issuer, keys, fetched) VALUES (?, ?, ?, ?, ?)", seller, purchasePath,
        trusted.issuer,
        keys, now)
    }
  }
}
