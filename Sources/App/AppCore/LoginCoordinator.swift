import LoginFeature
import PublicationAPI
import PublicationClient
import Runtime
import SessionService

/// One login: shows its screen, and opens the data of the reader who signs in. It holds the navigation that waits for that, and reports
/// once, when the reader is signed in. Isolated to the main actor.
@MainActor final class LoginCoordinator {
  /// Performed once there is a reader: the latest link.
  var then: Navigation?

  private let session: Session
  private let client: APIClient
  private let browser: BrowserAuthorization
  private let environment: AppEnvironment
  private let opening: ReaderOpening
  private let unfinished: LoginViewModel.Unfinished
  private let say: @MainActor (String) -> Void
  private let report: @MainActor (ReaderScope) -> Void
  private var patience: Task<Void, Never>?
  private var isFinished = false

  /// - Parameters:
  ///   - session: what is signed in to.
  ///   - client: asks the publication what it is called.
  ///   - browser: knows the page of a provider that is waited for.
  ///   - environment: the publication's address, and the effects.
  ///   - opening: opens what the reader has.
  ///   - unfinished: what of the reader whose session ended goes on when they sign in again.
  ///   - say: shows the reader a short message.
  ///   - report: called once.
  init(
    session: Session, client: APIClient, browser: BrowserAuthorization, environment: AppEnvironment, opening: ReaderOpening,
    unfinished: LoginViewModel.Unfinished,
    say: @escaping @MainActor (String) -> Void, report: @escaping @MainActor (ReaderScope) -> Void
  ) {
    self.session = session
    self.client = client
    self.browser = browser
    self.environment = environment
    self.opening = opening
    self.unfinished = unfinished
    self.say = say
    self.report = report
  }

  /// The login itself.
  func screen() -> Screen {
    let (client, address) = (client, environment.address)
    return Screen(
      LoginViewModel(
        session: session, effects: environment.effects, clock: environment.clock, unfinished: unfinished,
        openAgain: { [browser, effects = environment.effects] issuer in
          guard let page = browser.page(of: issuer) else { return false }
          Task { _ = try? await effects.run("login.page") { await browser.open(page) } }
          return true
        }
      ) { () throws(AuthError) in
        let info: PublicationInfo
        do throws(ClientError) { info = try await client.publication() } catch { throw AuthError(error, at: address) }
        return LoginPublication(
          name: info.name, tagline: info.tagline,
          sampleAccount: info.sampleAccount.map { .init(email: $0.email, password: Secret($0.password)) }, mailsCodes: info.mailsCodes,
          providers: info.identityProviders.map { .init(id: $0.issuer, name: $0.name) })
      })
  }

  /// Follows the session. If the reader's data cannot be opened, they may try again.
  func sessionChanged(to state: Session.State) {
    patience?.cancel()
    guard !isFinished else { return }
    switch state {
    case .signedIn(let user, _), .unverified(let user, _):
      opening.begin(user) { [self] result in
        switch result {
        case .success(let reader): end(with: reader)
        case .failure(let error): say(error.sentenceOnOpening)
        }
      }
    case .signingOut, .signedOut: opening.cancel()
    case .checking:
      // The keyring has answered after the curtain was gone, which would have offered to continue offline.
      patience = Task { [session, environment] in
        do { try await environment.effects.sleep("login.patience", for: CurtainViewModel.patience, on: environment.clock) } catch { return }
        session.continueOffline()
      }
    case .restoring, .signingIn, .refreshing: break
    }
  }

  private func end(with reader: ReaderScope) {
    guard !isFinished else { return }
    isFinished = true
    report(reader)
  }
}
