import FeatureKit
import Runtime

/// The question before a move by which something is lost. It stays when nothing would be lost any more, and says so: the keys that the person
/// is about to press are meant for it. Isolated to the main actor.
@MainActor public final class ConfirmViewModel: ScreenModel {
  /// Everything the sheet shows.
  public struct State: Equatable, Sendable {
    /// What the reader is asked, such as whether to leave.
    public var question: String
    /// What would be lost, in a sentence; or that nothing would be any more.
    public var loss = ""
    /// The label of the button that confirms.
    public var action: String
  }

  /// What the coordinator does next.
  public enum Output: Equatable, Sendable {
    /// The reader confirmed.
    case confirmed
    /// The reader does not want the move.
    case cancelled
  }

  /// What the reader did.
  public enum Input: Codable, Equatable, Sendable {
    /// The reader confirmed.
    case confirmTapped
    /// The reader does not want the move.
    case cancelTapped
  }

  /// The single source of truth.
  @ViewState public private(set) var state: State
  /// See `ScreenModel`.
  public func observe(_ observer: @escaping @MainActor (State) -> Void) { $state.observe(observer) }

  private let output: @MainActor (Output) -> Void
  private var observation: Observation?

  /// - Parameters:
  ///   - loss: calls with what would be lost, in a sentence; with `nil` once nothing would be any more.
  ///   - isQuitting: whether the app would end.
  ///   - output: called with what comes next.
  public init(loss: Observe<String?>, isQuitting: Bool, output: @escaping @MainActor (Output) -> Void) {
    self.output = output
    state = isQuitting ? State(question: "Quit Matinee?", action: "Quit") : State(question: "Leave this?", action: "Leave")
    observation = loss { [weak self] in self?.state.loss = $0 ?? "Nothing would be lost any more." }
  }

  /// Handles an input of the reader.
  public func send(_ input: Input) {
    switch input {
    case .confirmTapped: output(.confirmed)
    case .cancelTapped: output(.cancelled)
    }
  }
}
