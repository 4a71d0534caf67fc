import AddFeedFeature
import FeatureFlags
import FeedFeature
import LoginFeature
import MenuFeature
import NavigationCore
import PublicationAPI
import PublicationClient
import ReaderContent
import Runtime
import SearchFeature
import SessionService

/// Navigates: every move of the reader, and every link, is a ``Navigation`` performed here. Child coordinators order the screens of the start,
/// the login and a purchase.
///
/// It owns what the signed-in reader's screens share, from sign-in to sign-out. `ScreenFactory` gives each screen its parts of that. Isolated
/// to the main actor.
@MainActor public final class AppCoordinator {
  /// Called after every step, for tests.
  public var onTrack: ((Track) -> Void)?
  /// What goes on besides navigation.
  public let upkeep: Upkeep

  private let environment: AppEnvironment
  private let client: APIClient
  private let browser: BrowserAuthorization
  private let session: Session
  private let flags: Flags
  private let events: AppEvents
  private var noticeObservation: Observation?
  /// Whether the reader was told why the publication does not serve this app.
  private var isNoticeShown = false
  private let openReader: @MainActor (User) async throws -> ReaderScope
  private let publication: PublicationDetails
  private let presenter: any Presenter<Destination, Screen>
  private lazy var navigator = Navigator(root: .login, presenter: presenter) { [unowned self] in screen($0) }
  private var screens: ScreenFactory {
    ScreenFactory(
      environment: environment, client: client, browser: browser, session: session, publication: publication, coordinator: self)
  }
  /// What the signed-in reader's screens share; `nil` while no reader is signed in.
  private(set) var reader: ReaderScope?
  /// The child coordinators under way: each owns the screens of one flow, and the navigation to perform at its end.
  private(set) var startUp: StartUpCoordinator?
  private(set) var login: LoginCoordinator?
  private(set) var purchase: PurchaseCoordinator?
  /// The page that was opened from a sheet, and the sheet.
  private var detour: (page: Int, sheet: Navigation)?
  /// What would be lost by the move that is asked about; `nil` once nothing would be any more.
  private let lossAskedAbout = LastValue<String?>(nil)
  /// What the sheets beneath that question ask for, whose work has ended meanwhile.
  private var afterQuestion: [Navigation] = []
  private lazy var opening = ReaderOpening(flags: flags) { [weak self] user in
    guard let self else { throw CancellationError() }
    return try await openedReader(user)
  }
  private var leaving: Task<Void, Never>?
  private var fetchingLink: Task<Void, Never>?

  /// - Parameters:
  ///   - environment: the parts that differ between a live app and a test.
  ///   - client: sends the signed-in reader's requests.
  ///   - browser: has readers sign in at identity providers.
  ///   - session: whose reader the app shows.
  ///   - flags: the publication's, for this reader.
  ///   - events: told what happens.
  ///   - openReader: opens what a reader has on this machine.
  ///   - curtain: what the presenter draws until the destination is known.
  ///   - presenter: draws; held strongly.
  package init(
    environment: AppEnvironment, client: APIClient, browser: BrowserAuthorization, session: Session, flags: Flags, events: AppEvents,
    openReader: @escaping @MainActor (User) async throws -> ReaderScope, curtain: CurtainViewModel,
    presenter: any Presenter<Destination, Screen>
  ) {
    self.environment = environment
    self.client = client
    self.browser = browser
    self.session = session
    self.flags = flags
    self.events = events
    self.openReader = openReader
    self.presenter = presenter
    publication = PublicationDetails(client, environment: environment)
    upkeep = Upkeep(session: session, environment: environment)
    // An app that is never quit learns, too, that the publication asks for a newer one.
    upkeep.onReturn = { [publication] in Task { try? await publication.load() } }
    session.delegate = self
    navigator.onVisible = { [weak self] _ in self?.visibleChanged() }
    startUp = StartUpCoordinator(curtain: curtain, session: session, opening: opening) { [weak self] in self?.started($0) }
  }

