import FeatureKit
import Foundation
import HTTPTransport
import PublicationCommerce
import PurchaseService
import Runtime
import StubStore

/// The tester panel: what the test store and the canned answers do, and buttons to make them do something else. Isolated to the main actor.
@MainActor public final class TesterViewModel: ScreenModel {
  /// What the tester did: the buttons are part of the state.
  public typealias Input = State.Action

  /// What the panel shows.
  @ViewState public private(set) var state = State()
  /// See `ScreenModel`.
  public func observe(_ observer: @escaping @MainActor (State) -> Void) { $state.observe(observer) }

  private let store: TestStore?
  private let answers: StubTransport?
  private let effects: Effects
  private let formatting: Formatting
  private let events: LastValue<[String]>
  private let checkForNewPosts: @MainActor () -> Void
  private var product: Product.ID?
  private var refusal: String?
  private var watching: [Task<Void, Never>] = []
  private var observation: Observation?

  /// - Parameters:
  ///   - store: the test store; `nil` when the publication itself sells.
  ///   - answers: the canned answers; `nil` without any.
  ///   - effects: the door off the main actor.
  ///   - formatting: how dates and prices are written.
  ///   - events: what happened last, a line each, oldest first.
  ///   - checkForNewPosts: has the app look for what it notifies of.
  public init(
    store: TestStore?, answers: StubTransport?, effects: Effects, formatting: Formatting,
    events: LastValue<[String]> = LastValue([]), checkForNewPosts: @escaping @MainActor () -> Void = {}
  ) {
    self.store = store
    self.answers = answers
    self.effects = effects
    self.formatting = formatting
    self.events = events
    self.checkForNewPosts = checkForNewPosts
    show()
  }

  isolated deinit { for task in watching { task.cancel() } }

  /// The panel is visible: follows the store and the answers from here on.
  public func appear() {
    guard watching.isEmpty else { return }
    let (states, requests) = (store?.stateStream(), answers?.stateStream())
    observation = events.observe { [weak self] _ in self?.show() }
    watching = [
      Task { [weak self] in
        guard let states else { return }
        for await _ in states where !Task.isCancelled { self?.show() }
      },
      Task { [weak self] in
        guard let requests else { return }
        for await _ in requests where !Task.isCancelled { self?.show() }
      },
      // The store's clock runs by itself, and may be a fast one: the panel looks at it every real second.
      Task { [weak self, store, effects] in
        guard let store else { return }
        while (try? await effects.sleep("tester.clock", for: .seconds(max(store.clock.rate, 1)), on: store.clock)) != nil { self?.show() }
      },
    ]
    show()
  }

  /// The panel went away.
  public func disappear() {
    for task in watching { task.cancel() }
    (watching, observation) = ([], nil)
  }

  /// Handles an input of the tester.
  public func send(_ action: State.Action) {
    effects.deliver("tester.tapped")
    switch action {
    case .choose(let product):
      self.product = product
      show()
    case .checkForNewPosts: checkForNewPosts()
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
    new.sections.append(
      State.Section("Notifications", groups: [State.Group("", [State.Control("Look for new posts", .checkForNewPosts)], columns: 1)]))
    if !events.value.isEmpty { new.sections.append(State.Section("Events", lines: events.value.reversed())) }
    new.problem = refusal ?? new.problem
    state = new
  }

  private static let shownLines = 12

  // MARK: The store

  private func sections(_ store: TestStore) -> [State.Section] {
    let state = store.state
    let orders = state.orders.reversed().filter(\.isShown).prefix(8).map { order($0, state) }
    let log = state.log.suffix(Self.shownLines).reversed().map { "\(date($0.date)): \(named($0.text, state))" }
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
      groups: [
        State.Group("", rates.map { State.Control($0.0, .command(.clockRate($0.1)), isOn: state.rate == $0.1) }),
        State.Group("", (steps + months).map { State.Control($0.0, .command($0.1)) }, columns: 4),
      ])
  }

  /// Codes that a purchase fails with; after the last three the request is repeated.
  private static let codes = ["declined", "insufficient_funds", "unknown_product", "unavailable", "busy", "unauthorized"]

