import PublicationClient

/// The question before signing out, where that puts off or loses something. Isolated to the main actor.
@MainActor public final class SignOutViewModel {
  /// Everything the sheet shows.
  public struct State: Equatable, Sendable {
    /// What signing out costs, a sentence each.
    public var costs: [String] = []
  }

  /// What the coordinator shall do.
  public enum Output: Equatable, Sendable {
    /// Sign out all the same.
    case signOut
    /// Close the sheet.
    case close
  }

  /// The single source of truth.
  public private(set) var state = State() { didSet { if state != oldValue { onChange?(state) } } }
  /// Called once on binding, then on each change.
  public var onChange: ((State) -> Void)? { didSet { onChange?(state) } }

  private let store: ContentStore
  private let output: @MainActor (Output) -> Void
  private var watching: Task<Void, Never>?

  /// - Parameters:
  ///   - store: the reader's content.
  ///   - output: told what the coordinator shall do.
  public init(store: ContentStore, output: @escaping @MainActor (Output) -> Void) {
    self.store = store
    self.output = output
    update()
  }

  isolated deinit { watching?.cancel() }

  /// The sheet came on screen: it follows what waits from here on.
  public func appear() {
    let waiting = store.waiting.stream()
    watching = Task { [weak self] in
      // A stream still gives what it held when its reader was cancelled.
      for await _ in waiting where !Task.isCancelled { self?.update() }
    }
  }

  /// The sheet is off screen.
  public func disappear() {
    watching?.cancel()
    watching = nil
  }

  /// The reader wants to sign out all the same.
  public func signOutTapped() { output(.signOut) }
  /// The reader stays.
  public func cancelTapped() { output(.close) }

  private func update() {
    guard !store.isClosed else { return }
    let costs = store.costsOfLeaving
    state.costs = costs.isEmpty ? ["Everything was sent meanwhile."] : costs
  }
}
