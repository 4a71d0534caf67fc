import AccountFeature
import AddFeedFeature
import AppCore
import ArticleFeature
import BookmarksFeature
import CGtk
import CommentsFeature
import FanClubFeature
import FeatureKit
import FeedFeature
import Foundation
import HTTPTransport
import LoginFeature
import MenuFeature
import PublicationAPI
import PublicationClient
import ReaderContent
import Runtime
import SearchFeature
import SessionService
import Synchronization
import TestSupport
import XCTest

@testable import Gtk
@testable import Screens

/// One signed-in reader of a scripted publication, and a window that shows one screen or several side by side.
@MainActor final class ReaderRig {
  let fixture: ReaderFixture
  let auth = ScriptedAuth()
  /// Whether readers add feeds to the publication.
  let canAddFeeds = LastValue(false)
  /// Whether the publication mails codes.
  private let mailsCodes: Bool
  let session: Session
  let pictures: Pictures
  let preferences = Preferences()
  let pictureClock = ManualClock()
  let window: Window
  private let places = Box(.horizontal)
  private var open: [(view: any View, screen: Screen)] = []
  /// What the screens asked the coordinator for.
  private(set) var outputs: [String] = []

  init(
    posts: [Post] = [], clubs: [FanClub] = [.sample("c1")], pictureServer: (any Transport)? = nil,
    pictureMemory: Int = 64 << 20, width: Int = 1000, height: Int = 720, mailsCodes: Bool = false
  ) {
    self.mailsCodes = mailsCodes
    fixture = ReaderFixture(posts: posts, clubs: clubs)
    let loader = APIClient(transport: pictureServer ?? PictureServer(), token: { nil })
    pictures = Pictures(client: loader, effects: fixture.effects, clock: pictureClock, limit: pictureMemory)
    session = Session(auth: auth.provider, store: MemoryTokenStore(), tokens: TokenBox(), effects: fixture.effects)
    window = Window(nil, title: "Test", width: width, height: height)
    places.isHomogeneous = true
    window.child(places)
    window.present()
    window.painted()
  }

  /// The view that was opened last.
  var lastView: (any View)? { open.last?.view }
  var publication: ScriptedPublication { fixture.publication }
  var seen: Seen { Seen(window) }

  /// Whether the keyboard was used last, so that one sees where it is.
  var showsFocus: Bool {
    get { window.showsFocus }
    set { window.showsFocus = newValue }
  }

  /// Makes the screen of a place.
  func screen(_ destination: Destination) -> Screen {
    let (store, formatting) = (fixture.store, fixture.formatting)
    let posts: @MainActor (PostList.Output) -> Void = { [weak self] in self?.outputs.append("\($0)") }
    switch destination {
    case .login:
      return Screen(
        LoginViewModel(session: session, effects: fixture.effects, clock: fixture.clock) { [mailsCodes] () throws(AuthError) in
          LoginPublication(
            name: "The Sample", tagline: "For tests", sampleAccount: .init(email: "a@b.c", password: Secret("x")), mailsCodes: mailsCodes)
        })
    case .tab(.home): return Screen(FeedViewModel(store: store, formatting: formatting, canAddFeeds: canAddFeeds, output: posts))
    case .tab(.fanClubs):
      return Screen(
        FanClubListViewModel(store: store, formatting: formatting, documents: .onDisk) { [weak self] in self?.outputs.append("\($0)") })
    case .tab(.bookmarks): return Screen(BookmarksViewModel(store: store, formatting: formatting, output: posts))
    case .tab(.account), .paywall, .payment, .purchases:
      return Screen(
        AccountViewModel(
          session: session, publication: LastValue("The Sample"), premium: LastValue(.none).observe,
          payments: LastValue(WaitingPayments()).observe, formatting: formatting
        ) { [weak self] in self?.outputs.append("\($0)") })
    case .fanClub(let id): return Screen(FanClubViewModel(id, store: store, formatting: formatting, output: posts))
    case .comments(let id):
      return Screen(CommentsViewModel(id, store: store, formatting: formatting) { [weak self] in self?.outputs.append("\($0)") })
    case .search: return Screen(SearchViewModel(store: store, formatting: formatting) { [weak self] in self?.outputs.append("\($0)") })
    case .addFeed:
      return Screen(
        AddFeedViewModel(store: store, formatting: formatting, documents: .onDisk) { [weak self] in self?.outputs.append("\($0)") })
    case .notifications: return Screen(NotificationsViewModel(NotificationPreferences(), store: store))
    case .serviceNotice:
      return Screen(
        ServiceNoticeViewModel(
          LastValue(.maintenance(until: nil)), version: "1.0", homepage: nil, formatting: formatting, checkAgain: {}
        ) { [weak self] in self?.outputs.append("\($0)") })
    case .privacy:
      let choice = LastValue(AnalyticsChoice.none)
      return Screen(
        PrivacyViewModel(choice, publication: LastValue("The Sample"), file: "/data/analytics.jsonl", choose: { choice.value = $0 }) {
          [weak self] in self?.outputs.append("\($0)")
        })
    case .sessions:
      return Screen(
        SessionsViewModel(client: fixture.client, effects: fixture.effects, formatting: formatting) { [weak self] in
          self?.outputs.append("\($0)")
        })
    case .changePassword:
      return Screen(
        ChangePasswordViewModel(client: fixture.client, mailsCodes: true, effects: fixture.effects) { [weak self] in
          self?.outputs.append("\($0)")
        })
    case .confirm:
      return Screen(
        ConfirmViewModel(loss: LastValue<String?>("All of it.").observe, isQuitting: false) { [weak self] in
          self?.outputs.append("\($0)")
        })
    case .signOut: return Screen(SignOutViewModel(store: store) { [weak self] in self?.outputs.append("\($0)") })
    case .about:
      return Screen(
        AboutViewModel(
          .init(
            version: "1.2.3 (4.0.abc)", libraries: [.init("GTK", "4.8.3"), .init("SQLite", "3.40.1")], dataFolder: "/home/reader/data",
            homepage: "https://matinee.org")
        ) { [weak self] in self?.outputs.append("\($0)") })
    case .preferences:
      return Screen(
        PreferencesViewModel(preferences, pictures: nil, content: nil, hasNotifications: true, effects: fixture.effects) { [weak self] in
          self?.outputs.append("\($0)")
        })
    case .shortcuts: return Screen(ShortcutsViewModel(hasTesterPanel: true) { [weak self] in self?.outputs.append("\($0)") })
    case .post(let id):
      return Screen(
        ArticleViewModel(id, paywallID: "premium", store: store, formatting: formatting) { [weak self] in self?.outputs.append("\($0)") })
    }
  }

