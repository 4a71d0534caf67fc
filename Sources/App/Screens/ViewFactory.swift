import AppCore
import Gtk

/// Makes the view of a screen.
@MainActor struct ViewFactory {
  let pictures: Pictures

  func view(_ screen: Screen) -> any View {
    switch screen {
    case .login(let model): return LoginView(model)
    case .feed(let model): return FeedView(model, pictures: pictures)
    case .fanClubs(let model): return FanClubListView(model, pictures: pictures)
    case .fanClub(let model): return FanClubView(model, pictures: pictures)
    case .bookmarks(let model):
      let list = PostListView(model, pictures: pictures, words: .bookmarks)
      model.onChange = { [weak list] in list?.show($0) }
      return list
    case .account(let model): return AccountView(model)
    case .article(let model): return ArticleView(model, pictures: pictures)
    case .paywall(let model): return PaywallView(model)
    case .payment(let model): return PaymentView(model)
    case .purchases(let model): return PurchasesView(model)
    case .comments(let model): return CommentsView(model)
    case .search(let model): return SearchView(model, pictures: pictures)
    case .addFeed(let model): return AddFeedView(model)
    case .notifications(let model): return NotificationsView(model)
    case .signOut(let model): return SignOutView(model)
    }
  }
}
