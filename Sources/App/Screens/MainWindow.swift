import AppCore
import FeatureKit
import Gtk
import LoginFeature
import MenuFeature
import NavigationCore

/// The window: draws what the coordinator presents, and turns its own controls into navigations.
///
/// From below: the pages of the tabs and the login, messages, the sheets on a scrim, the curtain. While there is a sheet, messages are above it.
@MainActor public final class MainWindow: Presenter, SignalOwner {
  /// Connections of the window itself; each page has a scope of its own.
  public let scope = Scope()
  /// GTK's window, which all screens are drawn in.
  public let window: Window
  /// Carries out what the window's own controls ask for.
  public var perform: ((Navigation) -> Void)?
  /// Called with the name of the visible place, after each painted frame in which it has changed.
  public var onFrameShows: ((String) -> Void)?
  /// Called with the name of the topmost page, after each painted frame, also while the curtain covers it.
  public var onFrame: ((String) -> Void)?

  /// Called when the curtain begins to lift, before the first frame of that.
  public var onLift: (() -> Void)?

  private typealias Tree = NavigationTree<Destination>
  private let views: ViewFactory
  private let preferences: Preferences
  private let curtain: CurtainView
  private let curtainLift: Slide
  private let pages = Stack(crossfades: true)
  private let host: SheetHost
  private var presented: Tree.Node.ID?
  private let messages = MessageQueue()
  /// Above the pages, and above the sheets: where messages stand.
  private let abovePages: Overlay
  private let aboveSheets: Overlay
  private var messagePlace: Overlay?
  private let tabs: TabBar<Tab>
  private let header: HeaderBar
  /// In the title bar until the first frame is painted.
  private let noTitle = Box(.horizontal)
  private let back = Button(icon: .back, name: "Back")
  private let refresh = Button(icon: .refresh, name: "Refresh")
  private let search = Button(icon: .search, name: "Search")
  /// Made after the first frame, which has no need of it.
  private lazy var menu = MainMenu()
  /// Where the menu is in the title bar; empty until then.
  private let menuPlace = Box(.horizontal)
  private let waitingBar = WaitingBar()
  private var open: [Tree.Node.ID: any View] = [:]
  /// The page that a person works in, and the remembered focus of the pages they left.
  private var page: Tree.Node.ID?
  private var focus: [Tree.Node.ID: RememberedFocus] = [:]
  /// Whether the page has nothing yet that takes the keyboard, and holds it until it does.
  private var awaitsKeyboard = false
  private var top: (id: Tree.Node.ID, place: Destination, screen: Screen)?
  private var hasReader = false
  /// The tab of the last arrangement.
  private var selectedTab = 0
  private var lastShown: String?
  /// What the window is named after; `nil` behind the curtain.
  private var named: String?
  private var waiting: [CheckedContinuation<Void, Never>] = []

  /// - Parameters:
  ///   - application: which ends with the window; nil in tests.
  ///   - curtain: what hides the start-up check.
  ///   - pictures: loads what rows and articles show.
  ///   - preferences: how to draw, which is followed.
  public init(_ application: Application?, curtain: CurtainViewModel, pictures: Pictures, preferences: Preferences) {
    self.preferences = preferences
    views = ViewFactory(pictures: pictures, preferences: preferences)
    self.curtain = CurtainView(curtain)
    curtainLift = Slide(self.curtain.root, from: .top)
    curtainLift.isRevealed = true
    tabs = TabBar(
      [
        .init(.home, title: Tab.home.title, icon: .home), .init(.fanClubs, title: Tab.fanClubs.title, icon: .people),
        .init(.bookmarks, title: Tab.bookmarks.title, icon: .bookmark), .init(.account, title: Tab.account.title, icon: .person),
      ], name: "Pages")
    header = HeaderBar()
    // Nor are the title and the window's buttons drawn in the first frame: they come with the second.
    header.showsWindowButtons = false
    header.addStart(back)
    header.addEnd(menuPlace)
    header.addEnd(refresh)
    header.addEnd(search)
    pages.expandsVertically = true
    // Below the pages: it appears by itself, and must not move what the reader reads or is about to press.
    abovePages = Overlay(pages)
    host = SheetHost(Box(.vertical, children: [abovePages, waitingBar.root]))
    aboveSheets = Overlay(host.root)
    let content = Overlay(aboveSheets, above: [curtainLift])
    window = Window(application, title: Self.title, width: 1000, height: 720)
    window.setMinimumWindowSize(width: 360, height: 400)
    window.titlebar(header)
    window.child(content)
    // Nothing beneath the curtain is laid out or drawn before it lifts: the first frame is the curtain alone.
    host.root.isVisible = false
    back.isVisible = false
    refresh.isVisible = false
    search.isVisible = false
    menuPlace.isVisible = false
    preferences.observe(self) { _, preferences in Theme.use(preferences) }
    connect()
  }

