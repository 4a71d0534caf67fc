import ContentCache
import FeatureKit
import ReaderContent
import Runtime

/// The app's frame while the publication is unreachable: a bar below every page, with the actions that wait. Pages do not say it again.
/// Isolated to the main actor.
@MainActor public final class WaitingViewModel: ScreenModel {
  /// Everything the bar shows.
  public struct State: Equatable, Sendable {
    /// "Offline", "3 changes waiting", or both; `nil` for no bar.
    public var text: String?
    /// Why, in a sentence.
    public var detail = ""
    /// Whether another try is under way because the reader requested it.
    public var isTrying = false

    /// A state in which no bar is shown.
    public init() {}
  }

  /// What the reader did.
  public enum Input: Codable, Equatable, Sendable {
    /// Sends at once what waits, and asks whether the publication can be reached, instead of at the next try.
    case tryNowTapped
  }

  /// Everything the bar shows.
  @ViewState public private(set) var state = State()
  /// See `ScreenModel`.
  public func observe(_ observer: @escaping @MainActor (State) -> Void) { $state.observe(observer) }

  /// An answer may arrive before a person could see the request.
  private static let leastTime = Duration.milliseconds(600)

  private let effects: Effects
  private let clock: any AppClock
  private var content: ContentStore?
  private var observations: [Observation] = []
  private var trying: Task<Void, Never>?
  /// Whether the last attempt, which the reader requested, failed.
  private var didRetryFail = false

  /// Shows nothing until ``observe(_:)``.
  /// - Parameters:
  ///   - effects: delivers the timer.
  ///   - clock: decides how long a try is shown.
  public init(effects: Effects, clock: any AppClock) {
    self.effects = effects
    self.clock = clock
  }

  isolated deinit { trying?.cancel() }

  /// Handles an input of the reader.
  public func send(_ input: Input) {
    switch input {
    case .tryNowTapped: tryNowTapped()
    }
  }

  private func tryNowTapped() {
    guard let content, state.text != nil else { return }
    guard trying == nil else {
      _ = content.retryNow()
      return
    }
    trying = Task { [weak self, effects, clock] in
      async let shown: Void? = try? effects.sleep("waiting.shown", for: Self.leastTime, on: clock)
      await content.tryNow()
      _ = await shown
      guard let self, !Task.isCancelled else { return }
      (trying, didRetryFail) = (nil, true)
      update()
    }
    update()
  }

  /// Observes a reader's changes from here on; `nil` ends that.
  func observe(_ content: ContentStore?) {
    observations = []
    trying?.cancel()
    (trying, didRetryFail) = (nil, false)
    self.content = content
    guard let content else {
      state = State()
      return
    }
    observations = [
      content.outboxStatus.observe { [weak self] _ in self?.update() }, content.outOfReach.observe { [weak self] _ in self?.update() },
    ]
  }

  /// Shows nothing for actions that are simply on their way.
  private func update() {
    var new = State()
    let (waiting, unreachable) = (content?.outboxStatus.value ?? OutboxStatus(), content?.outOfReach.value)
    let waitingProblem = waiting.count > 0 ? waiting.problem : nil
    if let problem = unreachable ?? waitingProblem {
      let changes = waiting.count == 1 ? "1 change waiting" : "\(waiting.count) changes waiting"
      new.text = [unreachable.map { _ in "Offline" }, waitingProblem.map { _ in changes }].compactMap(\.self).joined(separator: " · ")
      new.isTrying = trying != nil
      new.detail = didRetryFail && !new.isTrying ? "Tried again without success. \(problem)" : problem
    } else {
      trying?.cancel()
      (trying, didRetryFail) = (nil, false)
    }
    state = new
  }
}
