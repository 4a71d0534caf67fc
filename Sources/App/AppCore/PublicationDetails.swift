import PublicationAPI
import PublicationClient
import PublicationCommerce
import Runtime

/// The publication's details, for the screens that show them. Isolated to the main actor.
@MainActor final class PublicationDetails {
  /// Whether the publication lets readers add feeds; `false` while that is not known.
  let canAddFeeds = LastValue(false)
  /// What the publication calls itself, once that is known.
  let name = LastValue<String?>(nil)
  /// All of it; `nil` until the publication has answered.
  private(set) var info: PublicationInfo? {
    didSet {
      canAddFeeds.value = info?.canAddFeeds ?? false
      name.value = info?.name
    }
  }
  /// The publication's paywall; before its answer, the one that every publication has.
  var paywallID: PaywallRecord.ID { info?.defaultPaywallID ?? PurchasableProduct.premium }

  private let client: APIClient
  private let effects: Effects

  init(_ client: APIClient, effects: Effects) {
    self.client = client
    self.effects = effects
  }

  /// Asks the publication, unless it has answered before.
  /// - Throws: `ClientError`.
  func load() async throws {
    guard info == nil else { return }
    info = try await effects.run("publication.load") { [client] in try await client.publication() }
  }
}