  /// Shows below the pages what waits to be sent.
  public func observe(_ waiting: WaitingViewModel) { waitingBar.observe(waiting) }

  /// Called when the person turns to the window, or to another one.
  public var onActiveChanged: ((Bool) -> Void)?

  /// Shows the window.
  public func show() {
    window.present()
    window.onFrame(self) { $0.painted() }
  }

  /// Returns when a frame has been painted.
  public func firstFrame() async {
    guard lastShown == nil else { return }
    await withCheckedContinuation { waiting.append($0) }
  }

  /// Signs in to the sample account, when the login shows and offers it.
  /// - Returns: whether it could.
  public func useSampleAccount() -> Bool {
    guard let login = top?.screen.model as? LoginViewModel, login.state.offersSampleAccount else { return false }
    login.send(.sampleAccountTapped)
    return true
  }

  /// The visible place, from the widgets: `curtain`, or the name of a place; `nil` before there is anything.
  public var shownName: String? {
    if curtain.root.isMapped { return "curtain" }
    return top.flatMap { open[$0.id]?.root.isMapped == true ? $0.place.name : nil }
  }

  /// Shows an arrangement: makes views for screens that are new, closes those that are gone.
  public func present(_ tree: NavigationTree<Destination>, screens: [NavigationTree<Destination>.Node.ID: Screen]) {
    let page = tree.tabs.isEmpty ? tree.root : tree.tabs[tree.selectedTab][tree.tabs[tree.selectedTab].count - 1]
    // A view is made when its place is first seen: none behind the curtain, and no login where a stored session is used.
    for node in tree.isCurtainDown ? [] : [page] + tree.sheets where open[node.id] == nil {
      if let screen = screens[node.id] { add(views.view(screen), id: node.id, isPage: node.id == page.id) }
    }
    // Read before anything changes: a hidden widget loses the focus.
    if let left = self.page, left != page.id {
      focus[left] = open[left].flatMap { RememberedFocus(in: $0.root) } ?? focus[left]
    }
    // A page that a link opens in this tab is to be read.
    let isRoot = tree.tabs.isEmpty || tree.tabs[tree.selectedTab].count == 1
    let isChoosingTabs = tabs.root.hasFocus && (isRoot || tree.selectedTab != selectedTab)
    selectedTab = tree.selectedTab
    pages.show(name(page.id))
    showSheet(tree.sheets.last)
    placeMessage(over: page.id)
    for (id, view) in open where screens[id] == nil { close(view, id: id) }
    // Messages to a reader who has signed out are not for the next one.
    if hasReader, tree.tabs.isEmpty { messages.clear() }
    hasReader = !tree.tabs.isEmpty
    top = screens[tree.top.id].map { (tree.top.id, tree.top.destination, $0) }
    showControls(tree, page: screens[page.id])
    if !tree.isCurtainDown { host.root.isVisible = true }
    if curtainLift.isRevealed, !tree.isCurtainDown { onLift?() }
    curtainLift.isRevealed = tree.isCurtainDown
    // As long as a part of it is visible: a click on the curtain is not meant for the page beneath.
    curtainLift.takesClicks = tree.isCurtainDown || curtain.root.isMapped
    let shown = tree.isCurtainDown ? nil : page.id
    guard self.page != shown else { return }
    self.page = shown
    if let shown { moveKeyboard(to: shown, isChoosingTabs: isChoosingTabs) }
  }

  /// The focus returns to where it was when the page was left, or else to where the page begins. While a person moves along the tabs, it
  /// stays there.
  private func moveKeyboard(to id: Tree.Node.ID, isChoosingTabs: Bool) {
    if isChoosingTabs, tabs.selected != nil { return tabs.takeKeyboard() }
    if focus[id]?.restore() == true { awaitsKeyboard = false } else { beginPage(id) }
  }

  /// The keyboard goes where the page begins.
  private func beginPage(_ id: Tree.Node.ID) {
    guard let view = open[id] else { return awaitsKeyboard = false }
    // The toolkit would give it to the first button of the page, or of the window, and the next Enter would press that.
    view.root.holdKeyboard()
    view.takeKeyboard()
    awaitsKeyboard = view.root.holdsKeyboard
  }

