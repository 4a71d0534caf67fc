import AppAssembly
import AppCore
import FeatureKit
import Foundation
import HTTPTransport
import NavigationCore
import Runtime
import SessionService
import StubStore
import Synchronization

/// One start of the app in a scenario, from the curtain until it is ended. Isolated to the main actor.
@MainActor final class ScenarioRun {
  let presenter = HeadlessPresenter<Destination, Screen>()
  let effects = Effects()
  /// The desktop of this start: what an earlier one put there is not counted.
  let notifier = RecordingNotifier()
  let app: Assembly
  let coordinator: AppCoordinator
  let curtain: CurtainViewModel
  private(set) var opened: [String] = []
  private(set) var copied: [String] = []
  private(set) var mailed: [String] = []
  /// Whether the window was closed, and nothing asked any more.
  private(set) var isClosed = false
  private let clocks: [CountingClock]
  private let report: (String) -> Void
  private var deliveries = 0
  private var shown: [NavigationTree<Destination>.Node.ID: StateValue] = [:]
  private var place: String?
  private var said = 0

  /// - Parameters:
  ///   - origin: the publication's, or `embedded`.
  ///   - clock: the reader's time, which the store's is made of.
  ///   - waits: what else an effect may sleep on: the delays of the store, and what its clock is made of.
  ///   - identifiers: new for each thing of all starts.
  ///   - random: spreads waits, and gives the secrets of a sign-in in the browser.
  init(
    transport: any Transport, origin: String = Scenario.embedded, tokens: any TokenStore, folder: String, clock: ManualClock,
    waits: [CountingClock], store: TestStore?, identifiers: any IdentifierSource = RandomIdentifiers(),
    random: any RandomSource = SystemRandom(), report: @escaping (String) -> Void
  ) {
    let clock = CountingClock(base: clock)
    clocks = [clock] + waits
    self.report = report
    weak var run: ScenarioRun?
    let formatting = Formatting(clock: clock, locale: Locale(identifier: "en_US"), timeZone: .gmt)
    var environment = AppEnvironment(
      origin: origin, clock: clock, identifiers: identifiers, effects: effects, formatting: formatting,
      openWeb: { run?.didOpen($0) }, copy: { run?.didCopy($0) })
    environment.composeMail = { run?.didMail("\($0): \($1)") }
    // A scenario has no person who answers.
    environment.offerText = { message, _, _ in run?.presenter.show(message: message) }
    environment.quit = { run?.didQuit() }
    environment.notifier = notifier
    environment.random = random
    app = Assembly(
      environment, transport: transport, tokenStore: tokens, dataFolder: folder, testStore: store)
    curtain = CurtainViewModel(effects: effects, clock: clock)
    coordinator = app.coordinator(curtain: curtain, presenter: presenter)
    run = self
    effects.onDelivery = { [weak self] _ in self?.deliveries += 1 }
    presenter.onChange = { [weak self] in self?.presented() }
    notifier.onShow = { [report] in report("notified “\($0.title): \($0.body)”") }
    coordinator.upkeep.waiting.observe { [report] in if let text = $0.text { report("waiting  \(text)") } }
  }

  var placeName: String { presenter.tree?.visible?.destination.name ?? "curtain" }

  /// Returns once all that is under way waits for the clock.
  /// - Returns: whether that happened in time.
  func settle() async -> Bool {
    var (calm, still) = (0, 0)
    for _ in 0..<Self.patience where calm < Self.hops {
      let before = deliveries
      await Task.yield()
      // A timer that its clock does not know yet would be skipped by the clock's next move.
      if effects.inFlight > sleeping(.effect) || effects.timers > sleeping(.timer) {
        calm = 0
        still = before == deliveries ? still + 1 : 0
        if still > Self.stillRounds, sleeping(.effect) > 0 { return true }
        // Work on another thread: it ends by itself, so this only keeps the processor free for it.
        try? await SystemClock().sleep(for: .milliseconds(1))
      } else {
        calm = before == deliveries ? calm + 1 : 0
      }
    }
    return calm == Self.hops
  }

  private func sleeping(_ kind: EffectKind) -> Int { clocks.reduce(0) { $0 + $1.sleeping(kind) } }

  private static let hops = 64
  /// For how many rounds in a row nothing has to be delivered, where effects may wait for one that sleeps: as requests do for a token.
  private static let stillRounds = 100
  private static let patience = 20_000

  private func didOpen(_ url: String) {
    opened.append(url)
    report("opened   \(url)")
  }

  private func didCopy(_ url: String) {
    copied.append(url)
    report("copied   \(url)")
  }

  private func didMail(_ mail: String) {
    mailed.append(mail)
    report("mailed   “\(mail)”")
  }

  private func didQuit() {
    isClosed = true
    report("closed")
  }

  private func presented() {
    guard !effects.isStopped else { return }
    if placeName != place {
      place = placeName
      report("screen   \(placeName)")
    }
    for message in presenter.messages.dropFirst(said) { report("said     “\(message)”") }
    said = presenter.messages.count
    for (id, screen) in presenter.screens where shown[id] == nil {
      shown[id] = .null
      let name = presenter.tree?.nodes.first { $0.id == id }?.destination.name ?? "?"
      screen.model.observeValues { [weak self] in self?.changed(id, name, $0) }
    }
  }

  private func changed(_ id: NavigationTree<Destination>.Node.ID, _ name: String, _ state: StateValue) {
    guard !effects.isStopped else { return }
    for change in state.changes(since: shown[id]) {
      let label = change.path.isEmpty ? name : "\(name).\(change.path)"
      report("state    \(label) = \(change.value)")
    }
    shown[id] = state
  }
}

/// A clock by hand, and how many effects and timers sleep on it through this one since ``forget()``.
final class CountingClock: AppClock {
  private final class Counts: Sendable { let value = Mutex<[EffectKind: Int]>([:]) }
  private let base: ManualClock
  private let counts = Mutex(Counts())

  init(base: ManualClock) { self.base = base }

  var now: Date { base.now }
  var uptime: Duration { base.uptime }
  var boot: String { base.boot }

  func sleeping(_ kind: EffectKind) -> Int { counts.withLock { $0 }.value.withLock { $0[kind, default: 0] } }

  /// Those who sleep now belong to a process that is no more.
  func forget() { counts.withLock { $0 = Counts() } }

  func sleep(for duration: Duration) async throws {
    guard let kind = EffectKind.current else { return try await base.sleep(for: duration) }
    let counts = counts.withLock { $0 }
    // Counted by the clock itself: a sleeper that it has woken is busy, even before it runs.
    try await base.sleep(for: duration) { change in counts.value.withLock { $0[kind, default: 0] += change } }
  }
}
