import Foundation
import HTTPTransport
import PublicationClient
import PurchaseService
import Runtime
import StubStore

/// The tester panel: what the test store and the canned answers do, and buttons to make them do something else. Isolated to the main actor.
@MainActor public final class TesterViewModel {
  /// What the panel shows.
  public private(set) var state = State() {
    didSet { if state != oldValue { onChange?(state) } }
  }
  /// Called once when it is set, then on each change.
  public var onChange: ((State) -> Void)? {
    didSet { onChange?(state) }
  }

  private let store: TestStore?
  private let answers: StubTransport?
  private let effects: Effects
  private let formatting: Formatting
  private var product: Product.ID?
  private var refusal: String?
  private var watching: [Task<Void, Never>] = []

  /// - Parameters:
  ///   - store: the test store; `nil` when the publication itself sells.
  ///   - answers: the canned answers; `nil` without any.
  ///   - effects: the door off the main actor.
  ///   - formatting: how dates and prices are written.
  public init(store: TestStore?, answers: StubTransport?, effects: Effects, formatting: Formatting) {
    self.store = store
    self.answers = answers
    self.effects = effects
    self.formatting = formatting
    show()
  }

  isolated deinit { for task in watching { task.cancel() } }

  /// The panel came up: it follows the store and the answers from here on.
  public func appear() {
    guard watching.isEmpty else { return }
    let (states, requests) = (store?.stateStream(), answers?.stateStream())
    watching = [
      Task { [weak self] in
        guard let states else { return }
        for await _ in states where !Task.isCancelled { self?.show() }
      },
      Task { [weak self] in
        guard let requests else { return }
        for await _ in requests where !Task.isCancelled { self?.show() }
      },
    ]
    show()
  }

  /// The panel went away.
  public func disappear() {
    for task in watching { task.cancel() }
    watching = []
  }

  /// The tester pressed a button.
  public func tapped(_ action: State.Action) {
    effects.deliver("tester.tapped")
    switch action {
    case .choose(let product):
      self.product = product
      show()
    case .command(let command):
      guard let store else { return }
      Task { [weak self, effects] in
        let refusal: String?
        do {
          try await effects.run("tester.command") { try await store.perform(command) }
          refusal = nil
        } catch { refusal = (error as? TestStore.Refusal)?.sentence ?? "\(error)" }
        self?.refusal = refusal
        self?.show()
      }
    }
  }

  private func show() {
    var new = State()
    if let store {
      new.sections = sections(store)
    } else {
      let line = "The publication itself sells. Start with --stub-products FILE for a test store."
      new.sections = [State.Section("Test store", lines: [line])]
    }
    if let answers {
      let state = answers.state
      let lines = state.answered.suffix(Self.shownLines).reversed().map { "\($0.request): \($0.status), by line \($0.line)" }
      new.sections.append(
        State.Section("Canned answers", lines: lines.isEmpty ? ["No request was answered from the file yet."] : Array(lines)))
      new.problem = state.failure.map { "\($0)" }
    }
    new.problem = refusal ?? new.problem
    state = new
  }

  private static let shownLines = 12

  // MARK: The store

  private func sections(_ store: TestStore) -> [State.Section] {
    let state = store.state
    let orders = state.orders.reversed().filter(\.isShown).prefix(8).map { order(store, $0) }
    let log = state.log.suffix(Self.shownLines).reversed().map { "\(date($0.date)): \($0.text)" }
    return [clock(store, state), next(state), requests(state)] + orders + (log.isEmpty ? [] : [State.Section("What happened", lines: log)])
  }

  private func clock(_ store: TestStore, _ state: StubState) -> State.Section {
    let rates = [("Real time", 1), ("A month in 30 s", AdjustableClock.monthInThirtySeconds), ("Stopped", 0)]
    let steps = [("+ 1 hour", TestStore.Command.step(.seconds(3600))), ("+ 1 day", .step(.seconds(86_400)))]
    let months = [("+ 1 month", "P1M"), ("+ 1 year", "P1Y")].compactMap { title, period in
      SubscriptionPeriod(iso8601: period).map { (title, TestStore.Command.stepPeriod($0)) }
    }
    return State.Section(
      "Clock", lines: ["It is \(date(store.clock.now)) in the test store."],
      rows: [
        rates.map { State.Control($0.0, .command(.clockRate($0.1)), isOn: state.rate == $0.1) },
        (steps + months).map { State.Control($0.0, .command($0.1)) },
      ])
  }

