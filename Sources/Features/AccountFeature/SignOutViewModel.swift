import FeatureKit
import ReaderContent
import Runtime

/// The question before signing out, where that delays or loses something. Isolated to the main actor.
@MainActor public final class SignOutViewModel: ScreenModel {
  /// Everything the sheet shows.
  public struct State: Equatable, Sendable {
    /// What signing out costs, a sentence each.
    public var costs: [String] = []
  }

  /// What the coordinator shall do.
  public enum Output: Equatable, Sendable {
    /// Sign out nevertheless.
    case signOut
    /// Close the sheet.
    case close
  }

  /// What the reader did.
  public enum Input: Codable, Equatable, Sendable {
    /// The reader confirmed signing out.
    case signOutTapped
    /// The reader does not want to sign out.
    case cancelTapped
  }

  /// The single source of truth.
  @ViewState public private(set) var state = State()
  /// See `ScreenModel`.
  public func observe(_ observer: @escaping @MainActor (State) -> Void) { $state.observe(observer) }

  private let store: ContentStore
  private let payments: Observe<WaitingPayments>
  private let output: @MainActor (Output) -> Void
  /// `nil` until they are read.
  private var waitingPayments: WaitingPayments?
  private var observations: [Observation] = []

  /// - Parameters:
  ///   - store: the reader's content.
  ///   - payments: calls with which payments wait.
  ///   - output: called with what the coordinator is to do.
  public init(
    store: ContentStore,
    payments: @escaping Observe<WaitingPayments> = LastValue(WaitingPayments()).observe,
    output: @escaping @MainActor (Output) -> Void
  ) {
    self.store = store
    self.payments = payments
    self.output = output
    update()
  }

  /// The sheet came on screen: follows what signing out costs from here on.
  public func appear() {
    observations = [
      store.observeCostsOfLeaving { [weak self] in self?.update() },
      payments { [weak self] in
        self?.waitingPayments = $0
        self?.update()
      },
    ]
  }

  /// The sheet is off screen.
  public func disappear() {
    observations = []
  }

  /// Handles an input of the reader.
  public func send(_ input: Input) {
    switch input {
    case .signOutTapped: signOutTapped()
    case .cancelTapped: cancelTapped()
    }
  }

  private func signOutTapped() { output(.signOut) }
  private func cancelTapped() { output(.close) }

  private func update() {
    guard !store.isClosed else { return }
    let costs = store.costsOfLeaving + [waitingPayments?.costOfLeaving].compactMap(\.self)
    state.costs = costs.isEmpty && waitingPayments != nil ? ["Nothing is put off or lost any more."] : costs
  }
}
