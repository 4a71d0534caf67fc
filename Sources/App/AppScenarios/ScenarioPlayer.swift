import AppCore
import Foundation
import HTTPTransport
import LoginFeature
import PurchaseService
import Runtime
import SessionService
import StubStore

/// Plays a ``Scenario`` against the whole app without a window: the real coordinator, view models, purchase layer and files. Isolated to
/// the main actor.
@MainActor public final class ScenarioPlayer {
  /// Why a scenario did not go as it says.
  public struct Failure: Error, Equatable, Sendable, CustomStringConvertible {
    /// The line that the step begins in.
    public let line: Int
    /// What the app did in the place of what the step expects, in a sentence.
    public let sentence: String
    /// As compilers put it, without the file.
    public var description: String { "\(line): \(sentence)" }
  }

  private struct Objection: Error { let sentence: String }

  private let scenario: Scenario
  private let folder: String
  private let publication: ScenarioPublication
  private let clock: ManualClock
  private let network: FaultTransport
  private var keyring: ScenarioKeyring
  private var machines = 1
  private let delays: CountingClock
  /// What the store's clock is made of. Counted here, where a sleep is known to the scenario's clock, and not on the store's own.
  private let storeTime: CountingClock
  private let store: TestStore?
  private let print: (String) -> Void
  private var run: ScenarioRun

  /// - Parameters:
  ///   - scenario: what to play.
  ///   - folder: where the reader's data is; an empty one for each scenario.
  ///   - publication: makes what answers, on the scenario's clock.
  ///   - print: called with a line of text for each change, which begins with the time since the start.
  /// - Throws: what `publication` throws.
  public init(
    _ scenario: Scenario, folder: String, publication: (any AppClock) async throws -> ScenarioPublication,
    print: @escaping (String) -> Void
  ) async throws {
    self.scenario = scenario
    self.folder = folder
    let clock = ManualClock(now: scenario.clock)
    self.clock = clock
    self.print = { line in print("\(Self.stamp(clock.uptime))  \(line)") }
    let delays = CountingClock(base: clock)
    self.delays = delays
    keyring = ScenarioKeyring(clock: delays)
    let storeTime = CountingClock(base: clock)
    self.storeTime = storeTime
    store = try scenario.store.map { try TestStore($0, allowed: true, clock: storeTime, delays: delays) }
    self.publication = try await publication(clock)
    // A request that is kept back is nothing to wait for.
    network = FaultTransport(self.publication.transport, plan: FaultPlan(), clock: delays)
    run = ScenarioRun(
      transport: network, origin: scenario.origin, tokens: keyring, folder: folder, clock: clock, waits: [delays, storeTime], store: store,
      report: self.print)
  }

  /// Plays it from the first step to the last.
  /// - Throws: ``Failure`` at the first step that does not go as it says.
  public func play() async throws(Failure) {
    run.coordinator.start()
    for (index, step) in scenario.steps.enumerated() {
      do {
        try await settle()
        try await patiently { try await self.play(step) }
        try await settle()
      } catch {
        throw Failure(line: scenario.lines[index], sentence: (error as? Objection)?.sentence ?? "\(error)")
      }
    }
    await run.coordinator.finish(within: .zero)
    run.effects.stop()
  }

  /// What a step objects to may be on its way still: work on other threads that the door of effects does not see. Steps object before they
  /// do anything.
  private func patiently(_ step: () async throws -> Void) async throws {
    for _ in 0..<Self.tries {
      do { return try await step() } catch is Objection {
        try? await SystemClock().sleep(for: .milliseconds(20))
        try await settle()
      }
    }
    try await step()
  }

  private static let tries = 250

  private func settle() async throws {
    guard await run.settle() else { throw Objection(sentence: "what was begun does not come to rest") }
  }

  private func play(_ step: Scenario.Step) async throws {
    switch step {
    case .signIn(let account): try signIn(account)
    case .link(let uri): run.coordinator.open(uri: uri)
    case .input(let name, let argument): try input(name, argument)
    case .mailedCode(let name): try input(name, try await publication.mailedCode())
    case .tab(let tab): run.coordinator.perform(.tab(tab))
    case .back: run.coordinator.perform(.back)
    case .advance(let span): try await advance(by: span.duration(from: clock.now))
    case .wallClock(let date): clock.setNow(date)
    case .faults(let rules): network.plan = FaultPlan(rules: rules)
    case .restart(let how): try await restart(how)
    case .page(let answer): try await self.answer(answer)
    case .keyring(let behavior):
      print("keyring  \(behavior.rawValue)")
      keyring.become(behavior)
    case .publication(let act):
      print("operator \(act.rawValue)")
      try await publication.perform(act)
    case .notification(.open): try openNotification()
    case .window(.close): run.coordinator.perform(.quit)
    case .window(let act): run.coordinator.upkeep.isWindowVisible = act == .show
    case .tryNow: run.coordinator.upkeep.waiting.send(.tryNowTapped)
    case .store(let command): try await perform(command)
    case .expect(let expectation): try await check(expectation)
    }
  }