  /// Restores the session behind the curtain, which is down until it is known what lies behind it.
  /// - Parameters:
  ///   - uri: the link that started the app.
  ///   - painted: returns when the curtain can be seen; only then a database, a keyring or a socket is opened.
  public func start(opening uri: String? = nil, after painted: @escaping @MainActor () async -> Void = {}) {
    navigator.start()
    if let uri { open(uri: uri) }
    startUp?.begin(after: painted, flags: flags, publication: publication, environment: environment)
  }

  /// Returns when all writes so far are done: for use before the process ends.
  /// - Parameter patience: how long to wait until the keyring and the backend have the session's end, and the backend the withdrawal of
  ///   payments that were not agreed to.
  public func finish(within patience: Duration = patience) async {
    flags.end()
    await reader?.finish()
    await leaving?.value
    let told = Task { [session, reader] in
      async let withdrawn: Void? = reader?.purchases.finish()
      await session.finish()
      await withdrawn
      await session.endUnlessStored()
    }
    await environment.effects.wait("quit.patience", for: patience, on: environment.clock, until: told)
    told.cancel()
    await flags.written()
  }

  /// How long a reader who leaves waits for a server.
  public static let patience = Duration.seconds(3)

  /// Opens a link from outside. One that cannot be opened is explained and changes nothing.
  public func open(uri: String) {
    environment.effects.deliver("link")
    do {
      let link = try DeepLink(uri)
      guard link.publication == nil || link.publication == environment.origin else {
        say("This link belongs to another publication, \(link.publication ?? "").")
        return
      }
      perform(link.navigation, from: .link)
    } catch {
      say(error.sentence)
    }
  }

  /// Carries out one navigation: redirect, instantiate, present, track.
  public func perform(_ navigation: Navigation, from source: Source = .app) {
    if source == .link, reader != nil, !navigator.tree.isCurtainDown { return fetchAndPerform(navigation) }
    redirectAndPerform(navigation, from: source)
  }

  private func redirectAndPerform(_ navigation: Navigation, from source: Source) {
    track(.navigation(navigation, from: source, carryOut(redirect(navigation, from: source), for: navigation, from: source)))
    if !afterQuestion.isEmpty, !isAsking { questionEnded(by: navigation) }
    guard let detour, !navigator.tree.nodes.contains(where: { $0.id == detour.page }) else { return }
    self.detour = nil
    if navigation == .back { perform(detour.sheet) }
  }

  /// The sheet that something would be lost with; `nil` when nothing would.
  private var unfinished: Screen? {
    navigator.tree.sheets.lazy.compactMap { self.navigator.screen($0) }.first { $0.lossOnLeaving != nil }
  }

  private func redirect(_ navigation: Navigation, from source: Source) -> Redirection {
    var surroundings = Surroundings(
      tree: navigator.tree, hasReader: reader != nil, hasPremium: reader?.content.hasPremium == true,
      canAddFeeds: publication.canAddFeeds.value, notice: publication.notice.value,
      canStepBack: top?.canStepBack ?? false, loss: unfinished?.lossOnLeaving, lossOnQuitting: reader?.lossOnQuitting)
    guard case .confirmed(let move) = navigation else { return .of(navigation, from: source, in: surroundings) }
    // The question is answered: it closes, and the sheets beneath it no longer block the move.
    (surroundings.loss, surroundings.lossOnQuitting) = (nil, nil)
    surroundings.tree.closeQuestion()
    // As a link, which closes sheets: the reader has agreed.
    let redirection = Redirection.of(move, from: .link, in: surroundings)
    if case .to(let place) = redirection { return .to(.confirmed(place)) }
    return redirection
  }

  /// Calls an observer with what would be lost by a move, for the question whether to make it: now, and when that changes.
  func observeLoss(by move: Navigation, _ observer: @escaping @MainActor (String?) -> Void) -> Observation {
    lossAskedAbout.value = loss(by: move)
    unfinished?.observe { [weak self] in self?.lossChanged() }
    return lossAskedAbout.observe(observer)
  }

