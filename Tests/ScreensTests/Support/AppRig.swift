import AppAssembly
import AppCore
import CGtk
import FeatureKit
import FeedFeature
import Foundation
import HTTPTransport
import MenuFeature
import NavigationCore
import OpenIDConnectTesting
import PublicationAPI
import PublicationClient
import PublicationServer
import Runtime
import SessionService
import Synchronization
import TestSupport
import XCTest

@testable import Gtk
@testable import Screens

/// The whole app with its window, over the sample publication in this process.
@MainActor final class AppRig {
  let effects = Effects()
  let clock: ManualClock
  let tokens: MemoryTokenStore
  let web: Web
  let line: Line
  let preferences = Preferences(startAppearance: Theme.scheme == .dark ? .dark : .light)
  let window: MainWindow
  let presenter: Watcher
  let coordinator: AppCoordinator
  /// What was opened in the browser.
  private(set) var opened: [String] = []

  /// - Parameters:
  ///   - storeBadge: what the sheets say of a store for tests, and with it every way to pay and to sign in.
  ///   - addsFeeds: whether the reader adds feeds from ``web``.
  ///   - former: an earlier start of the same reader, which has ended; `nil` for a publication where nobody is signed in.
  init(width: Int = 1000, height: Int = 720, storeBadge: String? = nil, addsFeeds: Bool = false, after former: AppRig? = nil) throws {
    clock = former?.clock ?? ManualClock(now: Date(timeIntervalSince1970: 1_780_000_000))
    tokens = former?.tokens ?? MemoryTokenStore()
    web = former?.web ?? Web()
    line = try former?.line ?? Self.makeLine(clock, web: addsFeeds ? web : nil, hasPages: storeBadge != nil)
    if let former { preferences.change { $0 = former.preferences.values } }
    let curtain = CurtainViewModel(effects: effects, clock: clock)
    let pictures = Pictures(client: APIClient(transport: line, token: { nil }), effects: effects, clock: ManualClock())
    window = MainWindow(nil, curtain: curtain, pictures: pictures, preferences: preferences)
    let open = Opener()
    presenter = Watcher(window)
    var environment = AppEnvironment(
      origin: "embedded", clock: clock, identifiers: RandomIdentifiers(), effects: effects,
      formatting: Formatting(clock: clock, locale: Locale(identifier: "en_GB"), timeZone: .gmt), openWeb: { open.body?($0) })
    environment.storeBadge = storeBadge
    environment.preferences = preferences
    environment.pictureCache = DiskUse(size: { 12_345_678 }, setLimit: { _ in }, clear: {})
    environment.about = {
      AboutViewModel.State(
        version: "1.2.3 (4.0.abc)",
        libraries: [.init("GTK", "4.8.3"), .init("GLib", "2.74.6"), .init("SQLite", "3.40.1"), .init("libxml2", "2.9.14")],
        dataFolder: "/home/reader/.local/share/matinee/at/https---read.example.org", homepage: "https://read.example.org")
    }
    coordinator = Assembly(environment, transport: line, tokenStore: tokens, dataFolder: nil)
      .coordinator(curtain: curtain, presenter: presenter)
    open.body = { [weak self] in self?.opened.append($0) }
    window.perform = { [weak coordinator] in coordinator?.perform($0) }
    window.observe(coordinator.upkeep.waiting)
    gtk_window_set_default_size(window.window.pointer(), gint(width), gint(height))
  }

  private static func makeLine(_ clock: ManualClock, web: Web?, hasPages: Bool) throws -> Line {
    let identities = StubProvider(keys: [try .ec("key-1")], clock: clock)
    let publication = try finish {
      let publication = try await Publication(folder: nil, gateway: YesGateway(), clock: clock, passwordCost: .none)
      try await publication.install(SampleContent.publication(openedAt: clock.now))
      if hasPages {
        await publication.offerPages(at: .origin("https://read.example.org"))
        await publication.sendMail(by: NoMail())
        let provider = IdentityProvider(issuer: StubProvider.issuer, name: providerName, clientID: StubProvider.registration.clientID)
        await publication.offerSignIn(by: [provider], addingReaders: [provider.issuer], at: .origin("embedded"), transport: identities)
      }
      if let web { await publication.fetchFeeds(from: web, readersMayAdd: true, sharedFor: .zero, clock: clock) }
      return publication
    }
    return Line(OriginSplit(publication: InProcessTransport { await publication.handle($0) }, web: identities))
  }

  /// An identity provider of a long name, which the publication offers where it has pages.
  static let providerName = "The Accounts of the Museum of Moving Pictures"

  var seen: Seen { Seen(window.window) }
  /// The screens that are open.
  var screens: [Screen] { Array(presenter.screens.values) }
  /// A post of the feed that this reader may not read yet.
  var lockedPost: String? {
    for case let feed as FeedViewModel in screens.map(\.model) { return feed.state.posts.ids.first { feed.row(for: $0)?.isLocked == true } }
    return nil
  }
  var shown: String? { window.shownName }

  /// Starts as the executable does.
  func begin() {
    coordinator.start(after: { [window] in await window.firstFrame() })
    window.show()
  }

