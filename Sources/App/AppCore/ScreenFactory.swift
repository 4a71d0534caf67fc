import AccountFeature
import AddFeedFeature
import ArticleFeature
import BookmarksFeature
import CommentsFeature
import FanClubFeature
import FeatureKit
import FeedFeature
import Foundation
import LoginFeature
import PaymentFeature
import PaywallFeature
import PublicationAPI
import PublicationClient
import PublicationCommerce
import PurchaseService
import Runtime
import SearchFeature
import SessionService

/// Makes the screen of a place, and turns what its view model asks for into a ``Navigation``.
@MainActor final class ScreenFactory {
  let client: APIClient
  /// What the signed-in reader's screens share; `nil` while nobody is signed in.
  var reader: ReaderScope?
  /// The file that keeps this process from selling anything.
  var damagedJournal: String?
  /// Carries out what a screen asks for.
  var perform: ((Navigation) -> Void)?
  /// Told once when a purchase was completed.
  var purchased: (() -> Void)?
  /// Tells the reader something in passing.
  var say: ((String) -> Void)?
  /// Told when a reader sees what a paywall offers.
  var paywallShown: (() -> Void)?

  private let environment: AppEnvironment
  private let session: Session
  private var publication: PublicationInfo? {
    didSet {
      canAddFeeds.value = publication?.canAddFeeds ?? false
      publicationName.value = publication?.name
    }
  }
  /// Whether the publication lets readers add feeds, as far as that is known.
  let canAddFeeds = LastValue(false)
  /// What the publication calls itself, once that is known.
  private let publicationName = LastValue<String?>(nil)

  init(environment: AppEnvironment, client: APIClient, session: Session) {
    self.environment = environment
    self.client = client
    self.session = session
  }

  /// Asks the publication what it is, until it has said so.
  /// - Throws: `ClientError`.
  func loadPublication() async throws {
    guard publication == nil else { return }
    let client = client
    publication = try await environment.effects.run("publication.load") { try await client.publication() }
  }

  /// The screen of a place. Every place but the login has a reader: without one the coordinator opens nothing.
  func screen(_ destination: Destination) -> Screen {
    guard let reader else { return login() }
    return screen(destination, reader)
  }

  private func screen(_ destination: Destination, _ reader: ReaderScope) -> Screen {
    let (content, formatting) = (reader.content, environment.formatting)
    switch destination {
    case .login: return login()
    case .tab(.home):
      return Screen(FeedViewModel(store: content, formatting: formatting, canAddFeeds: canAddFeeds, output: posts))
    case .tab(.fanClubs):
      return Screen(
        FanClubListViewModel(store: content, formatting: formatting, canAddFeeds: canAddFeeds) { [weak self] output in
          switch output {
          case .openFanClub(let id): self?.perform?(.fanClub(id))
          case .openAddFeed: self?.perform?(.addFeed(nil))
          case .exported(let sentence): self?.say?(sentence)
          }
        })
    case .tab(.bookmarks): return Screen(BookmarksViewModel(store: content, formatting: formatting, output: posts))
    case .tab(.account): return account(reader)
    case .fanClub(let id):
      return Screen(
        FanClubViewModel(
          id, store: content, formatting: formatting, notifications: environment.notifier == nil ? nil : reader.notifications, output: posts
        ))
    case .comments(let id):
      return Screen(
        CommentsViewModel(id, store: content, formatting: formatting) { [weak self] output in
          switch output {
          case .openPost(let id): self?.perform?(.post(id))
          case .openWeb(let url): self?.perform?(.web(url))
          }
        })
    case .search:
      return Screen(
        SearchViewModel(store: content, formatting: formatting) { [weak self] output in
          switch output {
          case .openPost(let id): self?.perform?(.post(id))
          case .openFanClub(let id): self?.perform?(.fanClub(id))
          }
        })
    case .addFeed: return addFeed(reader)
    case .notifications: return Screen(NotificationsViewModel(reader.notifications, store: content))
    case .signOut:
      return Screen(
        SignOutViewModel(store: content, payments: { reader.purchases.waitingPayments() }) { [weak self] output in
          switch output {
          case .signOut: self?.perform?(.login(then: nil))
          case .close: self?.perform?(.dismiss)
          }
        })
    case .post(let id):
      return Screen(
        ArticleViewModel(id, paywallID: paywallID, store: content, formatting: formatting, badge: environment.storeBadge) {
          [weak self] output in
          switch output {
          case .openWeb(let url): self?.perform?(.web(url))
          case .copyLink(let url): self?.perform?(.copyLink(url))
          case .openPaywall(let paywall, let post): self?.perform?(.paywall(paywall, then: .post(post)))
          case .openFanClub(let club): self?.perform?(.fanClub(club))
          case .openComments(let post): self?.perform?(.comments(post))
          case .goBack: self?.perform?(.back)
          }
        })
    case .paywall(let id): return paywall(id, reader)
    case .payment(let product): return payment(product, reader)
    case .purchases(let order): return purchases(order, reader)
    }
  }

  private func posts(_ output: PostList.Output) {
    switch output {
    case .openPost(let id): perform?(.post(id))
    case .openFanClub(let id): perform?(.fanClub(id))
    case .openComments(let id): perform?(.comments(id))
    case .openWeb(let url): perform?(.web(url))
    case .copyLink(let url): perform?(.copyLink(url))
    case .goBack: perform?(.back)
    case .fanClubRemoved(let name):
      perform?(.closeGone)
      say?("“\(name)” was removed.")
    }
  }

