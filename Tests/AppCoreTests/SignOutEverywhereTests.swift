import AccountFeature
import Foundation
import HTTPTransport
import NavigationCore
import Patience
import PublicationAPI
import PublicationServer
import Runtime
import SessionService
import TestSupport
import Testing

@testable import AppCore

/// Whatever is open: a sign-out, and a session that ended, lead to the login, and leave nothing of the reader's behind.
@MainActor @Suite(.timeLimit(.minutes(5))) struct SignOutEverywhereTests {
  /// Every kind of ``Destination`` that can be open while a reader is signed in.
  enum Place: CaseIterable, Sendable {
    case home, fanClubs, bookmarks, account, post, comments, fanClub, search, addFeed, notifications, privacy, sessions, changePassword
    case signOut, paywall, payment, purchases, about, shortcuts, preferences, serviceNotice, confirm

    /// A new destination does not compile here until it has a kind, which then has to say how it is opened; `nil` for the login, where all
    /// others end.
    init?(_ destination: Destination) {
      switch destination {
      case .login: return nil
      case .tab(.home): self = .home
      case .tab(.fanClubs): self = .fanClubs
      case .tab(.bookmarks): self = .bookmarks
      case .tab(.account): self = .account
      case .post: self = .post
      case .comments: self = .comments
      case .fanClub: self = .fanClub
      case .search: self = .search
      case .addFeed: self = .addFeed
      case .notifications: self = .notifications
      case .privacy: self = .privacy
      case .sessions: self = .sessions
      case .changePassword: self = .changePassword
      case .signOut: self = .signOut
      case .paywall: self = .paywall
      case .payment: self = .payment
      case .purchases: self = .purchases
      case .about: self = .about
      case .shortcuts: self = .shortcuts
      case .preferences: self = .preferences
      case .serviceNotice: self = .serviceNotice
      case .confirm: self = .confirm
      }
    }

    /// The last move on the way there.
    var move: Navigation {
      switch self {
      case .home: .tab(.home)
      case .fanClubs: .tab(.fanClubs)
      case .bookmarks: .tab(.bookmarks)
      case .account: .tab(.account)
      case .post: .post("p44")
      case .comments: .comments("p44")
      case .fanClub: .fanClub("film")
      case .search: .search("Post 44")
      case .addFeed: .addFeed(nil)
      case .notifications: .notifications
      case .privacy: .privacy
      case .sessions: .sessions
      case .changePassword: .changePassword
      case .signOut: .signOut
      case .paywall: .paywall("premium", then: .post("p45"))
      case .payment: .payment("premium.monthly")
      case .purchases: .purchases(order: nil)
      case .about: .about
      case .shortcuts: .shortcuts
      case .preferences: .preferences
      case .serviceNotice: .serviceNotice
      // Asked about, as something is typed that is not kept.
      case .confirm: .quit
      }
    }
  }

  enum End: CaseIterable, Sendable {
    /// The reader signs out, and agrees to lose what cannot be kept.
    case requested
    /// The session was ended elsewhere.
    case ended
  }

  /// A web on which nobody is.
  private struct EmptyWeb: Transport {
    func send(_ request: Request) async throws -> Response { throw TransportError.unreachable("nobody is there") }
  }

  /// An open screen, as long as something else retains it.
  private struct Seen {
    let name: String
    weak var model: AnyObject?
  }

  private let clock = ManualClock(now: Date(timeIntervalSince1970: 1_780_000_000))
  private let tokens = MemoryTokenStore()

  @Test(arguments: Place.allCases, End.allCases) func nothingIsLeft(of place: Place, after end: End) async throws {
    let publication = try await Sample.publication(clock: clock)
    await publication.fetchFeeds(from: EmptyWeb(), readersMayAdd: true, clock: clock)
    if place == .serviceNotice { try await outdate(publication) }
    let rig = PathRig(InProcessTransport { await publication.handle($0) }, tokens: tokens, version: "1.0", clock: clock)
    rig.coordinator.start()
    await rig.settle()
    if place == .serviceNotice {
      // It is told at the login already.
      await until { rig.visible == .serviceNotice }
      rig.coordinator.perform(.dismiss)
    }
    try await rig.signIn()
    try await open(place, rig)
    #expect(rig.visible.flatMap { Place($0) } == place)
    let seen = rig.presenter.screens.values.map { Seen(name: "\(type(of: $0.model))", model: $0.model) }
    #expect(!seen.isEmpty)

    switch end {
    case .requested: rig.coordinator.perform(.confirmed(.login(then: nil)))
    case .ended:
      let token = try #require(tokens.stored).token.revealed
      _ = await publication.handle(Request(.delete, "/v1/session", headers: ["Authorization": "Bearer \(token)"]))
      // Whatever is asked next tells of it.
      rig.coordinator.open(uri: "matinee://orders/\(UUID().uuidString)")
    }
    await until { rig.visible == .login }
    await rig.settle()
    let tree = try #require(rig.presenter.tree)
    #expect(tree.nodes.map(\.destination) == [.login], "no tabs, and no sheets")
    #expect(Set(rig.presenter.screens.keys) == [tree.root.id])
    #expect(rig.tracks.contains { $0.step == .signedOut(isDeliberate: end == .requested) })
    #expect(rig.coordinator.reader == nil && rig.coordinator.purchase == nil)
    #expect(try rig.loginNotice?.hasPrefix(AuthError.ended.sentence) == (end == .ended ? true : nil))

    // A timer, or an answer that is on its way, may hold one for a moment.
    for _ in 0..<2 where seen.contains(where: { $0.model != nil }) {
      clock.advance(by: .seconds(60))
      await rig.settle()
      for _ in 0..<10_000 where seen.contains(where: { $0.model != nil }) { await Task.yield() }
    }
    #expect(seen.filter { $0.model != nil }.map(\.name) == [], "closed, and alive still")
    await rig.coordinator.finish()
  }

  private func open(_ place: Place, _ rig: PathRig) async throws {
    if place == .confirm {
      rig.coordinator.perform(.changePassword)
      await rig.settle()
      guard let form = rig.presenter.visibleScreen?.model as? ChangePasswordViewModel else { throw PathRig.Missing("form") }
      form.send(.currentChanged(.init("matinee")))
    }
    rig.coordinator.perform(place.move)
    await rig.settle()
  }

  /// Serves later versions of the app only.
  private func outdate(_ publication: Publication) async throws {
    let headers: Headers = ["Authorization": "Bearer \(try await publication.newOperatorToken())"]
    let body = try Wire.encode(MinimumVersionRequest(version: "2.0"))
    #expect(await publication.handle(Request(.put, "/v1/operator/minimum-version", headers: headers, body: body)).status < 300)
  }
}