  private func signIn(_ account: Scenario.Account) throws {
    guard let login = run.presenter.visibleScreen?.model as? LoginViewModel else { throw Objection(sentence: "the login is not open") }
    if account == .other {
      login.send(.emailChanged(Scenario.otherAccount.email))
      login.send(.passwordChanged(.init(Scenario.otherAccount.password)))
      login.send(.submitTapped)
      return
    }
    guard login.state.offersSampleAccount else { throw Objection(sentence: "the login offers no sample account") }
    login.send(.sampleAccountTapped)
  }

  private func input(_ name: String, _ argument: String) throws {
    guard let screen = run.presenter.visibleScreen else { throw Objection(sentence: "the curtain is down, so nothing can be done") }
    print("input    \(run.placeName).\(name)\(argument.isEmpty ? "" : " “\(argument)”")")
    guard screen.model.send(named: name, argument) else {
      throw Objection(
        sentence: "\(run.placeName) knows no “\(name)”\(argument.isEmpty ? "" : " with “\(argument)”"); see Resources/scenarios/README.md")
    }
  }

  private func perform(_ command: TestStore.Command) async throws {
    guard let store else { throw Objection(sentence: "“store” needs “stubProducts” at the scenario's head") }
    print("store    \(command.name.rawValue)")
    try await store.perform(command)
  }

  private func openNotification() throws {
    guard let newest = run.notifier.present.last else { throw Objection(sentence: "there is no notification on the desktop") }
    print("opened   \(newest.link)")
    run.coordinator.upkeep.isWindowVisible = true
    run.coordinator.open(uri: newest.link)
    run.notifier.withdraw(newest.id)
  }

  private func answer(_ answer: Scenario.PageAnswer) async throws {
    guard let page = run.opened.last else { throw Objection(sentence: "no page was opened") }
    print("page     \(answer.rawValue)")
    try await publication.answer(page, answer)
  }

  /// From one timer to the next, so that what each starts is there before the one after it; through a long time in a hundred leaps at most,
  /// as on a computer that sleeps now and then.
  private func advance(by duration: Duration) async throws {
    let target = clock.uptime + duration
    while clock.uptime < target {
      clock.advance(by: min(max(clock.nextDue ?? duration, duration / 100), target - clock.uptime))
      try await settle()
    }
    print("clock    \((store?.clock.now ?? clock.now).ISO8601Format())")
  }

  private func restart(_ how: Scenario.Restart) async throws {
    if how == .quit { await run.coordinator.finish(within: .zero) }
    run.effects.stop()
    if how == .reboot || how == .newMachine { clock.reboot() }
    if how == .newMachine {
      machines += 1
      keyring = ScenarioKeyring(clock: delays)
      try FileManager.default.createDirectory(atPath: machine, withIntermediateDirectories: true)
    }
    print("restart  \(how.rawValue)")
    delays.forget()
    storeTime.forget()
    run = ScenarioRun(
      transport: network, origin: scenario.origin, tokens: keyring, folder: machine, clock: clock, waits: [delays, storeTime], store: store,
      report: print)
    run.coordinator.start()
  }

  /// The data folder of the computer that is used now.
  private var machine: String { machines == 1 ? folder : "\(folder)/machine-\(machines)" }

  private func check(_ expected: Scenario.Expectation) async throws {
    func compare(_ what: String, _ actual: StateValue, _ wanted: StateValue?) throws {
      guard let wanted, let objection = actual.objection(to: wanted, at: what) else { return }
      throw Objection(sentence: objection)
    }
    try compare("screen", .text(run.isClosed ? "closed" : run.placeName), expected.screen.map(StateValue.text))
    try compare("said", run.presenter.messages.last.map(StateValue.text) ?? .null, expected.said.map(StateValue.text))
    try compare("opened", run.opened.last.map(StateValue.text) ?? .null, expected.opened.map(StateValue.text))
    try compare("copied", run.copied.last.map(StateValue.text) ?? .null, expected.copied.map(StateValue.text))
    try compare("mailed", run.mailed.last.map(StateValue.text) ?? .null, expected.mailed.map(StateValue.text))
    try compare("waiting", .text(run.coordinator.upkeep.waiting.state.text ?? ""), expected.waiting.map(StateValue.text))
    let notified = run.notifier.present.map { StateValue.text("\($0.title): \($0.body)") }
    try compare("notified", .list(notified), expected.notified.map { .list($0.map(StateValue.text)) })
    if let wanted = expected.state {
      guard let model = run.presenter.visibleScreen?.model else { throw Objection(sentence: "the curtain is down, so there is no state") }
      try compare("", model.stateValue, wanted)
    }
    let purchases = run.app.purchases
    if let wanted = expected.entitlements {
      let owned = Set((purchases?.entitlements ?? []).map(\.id))
      guard owned == wanted else { throw Objection(sentence: "the reader has \(owned.sorted()), not \(wanted.sorted())") }
    }
    if let wanted = expected.purchases {
      let states = try await purchases?.history().map { "\($0.state)" } ?? []
      guard states == wanted else { throw Objection(sentence: "the purchases are \(states), not \(wanted)") }
    }
  }

  private static func stamp(_ time: Duration) -> String {
    let seconds = Int(time.seconds)
    let (days, rest) = (seconds / 86_400, seconds % 86_400)
    let clock = [rest / 3600, rest / 60 % 60, rest % 60].map { $0 < 10 ? "0\($0)" : "\($0)" }.joined(separator: ":")
    return "\(days)d \(clock)"
  }
}