  private func loss(by move: Navigation) -> String? {
    let losses = [unfinished?.lossOnLeaving, move == .quit ? reader?.lossOnQuitting : nil].compactMap(\.self)
    return losses.isEmpty ? nil : losses.joined(separator: " ")
  }

  private func lossChanged() {
    if case .confirm(let move)? = navigator.tree.sheets.last?.destination { lossAskedAbout.value = loss(by: move) }
  }

  /// Whether the question whether to leave is open.
  private var isAsking: Bool { navigator.tree.sheets.last?.destination.isQuestion == true }

  /// Carries out what a sheet asks for whose work may end at any time. Beneath the question whether to leave, that waits for the answer: keys
  /// that are meant for the question would go to the page.
  func performAfterQuestion(_ moves: [Navigation]) {
    guard isAsking else { return moves.forEach { perform($0) } }
    afterQuestion += moves
    lossChanged()
  }

  /// A person who stays gets what waited. One who leaves the sheet goes no further, and one who went elsewhere is there.
  private func questionEnded(by navigation: Navigation) {
    let waiting = afterQuestion
    afterQuestion = []
    switch navigation {
    case .back: waiting.forEach { perform($0) }
    // Other sheets of the same purchase lie beneath it.
    case .confirmed(.back): if waiting.contains(.dismiss) { perform(.dismiss) }
    default: break
    }
  }

  /// Opens a page from a sheet that closes for it; back from the page leads to `sheet` again.
  func perform(_ navigation: Navigation, backTo sheet: Navigation) {
    perform(navigation)
    detour = (navigator.tree.top.id, sheet)
  }

  private func track(_ step: Track.Step) {
    let track = Track(step: step, tree: navigator.tree)
    events.send(track)
    onTrack?(track)
  }

  /// A link may name something that does not exist. Unless it is known here, it is looked up first, so that a wrong link changes nothing. A
  /// publication that does not answer at once is awaited on the page; the last link wins.
  private func fetchAndPerform(_ navigation: Navigation) {
    fetchingLink?.cancel()
    fetchingLink = Task { [weak self, client, content = reader?.content, environment] in
      let isSomething = await navigation.leadsSomewhere(content: content, client: client, environment: environment)
      guard let self, !Task.isCancelled else { return }
      guard isSomething else {
        say("This link leads to something that is not here, or no longer.")
        return track(.navigation(navigation, from: .link, .ignored))
      }
      redirectAndPerform(navigation, from: .link)
    }
  }

  private func carryOut(_ redirection: Redirection, for navigation: Navigation, from source: Source) -> Track.Outcome {
    switch redirection {
    case .nowhere: return .ignored
    case .afterSignIn:
      if let startUp { startUp.then = navigation } else { loginCoordinator().then = navigation }
      return .deferred
    case .to(let place):
      present(place, from: source)
      return .performed
    }
  }

  private func present(_ navigation: Navigation, from source: Source) {
    switch navigation {
    case .login(let then):
      loginCoordinator().then = then
      Task { [session, buyer = purchase == nil ? nil : reader] in
        // A withdrawal needs the session.
        await buyer?.withdrawPayments(within: Self.patience)
        await session.signOut()
      }
    case .confirmed(let move):
      navigator.change { $0.closeQuestion() }
      present(move, from: source)
    case .back:
      if let top, top.canStepBack { return top.stepBack() }
      navigator.change { $0.back() }
    case .closeGone:
      guard let content = reader?.content else { return }
      navigator.change { $0.close { $0.isGone(from: content) } }
    case .dismiss: navigator.change { $0.dismiss() }
    case .quit, .web, .folder, .copyLink, .mail:
      if let sentence = environment.leave(by: navigation) { say(sentence) }
    default: open(navigation, from: source)
    }
  }

