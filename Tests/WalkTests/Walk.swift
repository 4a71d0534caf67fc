import ArticleFeature
import Foundation
import HTTPTransport
import LoginFeature
import NavigationCore
import OpenIDConnectTesting
import PublicationAPI
import PublicationServer
import PurchaseService
import Runtime
import SessionService

@testable import AppCore
@testable import AppScenarios
@testable import MatineeScenario

/// One way through the whole app, by chance: the real coordinator, view models, purchase layer, files and publication.
@MainActor final class Walk {
  struct Fall: Error, CustomStringConvertible { let description: String }

  private(set) var steps = 0
  private(set) var starts = 0
  /// What was done, newest last.
  private(set) var trail: [String] = []
  /// The kinds of places that were seen.
  private(set) var places: Set<String> = []
  /// The kinds of inputs that were sent to screens.
  var inputs: Set<String> { choices.sent }
  var summary: String { "\(inputs.count) kinds of inputs, \(bodies) premium texts read, \(closedCount) screens closed" }

  private var random: SplitMix
  private var choices: ScreenChoices
  private let folder: String
  private let clock = ManualClock(now: WalkContent.start)
  private let delays: CountingClock
  private let gateway: ChanceGateway
  private let publication: Publication
  private let operated: ScenarioPublication
  private let network: FaultTransport
  private let keyring: ScenarioKeyring
  private let identifiers = SequentialIdentifiers()
  private let chance: SeededRandom
  private var run: ScenarioRun
  private var screens: [NavigationTree<Destination>.Node.ID: Screen] = [:]
  private var closed: [(name: String, model: () -> AnyObject?)] = []
  private var closedCount = 0
  /// Steps behind the curtain, one after the other.
  private var waited = 0
  /// Whom the publication lets read which post, or did.
  private var proven: Set<String> = []
  private var bodies = 0

  init(seed: UInt64) async throws {
    random = SplitMix(state: seed)
    folder = NSTemporaryDirectory() + "matinee-walk-\(UUID().uuidString)"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    choices = ScreenChoices(random: SplitMix(state: seed ^ 0xC0FFEE), folder: folder)
    chance = SeededRandom(seed: seed ^ 0xBEEF)
    gateway = ChanceGateway(seed: seed ^ 0xCAFE)
    publication = try await Publication(
      folder: nil, gateway: gateway, clock: clock, identifiers: SequentialIdentifiers(), random: SeededRandom(seed: seed ^ 0xD1CE),
      passwordCost: .none)
    try await publication.install(WalkContent.all)
    operated = try await ScenarioPublication(around: publication, origin: Scenario.embedded, clock: clock)
    delays = CountingClock(base: clock)
    keyring = ScenarioKeyring(clock: delays)
    network = FaultTransport(operated.transport, plan: FaultPlan(), clock: delays)
    run = ScenarioRun(
      transport: network, tokens: keyring, folder: folder, clock: clock, waits: [delays], store: nil, identifiers: identifiers,
      random: chance, report: { _ in })
    start()
  }

  isolated deinit { try? FileManager.default.removeItem(atPath: folder) }

  /// Takes so many steps.
  /// - Throws: ``Fall`` at the first after which something does not hold.
  func go(_ count: Int) async throws {
    for number in 1...count {
      try await step()
      steps += 1
      try await check()
      if number.isMultiple(of: 100) { try await rest() }
    }
  }

  /// Everything works from here on: whatever waits has to come to its end.
  func arrive() async throws {
    network.plan = FaultPlan()
    gateway.becomeReliable()
    keyring.become(.works)
    try await operated.perform(.reopen)
    trail.append("all is well again")
    run.coordinator.upkeep.isWindowVisible = true
    // What is pressed is chosen at random, and about each fifth time it signs in: twenty tries were too few once in some hundred walks.
    for _ in 0..<200 where run.coordinator.reader == nil {
      try await advance(by: .seconds(60))
      if let screen = run.presenter.visibleScreen, ["login", "servicenotice"].contains(run.placeName) {
        var reader = ScreenChoices(random: random, folder: folder)
        _ = reader.press(screen)
        random = reader.random
      }
    }
    guard let reader = run.coordinator.reader else { throw Fall(description: "nobody can sign in: \(run.placeName)") }
    run.coordinator.upkeep.networkIsBack()
    try await advance(by: .seconds(86_400))
    try await rest()
    let waiting = run.coordinator.upkeep.waiting.state.text ?? ""
    guard waiting.isEmpty else { throw Fall(description: "what waits was never sent: \(waiting)") }
    let stuck = try await reader.purchases.history().filter { $0.state == .purchasing }
    guard stuck.isEmpty else { throw Fall(description: "payments are stuck: \(stuck.map { "\($0.productID) \($0.step)" })") }
  }

  // MARK: Steps

  private func start() {
    starts += 1
    screens = [:]
    closed = []
    waited = 0
    run.coordinator.start()
  }

