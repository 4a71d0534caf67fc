import FeatureFlags
import Runtime
import SessionService

/// The start of the app, behind the curtain: the session is restored and checked, and its reader's data is opened, in this order. It holds
/// the navigation that cannot be shown yet, and reports once, when the first page is known. It waits for the keyring no longer than
/// ``keyringPatience``: after that the login is shown, where a later answer still counts. Isolated to the main actor.
@MainActor final class StartUpCoordinator {
  /// What the start led to, and what waited for it.
  struct Report {
    /// What the session's reader has; `nil` where no reader is signed in.
    let reader: ReaderScope?
    /// What is performed once there is a reader.
    let then: Navigation?
    /// What is said as soon as it can be seen.
    let unsaid: [String]
  }

  /// Performed once there is a reader: the latest link.
  var then: Navigation?

  /// How long to wait for the session's token: a person may have to unlock the keyring, and may be elsewhere.
  static let keyringPatience = Duration.seconds(5)

  private let curtain: CurtainViewModel
  private let session: Session
  private let opening: ReaderOpening
  private let report: @MainActor (Report) -> Void
  private var unsaid: [String] = []
  private var isFinished = false
  private var keyringTimer: Task<Void, Never>?

  /// - Parameters:
  ///   - curtain: what hides the start.
  ///   - session: what is restored.
  ///   - opening: opens what the reader has.
  ///   - report: called once.
  init(curtain: CurtainViewModel, session: Session, opening: ReaderOpening, report: @escaping @MainActor (Report) -> Void) {
    self.curtain = curtain
    self.session = session
    self.opening = opening
    self.report = report
    curtain.output = { [weak self] output in
      switch output {
      case .tryAgain: self?.tryAgain()
      // A later answer of the check still counts: a session that has ended leads to the login then.
      case .continueOffline: self?.session.continueOffline()
      }
    }
  }

  /// Starts, once.
  /// - Parameters:
  ///   - painted: returns when the curtain can be seen; only then a database, a keyring or a socket is opened.
  ///   - flags: the publication's, which nothing waits for.
  ///   - publication: later screens name it.
  ///   - environment: the clock, and the door off the main actor.
  func begin(
    after painted: @escaping @MainActor () async -> Void, flags: Flags, publication: PublicationDetails, environment: AppEnvironment
  ) {
    Task { [curtain, session, weak self] in
      await painted()
      curtain.begin()
      self?.keyringTimer = Task {
        // Cancelled: it has answered.
        do { try await environment.effects.sleep("keyring.patience", for: Self.keyringPatience, on: environment.clock) } catch { return }
        if case .restoring = session.state { self?.end(with: nil) }
      }
      Task {
        await flags.open()
        await flags.refresh()
      }
      Task { try? await publication.load() }
      await session.restore()
    }
  }

  /// A short message, which is not shown behind the curtain, where it would be over before the reader saw it.
  func say(_ sentence: String) { unsaid.append(sentence) }

  /// Follows the session.
  func sessionChanged(to state: Session.State) {
    keyringTimer?.cancel()
    switch state {
    case .checking: curtain.checkBegins()
    case .signedIn(let user, _), .unverified(let user, _):
      opening.begin(user) { [weak self] result in
        switch result {
        case .success(let reader): self?.end(with: reader)
        case .failure(let error):
          self?.say(error.sentenceOnOpening)
          self?.end(with: nil)
        }
      }
    case .signedOut:
      opening.cancel()
      end(with: nil)
    case .restoring, .signingIn, .refreshing, .signingOut: break
    }
  }

  private func tryAgain() {
    curtain.checkBegins()
    Task { [session] in await session.check() }
  }

  private func end(with reader: ReaderScope?) {
    guard !isFinished else { return }
    isFinished = true
    curtain.end()
    report(Report(reader: reader, then: then, unsaid: unsaid))
  }
}

extension Error {
  /// For the reader whose data it is.
  var sentenceOnOpening: String { "Your data on this computer cannot be opened. \(self)" }
}
