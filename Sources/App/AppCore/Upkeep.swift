import Runtime
import SessionService

/// Keeps what the reader sees current, besides their own moves: repeats failed requests once the publication may be reachable, checks their
/// purchases when they come back to the window, and redraws relative times. Isolated to the main actor.
@MainActor public final class Upkeep {
  /// What waits to be sent, for the app's frame.
  public let waiting: WaitingViewModel
  /// Whether the reader can see the window; while they cannot, nothing is on screen. The owner of the window sets it.
  public var isWindowVisible = true {
    didSet { if isWindowVisible, !oldValue { windowIsBack() } }
  }
  /// Called when there is a network again, and when the publication answered: failed requests are worth another try.
  public var onReached: (() -> Void)?
  /// Called when the reader comes back to the window, once in ``returnPace`` at most, and each ``openPace`` while they stay.
  var onReturn: (() -> Void)?

  private let session: Session
  private let environment: AppEnvironment
  private var reader: ReaderScope?
  /// By the clock's uptime.
  private var lastCheck: Duration?
  private var checking: Task<Void, Never>?

  init(session: Session, environment: AppEnvironment) {
    self.session = session
    self.environment = environment
    waiting = WaitingViewModel(effects: environment.effects, clock: environment.clock)
  }

  /// Works for this reader from here on; `nil` for none.
  func observe(_ reader: ReaderScope?) {
    self.reader = reader
    waiting.observe(reader?.content)
    reader?.content.onAnswer = { [weak self] in self?.reached() }
  }

  /// Redraws relative times on screen, such as "2 minutes ago", each minute until this object is released.
  public func startUpdatingTimes() {
    Task { [weak self, effects = environment.effects, clock = environment.clock] in
      while (try? await effects.sleep("minute", for: .seconds(60), on: clock)) != nil, let self {
        reader?.content.timePassed()
        if isWindowVisible { checkPurchases(ifOlderThan: Self.openPace) }
      }
    }
  }

  /// There is a network, according to the desktop: pending and failed requests need not wait for their next try.
  public func networkIsBack() {
    environment.effects.deliver("network")
    reader?.content.networkIsBack()
    reached()
  }

  /// The publication is perhaps reachable again: repeats the requests that it did not answer.
  private func reached() {
    reader?.purchases.networkIsBack()
    reader?.requests.retryUnreachable()
    checkAgain()
    onReached?()
  }

  /// The least time between two checks of the reader's purchases when they come back to the window.
  static let returnPace = Duration.seconds(60)
  /// The time between two while they stay.
  static let openPace = Duration.seconds(300)

  /// A reader who comes back may have been at the publication's or the bank's page: the app requests the state of their purchases.
  private func windowIsBack() { checkPurchases(ifOlderThan: Self.returnPace) }

  private func checkPurchases(ifOlderThan pace: Duration) {
    let now = environment.clock.uptime
    guard let reader, lastCheck.map({ now - $0 >= pace }) ?? true else { return }
    lastCheck = now
    Task { await reader.restorePurchases() }
    onReturn?()
  }

  /// The publication answered a request of any kind.
  package func publicationAnswered() { reader?.content.publicationAnswered() }

  /// The publication could not be reached for a request of any kind.
  /// - Parameter problem: a sentence for people.
  package func publicationUnreachable(_ problem: String) { reader?.content.publicationUnreachable(problem) }

  /// For testers, who do not want to wait minutes for the next check.
  public func checkForNewPosts() { reader?.checkForNewPosts() }

  /// Asks whether the session still holds, when the backend could not be reached before.
  private func checkAgain() {
    guard case .unverified = session.state, checking == nil else { return }
    checking = Task { [weak self, session] in
      await session.check()
      self?.checking = nil
    }
  }
}
