import Foundation
import PublicationAPI
import PublicationClient
import PurchaseService
import Runtime

/// The publication's paywalls, as one reader saw them last, by the rule that products are kept by: while the publication is away, what it
/// said before is shown and marked; after a no it is not. Isolated to the main actor.
@MainActor public final class PaywallCache {
  /// A paywall, and whether it may be out of date.
  public struct Answer: Equatable, Sendable {
    /// What is offered.
    public let paywall: PaywallRecord
    /// When it was fetched, where the publication is away and this is what it said then; `nil` for what it says now.
    public let fetchedAt: Date?
  }

  private let effects: Effects
  private let clock: any AppClock
  private let fetch: @Sendable (PaywallRecord.ID) async throws -> PaywallRecord
  private var paywalls: [PaywallRecord.ID: (paywall: PaywallRecord, fetched: Date)] = [:]

  /// - Parameters:
  ///   - effects: the door off the main actor.
  ///   - clock: dates what is kept, as the store dates its products.
  ///   - fetch: asks the publication; called off the main actor.
  public init(effects: Effects, clock: any AppClock, fetch: @escaping @Sendable (PaywallRecord.ID) async throws -> PaywallRecord) {
    self.effects = effects
    self.clock = clock
    self.fetch = fetch
  }

  /// What a paywall offers, now or when the publication was heard of last.
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
