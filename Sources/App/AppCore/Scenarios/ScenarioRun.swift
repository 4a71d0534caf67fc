import Foundation
import HTTPTransport
import NavigationCore
import PublicationClient
import Runtime
import SessionService
import Synchronization

/// One start of the app in a scenario, from the curtain until it is ended. Isolated to the main actor.
@MainActor final class ScenarioRun {
  let presenter = HeadlessPresenter<Destination, Screen>()
  let effects = Effects()
  let coordinator: AppCoordinator
  let lifeline = Lifeline()
  private(set) var opened: [String] = []
  private let clock: LifelineClock
  private let report: (String) -> Void
  private var deliveries = 0
  private var shown: [NavigationTree<Destination>.Node.ID: StateValue] = [:]
  private var place: String?
  private var said = 0

  init(transport: any Transport, tokens: any TokenStore, folder: String, clock base: ManualClock, report: @escaping (String) -> Void) {
    clock = LifelineClock(base: base, lifeline: lifeline)
    self.report = report
    var open: (@MainActor (String) -> Void)?
    let formatting = Formatting(clock: clock, locale: Locale(identifier: "en_US"), timeZone: .gmt)
    coordinator = AppCoordinator(
      environment: AppEnvironment(
        origin: "embedded", transport: LifelineTransport(base: transport, lifeline: lifeline), tokenStore: tokens, dataFolder: folder,
        clock: clock, identifiers: RandomIdentifiers(), effects: effects, formatting: formatting, openWeb: { open?($0) }),
      presenter: presenter)
    open = { [weak self] in self?.didOpen($0) }
    effects.onDelivery = { [weak self] _ in self?.deliveries += 1 }
    presenter.onChange = { [weak self] in self?.presented() }
  }

  var placeName: String { presenter.tree?.visible?.destination.name ?? "curtain" }

  /// Returns once nothing is under way but what waits for the clock.
  /// - Returns: whether that came.
  func settle() async -> Bool {
    var calm = 0
    for _ in 0..<Self.patience where calm < Self.hops {
      let before = deliveries
      await Task.yield()
      if effects.inFlight > clock.sleeping - effects.timers {
        calm = 0
        // Work on another thread: it ends by itself, so this only keeps the processor free for it.
        try? await SystemClock().sleep(for: .milliseconds(1))
      } else {
        calm = before == deliveries ? calm + 1 : 0
      }
    }
    return calm == Self.hops
  }

  private static let hops = 64
  private static let patience = 100_000

  private func didOpen(_ url: String) {
    opened.append(url)
    report("opened   \(url)")
  }

  private func presented() {
    guard !lifeline.isCut else { return }
    if placeName != place {
      place = placeName
      report("screen   \(placeName)")
    }
    for message in presenter.messages.dropFirst(said) { report("said     “\(message)”") }
    said = presenter.messages.count
    for (id, screen) in presenter.screens where shown[id] == nil {
      shown[id] = .null
      let name = presenter.tree?.nodes.first { $0.id == id }?.destination.name ?? "?"
      screen.model.observe { [weak self] in self?.changed(id, name, $0) }
    }
  }

  private func changed(_ id: NavigationTree<Destination>.Node.ID, _ name: String, _ state: StateValue) {
    guard !lifeline.isCut else { return }
    for change in state.changes(since: shown[id]) {
      let label = change.path.isEmpty ? name : "\(name).\(change.path)"
      report("state    \(label) = \(change.value)")
    }
    shown[id] = state
  }
}

/// What a process hangs on: once cut, nothing that it waits for ever comes.
final class Lifeline: Sendable {
  private let state = Mutex(false)
  var isCut: Bool { state.withLock { $0 } }
  func cut() { state.withLock { $0 = true } }

  /// Never returns once the line is cut: what comes after it belongs to a process that is no more.
  func hold() async {
    guard isCut else { return }
    await withUnsafeContinuation { (_: UnsafeContinuation<Void, Never>) in }
  }
}

/// The network of one start of the app: a request that was sent when it died is acted on, and its answer reaches nobody.
private struct LifelineTransport: Transport {
  let base: any Transport
  let lifeline: Lifeline

  func send(_ request: Request) async throws -> Response {
    await lifeline.hold()
    let answer: Result<Response, any Error>
    do { answer = .success(try await base.send(request)) } catch { answer = .failure(error) }
    await lifeline.hold()
    return try answer.get()
  }
}

/// The time of one start of the app, on the machine's clock.
final class LifelineClock: AppClock {
  private let base: ManualClock
  private let lifeline: Lifeline
  private let count = Mutex(0)

  init(base: ManualClock, lifeline: Lifeline) {
    self.base = base
    self.lifeline = lifeline
  }

  /// How many of this start's tasks sleep.
  var sleeping: Int { count.withLock { $0 } }
  var now: Date { base.now }
  var uptime: Duration { base.uptime }
  var boot: String { base.boot }

  func sleep(for duration: Duration) async throws {
    count.withLock { $0 += 1 }
    defer { count.withLock { $0 -= 1 } }
    try await base.sleep(for: duration)
    await lifeline.hold()
  }
}