  private func step() async throws {
    switch random.next() % 100 {
    case ..<60: try await press()
    case ..<62: changeKeyring()
    case ..<72: move()
    case ..<76: link()
    case ..<86: try await advance(by: .seconds(random.pick([1, 1, 6, 61, 600])))
    case ..<90: changeNetwork()
    case ..<93: await answerPage()
    case ..<95: turn()
    case ..<98: await operate()
    default: try await restart()
    }
    if random.chance(0.6) { try await settle() }
  }

  private func press() async throws {
    guard let screen = run.presenter.visibleScreen else {
      let curtain = run.curtain
      trail.append("curtain")
      return curtain.send(random.pick([.tryAgainTapped, .continueOfflineTapped]))
    }
    if (screen.model as? LoginViewModel)?.state.code != nil { choices.code = try? await operated.mailedCode() }
    trail.append(choices.press(screen))
  }

  private func move() {
    let id = random.pick(WalkContent.posts)
    let move: Navigation = random.pick([
      .back, .back, .back, .tab(.home), .tab(.fanClubs), .tab(.bookmarks), .tab(.account), .search("post"), .post(id), .comments(id),
      .fanClub(random.pick(WalkContent.clubs)), .paywall("premium", then: .post(id)), .preferences, .about, .shortcuts, .dismiss,
      .notifications, .privacy, .serviceNotice, .sessions, .changePassword, .signOut, .purchases(order: nil), .addFeed(nil), .closeGone,
      .quit,
      .payment(random.pick(WalkContent.products)),
    ])
    trail.append("\(move)")
    run.coordinator.perform(random.chance(0.03) ? .login(then: move) : move)
  }

  private func link() {
    let link = random.pick([
      "matinee://posts/\(random.pick(WalkContent.posts))", "matinee://posts/none", "matinee://fanclubs/film", "matinee://paywall/premium",
      "matinee://home", "matinee://search?q=post", "matinee://purchases", "https://walk.example/posts/p1", "nonsense",
      "matinee://orders/00000000-0000-0000-0000-000000000001", "matinee://posts/p2/comments",
    ])
    trail.append(link)
    run.coordinator.open(uri: link)
  }

  private func changeNetwork() {
    typealias Rule = FaultPlan.FaultRule
    let rules: [Rule] = random.pick([
      [], [], [], [Rule(.refuse)], [Rule(.refuse, probability: 0.3), Rule(.drop, probability: 0.2)],
      [Rule(.delay(.seconds(20)), probability: 0.3)], [Rule(.status(503), probability: 0.5)],
      [Rule(.truncate(20), probability: 0.3), Rule(.corrupt, probability: 0.1)], [Rule(.drop, path: "/v1/orders/")],
      [Rule(.drop, path: "/v1/session/refresh", count: 1)], [Rule(.status(401), path: "/v1/posts", count: 2)],
    ])
    trail.append("network: \(rules.map { "\($0.fault)" })")
    network.plan = FaultPlan(seed: random.next(), rules: rules)
  }

  private func changeKeyring() {
    let behavior = random.pick([.works, .works, .works] + Scenario.Keyring.allCases)
    trail.append("keyring: \(behavior)")
    keyring.become(behavior)
  }

  private func answerPage() async {
    let pages = [APIPath.checkoutPage("").target, StubProvider.registration.issuer]
    guard let page = run.opened.last(where: { page in pages.contains { page.contains($0) } }) else { return }
    let answer = random.pick(Scenario.PageAnswer.allCases)
    trail.append("page: \(answer)")
    try? await operated.answer(page, answer)
  }

  private func turn() {
    trail.append("window, network, or try now")
    switch random.next() % 3 {
    case 0: run.coordinator.upkeep.isWindowVisible.toggle()
    case 1: run.coordinator.upkeep.networkIsBack()
    default: run.coordinator.upkeep.waiting.send(.tryNowTapped)
    }
  }

  private func operate() async {
    let act: Scenario.OperatorAct = random.pick([
      .approve, .approve, .decline, .decline, .refund, .refund, .publish, .publish, .signOut,
      // It serves more often than not.
      .maintain, .outdate, .reopen, .reopen, .reopen, .reopen, .reopen,
    ])
    trail.append("operator: \(act)")
    try? await operated.perform(act)
  }

  private func restart() async throws {
    let isKilled = random.chance(0.5)
    trail.append(isKilled ? "kill -9" : "quit")
    if !isKilled { await run.coordinator.finish(within: .zero) }
    run.effects.stop()
    delays.forget()
    run = ScenarioRun(
      transport: network, tokens: keyring, folder: folder, clock: clock, waits: [delays], store: nil, identifiers: identifiers,
      random: chance, report: { _ in })
    start()
  }

  // MARK: Time

  private func settle() async throws {
    guard await run.settle() else { throw Fall(description: "what was begun does not come to rest") }
  }

