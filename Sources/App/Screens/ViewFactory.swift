import AccountFeature
import AddFeedFeature
import AppCore
import ArticleFeature
import BookmarksFeature
import CommentsFeature
import FanClubFeature
import FeatureKit
import FeedFeature
import Gtk
import LoginFeature
import MenuFeature
import PaymentFeature
import PaywallFeature
import SearchFeature

/// Makes the view of a screen.
@MainActor struct ViewFactory {
  let pictures: Pictures
  let preferences: Preferences

  func view(_ screen: Screen) -> any View {
    switch screen.model {
    case let model as LoginViewModel: return LoginView(model)
    case let model as FeedViewModel: return FeedView(model, pictures: pictures)
    case let model as FanClubListViewModel: return FanClubListView(model, pictures: pictures)
    case let model as FanClubViewModel: return FanClubView(model, pictures: pictures)
    case let model as BookmarksViewModel:
      let list = PostListView(model, pictures: pictures)
      model.observe { [weak list] in list?.show($0) }
      return list
    case let model as AccountViewModel: return AccountView(model)
    case let model as ArticleViewModel: return ArticleView(model, pictures: pictures, preferences: preferences)
    case let model as PaywallViewModel: return PaywallView(model)
    case let model as PaymentViewModel: return PaymentView(model)
    case let model as PurchasesViewModel: return PurchasesView(model)
    case let model as CommentsViewModel: return CommentsView(model)
    case let model as SearchViewModel: return SearchView(model, pictures: pictures)
    case let model as AddFeedViewModel: return AddFeedView(model)
    case let model as NotificationsViewModel: return NotificationsView(model)
    case let model as PrivacyViewModel: return PrivacyView(model)
    case let model as SessionsViewModel: return SessionsView(model)
    case let model as ChangePasswordViewModel: return ChangePasswordView(model)
    case let model as ConfirmViewModel: return ConfirmView(model)
    case let model as SignOutViewModel: return SignOutView(model)
    case let model as AboutViewModel: return AboutView(model)
    case let model as PreferencesViewModel: return PreferencesView(model)
    case let model as ServiceNoticeViewModel: return ServiceNoticeView(model)
    case let model as ShortcutsViewModel: return ShortcutsView(model)
    default: fatalError("\(type(of: screen.model)) has no view; see “Adding a screen” in docs/engineers.md")
    }
  }
}