  private func open(_ navigation: Navigation, from source: Source) {
    if case .paywall(_, let then) = navigation { purchaseCoordinator()?.then = then }
    navigator.change { tree in
      switch navigation.opening {
      case .tab(let tab): tree.select(tab: Tab.allCases.firstIndex(of: tab) ?? 0)
      case .page(let place): tree.open(place)
      case .sheet(let place):
        // Another question takes the place of one.
        if place.isQuestion { tree.closeQuestion() }
        tree.present(place)
      case nil: break
      }
    }
    if navigation == .tab(.home) { reader?.homeOpened() }
    // The summary of a notification leads to a tab, whose feed may not have the new posts yet.
    if case .tab = navigation, source == .link { top(FeedViewModel.self)?.send(.newPostsAnnounced) }
    if case .search(let query) = navigation { top(SearchViewModel.self)?.send(.opened(with: query)) }
    if case .addFeed(let url?) = navigation { top(AddFeedViewModel.self)?.send(.opened(with: url)) }
  }

  private var top: Screen? { navigator.screen(navigator.tree.top) }

  /// The view model of the screen on top, if it is of this type.
  private func top<Model>(_: Model.Type) -> Model? { top?.model as? Model }

  // MARK: Ways of several steps

  /// The login's, which is there as long as the login is.
  private func loginCoordinator(unfinished: LoginViewModel.Unfinished = .init()) -> LoginCoordinator {
    if let login { return login }
    let made = LoginCoordinator(
      session: session, client: client, browser: browser, environment: environment, opening: opening, unfinished: unfinished,
      say: { [weak self] in self?.say($0) }, report: { [weak self] in self?.signedIn($0) })
    login = made
    return made
  }

  /// The coordinator of the purchase whose sheets are open, or are about to be; `nil` without a reader.
  private func purchaseCoordinator() -> PurchaseCoordinator? {
    guard purchase == nil, let reader else { return purchase }
    purchase = PurchaseCoordinator(
      reader, client: client, environment: environment, publication: publication,
      actions: .init(
        perform: { [weak self, weak reader] in if let reader, self?.reader === reader { self?.performAfterQuestion([$0]) } },
        say: { [weak self, weak reader] in self?.say($0, to: reader) }, paywallShown: { [events] in events.send(.paywallSeen) })
    ) { [weak self, weak reader] in if let reader, self?.reader === reader { self?.purchased(then: $0) } }
    return purchase
  }

  private func screen(_ place: Destination) -> Screen {
    let made: Screen? =
      switch place {
      case .paywall(let id): purchaseCoordinator()?.paywall(id)
      case .payment(let product): purchaseCoordinator()?.payment(product)
      default: screens.screen(place, of: reader)
      }
    return made ?? loginCoordinator().screen()
  }

  private func visibleChanged() {
    let tree = navigator.tree
    if !tree.isCurtainDown { reader?.place = LastPlace(tree) }
    if !tree.sheets.contains(where: \.destination.isPurchase) { purchase = nil }
  }

  private func started(_ report: StartUpCoordinator.Report) {
    startUp = nil
    if let reader = report.reader {
      show(reader, then: report.then)
    } else {
      showLogin(then: report.then)
      track(.started)
    }
    for sentence in report.unsaid { say(sentence) }
    // From here on: behind the curtain a sheet cannot be shown.
    noticeObservation = publication.notice.observe { [weak self] in self?.noticeChanged($0) }
  }

  /// Once for each time that the publication does not serve: another try only says again when it is back.
  private func noticeChanged(_ notice: ServiceNotice?) {
    defer { isNoticeShown = notice != nil }
    if notice == nil {
      if navigator.tree.visible?.destination == .serviceNotice { perform(.dismiss) }
    } else if !isNoticeShown {
      perform(.serviceNotice)
    }
  }

  private func signedIn(_ reader: ReaderScope) {
    let then = login?.then
    login = nil
    show(reader, then: then)
  }

  /// Closes the sheets of the purchase, and performs the navigation that the reader bought it for.
  private func purchased(then: Navigation?) { performAfterQuestion([.dismiss] + (then.map { [$0] } ?? [])) }