  /// Starts, and waits for the destination.
  func start() throws {
    begin()
    eventually("the curtain lifts") { shown != nil && shown != "curtain" }
    try settle()
  }

  func signIn() throws {
    XCTAssertTrue(window.useSampleAccount())
    try settle()
  }

  func go(_ navigation: Navigation) throws {
    coordinator.perform(navigation)
    try settle()
  }

  /// Waits until no answer is missing, everything is painted, and nothing is on its way to its place any more.
  func settle() throws {
    repeat {
      try finish { [effects] in await effects.settled() }
      window.window.painted()
    } while effects.inFlight > 0
    eventually("everything is in its place") { !seen.isMoving }
  }

  /// Lets the clock go on until what is asked for has come about.
  func wait(for what: String, every pace: Duration = .milliseconds(500), until condition: () -> Bool) {
    eventually(what) {
      guard !condition() else { return true }
      clock.advance(by: pace)
      return false
    }
  }

  /// Ends the app as the executable does.
  func close() throws {
    try finish { [coordinator] in await coordinator.finish() }
    window.window.destroy()
  }

  @MainActor private final class Opener { var body: ((String) -> Void)? }
}

/// Hands everything on to the window, and keeps what it was told last.
@MainActor final class Watcher: Presenter {
  private let window: MainWindow
  private(set) var tree: NavigationTree<Destination>?
  private(set) var screens: [Int: Screen] = [:]

  init(_ window: MainWindow) { self.window = window }

  func present(_ tree: NavigationTree<Destination>, screens: [Int: Screen]) {
    (self.tree, self.screens) = (tree, screens)
    window.present(tree, screens: screens)
  }

  func show(message: String) { window.show(message: message) }
}

/// Takes every mail, and brings none.
private struct NoMail: Mailer {
  func send(_ mail: Mail) async throws {}
}

/// The way to the publication: can be cut, and can be held for requests that begin so (`POST /v1/orders`).
final class Line: Transport {
  private let end: any Transport
  private let state = Mutex<(isCut: Bool, holds: [String], waiting: [CheckedContinuation<Void, Never>], requested: [String])>(
    (false, [], [], []))

  init(_ end: any Transport) { self.end = end }

  var isCut: Bool {
    get { state.withLock { $0.isCut } }
    set { state.withLock { $0.isCut = newValue } }
  }
  private let forgotten = Mutex(false)
  /// Whether the publication knows no token any more.
  var endsSessions: Bool {
    get { forgotten.withLock { $0 } }
    set { forgotten.withLock { $0 = newValue } }
  }
  private let maintained = Mutex(false)
  /// Whether the publication is being maintained, for half an hour.
  var isMaintained: Bool {
    get { maintained.withLock { $0 } }
    set { maintained.withLock { $0 = newValue } }
  }
  /// How many requests wait.
  var suspended: Int { state.withLock { $0.waiting.count } }

  /// What was asked for, held or not.
  var requested: [String] { state.withLock { $0.requested } }

  func hold(_ prefix: String) { state.withLock { $0.holds.append(prefix) } }

  func release() {
    let waiting = state.withLock { state in
      defer { (state.holds, state.waiting) = ([], []) }
      return state.waiting
    }
    for continuation in waiting { continuation.resume() }
  }

  func send(_ request: Request) async throws -> Response {
    let line = "\(request.method.rawValue) \(request.target)"
    await withCheckedContinuation { continuation in
      let goes = state.withLock { state in
        state.requested.append(line)
        let isSuspended = state.holds.contains(where: line.hasPrefix)
        if isSuspended { state.waiting.append(continuation) }
        return !isSuspended
      }
      if goes { continuation.resume() }
    }
    if isCut { throw TransportError.unreachable("no network") }
    if isMaintained {
      let problem = Problem(code: .maintenance, title: "The publication is being maintained.", status: 503)
      return Response(503, headers: ["Content-Type": "application/problem+json", "Retry-After": "1800"], body: try Wire.encode(problem))
    }
    return try await end.send(endsSessions ? request.ofEndedSession() : request)
  }
}

/// The web, with one feed. It can be gone.
final class Web: Transport {
  static let feed = "https://example.org/feed.xml"
  private let gone = Mutex(false)

  var isGone: Bool {
    get { gone.withLock { $0 } }
    set { gone.withLock { $0 = newValue } }
  }

  func send(_ request: Request) async throws -> Response {
    guard request.target == Self.feed, !isGone else { return Response(404) }
    let items = (1...3).map {
      "<item><guid>\($0)</guid><title>Evening \($0)</title><description>What was shown, and who stayed.</description></item>"
    }
    let text =
      "<rss version=\"2.0\"><channel><title>The Long Evening</title><link>https://example.org</link>\(items.joined())</channel></rss>"
    return Response(200, headers: ["Content-Type": "application/rss+xml"], body: Data(text.utf8))
  }
}

/// Charges whatever is asked, but what the test card for it declines.
private struct YesGateway: PaymentGateway {
  func charge(token: String, amount: Int, currency: String, key: String) async throws(GatewayError) -> String {
    if token == "tok_interrupted" { throw .needsAction }
    guard token == "tok_approved" else { throw .declined("Your bank declined the payment.") }
    return "ch_\(key)"
  }
}