  /// From one timer to the next, in twenty leaps at most.
  private func advance(by duration: Duration) async throws {
    trail.append("\(duration) pass")
    let target = clock.uptime + duration
    while clock.uptime < target {
      clock.advance(by: min(max(clock.nextDue ?? duration, duration / 20), target - clock.uptime))
      try await settle()
    }
  }

  /// Long enough for what was under way to end; then nothing keeps a screen that was closed.
  private func rest() async throws {
    let plan = network.plan
    network.plan = FaultPlan()
    try await advance(by: .seconds(120))
    try await checkAgainAfterReturn()
    network.plan = plan
    try await check()
    let stored = closed.filter { $0.model() != nil }.map(\.name)
    closed = []
    guard stored.isEmpty else { throw Fall(description: "closed, and alive still: \(stored)") }
  }

  // MARK: What holds

  private func check() async throws {
    guard let tree = run.presenter.tree else { throw Fall(description: "nothing was presented") }
    places.insert(run.placeName)
    followScreens()
    let logins = tree.nodes.count { $0.destination == .login }
    guard logins == 1 else { throw Fall(description: "\(logins) roots") }
    guard [0, Tab.allCases.count].contains(tree.tabs.count) else { throw Fall(description: "\(tree.tabs.count) tabs") }
    let orphans = Set(run.presenter.screens.keys).subtracting(tree.nodes.map(\.id))
    guard orphans.isEmpty else { throw Fall(description: "screens without a place: \(orphans)") }
    if let visible = tree.visible, run.presenter.screens[visible.id] == nil {
      throw Fall(description: "\(visible.destination.name) has no screen")
    }
    guard tree.tabs.isEmpty == (run.coordinator.reader == nil) || tree.isCurtainDown else {
      throw Fall(description: "\(tree.tabs.count) tabs for \(run.coordinator.reader?.user.email ?? "nobody")")
    }
    if tree.tabs.isEmpty, let place = tree.nodes.first(where: { $0.destination != .login && $0.destination.needsReader }) {
      throw Fall(description: "\(place.destination.name) without a reader")
    }
    waited = tree.isCurtainDown ? waited + 1 : 0
    guard waited < 150 else { throw Fall(description: "the curtain does not lift") }
    try await checkPremium()
  }

  private func followScreens() {
    for (id, screen) in screens where run.presenter.screens[id] == nil {
      weak let model: AnyObject? = screen.model
      closed.append((String(describing: type(of: screen.model)), { model }))
      closedCount += 1
    }
    screens = run.presenter.screens
  }

  /// Nobody reads what the publication would not let them read.
  private func checkPremium() async throws {
    guard let reader = run.coordinator.reader else { return }
    for screen in run.presenter.screens.values {
      guard let article = screen.model as? ArticleViewModel, WalkContent.isPremium(article.id), case .body = article.state.text else {
        continue
      }
      let key = "\(reader.user.email) \(article.id)"
      guard !proven.contains(key) else { continue }
      guard let isGiven = try await publicationGives(article.id, to: reader.user.email) else { continue }
      if isGiven {
        proven.insert(key)
        bodies += 1
      } else if run.app.purchases?.hasPremium != true {
        // Without a network a refund is not known here, and what was read stays readable.
        throw Fall(description: "\(key) is read without access")
      }
    }
  }

  /// With a network, whoever comes back to the window reads nothing that a refund has closed.
  private func checkAgainAfterReturn() async throws {
    run.coordinator.upkeep.isWindowVisible = false
    run.coordinator.upkeep.isWindowVisible = true
    try await settle()
    guard let reader = run.coordinator.reader, let article = run.presenter.visibleScreen?.model as? ArticleViewModel,
      WalkContent.isPremium(article.id), case .body = article.state.text
    else { return }
    if try await publicationGives(article.id, to: reader.user.email) == false {
      throw Fall(description: "\(article.id) is read after its access ended")
    }
  }

  /// Asks the publication as another client of this reader.
  /// - Returns: `nil` where nobody can: a reader who came from the provider has no password, and during maintenance nobody is served.
  private func publicationGives(_ post: Post.ID, to email: String) async throws -> Bool? {
    for password in WalkContent.passwords {
      let credentials = try Wire.encode(Credentials(email: email, password: password))
      let head: Headers = ["Content-Type": "application/json"]
      let signedIn = await publication.handle(Request(.post, APIPath.session.target, headers: head, body: credentials))
      guard signedIn.status == 201 else { continue }
      let token = try Wire.decode(SignedIn.self, from: signedIn.body).accessToken
      let answer = await publication.handle(Request(.get, APIPath.post(post).target, headers: ["Authorization": "Bearer \(token)"]))
      guard answer.status == 200 else { return nil }
      return try Wire.decode(Post.self, from: answer.body).body != nil
    }
    return nil
  }
}