  /// Unless the person took it elsewhere meanwhile.
  private func giveKeyboard() {
    if presented == nil, awaitsKeyboard, let view = page.flatMap({ open[$0] }) {
      awaitsKeyboard = view.root.holdsKeyboard
      if awaitsKeyboard { view.takeKeyboard() }
    }
    // The widget with the focus is gone, such as the button of a status; the page decides which one gets it.
    if let view = (presented ?? page).flatMap({ open[$0] }), Stack.holdsKeyboard(in: view.root) {
      view.root.holdKeyboard()
      view.takeKeyboard()
      // Where nothing takes it yet, such as rows that are on their way.
      if presented == nil { awaitsKeyboard = view.root.holdsKeyboard }
    }
  }

  /// Shows a short message at the bottom, after the present one.
  public func show(message text: String) { messages.show(text) }

  /// Says that an address is not opened, and offers to copy it.
  public func show(message text: String, offering address: String) {
    messages.show(text, copying(address, "Copy address", done: "Address copied."))
  }

  /// Offers a text that has no place any more. The message stays until the person has copied the text, or put the message away.
  public func show(message: String, offeringText text: String, answered: @escaping @MainActor () -> Void) {
    messages.show(message, copying(text, "Copy text", done: "Text copied."), untilAnswered: answered)
  }

  private func copying(_ text: String, _ label: String, done: String) -> MessageQueue.Action {
    MessageQueue.Action(label: label) { [weak self] in
      self?.window.copyToClipboard(text)
      self?.messages.show(done)
    }
  }

  /// A page has its bars at the end. A sheet has its buttons there, and may be as high as the window.
  private func placeMessage(over page: Tree.Node.ID) {
    let isSheet = presented != nil
    messages.bar.root.vertical = isSheet ? .start : .end
    let place = isSheet ? aboveSheets : open[page]?.messages ?? abovePages
    guard place !== messagePlace else { return }
    messagePlace?.remove(messages.bar.root)
    place.add(messages.bar.root)
    messagePlace = place
  }

  private func showControls(_ tree: Tree, page: Screen?) {
    let isSignedIn = !tree.tabs.isEmpty && !tree.isCurtainDown
    header.title(isSignedIn ? tabs.root : header.showsWindowButtons ? nil : noTitle)
    if isSignedIn { tabs.selected = Tab.allCases[tree.selectedTab] }
    tabs.root.isSensitive = tree.sheets.isEmpty
    // A sheet takes none of the page's controls away: the bar would move behind it.
    back.isVisible = isSignedIn && tree.tabs[tree.selectedTab].count > 1
    search.isVisible = isSignedIn
    refresh.isVisible = isSignedIn && page?.canRefresh == true
    menuPlace.isVisible = !tree.isCurtainDown
    for control in [back, search, refresh, menuPlace] { control.isSensitive = tree.sheets.isEmpty }
  }

  private func showSheet(_ sheet: Tree.Node?) {
    // A sheet behind the curtain has no view yet.
    let shown = sheet.flatMap { sheet in open[sheet.id].map { (sheet, $0) } }
    guard shown?.0.id != presented else { return }
    // Before it goes: another one may lie above it for a while.
    if let presented { focus[presented] = open[presented].flatMap { RememberedFocus(in: $0.root) } }
    presented = shown?.0.id
    if let (sheet, view) = shown {
      host.present(view.root, name: sheet.destination.title, maximumWidth: 480) { [focus] in
        if focus[sheet.id]?.restore() != true { view.takeKeyboard() }
      }
    } else {
      host.dismiss()
    }
  }

  private func add(_ view: any View, id: Tree.Node.ID, isPage: Bool) {
    open[id] = view
    if isPage { pages.add(view.root, name: name(id)) }
  }

  private func close(_ view: any View, id: Tree.Node.ID) {
    open[id] = nil
    focus[id] = nil
    view.scope.close()
    pages.remove(name: name(id))
  }

  private func name(_ id: Tree.Node.ID) -> String { "node-\(id)" }

