import AccountFeature
import AddFeedFeature
import ArticleFeature
import BookmarksFeature
import CommentsFeature
import FanClubFeature
import FeedFeature
import LoginFeature
import PaymentFeature
import PaywallFeature
import PublicationAPI
import PublicationClient
import SearchFeature
import SessionService

/// The view models behind a screen, by what they have in common.
@MainActor protocol ScreenModel: AnyObject {
  associatedtype State: Equatable
  var state: State { get }
  var onChange: ((State) -> Void)? { get set }
  /// The page became the visible one.
  func appear()
  /// The page is no longer the visible one.
  func disappear()
  /// What a reader can do here, by the inputs' names. Each takes one text, which those without a choice ignore.
  var inputs: [String: @MainActor (String) -> Void] { get }
}

extension ScreenModel {
  var stateValue: StateValue { StateValue(reflecting: state) }

  /// Calls `observer` at once and after each change.
  func observe(_ observer: @escaping @MainActor (StateValue) -> Void) {
    onChange = { observer(StateValue(reflecting: $0)) }
  }
}

extension Screen {
  var model: any ScreenModel {
    switch self {
    case .login(let model): model
    case .feed(let model): model
    case .fanClubs(let model): model
    case .fanClub(let model): model
    case .bookmarks(let model): model
    case .account(let model): model
    case .article(let model): model
    case .paywall(let model): model
    case .payment(let model): model
    case .purchases(let model): model
    case .comments(let model): model
    case .search(let model): model
    case .addFeed(let model): model
    case .notifications(let model): model
    case .signOut(let model): model
    }
  }
}

extension LoginViewModel: ScreenModel {
  var inputs: [String: @MainActor (String) -> Void] {
    [
      "emailChanged": { self.emailChanged($0) }, "passwordChanged": { self.passwordChanged(Secret($0)) },
      "submitTapped": { _ in self.submitTapped() }, "sampleAccountTapped": { _ in self.sampleAccountTapped() },
      "cancelTapped": { _ in self.cancelTapped() },
    ]
  }
}

extension PostPage {
  fileprivate var listInputs: [String: @MainActor (String) -> Void] {
    [
      "postTapped": { self.postTapped($0) }, "clubTapped": { self.clubTapped($0) }, "reactTapped": { self.reactTapped($0) },
      "reactionTapped": { text in
        let parts = text.split(separator: " ", maxSplits: 1).map(String.init)
        if parts.count == 2 { self.reactionTapped(parts[0], Reaction(rawValue: parts[1])) }
      },
      "commentsTapped": { self.commentsTapped($0) }, "readTapped": { self.readTapped($0) },
      "allReadTapped": { _ in self.allReadTapped() }, "undoTapped": { _ in self.undoTapped() },
      "readToHereTapped": { self.readToHereTapped($0) },
      "bookmarkTapped": { self.bookmarkTapped($0) }, "openInBrowserTapped": { self.openInBrowserTapped($0) },
      "copyLinkTapped": { self.copyLinkTapped($0) }, "reachedEnd": { _ in self.reachedEnd() },
      "refreshTapped": { _ in self.refreshTapped() }, "retryTapped": { _ in self.retryTapped() },
      "messageDismissed": { _ in self.messageDismissed() }, "fetchAgainTapped": { _ in self.fetchAgainTapped() },
      "cancelFetchTapped": { _ in self.cancelFetchTapped() }, "fetchDismissed": { _ in self.fetchDismissed() },
    ]
  }
}

extension FeedViewModel: ScreenModel {
  /// A choice is `all`, `followed`, or a fan club.
  var inputs: [String: @MainActor (String) -> Void] {
    let choice = { (text: String) -> Choice in text == "all" ? .all : text == "followed" ? .followed : .fanClub(text) }
    return listInputs.merging([
      "choiceTapped": { self.choiceTapped(choice($0)) }, "unreadOnlyTapped": { _ in self.unreadOnlyTapped() },
      "newPostsTapped": { _ in self.newPostsTapped() }, "fetchTapped": { _ in self.fetchTapped() },
    ]) { first, _ in first }
  }
}

extension BookmarksViewModel: ScreenModel {
  var inputs: [String: @MainActor (String) -> Void] { listInputs }
}

extension FanClubViewModel: ScreenModel {
  var inputs: [String: @MainActor (String) -> Void] {
    listInputs.merging([
      "followTapped": { _ in self.followTapped() }, "notifyTapped": { _ in self.notifyTapped() },
      "fetchTapped": { _ in self.fetchTapped() }, "removeTapped": { _ in self.removeTapped() },
      "backTapped": { _ in self.backTapped() },
    ]) { first, _ in first }
  }
}

extension FanClubListViewModel: ScreenModel {
  var inputs: [String: @MainActor (String) -> Void] {
    [
      "clubTapped": { self.clubTapped($0) }, "followTapped": { self.followTapped($0) },
      "followedOnlyTapped": { _ in self.followedOnlyTapped() }, "addFeedTapped": { _ in self.addFeedTapped() },
      "exportChosen": { self.exportChosen($0) }, "reachedEnd": { _ in self.reachedEnd() },
      "refreshTapped": { _ in self.refreshTapped() }, "retryTapped": { _ in self.retryTapped() },
      "messageDismissed": { _ in self.messageDismissed() },
    ]
  }
}

extension AccountViewModel: ScreenModel {
  var inputs: [String: @MainActor (String) -> Void] {
    [
      "signOutTapped": { _ in self.signOutTapped() }, "unlockTapped": { _ in self.unlockTapped() },
      "purchasesTapped": { _ in self.purchasesTapped() }, "notificationsTapped": { _ in self.notificationsTapped() },
      "refreshTapped": { _ in self.refreshTapped() },
    ]
  }
}

