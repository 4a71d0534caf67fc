import ContentCache
import PublicationClient

/// What waits to be sent, in the app's frame: a bar above every page while the publication cannot be reached. Isolated to the main actor.
@MainActor public final class WaitingViewModel {
  /// Everything the bar shows.
  public struct State: Equatable, Sendable {
    /// "3 changes waiting"; `nil` for no bar.
    public var text: String?
    /// Why they wait, in a sentence.
    public var detail = ""

    /// No bar.
    public init() {}
  }

  /// What shows.
  public private(set) var state = State() { didSet { if state != oldValue { onChange?(state) } } }
  /// Called once on binding, then on each change.
  public var onChange: ((State) -> Void)? { didSet { onChange?(state) } }

  private var content: ContentStore?
  private var following: Task<Void, Never>?

  /// A bar that follows nobody yet.
  public init() {}

  isolated deinit { following?.cancel() }

  /// Sends at once what waits, instead of at the next try.
  public func tryNowTapped() { content?.retryNow() }

  /// Follows a reader's changes from here on; `nil` for nobody's.
  func follow(_ content: ContentStore?) {
    following?.cancel()
    following = nil
    self.content = content
    guard let content else {
      state = State()
      return
    }
    let changes = content.waiting.stream()
    following = Task { [weak self] in
      for await waiting in changes where !Task.isCancelled { self?.show(waiting) }
    }
  }

  /// What is simply on its way is nothing to tell anyone.
  private func show(_ waiting: Waiting) {
    var new = State()
    if waiting.count > 0, let problem = waiting.problem {
      new.text = waiting.count == 1 ? "1 change waiting" : "\(waiting.count) changes waiting"
      new.detail = problem
    }
    state = new
  }
}
