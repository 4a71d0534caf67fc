import FeatureFlags
import Foundation
import MenuFeature
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

  /// Why it does not serve this app, by its last answer; `nil` while it does.
  let notice = LastValue<ServiceNotice?>(nil)

  /// How long an answer is used.
  static let lifetime = Duration.seconds(3600)
  private let client: APIClient
  private let environment: AppEnvironment
  /// When the publication last answered, by uptime.
  private var fetchedAt: Duration?

  init(_ client: APIClient, environment: AppEnvironment) {
    self.client = client
    self.environment = environment
  }

  /// Asks the publication, unless it has answered within ``lifetime`` and serves this app.
  /// - Throws: `ClientError`.
  func load() async throws {
    let isCurrent = fetchedAt.map { environment.clock.uptime - $0 < Self.lifetime } ?? false
    guard !isCurrent || notice.value != nil else { return }
    do {
      let info = try await environment.effects.run("publication.load") { [client] in try await client.publication() }
      self.info = info
      fetchedAt = environment.clock.uptime
      notice.value = info.minimumVersion.flatMap { isTooOld(for: $0) ? .tooOld(minimum: $0) : nil }
    } catch {
      if case .problem(let problem, let rest)? = error as? ClientError, problem.code == .maintenance {
        notice.value = .maintenance(until: rest.map { environment.clock.now.addingTimeInterval($0 / .seconds(1)) })
      }
      throw error
    }
  }

  /// An app whose version cannot be read, such as a build without one, counts as new enough.
  private func isTooOld(for minimum: String) -> Bool {
    guard let minimum = ClientVersion(minimum), let own = ClientVersion(environment.version) else { return false }
    return own < minimum
  }
}
