import AccountFeature
import AddFeedFeature
import AppCore
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
import ReaderContent
import Runtime
import SearchFeature

extension SplitMix {
  mutating func chance(_ probability: Double) -> Bool { fraction() < probability }

  mutating func pick<Element>(_ elements: [Element]) -> Element { elements[Int(next() % UInt64(elements.count))] }
}

/// What a person may do on a screen: one input, by chance.
@MainActor struct ScreenChoices {
  var random: SplitMix
  /// Where files may be written.
  let folder: String
  /// The one that was mailed last.
  var code: String?
  /// The kinds of inputs that were sent, each with its screen.
  private(set) var sent: Set<String> = []

  private static let texts = ["", "a", "post", "Text of p3", "   ", "“*", String(repeating: "long ", count: 300), "🎭 é\u{301}"]

  /// Sends an input to the screen.
  /// - Returns: which.
  mutating func press(_ screen: Screen) -> String {
    switch screen.model {
    case let model as LoginViewModel: press(model, login(model))
    case let model as FeedViewModel: press(model, feed())
    case let model as BookmarksViewModel: press(model, posts())
    case let model as FanClubListViewModel: press(model, clubs())
    case let model as FanClubViewModel: press(model, club())
    case let model as ArticleViewModel: press(model, article(model))
    case let model as CommentsViewModel: press(model, comments(model))
    case let model as SearchViewModel: press(model, search())
    case let model as AccountViewModel: press(model, account())
    case let model as SignOutViewModel: press(model, [.signOutTapped, .cancelTapped])
    case let model as ServiceNoticeViewModel: press(model, [.actionTapped, .closeTapped])
    case let model as PrivacyViewModel: press(model, AnalyticsChoice.allCases.map { .choiceTapped($0) } + [.folderTapped])
    case let model as SessionsViewModel: press(model, sessions(model))
    case let model as ChangePasswordViewModel: press(model, changePassword())
    case let model as NotificationsViewModel: press(model, notifications())
    case let model as PurchasesViewModel: press(model, purchases(model))
    case let model as PaywallViewModel: press(model, paywall())
    case let model as PaymentViewModel: press(model, payment(model))
    case let model as PreferencesViewModel: press(model, preferences())
    case let model as AboutViewModel: press(model, [.licenseTapped, .folderTapped, .homepageTapped, .reportTapped, .closeTapped])
    case let model as ShortcutsViewModel: press(model, [.closeTapped])
    case let model as ConfirmViewModel: press(model, [.confirmTapped, .cancelTapped])
    case let model as AddFeedViewModel: press(model, addFeed())
    default: "nothing on \(type(of: screen.model))"
    }
  }

  private mutating func press<Model: ScreenModel>(_ model: Model, _ inputs: [Model.Input]) -> String {
    let input = random.pick(inputs)
    model.send(input)
    let said = "\(type(of: model)).\(String(describing: input).prefix(80))"
    sent.insert(String(said.prefix { $0 != "(" }))
    return said
  }

  private mutating func login(_ model: LoginViewModel) -> [LoginViewModel.Input] {
    if model.state.code != nil, let code, random.chance(0.7) {
      model.send(.codeChanged(code))
      model.send(.newPasswordChanged(.init(random.pick(WalkContent.passwords))))
      return [.submitTapped]
    }
    if random.chance(0.2) {
      model.send(.emailChanged(random.pick(WalkContent.readers).0))
      return [.codeTapped, .forgotPasswordTapped] + model.state.providers.map { .providerTapped($0.id) }
    }
    if random.chance(0.5) {
      let reader = random.pick(WalkContent.readers)
      model.send(.emailChanged(reader.0))
      model.send(.passwordChanged(.init(random.chance(0.7) ? reader.2 : random.pick(WalkContent.passwords))))
      return [.submitTapped]
    }
    return [
      .emailChanged(random.pick(Self.texts)), .passwordChanged(.init(random.pick(Self.texts))), .submitTapped, .sampleAccountTapped,
      .codeTapped, .forgotPasswordTapped, .codeChanged(random.pick(Self.texts)), .newPasswordChanged(.init(random.pick(Self.texts))),
      .passwordTapped, .providerTapped("https://nobody.example.org"), .cancelTapped,
    ]
  }

  private mutating func posts() -> [PostList.Input] {
    let id = random.pick(WalkContent.posts + ["none"])
    return [
      .postTapped(id), .postTapped(id), .clubTapped(id), .commentsTapped(id), .openInBrowserTapped(id), .copyLinkTapped(id),
      .mailTapped(id), .reactionToggled(id), .reactionChosen(id, random.pick(Reaction.known)), .readTapped(id), .allReadTapped,
      .readToHereTapped(id), .undoTapped, .bookmarkTapped(id), .reachedEnd, .reachedEnd, .refreshTapped, .retryTapped, .newPostsTapped,
      .messageDismissed, .fetchAgainTapped, .cancelFetchTapped, .fetchDismissed,
    ]
  }

  private mutating func feed() -> [FeedViewModel.Input] {
    posts().map { .posts($0) } + [
      .choiceTapped(.all), .choiceTapped(.followed), .choiceTapped(.fanClub(random.pick(WalkContent.clubs))), .unreadOnlyTapped,
      .fetchTapped, .newPostsAnnounced,
    ]
  }

  private mutating func clubs() -> [FanClubListViewModel.Input] {
    let id = random.pick(WalkContent.clubs + ["none"])
    return [
      .followedOnlyTapped, .refreshTapped, .retryTapped, .reachedEnd, .messageDismissed, .clubTapped(id), .clubTapped(id),
      .followTapped(id),
      .addFeedTapped, .exportTapped, .exportChosen(folder + "/export.opml"), .exportCancelled,
    ]
  }

