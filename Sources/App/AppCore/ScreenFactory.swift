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
import MenuFeature
import PaymentFeature
import PaywallFeature
import PublicationAPI
import PublicationClient
import PublicationCommerce
import PurchaseService
import Runtime
import SearchFeature
import SessionService

/// Makes the screen of a place, and turns its view model's output into a ``Navigation``. Isolated to the main actor.
@MainActor struct ScreenFactory {
  let environment: AppEnvironment
  let client: APIClient
  let browser: BrowserAuthorization
  let session: Session
  let publication: PublicationDetails
  /// Performs what a screen asks for, and owns it.
  weak let coordinator: AppCoordinator?

  /// The screen of a place; `nil` for one that a child coordinator makes, and for one that needs a reader while no reader is signed in.
  func screen(_ destination: Destination, of reader: ReaderScope?) -> Screen? {
    switch destination {
    case .about: about()
    case .shortcuts: shortcuts()
    case .preferences: preferences(reader)
    case .confirm(let move): confirm(move)
    case .serviceNotice: serviceNotice()
    default: reader.flatMap { screen(destination, $0) }
    }
  }

  private func about() -> Screen {
    Screen(
      AboutViewModel(environment.about()) { [weak coordinator] output in
        switch output {
        case .openWeb(let url): coordinator?.perform(.web(url))
        case .openFolder(let path): coordinator?.perform(.folder(path))
        case .close: coordinator?.perform(.dismiss)
        }
      })
  }

  private func shortcuts() -> Screen {
    Screen(
      ShortcutsViewModel(hasTesterPanel: environment.hasTesterPanel) { [weak coordinator] output in
        switch output {
        case .close: coordinator?.perform(.dismiss)
        }
      })
  }

  private func confirm(_ move: Navigation) -> Screen {
    Screen(
      ConfirmViewModel(
        loss: { coordinator?.observeLoss(by: move, $0) ?? Observation([]) }, isQuitting: move == .quit
      ) { [weak coordinator] output in
        switch output {
        case .confirmed: coordinator?.perform(.confirmed(move))
        case .cancelled: coordinator?.perform(.back)
        }
      })
  }

  private func serviceNotice() -> Screen {
    let publication = publication
    return Screen(
      ServiceNoticeViewModel(
        publication.notice, version: environment.version, homepage: environment.about().homepage, formatting: environment.formatting,
        checkAgain: { try? await publication.load() }
      ) { [weak coordinator] output in
        switch output {
        case .openWeb(let url): coordinator?.perform(.web(url))
        case .close: coordinator?.perform(.dismiss)
        }
      })
  }

  private func preferences(_ reader: ReaderScope?) -> Screen {
    Screen(
      PreferencesViewModel(
        environment.preferences, pictures: environment.pictureCache, content: reader?.contentOnDisk,
        hasNotifications: reader != nil && environment.notifier != nil, effects: environment.effects
      ) { [weak coordinator] output in
        coordinator?.perform(.dismiss)
        switch output {
        case .openNotifications: coordinator?.perform(.notifications, backTo: .preferences)
        case .close: break
        }
      })
  }