extension SignOutViewModel: ScreenModel {
  var inputs: [String: @MainActor (String) -> Void] {
    ["signOutTapped": { _ in self.signOutTapped() }, "cancelTapped": { _ in self.cancelTapped() }]
  }
}

extension PurchasesViewModel: ScreenModel {
  /// A purchase is named by its place in the list, from 0: identifiers are new each time.
  var inputs: [String: @MainActor (String) -> Void] {
    let row = { (place: String) in Int(place).flatMap { self.state.rows.indices.contains($0) ? self.state.rows[$0].id : nil } }
    return [
      "refreshTapped": { _ in self.refreshTapped() }, "restoreTapped": { _ in self.restoreTapped() },
      "checkTapped": { if let id = row($0) { self.checkTapped(id) } }, "confirmTapped": { if let id = row($0) { self.confirmTapped(id) } },
    ]
  }
}

extension ArticleViewModel: ScreenModel {
  var inputs: [String: @MainActor (String) -> Void] {
    [
      "reactTapped": { _ in self.reactTapped() }, "reactionTapped": { self.reactionTapped(Reaction(rawValue: $0)) },
      "commentsTapped": { _ in self.commentsTapped() }, "readTapped": { _ in self.readTapped() },
      "bookmarkTapped": { _ in self.bookmarkTapped() },
      "clubTapped": { _ in self.clubTapped() }, "unlockTapped": { _ in self.unlockTapped() },
      "passTapped": { _ in self.passTapped() }, "linkTapped": { self.linkTapped($0) },
      "openInBrowserTapped": { _ in self.openInBrowserTapped() }, "copyLinkTapped": { _ in self.copyLinkTapped() },
      "refreshTapped": { _ in self.refreshTapped() }, "retryTapped": { _ in self.retryTapped() },
      "backTapped": { _ in self.backTapped() }, "messageDismissed": { _ in self.messageDismissed() },
    ]
  }
}

extension PaywallViewModel: ScreenModel {
  var inputs: [String: @MainActor (String) -> Void] {
    [
      "buyTapped": { self.buyTapped($0) }, "closeTapped": { _ in self.closeTapped() }, "retryTapped": { _ in self.retryTapped() },
      "refreshTapped": { _ in self.refreshTapped() },
    ]
  }
}

extension PaymentViewModel: ScreenModel {
  var inputs: [String: @MainActor (String) -> Void] {
    [
      "methodChosen": { self.methodChosen($0) }, "payTapped": { _ in self.payTapped() }, "cancelTapped": { _ in self.cancelTapped() },
      "confirmTapped": { _ in self.confirmTapped() }, "openAgainTapped": { _ in self.openAgainTapped() },
      "retryTapped": { _ in self.retryTapped() }, "refreshTapped": { _ in self.refreshTapped() },
    ]
  }
}

extension CommentsViewModel: ScreenModel {
  /// A comment is named by its place in the list, from 0: identifiers are new each time.
  var inputs: [String: @MainActor (String) -> Void] {
    let row = { (place: String) in
      Int(place).flatMap { self.state.comments.ids.indices.contains($0) ? self.state.comments.ids[$0] : nil }
    }
    return [
      "draftChanged": { self.draftChanged($0) }, "sendTapped": { _ in self.sendTapped() },
      "deleteTapped": { if let id = row($0) { self.deleteTapped(id) } }, "postTapped": { _ in self.postTapped() },
      "reachedEnd": { _ in self.reachedEnd() }, "refreshTapped": { _ in self.refreshTapped() },
      "retryTapped": { _ in self.retryTapped() }, "messageDismissed": { _ in self.messageDismissed() },
    ]
  }
}

extension SearchViewModel: ScreenModel {
  var inputs: [String: @MainActor (String) -> Void] {
    [
      "queryChanged": { self.queryChanged($0) }, "submitTapped": { _ in self.submitTapped() }, "clearTapped": { _ in self.clearTapped() },
      "postTapped": { self.postTapped($0) }, "clubTapped": { self.clubTapped($0) }, "bookmarkTapped": { self.bookmarkTapped($0) },
      "reachedEnd": { _ in self.reachedEnd() }, "retryTapped": { _ in self.retryTapped() },
      "messageDismissed": { _ in self.messageDismissed() },
    ]
  }
}

extension AddFeedViewModel: ScreenModel {
  var inputs: [String: @MainActor (String) -> Void] {
    [
      "urlChanged": { self.urlChanged($0) }, "fileChosen": { self.fileChosen($0) }, "addTapped": { _ in self.addTapped() },
      "choiceTapped": { self.choiceTapped($0) }, "cancelTapped": { _ in self.cancelTapped() }, "fetchTapped": { _ in self.fetchTapped() },
      "openTapped": { _ in self.openTapped() }, "closeTapped": { _ in self.closeTapped() },
    ]
  }
}

extension NotificationsViewModel: ScreenModel {
  var inputs: [String: @MainActor (String) -> Void] {
    [
      "onTapped": { _ in self.onTapped() }, "quietHoursTapped": { _ in self.quietHoursTapped() },
      "quietFromChanged": { if let minutes = Int($0) { self.quietFromChanged(minutes) } },
      "quietToChanged": { if let minutes = Int($0) { self.quietToChanged(minutes) } }, "clubTapped": { self.clubTapped($0) },
      "refreshTapped": { _ in self.refreshTapped() },
    ]
  }
}