  /// Opens a place beside those that are open, and waits until it is painted.
  @discardableResult func show(_ destination: Destination, settles: Bool = true) throws -> Seen {
    try show(screen(destination), settles: settles)
  }

  @discardableResult func show(_ screen: Screen, settles: Bool = true) throws -> Seen {
    let view = ViewFactory(pictures: pictures, preferences: preferences).view(screen)
    view.root.expandsHorizontally = true
    places.append(view.root)
    open.append((view, screen))
    screen.appear()
    if settles { try settle() } else { window.painted() }
    return Seen(view.root)
  }

  /// Waits until no answer is missing and everything is painted.
  func settle() throws {
    repeat {
      try finish { [fixture] in await fixture.settle() }
      window.painted()
    } while fixture.effects.inFlight > 0
  }

  /// Scrolls to a share of the length, which the list learns better the more rows it has measured.
  func scroll(_ seen: Seen, to share: Double) {
    var last = -1.0
    for _ in 0..<50 {
      let position = seen.scroll(to: share)
      window.painted()
      if position == last { return }
      last = position
    }
  }

  /// Waits until that many requests are held and what came before them is painted.
  func waitForSuspended(_ count: Int = 1) throws {
    try finish { [fixture] in await fixture.waitForSuspended(count) }
    window.painted()
  }

  /// Lets held requests have their answers.
  func release(_ prefix: String = "") throws {
    publication.release(prefix)
    try settle()
  }

  /// Closes the screens, as the window does with those that are gone.
  func closeScreens() {
    // As when another page is shown first. In GTK 4.8 a password entry that goes with the keyboard leaves its inner text behind, which
    // then calls it.
    gtk_window_set_focus(window.pointer(), nil)
    for (view, screen) in open {
      screen.disappear()
      view.scope.close()
    }
    places.removeAll()
    open = []
  }

  /// Closes the screens and the window.
  func close() {
    closeScreens()
    window.destroy()
  }
}

/// Answers by the last part of the path: `PREFIX…` of ``answers``; anything else is there not.
final class PictureServer: Transport {
  let publication = ScriptedPublication()
  private let answers: @Sendable (String) -> Data?
  private let failing = Mutex<TransportError?>(nil)

  /// Why nothing is answered.
  var fault: TransportError? {
    get { failing.withLock { $0 } }
    set { failing.withLock { $0 = newValue } }
  }
  private let maintained = Mutex(false)
  /// Whether it is being maintained.
  var isMaintained: Bool {
    get { maintained.withLock { $0 } }
    set { maintained.withLock { $0 = newValue } }
  }

  init(_ answers: @escaping @Sendable (String) -> Data? = { _ in nil }) { self.answers = answers }

  /// Every path that was asked for, in order.
  var paths: [String] { publication.requests.map { String($0.dropFirst("GET ".count)) } }

  func send(_ request: Request) async throws -> Response {
    // The scripted publication keeps the log and holds what the test wants held.
    _ = try? await publication.send(request)
    try Task.checkCancellation()
    if let fault { throw fault }
    if isMaintained { return Response(503) }
    guard let data = answers(request.target) else { return Response(404) }
    return Response(200, headers: ["Content-Type": "image/png"], body: data)
  }
}

extension Window {
  var showsFocus: Bool {
    get { gtk_window_get_focus_visible(pointer()) != 0 }
    set { gtk_window_set_focus_visible(pointer(), newValue ? 1 : 0) }
  }
}

extension FanClub {
  static func sample(_ id: String, followers: Int = 3) -> FanClub {
    FanClub(id: id, name: "Club \(id)", about: "About \(id)", followers: followers, posts: 2)
  }
}
