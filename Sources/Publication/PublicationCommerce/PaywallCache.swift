import Foundation
import PublicationAPI
import PublicationClient
import PurchaseService
import Runtime

/// The publication's paywalls, as one reader saw them last. As with products, the last answer is shown and marked while the publication is
/// unreachable, and not after a refusal. Isolated to the main actor.
@MainActor public final class PaywallCache {
  /// A paywall, and whether it may be out of date.
  public struct Answer: Equatable, Sendable {
    /// The paywall, as the publication answered it.
    public let paywall: PaywallRecord
    /// When it was fetched, if this is an earlier answer because the publication is unreachable; `nil` for a present answer.
    public let fetchedAt: Date?
  }

  private let effects: Effects
  private let clock: any AppClock
  private let fetch: @Sendable (PaywallRecord.ID) async throws -> PaywallRecord
  private var paywalls: [PaywallRecord.ID: (paywall: PaywallRecord, fetched: Date)] = [:]

  /// - Parameters:
  ///   - effects: the door off the main actor.
  ///   - clock: dates the stored paywalls, as the store dates its products.
  ///   - fetch: asks the publication; called off the main actor.
  public init(effects: Effects, clock: any AppClock, fetch: @escaping @Sendable (PaywallRecord.ID) async throws -> PaywallRecord) {
    self.effects = effects
    self.clock = clock
    self.fetch = fetch
  }

  /// What a paywall offers, now or in the publication's last answer.
  /// - Throws: `StoreError`.
  public func paywall(_ id: PaywallRecord.ID) async throws(StoreError) -> Answer {
    do {
      let paywall = try await effects.run("paywall.load") { [fetch] in try await fetch(id) }
      paywalls[id] = (paywall, clock.now)
      return Answer(paywall: paywall, fetchedAt: nil)
    } catch {
      let failure =
        error as? StoreError ?? (error as? ClientError).map(StoreError.init)
        ?? StoreError(.unavailable, code: "unknown", sentence: "The offers cannot be loaded. Try again in a moment.")
      if failure.kind == .refused { paywalls[id] = nil }
      guard failure.kind == .unavailable, let last = paywalls[id] else { throw failure }
      return Answer(paywall: last.paywall, fetchedAt: last.fetched)
    }
  }
}
