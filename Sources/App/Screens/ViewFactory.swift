import AppCore
import Gtk

/// Makes the view of a screen.
@MainActor struct ViewFactory {
  let pictures: Pictures

  func view(_ screen: Screen) -> any View {
    switch screen {
    case .login(let model): return LoginView(model)
    case .feed(let model):
      let list = PostListView(model, pictures: pictures, words: .feed)
      model.onChange = { [weak list] in list?.show($0.posts) }
      return list
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
    case .comments, .search, .addFeed, .notifications: return PlaceholderView()
    }
  }
}

/// Stands for a screen that has no view of its own.
@MainActor final class PlaceholderView: View {
  let scope = Scope()
  let root: Widget
  private let status = StatusView()

  init() {
    status.show(icon: .empty, heading: "Nothing to show", sentence: "This page has no picture in this version.")
    root = Box(.vertical, styles: [.page], children: [status.root])
  }
}
