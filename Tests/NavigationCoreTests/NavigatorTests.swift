import NavigationCore
import Testing

private enum Place: Hashable { case login, home, clubs, post(Int), paywall, payment }

@MainActor private final class Screen: ScreenLifecycle {
  static var log: [String] = []
  let place: Place
  init(_ place: Place) { self.place = place }
  func appear() { Self.log.append("+\(place)") }
  func disappear() { Self.log.append("-\(place)") }
}

@Suite struct NavigationTreeTests {
  private func signedIn() -> NavigationTree<Place> {
    var tree = NavigationTree<Place>(root: .login)
    tree.reset(tabs: [.home, .clubs])
    tree.isCurtainDown = false
    return tree
  }

  @Test func openingWhatIsOnTopChangesNothing() {
    var tree = signedIn()
    tree.open(.post(1))
    let before = tree
    tree.open(.post(1))
    #expect(tree == before)
  }

  @Test func whatIsOpenFurtherDownComesToTheTopAndNothingCloses() {
    var tree = signedIn()
    tree.open(.post(1))
    let first = tree.top
    tree.open(.post(2))
    tree.open(.post(1))
    #expect(tree.top == first)
    #expect(tree.tabs[0].map(\.destination) == [.home, .post(2), .post(1)])
    tree.back()
    #expect(tree.top.destination == .post(2))
    tree.open(.home)
    #expect(!tree.canGoBack)
  }

  @Test func tabsKeepTheirPagesAndASecondTapGoesToTheFirst() {
    var tree = signedIn()
    tree.open(.post(1))
    tree.select(tab: 1)
    #expect(tree.top.destination == .clubs)
    tree.select(tab: 0)
    #expect(tree.top.destination == .post(1))
    tree.select(tab: 0)
    #expect(tree.top.destination == .home)
  }

  @Test func pagesThatLeadNowhereCloseInAllTabsButTheFirst() {
    var tree = signedIn()
    tree.open(.post(1))
    tree.open(.post(2))
    tree.open(.post(3))
    tree.select(tab: 1)
    tree.open(.post(2))
    tree.close { [.post(2), .post(3), .clubs].contains($0) }
    #expect(tree.tabs.map { $0.map(\.destination) } == [[.home, .post(1)], [.clubs]])
    #expect(tree.top.destination == .clubs)
  }

  @Test func sheetsLieAboveTabsAndBackClosesThemFirst() {
    var tree = signedIn()
    tree.open(.post(1))
    tree.present(.paywall)
    tree.present(.payment)
    tree.back()
    #expect(tree.top.destination == .paywall)
    tree.dismiss()
    #expect(tree.top.destination == .post(1))
  }

  @Test func noPageOpensAboveTheRootAlone() {
    var tree = NavigationTree<Place>(root: .login)
    tree.open(.post(1))
    #expect(tree.top.destination == .login)
    #expect(!tree.canGoBack)
    tree.back()
    #expect(tree.top.destination == .login)
    #expect(tree.visible == nil)
  }

  @Test func sheetsLieAboveTheRootTooAndGoWhenTabsCome() {
    var tree = NavigationTree<Place>(root: .login)
    tree.isCurtainDown = false
    tree.present(.paywall)
    #expect(tree.visible?.destination == .paywall)
    #expect(tree.canGoBack)
    tree.back()
    #expect(tree.visible?.destination == .login)
    tree.present(.paywall)
    tree.reset(tabs: [.home])
    #expect(tree.visible?.destination == .home)
    #expect(tree.sheets.isEmpty)
  }

  @Test func aTabThatDoesNotExistIsNotSelected() {
    var tree = signedIn()
    tree.select(tab: 7)
    #expect(tree.selectedTab == 0)
  }
}

@MainActor @Suite(.serialized) struct NavigatorTests {
  private func make() -> (Navigator<Place, Screen>, HeadlessPresenter<Place, Screen>) {
    Screen.log = []
    let presenter = HeadlessPresenter<Place, Screen>()
    let navigator = Navigator<Place, Screen>(root: .login, presenter: presenter) { Screen($0) }
    navigator.start()
    return (navigator, presenter)
  }

  @Test func screensAreToldWhenTheyComeAndGo() {
    let (navigator, presenter) = make()
    navigator.change {
      $0.reset(tabs: [.home, .clubs])
      $0.isCurtainDown = false
    }
    navigator.change { $0.open(.post(1)) }
    navigator.change { $0.back() }
    #expect(Screen.log == ["+home", "-home", "+post(1)", "-post(1)", "+home"])
    #expect(presenter.visited == [nil, .home, .post(1), .home])
  }

  @Test func onlyWhatWasVisibleIsMadeAndWhatClosedIsDropped() {
    let (navigator, presenter) = make()
    navigator.change {
      $0.reset(tabs: [.home, .clubs])
      $0.isCurtainDown = false
    }
    #expect(presenter.screens.values.map(\.place) == [.home])
    weak var post: Screen?
    navigator.change { $0.open(.post(1)) }
    post = presenter.visibleScreen
    #expect(post?.place == .post(1))
    navigator.change { $0.back() }
    #expect(post == nil)
  }

  @Test func theRootIsAFreshOneEachTimeThatOneComesBackToIt() {
    let (navigator, presenter) = make()
    navigator.change { $0.isCurtainDown = false }
    weak let login = presenter.visibleScreen
    #expect(login?.place == .login)
    navigator.change { $0.reset(tabs: []) }
    #expect(presenter.visibleScreen === login, "it has not been left")
    navigator.change { $0.reset(tabs: [.home]) }
    #expect(login == nil)
    navigator.change { $0.reset(tabs: []) }
    #expect(Screen.log == ["+login", "-login", "+home", "-home", "+login"])
  }

  @Test func behindTheCurtainNothingAppears() {
    let (navigator, presenter) = make()
    #expect(presenter.screens.isEmpty)
    navigator.change { $0.reset(tabs: [.home]) }
    #expect(Screen.log.isEmpty)
    #expect(presenter.visibleScreen == nil)
    navigator.change { $0.isCurtainDown = false }
    #expect(Screen.log == ["+home"])
  }

  @Test func aChangeThatChangesNothingPresentsNothing() {
    let (navigator, presenter) = make()
    var calls = 0
    presenter.onChange = { calls += 1 }
    navigator.change { $0.back() }
    #expect(calls == 0)
  }
}
