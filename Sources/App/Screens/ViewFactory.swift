import AppCore
import Gtk

/// Makes the view of a screen.
@MainActor struct ViewFactory {
  let pictures: Pictures

  func view(_ screen: Screen) -> any View {
    switch screen {
    case .login(let model): LoginView(model)
    case .feed(let model): FeedView(model, pictures: pictures)
    case .fanClubs(let model): FanClubListView(model, pictures: pictures)
    case .fanClub(let model): FanClubView(model, pictures: pictures)
    case .bookmarks(let model): BookmarksView(model, pictures: pictures)
    case .account(let model): AccountView(model)
    case .article(let model): ArticleView(model, pictures: pictures)
    case .paywall(let model): PaywallView(model)
    case .payment(let model): PaymentView(model)
    }
  }
}