  // MARK: Who reads

  /// Ready to be shown.
  private func openedReader(_ user: User) async throws -> ReaderScope {
    // The earlier reader's data is erased from the disk before another reader's is written.
    await leaving?.value
    let reader = try await openReader(user)
    // Still behind the curtain: entitlements are known before the first lock is drawn.
    await reader.prepare()
    return reader
  }

  private func show(_ reader: ReaderScope, then: Navigation?) {
    self.reader = reader
    events.analytics = reader.analytics
    reader.onLossChanged = { [weak self] in self?.lossChanged() }
    reader.resume { [weak self] in self?.say($0) }
    upkeep.observe(reader)
    reader.startNotifying { [weak self] in self?.isOnScreen($0) ?? false }
    Task { [publication] in await reader.requests.send(.publication) { try await publication.load() } }
    // One change, so that no intermediate page is ever seen on the way to the destination.
    navigator.change { tree in
      tree.reset(tabs: Tab.allCases.map(Destination.tab))
      // A link wins over where the reader was.
      if then == nil { reader.place.open(in: &tree) }
      tree.isCurtainDown = false
    }
    track(.signedIn)
    // At once, so that no other page flashes by. A page whose content is gone says so itself.
    if let then { perform(then) }
  }

  /// - Parameter isDeliberate: whether the reader signs out on purpose, which also erases their unfinished work.
  private func leave(_ reader: ReaderScope, isDeliberate: Bool) {
    flags.end()
    fetchingLink?.cancel()
    let unfinished =
      isDeliberate
      ? LoginViewModel.Unfinished()
      : LoginViewModel.Unfinished(changes: reader.content.outboxStatus.value.count, payments: reader.waitingPayments)
    reader.end(erasing: isDeliberate)
    upkeep.observe(nil)
    (self.reader, detour, afterQuestion) = (nil, nil, [])
    showLogin(unfinished: unfinished)
    track(.signedOut(isDeliberate: isDeliberate))
    // Their sign-out was the last of their events.
    events.analytics = nil
    leaving = Task { [leaving] in
      await leaving?.value; await reader.close()
    }
  }

  private func showLogin(then: Navigation? = nil, unfinished: LoginViewModel.Unfinished = .init()) {
    let login = loginCoordinator(unfinished: unfinished)
    if let then { login.then = then }
    navigator.change {
      $0.reset(tabs: [])
      $0.isCurtainDown = false
    }
  }

  /// Whether the reader sees a post at this moment: its article, or a row of a list.
  private func isOnScreen(_ post: Post.ID) -> Bool {
    guard upkeep.isWindowVisible, let visible = navigator.tree.visible else { return false }
    return navigator.screen(visible)?.shows(post) ?? false
  }

  /// Shows the reader a short message.
  package func say(_ sentence: String) {
    if let startUp { startUp.say(sentence) } else { navigator.show(message: sentence) }
  }

  /// Shows a message to that reader. An answer may come after they have signed out, and is not for the next one.
  func say(_ sentence: String, to reader: ReaderScope?) {
    if let reader, self.reader === reader { say(sentence) }
  }
}

extension NavigationTree<Destination> {
  /// Closes the question whether to leave, if it is open.
  fileprivate mutating func closeQuestion() { if sheets.last?.destination.isQuestion == true { back() } }
}

extension AppCoordinator: SessionDelegate {
  /// The only way back to the login, for every cause and from every place.
  public func session(_ session: Session, changedFrom old: Session.State, to new: Session.State) {
    switch (reader, new) {
    case (let reader?, .signingOut): leave(reader, isDeliberate: true)
    // Why is said by the login.
    case (let reader?, .signedOut): leave(reader, isDeliberate: false)
    case (nil, _): if let startUp { startUp.sessionChanged(to: new) } else { login?.sessionChanged(to: new) }
    case (_?, _): break
    }
  }
}
