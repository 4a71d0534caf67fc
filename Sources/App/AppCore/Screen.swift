import AccountFeature
import ArticleFeature
import BookmarksFeature
import FanClubFeature
import FeedFeature
import LoginFeature
import NavigationCore
import PaymentFeature
import PaywallFeature

/// The view model of an open place: what a presenter binds a view to.
public enum Screen: ScreenLifecycle {
  /// The root.
  case login(LoginViewModel)
  /// The feed.
  case feed(FeedViewModel)
  /// The list of fan clubs.
  case fanClubs(FanClubListViewModel)
  /// One fan club.
  case fanClub(FanClubViewModel)
  /// The reader's bookmarks.
  case bookmarks(BookmarksViewModel)
  /// The reader's account.
  case account(AccountViewModel)
  /// An article.
  case article(ArticleViewModel)
  /// A paywall.
  case paywall(PaywallViewModel)
  /// A payment sheet.
  case payment(PaymentViewModel)
  /// The reader's purchases.
  case purchases(PurchasesViewModel)

  /// Tells the view model that its page is the visible one.
  public func appear() { model.appear() }

  /// Tells the view model that its page is no longer the visible one.
  public func disappear() { model.disappear() }

  /// Tells a payment sheet that it was closed, by whatever means.
  public func closed() { if case .payment(let model) = self { model.dismissed() } }

  /// Whether ``refreshTapped()`` does anything.
  public var canRefresh: Bool {
    switch self {
    case .feed, .fanClubs, .fanClub, .bookmarks, .article, .purchases: true
    case .login, .account, .paywall, .payment: false
    }
  }

  /// Loads the page anew, where it can be: the button, or F5.
  public func refreshTapped() {
    switch self {
    case .feed(let model): model.refreshTapped()
    case .fanClubs(let model): model.refreshTapped()
    case .fanClub(let model): model.refreshTapped()
    case .bookmarks(let model): model.refreshTapped()
    case .article(let model): model.refreshTapped()
    case .purchases(let model): model.refreshTapped()
    case .login, .account, .paywall, .payment: break
    }
  }
}