  private func next(_ state: StubState) -> State.Section {
    let planned = (product.map { state.productOutcomes[$0] ?? [] } ?? state.outcomes).map(\.title)
    let choices =
      [State.Control("Any product", .choose(nil), isOn: product == nil)]
      + state.products.map { State.Control($0.name, .choose($0.id), isOn: product == $0.id) }
    let outcomes = StubOutcome.Result.allCases.filter { $0 != .fail }.map { StubOutcome($0) }
    let failures = Self.codes.map { StubOutcome(.fail, code: $0) }
    func controls(_ outcomes: [StubOutcome]) -> [State.Control] {
      outcomes.map { State.Control($0.code?.words ?? $0.title, .command(.nextOutcome($0, product: product))) }
    }
    let elsewhere = product.map { [State.Group("", [State.Control("Buy it on another device", .command(.buyElsewhere($0)))], columns: 1)] }
    return State.Section(
      "Next purchase", lines: [planned.isEmpty ? "It succeeds." : "Planned: \(planned.joined(separator: ", "))."],
      groups: [
        State.Group("Of", choices), State.Group("Ends with", controls(outcomes)), State.Group("Fails with", controls(failures)),
      ] + (elsewhere ?? []))
  }

  private func requests(_ state: StubState) -> State.Section {
    let answers = StubStoreAnswer.Answer.allCases.map { answer in
      State.Control(
        answer.rawValue.words, .command(.requests(StubStoreAnswer(answer, delay: state.requests.delay))),
        isOn: state.requests.answer == answer)
    }
    let slow = state.requests.delay > 0
    return State.Section(
      "Store and device", lines: [],
      groups: [
        State.Group("Asked for products", answers),
        State.Group(
          "",
          [
            State.Control("Slow", .command(.requests(StubStoreAnswer(state.requests.answer, delay: slow ? 0 : 5))), isOn: slow),
            State.Control("Payments allowed", .command(.paymentsAllowed(!state.paymentsAllowed)), isOn: state.paymentsAllowed),
          ]),
        State.Group("", [State.Control("Restore", .command(.restore)), State.Control("Begin again", .command(.reset))]),
      ])
  }

  private func order(_ order: StubOrder, _ state: StubState) -> State.Section {
    let target = TestStore.Target(order.product, user: order.user)
    let product = state.products.first { $0.id == order.product }
    var line = "\(order.standing.rawValue.words), bought \(date(order.began))"
    if let until = order.paidUntil { line += ", \(order.renews ? "renews" : "ends") \(date(until))" }
    var controls: [State.Control] = []
    func add(_ title: String, _ command: TestStore.Command, isOn: Bool = false) {
      controls.append(State.Control(title, .command(command), isOn: isOn))
    }
    if order.standing == .deferred {
      add("Approve", .approve(target))
      add("Decline", .decline(target))
    }
    if order.isPending, order.standing != .deferred { add("Resolve", .resolve(target)) }
    if order.isSubscription {
      add("Renew", .renew(target))
      add("Expire", .expire(target))
      add("Renews", .autoRenew(target, on: !order.renews), isOn: order.renews)
      add("Billing retry", .billingRetry(target))
      add("Grace", .grace(target))
      add("Recover", .recover(target))
      if let price = product?.price.minorUnits {
        add("Price + 20%", .priceIncrease(order.product, priceMinorUnits: price + max(price / 5, 1), needsConsent: true))
      }
      if order.needsConsent {
        add("Agree", .consent(target, agreed: true))
        add("Do not agree", .consent(target, agreed: false))
      }
    }
    if order.payments > 0, order.standing != .refunded { add("Refund", .refund(target)) }
    let whose = Set(state.orders.map(\.user)).count > 1 ? ", of \(order.user.prefix(8))" : ""
    return State.Section(
      "\(product?.name ?? order.product) (\(order.id.orderName))", lines: [line + whose], groups: [State.Group("", controls)])
  }

  /// Identifiers of readers say nothing while there is one, and enough by their beginning when there are more.
  private func named(_ text: String, _ state: StubState) -> String {
    let users = Set(state.orders.map(\.user))
    return users.reduce(text) { $0.replacing($1, with: users.count > 1 ? String($1.prefix(8)) : "the reader") }
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

extension StubOutcome {
  /// What stands on a button, and among what is planned.
  fileprivate var title: String { code.map { "\(result.rawValue.words) (\($0))" } ?? result.rawValue.words }
}

extension String {
  /// A name of the file's as a person writes it: "Insufficient funds".
  fileprivate var words: String { prefix(1).uppercased() + dropFirst().replacing("_", with: " ") }
}