  private func connect() {
    window.onCloseRequest(self) { owner in
      // It stays until the application lets go of it.
      owner.perform?(.quit)
      return owner.perform == nil
    }
    back.onClicked(self) { $0.perform?(.back) }
    refresh.onClicked(self) { $0.refreshTapped() }
    search.onClicked(self) { $0.searchTapped() }
    window.onActiveChanged(self) { $0.onActiveChanged?($0.window.isActive) }
    tabs.onSelected = { [weak self] in self?.perform?(.tab($0)) }
    curtain.root.onHidden(self) { $0.curtainLift.takesClicks = false }
    waitingBar.onKeyboardLeft = { [weak self] in
      if let self, let page { moveKeyboard(to: page, isChoosingTabs: false) }
    }
    host.onKeyboardLeft = { [weak self] in if let self, let page { beginPage(page) } }
    host.onCancelled = { [weak self] in self?.perform?(.back) }
    messages.onTurn = { [weak self] in if let self, let page { placeMessage(over: page) } }
    messages.onKeyboardLeft = { [weak self] in
      if let self, presented == nil, let page { moveKeyboard(to: page, isChoosingTabs: false) }
    }
    window.addShortcut(.refresh, self) { $0.refreshTapped() }
    window.addShortcut(.undo, self, when: { $0.top?.screen.canUndo == true }) { $0.top?.screen.undo() }
    window.addShortcut(.search, self) { $0.searchTapped() }
    window.addShortcut(.back, self) { $0.perform?(.back) }
    window.onBackButton(self) { $0.perform?(.back) }
    window.addShortcut(.menu, self, when: { $0.menu.root.isMapped && $0.menuPlace.isSensitive }) { $0.menu.open(from: $0.window) }
    window.addShortcut(.preferences, self) { $0.perform?(.preferences) }
    window.addShortcut(.shortcuts, self) { $0.perform?(.shortcuts) }
    window.addShortcut(.largerText, self) { $0.preferences.changeTextSize(by: 1) }
    window.addShortcut(.smallerText, self) { $0.preferences.changeTextSize(by: -1) }
    window.addShortcut(.usualText, self) { $0.preferences.change { $0.textSize = 100 } }
    for (key, tab) in zip(Shortcut.tabs.keys, Tab.allCases) { window.addShortcut(key, self) { $0.perform?(.tab(tab)) } }
  }

  private func chosen(_ item: MainMenu.Item) {
    switch item {
    case .preferences: perform?(.preferences)
    case .shortcuts: perform?(.shortcuts)
    case .about: perform?(.about)
    case .quit: window.close()
    }
  }

  /// As it was left, with the keyboard in the field.
  private func searchTapped() {
    guard search.isVisible, search.isSensitive else { return }
    perform?(.search(""))
    if let top { open[top.id]?.takeKeyboard() }
  }

  private func refreshTapped() {
    guard !curtain.root.isMapped else { return }
    top?.screen.refresh()
  }

  private func painted() {
    defer { fillWindow() }
    giveKeyboard()
    nameWindow()
    // The message must not hide what the reader is about to press, nor what the page itself offers.
    let bar = messages.bar.root
    if bar.isMapped, bar.vertical == .end, bar.shareOfFocusBeneath > 0.25 || messagePlace?.hasMore(atTheEndBeside: bar) == true {
      bar.vertical = .start
    }
    if let onFrame, let place = top?.place { onFrame(place.name) }
    guard let name = shownName, name != lastShown else { return }
    lastShown = name
    onFrameShows?(name)
    for continuation in waiting { continuation.resume() }
    waiting = []
  }

  /// People distinguish windows by the title, and a screen reader says it first.
  private func nameWindow() {
    let place = curtain.root.isMapped ? nil : top.flatMap { $0.screen.title ?? $0.place.title }
    // Called after each frame: an unchanged place makes no new title.
    guard place != named else { return }
    named = place
    window.title = place.map { "\($0) — \(Self.title)" } ?? Self.title
  }

  private static let title = "Matinee"

  /// After the first frame.
  private func fillWindow() {
    guard !header.showsWindowButtons else { return }
    header.showsWindowButtons = true
    curtain.showBrand()
    menu.onChosen = { [weak self] in self?.chosen($0) }
    menuPlace.append(menu.root)
    if noTitle.isMapped { header.title(nil) }
  }
}

extension Theme {
  /// Draws as a person set it.
  fileprivate static func use(_ preferences: Preferences) {
    switch preferences.appearance {
    case .system: use(.desktop)
    case .light: use(.light)
    case .dark: use(.dark)
    }
    useText(size: Double(preferences.values.textSize) / 100, articlesHaveSerifs: preferences.values.articleFont == .serif)
  }
}
