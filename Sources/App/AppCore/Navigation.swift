import Foundation
import PublicationAPI
import ReaderContent

/// Every possible move, forwards and backwards. Only `AppCoordinator.perform(_:)` carries one out.
public indirect enum Navigation: Hashable, Codable, Sendable {
  /// The root. What is in `then` is performed after signing in.
  case login(then: Navigation?)
  /// A tab, as it was left.
  case tab(Tab)
  /// Opens a post's article.
  case post(Post.ID)
  /// The comments under a post.
  case comments(Post.ID)
  /// A fan club's page.
  case fanClub(FanClub.ID)
  /// The search, with these words; without any as it was left.
  case search(String)
  /// The dialog that adds a feed, with this address filled in.
  case addFeed(String?)
  /// The settings of notifications for new posts.
  case notifications
  /// Whether what the reader does is counted, and where.
  case privacy
  /// Where the reader is signed in.
  case sessions
  /// The dialog that changes the reader's password.
  case changePassword
  /// The question before signing out.
  case signOut
  /// A paywall; `then` is performed once the reader has bought.
  case paywall(PaywallRecord.ID, then: Navigation?)
  /// The payment sheet of a product.
  case payment(ProductRecord.ID)
  /// The reader's purchases; with an order, that one in view.
  case purchases(order: UUID?)
  /// What the app is made of, and where its data is.
  case about
  /// The keys of the app.
  case shortcuts
  /// What is set on this computer.
  case preferences
  /// Why the publication does not serve this app.
  case serviceNotice
  /// A page in the system's browser.
  case web(String)
  /// A folder of this computer, by its path.
  case folder(String)
  /// The address of a page into the clipboard.
  case copyLink(String)
  /// A mail to be written, with these words in it.
  case mail(subject: String, text: String)
  /// Closes what is on top.
  case back
  /// Closes every page about a removed post or fan club.
  case closeGone
  /// Closes all sheets.
  case dismiss
  /// Asks whether what cannot be kept may be lost by this move.
  case confirm(Navigation)
  /// The same move once the reader agreed to that.
  case confirmed(Navigation)
  /// Closes the window and ends the app.
  case quit
}

/// How a place is opened.
enum Opening {
  /// As a tab, as it was left; all sheets close.
  case tab(Tab)
  /// As a page of the tab that shows; all sheets close.
  case page(Destination)
  /// As a sheet above what shows.
  case sheet(Destination)

  /// The page or the sheet; `nil` for a tab.
  var place: Destination? {
    switch self {
    case .tab: nil
    case .page(let place), .sheet(let place): place
    }
  }

  /// Whether the sheets that are open close for it.
  var closesSheets: Bool { if case .sheet = self { false } else { true } }
}

extension Navigation {
  /// The place that it opens, and how; `nil` for a move of another kind.
  var opening: Opening? {
    switch self {
    case .tab(let tab): .tab(tab)
    case .post(let id): .page(.post(id))
    case .comments(let id): .page(.comments(id))
    case .fanClub(let id): .page(.fanClub(id))
    case .search: .page(.search)
    case .notifications: .page(.notifications)
    case .privacy: .page(.privacy)
    case .sessions: .page(.sessions)
    case .purchases(let order): .page(.purchases(order: order))
    case .addFeed: .sheet(.addFeed)
    case .changePassword: .sheet(.changePassword)
    case .signOut: .sheet(.signOut)
    case .paywall(let id, _): .sheet(.paywall(id))
    case .payment(let product): .sheet(.payment(product))
    case .about: .sheet(.about)
    case .shortcuts: .sheet(.shortcuts)
    case .preferences: .sheet(.preferences)
    case .serviceNotice: .sheet(.serviceNotice)
    case .confirm(let move): .sheet(.confirm(move))
    case .login, .web, .folder, .copyLink, .mail, .back, .closeGone, .dismiss, .confirmed, .quit: nil
    }
  }

  /// Whether it requires a signed-in reader; other moves work at the login too.
  var needsReader: Bool {
    switch self {
    case .web, .folder, .back, .dismiss, .quit: false
    case .confirmed(let move): move.needsReader
    default: opening?.place?.needsReader ?? true
    }
  }
}

