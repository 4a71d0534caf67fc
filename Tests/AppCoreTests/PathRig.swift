import AppAssembly
import AppCore
import FeatureKit
import Foundation
import HTTPTransport
import LoginFeature
import NavigationCore
import PublicationAPI
import PublicationServer
import Runtime
import SessionService
import StubStore
import TestSupport

/// The whole app without a window, over a real publication: what the path tests drive.
@MainActor final class PathRig {
  let presenter = HeadlessPresenter<Destination, Screen>()
  let effects = Effects()
  let clock: ManualClock
  let tokens: MemoryTokenStore
  let folder: String?
  let preferences: Preferences
  let coordinator: AppCoordinator
  let events: AppEvents
  let curtain: CurtainViewModel
  private(set) var opened: [String] = []
  private(set) var copied: [String] = []
  private(set) var mails: [String] = []
  /// The texts that were offered, and what says that the reader has answered.
  private(set) var offers: [(message: String, text: String, answered: @MainActor () -> Void)] = []
  private(set) var tracks: [AppCoordinator.Track] = []
  private(set) var reports: [String] = []
  /// How often the window was closed.
  private(set) var quits = 0

  private let retained: AnyObject?

  /// - Parameters:
  ///   - clock: the reader's.
  ///   - store: sells in place of the publication.
  ///   - notifier: shows notifications; `nil` for a desktop without them.
  ///   - retaining: what must live as long as this, such as a listener.
  init(
    _ transport: any Transport, tokens: MemoryTokenStore = MemoryTokenStore(), keyring: (any TokenStore)? = nil, folder: String? = nil,
    version: String = "0", clock: ManualClock = ManualClock(now: Date(timeIntervalSince1970: 1_780_000_000)), store: TestStore? = nil,
    notifier: (any Notifier)? = nil, retaining retained: AnyObject? = nil
  ) {
    self.retained = retained
    preferences = Preferences(savedIn: folder)
    self.clock = clock
    self.tokens = tokens
    self.folder = folder
    var open: (@MainActor (String) -> Void)?
    var copy: (@MainActor (String) -> Void)?
    var report: (@MainActor (String) -> Void)?
    var quit: (@MainActor () -> Void)?
    var environment = AppEnvironment(
      origin: "embedded", clock: clock, identifiers: RandomIdentifiers(), effects: effects,
      formatting: Formatting(clock: clock, locale: Locale(identifier: "en_US"), timeZone: .gmt), version: version,
      report: { report?($0) }, openWeb: { open?($0) }, copy: { copy?($0) })
    environment.preferences = preferences
    environment.notifier = notifier
    var mail: (@MainActor (String) -> Void)?
    environment.composeMail = { mail?("\($0): \($1)") }
    var offer: (@MainActor (String, String, @escaping @MainActor () -> Void) -> Void)?
    environment.offerText = { offer?($0, $1, $2) }
    environment.quit = { quit?() }
    curtain = CurtainViewModel(effects: effects, clock: clock)
    let assembly = Assembly(environment, transport: transport, tokenStore: keyring ?? tokens, dataFolder: folder, testStore: store)
    coordinator = assembly.coordinator(curtain: curtain, presenter: presenter)
    events = assembly.events
    report = { [weak self] in self?.reports.append($0) }
    quit = { [weak self] in self?.quits += 1 }
    open = { [weak self] in self?.opened.append($0) }
    mail = { [weak self] in self?.mails.append($0) }
    offer = { [weak self] in self?.offers.append(($0, $1, $2)) }
    copy = { [weak self] in self?.copied.append($0) }
    coordinator.onTrack = { [weak self] in self?.tracks.append($0) }
  }

  /// Waits until nothing is under way any more.
  func settle() async { await effects.settled() }

  /// Moves the reader's clock on, as often as it takes. What is due runs before the clock moves again: otherwise the time-outs of what is
  /// awaited would pass with it.
  func pass(_ step: Duration, until condition: () -> Bool) async {
    while !condition(), !Task.isCancelled {
      clock.advance(by: step)
      for _ in 0..<10_000 where !condition() { await Task.yield() }
    }
  }