  private func screen(_ destination: Destination, _ reader: ReaderScope) -> Screen? {
    let (content, formatting) = (reader.content, environment.formatting)
    switch destination {
    case .login, .about, .shortcuts, .preferences, .serviceNotice, .confirm, .paywall, .payment: return nil
    case .tab(.home):
      return Screen(FeedViewModel(store: content, formatting: formatting, canAddFeeds: publication.canAddFeeds, output: posts))
    case .tab(.fanClubs):
      return Screen(
        FanClubListViewModel(
          store: content, formatting: formatting, canAddFeeds: publication.canAddFeeds, documents: environment.documents
        ) { [weak coordinator, weak reader] output in
          switch output {
          case .openFanClub(let id): coordinator?.perform(.fanClub(id))
          case .openAddFeed: coordinator?.perform(.addFeed(nil))
          case .exported(let sentence): coordinator?.say(sentence, to: reader)
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
        CommentsViewModel(id, store: content, formatting: formatting) { [weak coordinator] output in
          switch output {
          case .openPost(let id): coordinator?.perform(.post(id))
          case .openWeb(let url): coordinator?.perform(.web(url))
          }
        })
    case .search:
      return Screen(
        SearchViewModel(store: content, formatting: formatting) { [weak coordinator] output in
          switch output {
          case .openPost(let id): coordinator?.perform(.post(id))
          case .openFanClub(let id): coordinator?.perform(.fanClub(id))
          }
        })
    case .addFeed: return addFeed(reader)
    case .notifications: return Screen(NotificationsViewModel(reader.notifications, store: content))
    case .privacy: return privacy(reader)
    case .sessions: return sessions(reader)
    case .changePassword: return changePassword(reader)
    case .signOut:
      return Screen(
        SignOutViewModel(store: content, payments: { reader.observeWaitingPayments($0) }) { [weak coordinator] output in
          switch output {
          case .signOut: coordinator?.perform(.login(then: nil))
          case .close: coordinator?.perform(.dismiss)
          }
        })
    case .post(let id):
      return Screen(
        ArticleViewModel(
          id, paywallID: publication.paywallID, store: content, formatting: formatting, badge: environment.storeBadge,
          payments: { observer in reader.observeWaitingPayments { observer($0.areAny) } }
        ) { [weak coordinator, weak reader] output in
          switch output {
          case .openWeb(let url): coordinator?.perform(.web(url))
          case .copyLink(let url): coordinator?.perform(.copyLink(url))
          case .mail(let title, let link): coordinator?.perform(.mail(subject: title, text: link))
          case .openPaywall(let paywall, let post): coordinator?.perform(.paywall(paywall, then: .post(post)))
          case .openFanClub(let club): coordinator?.perform(.fanClub(club))
          case .openComments(let post): coordinator?.perform(.comments(post))
          case .passSpent(let sentence): coordinator?.say(sentence, to: reader)
          case .goBack: coordinator?.perform(.back)
          }
        })
    case .purchases(let order): return purchases(order, reader)
    }
  }

  private func posts(_ output: PostList.Output) {
    switch output {
    case .openPost(let id): coordinator?.perform(.post(id))
    case .openFanClub(let id): coordinator?.perform(.fanClub(id))
    case .openComments(let id): coordinator?.perform(.comments(id))
    case .openWeb(let url): coordinator?.perform(.web(url))
    case .copyLink(let url): coordinator?.perform(.copyLink(url))
    case .mail(let title, let link): coordinator?.perform(.mail(subject: title, text: link))
    case .goBack: coordinator?.perform(.back)
    case .fanClubRemoved(let name):
      coordinator?.perform(.closeGone)
      coordinator?.say("“\(name)” was removed.")
    }
  }

  private func addFeed(_ reader: ReaderScope) -> Screen {
    Screen(
      AddFeedViewModel(store: reader.content, formatting: environment.formatting, documents: environment.documents) {
        [weak coordinator] output in
        switch output {
        case .close: coordinator?.performAfterQuestion([.dismiss])
        case .openFanClub(let id): coordinator?.performAfterQuestion([.dismiss, .fanClub(id)])
        case .openFanClubs: coordinator?.performAfterQuestion([.dismiss, .tab(.fanClubs)])
        }
      })
  }

  private func account(_ reader: ReaderScope) -> Screen {
    Screen(
      AccountViewModel(
        session: session, publication: publication.name, premium: { reader.purchases.observePremium($0) },
        passes: reader.content.passes, payments: { reader.observeWaitingPayments($0) },
        restorePurchases: { await reader.restorePurchases() }, formatting: environment.storeFormatting,
        mayLeave: {
          await reader.content.learnCostsOfLeaving()
          let payments = WaitingPayments((try? await reader.purchases.history()) ?? [])
          return reader.content.costsOfLeaving.isEmpty && payments.costOfLeaving == nil
        }
      ) { [weak coordinator] output in
        switch output {
        case .confirmSignOut: coordinator?.perform(.signOut)
        case .openPaywall: coordinator?.perform(.paywall(publication.paywallID, then: nil))
        case .openPurchases: coordinator?.perform(.purchases(order: nil))
        case .openNotifications: coordinator?.perform(.notifications)
        case .openPrivacy: coordinator?.perform(.privacy)
        case .openSessions: coordinator?.perform(.sessions)
        case .changePassword: coordinator?.perform(.changePassword)
        }
      })
  }

  private func privacy(_ reader: ReaderScope) -> Screen {
    Screen(
      PrivacyViewModel(
        reader.analytics.choice, publication: publication.name, file: reader.analyticsFile, choose: { reader.analytics.choose($0) }
      ) { [weak coordinator] output in
        switch output {
        case .openFolder(let path): coordinator?.perform(.folder(path))
        }
      })
  }

  private func sessions(_ reader: ReaderScope) -> Screen {
    Screen(
      SessionsViewModel(
        client: client, effects: environment.effects, formatting: environment.formatting,
        authorize: { [browser, session] issuer in
          var credentials = try await browser.credentials(from: issuer, device: nil)
          credentials.refreshToken = await session.proof?.revealed
          return credentials
        }
      ) { [weak coordinator, weak reader] output in
        switch output {
        case .done(let sentence): coordinator?.say(sentence, to: reader)
        }
      })
  }

  private func changePassword(_ reader: ReaderScope) -> Screen {
    Screen(
      ChangePasswordViewModel(
        client: client, mailsCodes: publication.info?.mailsCodes ?? false,
        isSampleAccount: publication.info?.sampleAccount.map { $0.email == reader.user.email } ?? false, effects: environment.effects
      ) { [weak coordinator, weak reader] output in
        switch output {
        case .close: coordinator?.performAfterQuestion([.dismiss])
        case .told(let sentence): coordinator?.say(sentence, to: reader)
        }
      })
  }

  private func purchases(_ order: UUID?, _ reader: ReaderScope) -> Screen {
    let client = client
    return Screen(
      PurchasesViewModel(
        marked: order, purchases: reader.purchases, content: reader.content, publication: publication.info,
        orders: { try await client.orders() }, passes: reader.content.passes, effects: environment.effects,
        formatting: environment.storeFormatting, badge: environment.storeBadge
      ) { [weak coordinator, weak reader] output in
        switch output {
        case .openWeb(let url): coordinator?.perform(.web(url))
        case .restored(let sentence), .undone(let sentence): coordinator?.say(sentence, to: reader)
        }
      })
  }
}

extension PurchaseLayer<PurchasableProduct> {
  /// The reader's status for the account screen.
  fileprivate func observePremium(_ observer: @escaping @MainActor (PremiumStatus) -> Void) -> Observation {
    let changed: @MainActor () -> Void = { [weak self] in if let self { observer(premiumStatus) } }
    // What is being verified is told with the history.
    return Observation([observeEntitlements { _ in changed() }, observeHistory(changed)])
  }

  private var premiumStatus: PremiumStatus {
    let premium = entitlements.filter { $0.entitlement == PurchasableProduct.premium }
    guard !premium.isEmpty else { return isVerifying ? .unknown : .none }
    let ends = premium.map { expiry(of: $0.id) }
    // One that never ends outlasts all others.
    return .active(until: ends.contains(nil) ? nil : ends.compactMap { $0 }.max())
  }
}
