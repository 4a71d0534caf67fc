import Runtime

/// What hides the start-up check: the brand, and a spinner when it takes a moment. It does not wait for long.
@MainActor public final class CurtainViewModel {
  /// Everything the curtain shows.
  public struct State: Equatable, Sendable {
    /// Whether the spinner turns; it comes after 300 ms, so that a fast start shows none.
    public var showsSpinner = false
  }

  /// What shows.
  public private(set) var state = State() { didSet { if state != oldValue { onChange?(state) } } }
  /// Called once on binding, then on each change.
  public var onChange: ((State) -> Void)? { didSet { onChange?(state) } }
  /// Told when the check takes so long that the reader shall go on with what is on this computer.
  var hasWaited: (() -> Void)?

  private static let spinnerDelay = Duration.milliseconds(300)
  private static let patience = Duration.seconds(2)
  private let effects: Effects
  private let clock: any AppClock
  private var spinner: Task<Void, Never>?
  private var waiting: Task<Void, Never>?

  /// - Parameters:
  ///   - effects: delivers the timers.
  ///   - clock: what they run on.
  public init(effects: Effects, clock: any AppClock) {
    self.effects = effects
    self.clock = clock
  }

  /// Start-up has begun.
  func begin() {
    end()
    spinner = after("curtain.spinner", Self.spinnerDelay) { $0.state.showsSpinner = true }
  }

  /// A reader is known, and the publication is being asked whether the session still holds. Only from here on there is something to go on
  /// with, however long it took to come here.
  func checkBegins() {
    waiting?.cancel()
    waiting = after("curtain.patience", Self.patience) { $0.hasWaited?() }
  }

  /// Start-up is over.
  func end() {
    for timer in [spinner, waiting] { timer?.cancel() }
    state = State()
  }

  private func after(
    _ label: String, _ duration: Duration, _ then: @escaping @MainActor (CurtainViewModel) -> Void
  ) -> Task<Void, Never> {
    Task { [weak self, effects, clock] in
      // Cancelled: what was waited for is over.
      do { try await effects.sleep(label, for: duration, on: clock) } catch { return }
      if let self, !Task.isCancelled { then(self) }
    }
  }
}