  struct Missing: Error {
    let what: String
    init(_ what: String) { self.what = what }
  }

  func signIn(email: String = "reader@example.org", password: String = "matinee") async throws {
    guard let login = presenter.visibleScreen?.model as? LoginViewModel else { throw Missing("login") }
    login.send(.emailChanged(email))
    login.send(.passwordChanged(.init(password)))
    login.send(.submitTapped)
    await settle()
  }

  /// What the login says above its fields.
  var loginNotice: String? {
    get throws {
      guard let login = presenter.visibleScreen?.model as? LoginViewModel else { throw Missing("login") }
      return login.state.notice
    }
  }

  var visible: Destination? { presenter.tree?.visible?.destination }
}

/// A publication with a few posts, in memory, whose gateway says yes to `tok_approved` and writes every call down.
enum Sample {
  static func publication(clock: any AppClock, gateway: any PaymentGateway = CountingGateway()) async throws -> Publication {
    let publication = try await Publication(folder: nil, gateway: gateway, clock: clock, passwordCost: .none)
    try await publication.install(content)
    return publication
  }

  static let content = PublicationContent(
    info: PublicationInfo(
      id: "sample", name: "The Sample", tagline: "For tests", defaultPaywallID: "premium",
      sampleAccount: .init(email: "reader@example.org", password: "matinee")),
    fanClubs: [FanClub(id: "film", name: "Film"), FanClub(id: "radio", name: "Radio")],
    posts: (1...45).map(post),
    products: [
      ProductRecord(
        id: "premium.monthly", kind: .subscription, name: "Monthly", detail: "Everything", priceMinorUnits: 490, currency: "EUR",
        period: "P1M", group: "premium", entitlement: "premium"),
      ProductRecord(
        id: "premium.lifetime", kind: .nonConsumable, name: "For good", detail: "Everything", priceMinorUnits: 14900, currency: "EUR",
        entitlement: "premium"),
    ],
    paywalls: [
      PaywallRecord(
        id: "premium", title: "Premium", text: "Read everything", benefits: ["All posts"],
        productIDs: ["premium.monthly", "premium.lifetime"])
    ],
    accounts: [
      .init(email: "reader@example.org", name: "Reader", password: "matinee"),
      .init(email: "other@example.org", name: "Other", password: "curtain call"),
    ])
}

private func post(_ number: Int) -> Post {
  let club = number.isMultiple(of: 2) ? "film" : "radio"
  let body = "<p>Body \(number) with <a href=\"https://example.org/\">a link</a>.</p>"
  return Post(
    id: "p\(number)", fanClubID: club, fanClubName: "", title: "Post \(number)", teaser: "Teaser \(number)", body: body,
    published: Date(timeIntervalSince1970: 1_779_000_000 + Double(number) * 3600), premium: number.isMultiple(of: 5))
}

/// Charges by token, once for each key, and remembers every call.
actor CountingGateway: PaymentGateway {
  private(set) var calls: [(key: String, token: String)] = []
  private var answers: [String: Result<String, GatewayError>] = [:]

  func charge(token: String, amount: Int, currency: String, key: String) async throws(GatewayError) -> String {
    calls.append((key, token))
    if let known = answers[key] { return try known.get() }
    if token == "tok_deferred" { throw .deferred }
    let answer: Result<String, GatewayError> =
      token == "tok_approved" ? .success("ch_\(calls.count)") : .failure(.declined("Your bank declined the payment."))
    answers[key] = answer
    return try answer.get()
  }

  func settle(key: String, approved: Bool) async throws(GatewayError) -> String {
    try await charge(token: approved ? "tok_approved" : "tok_declined", amount: 0, currency: "", key: key)
  }

  func refund(key: String) async throws(GatewayError) {
    _ = try (answers[key] ?? .failure(.declined("There is no charge."))).get()
  }

  func authorize(amount: Int, currency: String, key: String) async throws(GatewayError) -> String { "tok_approved" }

  /// How many charges there are, whatever was asked how often.
  var charges: Int { answers.values.count { (try? $0.get()) != nil } }
}