/// The app's tabs, in their order.
public enum Tab: String, CaseIterable, Codable, Hashable, Sendable {
  /// The feed of the whole publication.
  case home
  /// The fan clubs.
  case fanClubs
  /// What the reader bookmarked.
  case bookmarks
  /// The reader's account.
  case account
}

/// A place that a screen shows: the result of a performed ``Navigation``.
public indirect enum Destination: Hashable, Codable, Sendable {
  /// The root of all places, where a reader signs in.
  case login
  /// A tab's first page.
  case tab(Tab)
  /// An article.
  case post(Post.ID)
  /// The comments under a post.
  case comments(Post.ID)
  /// A fan club's page.
  case fanClub(FanClub.ID)
  /// The search.
  case search
  /// The dialog that adds a feed.
  case addFeed
  /// The settings of notifications for new posts.
  case notifications
  /// Whether what the reader does is counted, and where.
  case privacy
  /// Where the reader is signed in.
  case sessions
  /// The dialog that changes the reader's password.
  case changePassword
  /// The question before signing out.
  case signOut
  /// A paywall.
  case paywall(PaywallRecord.ID)
  /// A payment sheet.
  case payment(ProductRecord.ID)
  /// The reader's purchases, one of which a link may have named.
  case purchases(order: UUID?)
  /// What the app is made of, and where its data is.
  case about
  /// The keys of the app.
  case shortcuts
  /// What is set on this computer.
  case preferences
  /// Why the publication does not serve this app.
  case serviceNotice
  /// The question whether to make this move, although something is lost by it.
  case confirm(Navigation)

  /// Whether it is the question whether to leave.
  var isQuestion: Bool { if case .confirm = self { true } else { false } }

  /// Whether it is a step of a purchase.
  var isPurchase: Bool {
    switch self {
    case .paywall, .payment: true
    default: false
    }
  }

  /// Whether it shows a reader's data; other places are about the app, and can be opened at the login too.
  var needsReader: Bool {
    switch self {
    case .login, .about, .shortcuts, .preferences, .serviceNotice: false
    default: true
    }
  }

  /// Whether it shows a post or a fan club that is not in the cache.
  @MainActor func isGone(from content: ContentStore) -> Bool {
    switch self {
    case .post(let id), .comments(let id): content.posts[id] == nil
    case .fanClub(let id): content.fanClubs[id] == nil
    default: false
    }
  }

  /// The window's name, and a sheet's question, for screen readers.
  public var title: String {
    switch self {
    case .login: "Sign in"
    case .tab(let tab): tab.title
    case .post: "Article"
    case .comments: "Comments"
    case .fanClub: "Fan club"
    case .search: "Search"
    case .notifications: "Notifications"
    case .privacy: "Privacy"
    case .sessions: "Sessions"
    case .purchases: "Purchases"
    case .payment: "Payment"
    case .paywall: "Premium"
    case .addFeed: "Add feed"
    case .changePassword: "Change password"
    case .confirm: "Leave"
    case .signOut: "Sign out"
    case .about: "About Matinee"
    case .shortcuts: "Keyboard shortcuts"
    case .preferences: "Preferences"
    case .serviceNotice: "Notice"
    }
  }

  /// The place's name in logs and tests, without identifiers.
  public var name: String {
    switch self {
    case .login: "login"
    case .tab(.home): "feed"
    case .tab(.fanClubs): "fanclubs"
    case .tab(.bookmarks): "bookmarks"
    case .tab(.account): "account"
    case .post: "article"
    case .comments: "comments"
    case .fanClub: "fanclub"
    case .search: "search"
    case .addFeed: "addfeed"
    case .notifications: "notifications"
    case .privacy: "privacy"
    case .sessions: "sessions"
    case .changePassword: "password"
    case .signOut: "signout"
    case .paywall: "paywall"
    case .payment: "payment"
    case .purchases: "purchases"
    case .about: "about"
    case .shortcuts: "shortcuts"
    case .preferences: "preferences"
    case .serviceNotice: "servicenotice"
    case .confirm: "confirm"
    }
  }
}

extension Tab {
  /// Its name in the bar, and the window's where it is visible.
  public var title: String {
    switch self {
    case .home: "Home"
    case .fanClubs: "Fan clubs"
    case .bookmarks: "Bookmarks"
    case .account: "Account"
    }
  }
}
