import AppCore
import FeatureFlags
import PublicationClient
import PublicationCommerce
import PurchaseService

extension Flag {
  /// Whether receipts are verified on this device first and confirmed by the backend, or only verified by the backend, as before.
  public static let deviceFirstPurchases = Flag("purchase.device_first")
}

extension Flags {
  /// The features that this version of the app reports, which a publication's rule can require.
  private static let features: Set<String> = ["device_receipts", "hosted_checkout"]

  /// - Parameter path: the database's file.
  convenience init(_ environment: AppEnvironment, _ publication: PublicationFlags, path: String) {
    // A version that cannot be parsed counts as older than any that a rule requires.
    let client = ClientCapabilities(version: ClientVersion(environment.version) ?? .zero, features: Self.features)
    self.init(
      FlagEnvironment(
        client: client, scope: environment.origin, path: path, clock: environment.clock, identifiers: environment.identifiers,
        effects: environment.effects),
      source: publication, sink: publication)
    onProblem = environment.report
  }

  /// Counts an event on the run's side of each roll-out. A payment counts on the side of the run that began it.
  func count(_ event: AppEvent) {
    guard event.name.uses.contains(.rollouts) else { return }
    let name: FlagEvent.Name =
      switch event.name {
      case .paywallSeen: .paywallSeen
      case .paymentCharged: .bought
      default: .failed
      }
    guard let transaction = event.transaction else { return count(name, code: event.detail) }
    count(name, code: event.detail, id: transaction.id, of: transaction.user, begun: transaction.begun)
  }
}

extension Purchases<PurchasableProduct> {
  /// One way to buy, as this app has it.
  convenience init(_ environment: AppEnvironment, _ path: PurchasePath<PurchasableProduct>, journal: Journal, events: AppEvents) {
    self.init(
      seller: environment.origin, purchasePath: path, journal: journal,
      environment: PurchaseEnvironment(
        clock: environment.storeClock, identifiers: environment.identifiers, effects: environment.effects, random: environment.random),
      storefront: Storefront(locale: environment.formatting.locale))
    onEvent = { events.send($1, of: $0) }
  }
}

extension StagedPurchases<PurchasableProduct> {
  /// The two purchase paths of this app, beside each other: the one that verifies by the backend only, and its replacement.
  /// - Parameter canPay: whether new purchases are possible; earlier ones always give access.
  convenience init(
    _ environment: AppEnvironment, client: APIClient, journal: Journal, canPay: Bool, flags: Flags, events: AppEvents,
    account: @escaping PublicationPath.Account
  ) {
    let purchases = { (path: PurchasePath<PurchasableProduct>) in Purchases(environment, path, journal: journal, events: events) }
    let queue = PublicationQueue(canMakePayments: canPay, clock: environment.clock, account: account)
    self.init(
      old: purchases(.publicationBackend(client, queue: queue, account: account)),
      new: purchases(
        .publicationDevice(
          client, seller: environment.origin, journal: journal, clock: environment.storeClock, queue: queue, account: account))
    ) { flags.isOn(.deviceFirstPurchases) ? .new : .old }
  }
}
