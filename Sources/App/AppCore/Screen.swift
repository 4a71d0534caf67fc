import AccountFeature
import AddFeedFeature
import ArticleFeature
import BookmarksFeature
import CommentsFeature
import FanClubFeature
import FeedFeature
import LoginFeature
import NavigationCore
import PaymentFeature
import PaywallFeature
import PublicationAPI
import PublicationClient
import SearchFeature

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
  /// The comments under a post.
  case comments(CommentsViewModel)
  /// The search.
  case search(SearchViewModel)
  /// The dialog that adds a feed.
  case addFeed(AddFeedViewModel)
  /// What the reader hears of new posts.
  case notifications(NotificationsViewModel)
  /// The question before signing out.
  case signOut(SignOutViewModel)

  /// Tells the view model that its page is the visible one.
  public func appear() { model.appear() }

  /// Tells the view model that its page is no longer the visible one.
  public func disappear() { model.disappear() }

  /// Tells a sheet with something under way that it was closed, by whatever means.
  public func closed() {
    switch self {
    case .payment(let model): model.dismissed()
    case .addFeed(let model): model.closed()
    default: break
    }
  }

  /// Whether ``refreshTapped()`` does anything.
  public var canRefresh: Bool {
    switch self {
    case .feed, .fanClubs, .fanClub, .bookmarks, .account, .article, .paywall, .payment, .purchases, .comments, .notifications: true
    case .login, .search, .addFeed, .signOut: false
    }
  }

  /// Loads the page anew, where it can be: the button, or F5.
  public func refreshTapped() {
    switch self {
    case .feed(let model): model.refreshTapped()
    case .fanClubs(let model): model.refreshTapped()
    case .fanClub(let model): model.refreshTapped()
    case .bookmarks(let model): model.refreshTapped()
    case .account(let model): model.refreshTapped()
    case .article(let model): model.refreshTapped()
    case .paywall(let model): model.refreshTapped()
    case .payment(let model): model.refreshTapped()
    case .purchases(let model): model.refreshTapped()
    case .comments(let model): model.refreshTapped()
    case .notifications(let model): model.refreshTapped()
    case .login, .search, .addFeed, .signOut: break
    }
  }
}

extension Screen {
  private var postPage: (any PostPage)? {
    switch self {
    case .feed(let model): model
    case .fanClub(let model): model
    case .bookmarks(let model): model
    default: nil
    }
  }

  /// Whether something was done here that can be undone.
  public var canUndo: Bool { postPage?.posts.list.state.canUndo ?? false }
  /// Takes it back.
  public func undoTapped() { postPage?.undoTapped() }

  /// Whether a post can be read here, or stands in this list.
  func shows(_ post: Post.ID) -> Bool {
    switch self {
    case .article(let model): model.id == post
    case .feed(let model): model.state.posts.ids.contains(post)
    case .bookmarks(let model): model.state.ids.contains(post)
    case .fanClub(let model): model.state.posts.ids.contains(post)
    case .search(let model): model.state.ids.contains(post)
    case .login, .fanClubs, .account, .paywall, .payment, .purchases, .comments, .addFeed, .notifications, .signOut: false
    }
  }
}