  private mutating func club() -> [FanClubViewModel.Input] {
    posts().map { .posts($0) } + [.backTapped, .followTapped, .aboutTapped, .notifyTapped, .fetchTapped, .removeTapped]
  }

  private mutating func article(_ model: ArticleViewModel) -> [ArticleViewModel.Input] {
    [
      .refreshTapped, .retryTapped, .reactionToggled, .reactionChosen(random.pick(Reaction.known)), .commentsTapped, .readTapped,
      .bookmarkTapped, .clubTapped, .unlockTapped, .unlockTapped, .passTapped, .passTapped, .linkTapped("https://example.org/"),
      .linkTapped("file:///etc/passwd"), .openInBrowserTapped, .copyLinkTapped, .mailTapped, .scrolled(to: .init(block: 1, fraction: 0.5)),
      .scrolled(to: nil), .backTapped, .messageDismissed,
    ] + model.state.attachments.map { .attachmentTapped($0) }
  }

  private mutating func comments(_ model: CommentsViewModel) -> [CommentsViewModel.Input] {
    [
      .refreshTapped, .retryTapped, .reachedEnd, .messageDismissed, .postTapped, .linkTapped("https://example.org/"),
      .draftChanged(random.pick(Self.texts)), .draftChanged("Well said"), .sendTapped, .sendTapped, .deleteTapped("none"),
    ] + model.state.comments.ids.prefix(3).map { .deleteTapped($0) }
  }

  private mutating func search() -> [SearchViewModel.Input] {
    let post = random.pick(WalkContent.posts)
    return [
      .queryChanged(random.pick(Self.texts)), .queryChanged("post"), .submitTapped, .clearTapped, .retryTapped, .reachedEnd,
      .clubTapped(random.pick(WalkContent.clubs)), .postTapped(post), .bookmarkTapped(post), .messageDismissed, .opened(with: "post"),
    ]
  }

  private func account() -> [AccountViewModel.Input] {
    [
      .refreshTapped, .signOutTapped, .unlockTapped, .unlockTapped, .purchasesTapped, .purchasesTapped, .notificationsTapped,
      .privacyTapped,
      .sessionsTapped, .changePasswordTapped,
    ]
  }

  private func sessions(_ model: SessionsViewModel) -> [SessionsViewModel.Input] {
    [.refreshTapped, .endOthersTapped, .cancelProviderTapped] + model.state.rows.map { .endTapped($0.id) }
      + model.state.providers.flatMap { [.addProviderTapped($0.id), .removeProviderTapped($0.id)] }
  }

  private mutating func changePassword() -> [ChangePasswordViewModel.Input] {
    [
      .currentChanged(.init(random.pick(Self.texts + WalkContent.passwords))), .currentChanged(.init(random.pick(WalkContent.passwords))),
      .newChanged(.init(random.pick(Self.texts + WalkContent.passwords))), .submitTapped, .submitTapped, .cancelTapped,
    ]
  }

  private mutating func notifications() -> [NotificationsViewModel.Input] {
    [
      .refreshTapped, .onTapped, .quietHoursTapped, .quietFromChanged(random.pick([-1, 0, 1320, 5000])),
      .quietToChanged(random.pick([0, 420])),
      .clubTapped(random.pick(WalkContent.clubs)),
    ]
  }

  private func purchases(_ model: PurchasesViewModel) -> [PurchasesViewModel.Input] {
    [.refreshTapped, .restoreTapped] + model.state.rows.flatMap { [.checkTapped($0.id), .confirmTapped($0.id), .cancelTapped($0.id)] }
  }

  private mutating func paywall() -> [PaywallViewModel.Input] {
    let product = random.pick(WalkContent.products)
    return [.retryTapped, .refreshTapped, .buyTapped(product), .buyTapped(product), .buyTapped(product), .confirmTapped, .closeTapped]
  }

  private mutating func payment(_ model: PaymentViewModel) -> [PaymentViewModel.Input] {
    [
      .retryTapped, .refreshTapped, .payTapped, .payTapped, .payTapped, .openAgainTapped, .confirmTapped, .cancelPaymentTapped,
      .cancelTapped,
    ]
      + model.state.methods.map { .methodChosen($0.id) }
  }

  private mutating func preferences() -> [PreferencesViewModel.Input] {
    [
      .largerTextTapped, .smallerTextTapped, .usualTextTapped, .appearanceChosen(random.pick(Appearance.allCases)),
      .articleWidthChosen(random.pick(Preferences.ArticleWidth.allCases)),
      .articleFontChosen(random.pick(Preferences.ArticleFont.allCases)),
      .notificationsTapped, .pictureLimitChosen(random.pick([0, 1, 500])), .contentLimitChosen(random.pick([0, 1, 500])),
      .clearPicturesTapped, .clearContentTapped, .closeTapped,
    ]
  }

  private mutating func addFeed() -> [AddFeedViewModel.Input] {
    [
      .urlChanged(random.pick(Self.texts + WalkContent.feeds)), .urlChanged(random.pick(WalkContent.feeds)),
      .fileChosen(folder + "/export.opml"), .addTapped, .addTapped, .choiceTapped(random.pick(WalkContent.feeds)), .cancelTapped,
      .fetchTapped, .openTapped, .closeTapped,
      .opened(with: random.pick(WalkContent.feeds)),
    ]
  }
}
