import FeatureKit
import PaymentFeature
import PaywallFeature
import PublicationAPI
import PublicationClient
import PublicationCommerce

/// One purchase, from the paywall to the payment: makes both screens, and remembers the navigation that the paywall interrupted. It lives
/// as long as one of the screens, and reports once, after the purchase. Isolated to the main actor.
@MainActor final class PurchaseCoordinator {
  /// What it needs of the app.
  struct Actions {
    /// Carries out a move.
    let perform: @MainActor (Navigation) -> Void
    /// Shows the reader a short message, also after the sheets are gone.
    let say: @MainActor (String) -> Void
    /// The reader sees what a paywall offers.
    let paywallShown: @MainActor () -> Void
  }

  /// What is performed once it is bought.
  var then: Navigation?

  private let reader: ReaderScope
  private let client: APIClient
  private let environment: AppEnvironment
  private let publication: PublicationDetails
  private let actions: Actions
  private let report: @MainActor (_ then: Navigation?) -> Void
  private var isFinished = false

  /// - Parameters:
  ///   - reader: who buys.
  ///   - client: speaks for them.
  ///   - environment: the store's time, and the ways to pay at one that replaces the publication's.
  ///   - publication: names its own ways to pay.
  ///   - actions: what it needs of the app.
  ///   - report: called once, with the navigation that the paywall interrupted.
  init(
    _ reader: ReaderScope, client: APIClient, environment: AppEnvironment, publication: PublicationDetails, actions: Actions,
    report: @escaping @MainActor (_ then: Navigation?) -> Void
  ) {
    self.reader = reader
    self.client = client
    self.environment = environment
    self.publication = publication
    self.actions = actions
    self.report = report
  }

  /// What the paywall offers.
  func paywall(_ id: PaywallRecord.ID) -> Screen {
    Screen(
      PaywallViewModel(
        id, paywalls: reader.paywalls, purchases: reader.purchases, formatting: environment.storeFormatting,
        badge: environment.storeBadge, damagedFile: reader.damagedJournal, passes: reader.content.passes
      ) { [weak self, actions] output in
        switch output {
        case .bought: self?.end()
        case .buy(let product): actions.perform(.payment(product))
        case .openWeb(let url): actions.perform(.web(url))
        case .close: actions.perform(.back)
        case .shown: actions.paywallShown()
        }
      })
  }

  /// The payment of one product.
  func payment(_ product: ProductRecord.ID) -> Screen {
    let client = client
    return Screen(
      PaymentViewModel(
        product, purchases: reader.purchases,
        methods: environment.paymentMethods
          ?? PaymentMethod.offered(by: publication.info, client: client, clock: environment.clock, openWeb: environment.openWeb),
        formatting: environment.storeFormatting, badge: environment.storeBadge, orderNumber: { try? await client.order($0).number }
      ) { [weak self, actions] output in
        switch output {
        case .finished: self?.end()
        case .thanks(let sentence): actions.say(sentence)
        case .cancelled: actions.perform(.back)
        case .openWeb(let url): actions.perform(.web(url))
        }
      })
  }

  private func end() {
    guard !isFinished else { return }
    isFinished = true
    report(then)
  }
}
