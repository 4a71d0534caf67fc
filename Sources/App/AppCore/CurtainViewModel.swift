import FeatureKit
import Runtime

/// Hides the start-up check: shows the brand, a spinner after a moment, and a choice when the check takes long.
@MainActor public final class CurtainViewModel: ScreenModel {
  /// Everything the curtain shows.
  public struct State: Equatable, Sendable {
    /// Whether the spinner turns; it comes after 300 ms, so that a fast start shows none.
    public var showsSpinner = false
    /// A sentence for the reader; `nil` while all goes well.
    public var notice: String?
    /// Whether "Try again" and "Continue offline" are offered.
    public var offersChoice = false
  }

  /// What the reader chose.
  public enum Output: Equatable, Sendable {
    /// Start the check again.
    case tryAgain
    /// Go on with what is known.
    case continueOffline
  }

  /// What the reader did.
  public enum Input: Codable, Equatable, Sendable {
    /// The reader does not want to wait for this check any longer.
    case tryAgainTapped
    /// The reader wants to go on with what is known.
    case continueOfflineTapped
  }

  /// Everything the curtain shows.
  @ViewState public private(set) var state = State()
  /// See `ScreenModel`.
  public func observe(_ observer: @escaping @MainActor (State) -> Void) { $state.observe(observer) }
  /// Called with the reader's choice.
  var output: ((Output) -> Void)?

  private static let spinnerDelay = Duration.milliseconds(300)
  /// How long a check may take before the reader may continue without it.
  static let patience = Duration.seconds(5)
  private let effects: Effects
  private let clock: any AppClock
  private var spinner: Task<Void, Never>?
  private var choice: Task<Void, Never>?

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
    spinner = after("curtain.spinner", Self.spinnerDelay) { $0.showsSpinner = true }
  }

  /// The reader is known, and the publication is asked whether the session still holds. The wait for "Continue" begins here, however long
  /// the start has taken: before, there is nothing to continue with.
  func checkBegins() {
    state.notice = nil
    state.offersChoice = false
    choice?.cancel()
    choice = after("curtain.patience", Self.patience) {
      $0.notice = "The publication takes long to answer."
      $0.offersChoice = true
    }
  }

  /// Start-up is over.
  func end() {
    for timer in [spinner, choice] { timer?.cancel() }
    state = State()
  }

  private func after(_ label: String, _ duration: Duration, _ change: @escaping @MainActor (inout State) -> Void) -> Task<Void, Never> {
    Task { [weak self, effects, clock] in
      // Cancelled: what was waited for is over.
      do { try await effects.sleep(label, for: duration, on: clock) } catch { return }
      guard let self, !Task.isCancelled else { return }
      change(&state)
    }
  }

  /// Handles an input of the reader.
  public func send(_ input: Input) {
    switch input {
    case .tryAgainTapped: tryAgainTapped()
    case .continueOfflineTapped: continueOfflineTapped()
    }
  }

  private func tryAgainTapped() {
    effects.deliver("curtain.tryAgain")
    guard state.offersChoice else { return }
    output?(.tryAgain)
  }

  private func continueOfflineTapped() {
    effects.deliver("curtain.continueOffline")
    guard state.offersChoice else { return }
    output?(.continueOffline)
  }
}