  private func next(_ state: StubState) -> State.Section {
    let planned = (product.map { state.productOutcomes[$0] ?? [] } ?? state.outcomes).map(\.result.title)
    let choices =
      [State.Control("Any product", .choose(nil), isOn: product == nil)]
      + state.products.map { State.Control($0.name, .choose($0.id), isOn: product == $0.id) }
    let outcomes = StubOutcome.Result.allCases.map { result in
      State.Control(result.title, .command(.nextOutcome(StubOutcome(result), product: product)))
    }
    let elsewhere = product.map { [[State.Control("Buy it on another device", .command(.buyElsewhere($0)))]] } ?? []
    return State.Section(
      "Next purchase", lines: [planned.isEmpty ? "It succeeds." : "Planned: \(planned.joined(separator: ", "))."],
      rows: choices.rows(of: 3) + outcomes.rows(of: 4) + elsewhere)
  }

  private func requests(_ state: StubState) -> State.Section {
    let answers = StubRequests.Answer.allCases.map { answer in
      State.Control(
        answer.rawValue.capitalized, .command(.requests(StubRequests(answer, delay: state.requests.delay))),
        isOn: state.requests.answer == answer)
    }
    let slow = state.requests.delay > 0
    let device = [
      State.Control("Slow", .command(.requests(StubRequests(state.requests.answer, delay: slow ? 0 : 5))), isOn: slow),
      State.Control("Payments allowed", .command(.paymentsAllowed(!state.paymentsAllowed)), isOn: state.paymentsAllowed),
    ]
    return State.Section(
      "Store and device", lines: [],
      rows: answers.rows(of: 4) + [device, [State.Control("Restore", .command(.restore)), State.Control("Begin anew", .command(.reset))]])
  }

  private func order(_ store: TestStore, _ order: StubOrder) -> State.Section {
    let target = TestStore.Target(order.product, user: order.user)
    let name = store.state.products.first { $0.id == order.product }?.name ?? order.product
    var lines = ["\(order.standing.rawValue.replacing("_", with: " ")), bought \(date(order.began))"]
    if let until = order.paidUntil { lines[0] += ", \(order.renews ? "renews" : "ends") \(date(until))" }
    var rows: [[State.Control]] = []
    func control(_ title: String, _ command: TestStore.Command) -> State.Control { State.Control(title, .command(command)) }
    if order.standing == .deferred { rows.append([control("Approve", .approve(target)), control("Decline", .decline(target))]) }
    if order.isPending, order.standing != .deferred { rows.append([control("Resolve", .resolve(target))]) }
    if order.isSubscription {
      rows.append([
        control("Renew", .renew(target)), control("Expire", .expire(target)),
        State.Control("Renews", .command(.autoRenew(target, on: !order.renews)), isOn: order.renews),
      ])
      rows.append([
        control("Billing retry", .billingRetry(target)), control("Grace", .grace(target)), control("Recover", .recover(target)),
      ])
      if let product = store.state.products.first(where: { $0.id == order.product }) {
        let price = product.price.minorUnits + max(product.price.minorUnits / 5, 1)
        rows.append([control("Price + 20 %, with consent", .priceIncrease(order.product, priceMinorUnits: price, needsConsent: true))])
      }
      if order.needsConsent {
        rows.append([control("Agree", .consent(target, agreed: true)), control("Do not agree", .consent(target, agreed: false))])
      }
    }
    if order.payments > 0, order.standing != .refunded { rows.append([control("Refund", .refund(target))]) }
    return State.Section("\(name) for \(order.user) (\(order.id.uuidString.suffix(4)))", lines: lines, rows: rows)
  }

  private func date(_ date: Date) -> String {
    var calendar = formatting.locale.calendar
    calendar.timeZone = formatting.timeZone
    let style = Date.FormatStyle(locale: formatting.locale, calendar: calendar, timeZone: formatting.timeZone)
    return date.formatted(style.day().month(.abbreviated).year().hour().minute())
  }
}

extension StubOrder {
  /// Whether there is anything to do about it.
  fileprivate var isShown: Bool { isPending || isSubscription || (payments > 0 && standing != .refunded) }
}

extension StubOutcome.Result {
  /// What stands on a button.
  fileprivate var title: String { rawValue.replacing("_", with: " ").capitalizedFirst }
}

extension String {
  fileprivate var capitalizedFirst: String { prefix(1).uppercased() + dropFirst() }
}

extension [TesterViewModel.State.Control] {
  fileprivate func rows(of count: Int) -> [[Element]] {
    stride(from: 0, to: self.count, by: count).map { Array(self[$0..<Swift.min($0 + count, self.count)]) }
  }
}
