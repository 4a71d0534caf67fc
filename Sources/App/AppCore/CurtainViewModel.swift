import Runtime

/// What hides the start-up check: the brand, a spinner when it takes a moment, and a choice when it takes long.
@MainActor public final class CurtainViewModel {
  /// Everything the curtain shows.
  public struct State: Equatable, Sendable {
    /// Whether the spinner turns; it comes after 300 ms, so that a fast start shows none.
    public var showsSpinner = false
    /// What to tell the reader; `nil` while all goes well.
    public var notice: String?
    /// Whether "Try again" and "Continue offline" are offered.
    public var offersChoice = false
  }

  /// What the reader chose.
  public enum Output: Equatable, Sendable {
    /// Start the check anew.
    case tryAgain
    /// Go on with what is known.
    case continueOffline
  }

  /// What shows.
  public private(set) var state = State() { didSet { if state != oldValue { onChange?(state) } } }
  /// Called once on binding, then on each change.
  public var onChange: ((State) -> Void)? { didSet { onChange?(state) } }
  /// Told what the reader chose.
  var output: ((Output) -> Void)?

  private static let spinnerDelay = Duration.milliseconds(300)
  private static let patience = Duration.seconds(5)
  private let effects: Effects
  private let clock: any AppClock
  private var timers: Task<Void, Never>?

  /// - Parameters:
  ///   - effects: delivers the timers.
  ///   - clock: what they run on.
  public init(effects: Effects, clock: any AppClock) {
    self.effects = effects
    self.clock = clock
  }

  /// The start-up check has begun: runs the timers from the beginning.
  /// - Parameter offersChoice: whether there is a reader to continue with offline; asked when the check has become long.
  func begin(offersChoice: @escaping @MainActor () -> Bool) {
    end()
    timers = Task { [weak self, effects, clock] in
      do {
        try await effects.sleep("curtain.spinner", for: Self.spinnerDelay, on: clock)
        self?.state.showsSpinner = true
        try await effects.sleep("curtain.patience", for: Self.patience - Self.spinnerDelay, on: clock)
        guard offersChoice() else { return }
        self?.state.notice = "The publication takes long to answer."
        self?.state.offersChoice = true
      } catch {}  // Cancelled: the check is over.
    }
  }

  /// The start-up check is over.
  func end() {
    timers?.cancel()
    timers = nil
    state = State()
  }

  /// The reader does not want to wait for this check any longer.
  public func tryAgainTapped() {
    effects.deliver("curtain.tryAgain")
    guard state.offersChoice else { return }
    output?(.tryAgain)
  }

  /// The reader wants to go on with what is known.
  public func continueOfflineTapped() {
    effects.deliver("curtain.continueOffline")
    guard state.offersChoice else { return }
    output?(.continueOffline)
  }
}