  private func addFeed(_ reader: ReaderScope) -> Screen {
    Screen(
      AddFeedViewModel(store: reader.content, formatting: environment.formatting) { [weak self] output in
        self?.perform?(.dismiss)
        switch output {
        case .close: break
        case .openFanClub(let id): self?.perform?(.fanClub(id))
        case .openFanClubs: self?.perform?(.tab(.fanClubs))
        }
      })
  }

  private func login() -> Screen {
    let (client, address) = (client, environment.address)
    return Screen(
      LoginViewModel(session: session, effects: environment.effects) { () throws(AuthError) in
        let info: PublicationInfo
        do throws(ClientError) { info = try await client.publication() } catch { throw AuthError(error, at: address) }
        return LoginPublication(
          name: info.name, tagline: info.tagline,
          sampleAccount: info.sampleAccount.map { .init(email: $0.email, password: Secret($0.password)) })
      } output: { _ in
        // The coordinator follows the session itself, which is how it also learns of a session that ends.
      })
  }

  private func account(_ reader: ReaderScope) -> Screen {
    Screen(
      AccountViewModel(
        session: session, publication: publicationName, premium: { reader.purchases.premiumStatuses() },
        passes: { reader.content.passes.stream() },
        payments: { reader.purchases.waitingPayments() }, restorePurchases: { await reader.restorePurchases() },
        formatting: environment.storeFormatting,
        mayLeave: {
          await reader.content.learnCostsOfLeaving()
          let payments = WaitingPayments((try? await reader.purchases.history()) ?? [])
          return reader.content.costsOfLeaving.isEmpty && payments.costOfLeaving == nil
        }
      ) { [weak self] output in
        switch output {
        case .signedOut: break
        case .confirmSignOut: self?.perform?(.signOut)
        case .openPaywall: if let self { self.perform?(.paywall(self.paywallID, then: nil)) }
        case .openPurchases: self?.perform?(.purchases(order: nil))
        case .openNotifications: self?.perform?(.notifications)
        }
      })
  }

  private func purchases(_ order: UUID?, _ reader: ReaderScope) -> Screen {
    let client = client
    return Screen(
      PurchasesViewModel(
        marked: order, purchases: reader.purchases, publication: publication, orders: { try await client.orders() },
        passes: { reader.content.passes.stream() }, effects: environment.effects,
        formatting: environment.storeFormatting, badge: environment.storeBadge
      ) { [weak self] output in
        switch output {
        case .openWeb(let url): self?.perform?(.web(url))
        case .restored(let sentence): self?.say?(sentence)
        }
      })
  }

  private func paywall(_ id: PaywallRecord.ID, _ reader: ReaderScope) -> Screen {
    Screen(
      PaywallViewModel(
        id, paywalls: reader.paywalls, purchases: reader.purchases, formatting: environment.storeFormatting,
        badge: environment.storeBadge, damagedFile: damagedJournal, passes: { reader.content.passes.stream() }
      ) { [weak self] output in
        switch output {
        case .buy(let product): self?.perform?(.payment(product))
        case .openWeb(let url): self?.perform?(.web(url))
        case .close: self?.perform?(.back)
        case .shown: self?.paywallShown?()
        }
      })
  }

  private func payment(_ product: ProductRecord.ID, _ reader: ReaderScope) -> Screen {
    let client = client
    return Screen(
      PaymentViewModel(
        product, purchases: reader.purchases,
        methods: environment.paymentMethods
          ?? PaymentMethod.offered(by: publication, client: client, clock: environment.clock, openWeb: environment.openWeb),
        formatting: environment.storeFormatting, badge: environment.storeBadge, orderNumber: { try? await client.order($0).number }
      ) { [weak self] output in
        switch output {
        case .finished: self?.purchased?()
        case .thanks(let sentence): self?.say?(sentence)
        case .cancelled: self?.perform?(.back)
        case .openWeb(let url): self?.perform?(.web(url))
        }
      })
  }

  /// Until the publication has said which paywall is its own, the one that every publication has.
  private var paywallID: PaywallRecord.ID { publication?.defaultPaywallID ?? PurchasableProduct.premium }
}

extension PurchaseLayer<PurchasableProduct> {
  /// What the reader has, in the words of the account screen, and each change of it.
  fileprivate func premiumStatuses() -> AsyncStream<PremiumStatus> {
    let (stream, continuation) = AsyncStream.makeStream(of: PremiumStatus.self, bufferingPolicy: .bufferingNewest(1))
    let entitlements = entitlementStream()
    let task = Task { [weak self] in
      for await owned in entitlements {
        guard let self else { break }
        continuation.yield(status(owned))
      }
      continuation.finish()
    }
    continuation.onTermination = { _ in task.cancel() }
    return stream
  }

  /// Which payments wait, and each change of it; they are asked about as long as it is read.
  fileprivate func waitingPayments() -> AsyncStream<WaitingPayments> {
    let (stream, continuation) = AsyncStream.makeStream(of: WaitingPayments.self, bufferingPolicy: .bufferingNewest(1))
    let changes = historyStream()
    let tasks = [
      Task { [weak self] in
        for await _ in changes where !Task.isCancelled {
          // What cannot be read changes nothing: the list of purchases says why.
          if let history = try? await self?.history() { continuation.yield(WaitingPayments(history)) }
        }
        continuation.finish()
      },
      Task { [weak self] in await self?.watchPending() },
    ]
    continuation.onTermination = { _ in for task in tasks { task.cancel() } }
    return stream
  }

  private func status(_ owned: Set<PurchasableProduct>) -> PremiumStatus {
    let premium = owned.filter { $0.entitlement == PurchasableProduct.premium }
    guard !premium.isEmpty else { return .none }
    let ends = premium.map { expiry(of: $0.id) }
    // One that never ends outlasts all others.
    return .active(until: ends.contains(nil) ? nil : ends.compactMap { $0 }.max())
  }
}
