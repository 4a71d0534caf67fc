import FeatureKit
import PublicationAPI
import Runtime
import SessionService

/// The login screen: the root of the app. Isolated to the main actor.
@MainActor public final class LoginViewModel: Stepped {
  /// What the reader did.
  public enum Input: Codable, Equatable, Sendable {
    /// The text of the email field changed.
    case emailChanged(String)
    /// The text of the password field changed.
    case passwordChanged(PasswordInput)
    /// The reader wants a code by mail instead of typing a password, or another code. A sign-in that is under way is given up.
    case codeTapped
    /// The reader pressed "Forgot your password?": a code is mailed, with which they set another one.
    case forgotPasswordTapped
    /// The text of the code's field changed.
    case codeChanged(String)
    /// The text of the new password's field changed.
    case newPasswordChanged(PasswordInput)
    /// The reader goes back from the code to the password. A sign-in that is under way is given up.
    case passwordTapped
    /// The reader pressed "Sign in", or Enter in a field.
    case submitTapped
    /// The reader pressed "Use the sample account". The texts in the fields are not used, and stay.
    case sampleAccountTapped
    /// The reader pressed "Sign in with" a provider: its page opens in the browser. Pressed again, it opens once more, and the page before
    /// is no longer waited for. Another sign-in that is under way is given up.
    case providerTapped(LoginPublication.Provider.ID)
    /// The reader does not want to wait for the answer. One that has just arrived still signs in.
    case cancelTapped
  }

  /// What the screen shows.
  @ViewState public private(set) var state = State()
  /// See `ScreenModel`.
  public func observe(_ observer: @escaping @MainActor (State) -> Void) { $state.observe(observer) }

  private let session: Session
  private let effects: Effects
  private let unfinished: Unfinished
  private let clock: any AppClock
  private let openAgain: @MainActor (LoginPublication.Provider.ID) -> Bool
  private let loadPublication: @Sendable () async throws(AuthError) -> LoginPublication
  private var password = Secret("")
  private var newPassword = Secret("")
  /// What makes the mailed code of use here.
  private var challenge: Secret?
  /// Whether a code that was asked for without an address is to set a password; `nil` when none was.
  private var unaddressed: Bool?
  private var isLoading = false
  /// Why the publication has not answered.
  private var unanswered: AuthError?
  private var failedLoads = 0
  private var retrying: Task<Void, Never>?
  private var clearing: Task<Void, Never>?
  private var observation: Observation?
  private var signingIn: Task<Void, Never>?
  /// How many requests were begun: the answer to one that another took the place of changes nothing.
  private var attempts = 0

  /// - Parameters:
  ///   - session: what is signed in to.
  ///   - effects: the door off the main actor.
  ///   - clock: when the publication is asked again.
  ///   - unfinished: what of the reader whose session ended goes on when they sign in again.
  ///   - openAgain: opens the page of a provider that is waited for once more; returns whether there is one.
  ///   - publication: asks the publication for its name and its ways to sign in; called off the main actor when the screen appears, and
  ///     until it has answered.
  public init(
    session: Session, effects: Effects, clock: any AppClock, unfinished: Unfinished = Unfinished(),
    openAgain: @escaping @MainActor (LoginPublication.Provider.ID) -> Bool = { _ in false },
    publication: @escaping @Sendable () async throws(AuthError) -> LoginPublication
  ) {
    self.session = session
    self.effects = effects
    self.clock = clock
    self.openAgain = openAgain
    self.unfinished = unfinished
    self.loadPublication = publication
  }

  isolated deinit {
    retrying?.cancel()
    clearing?.cancel()
  }

  /// The screen is visible: the notice follows the session from here on, and what is not known yet of the publication is requested.
  public func appear() {
    guard observation == nil else { return }
    observation = session.observe { [weak self] in self?.show($0) }
    load()
  }

  /// The screen went away.
  public func disappear() {
    observation = nil
    retrying?.cancel()
    clearing?.cancel()
  }

  /// Handles an input of the reader.
  public func send(_ input: Input) {
    switch input {
    case .emailChanged(let text): emailChanged(text)
    case .passwordChanged(let password): passwordChanged(password.secret)
    case .codeTapped: requestCode(setsPassword: state.code?.setsPassword ?? false)
    case .forgotPasswordTapped: requestCode(setsPassword: true)
    case .codeChanged(let text): codeChanged(text)
    case .newPasswordChanged(let password): newPasswordChanged(password.secret)
    case .passwordTapped: passwordTapped()
    case .submitTapped: submitTapped()
    case .sampleAccountTapped: sampleAccountTapped()
    case .providerTapped(let id): providerTapped(id)
    case .cancelTapped: cancelTapped()
    }
  }

  /// See `Stepped`: from the code, back leads to the password.
  public var canStepBack: Bool { state.code != nil }
  /// See `Stepped`.
  public func stepBack() { send(.passwordTapped) }

  private func emailChanged(_ text: String) {
    guard text != state.email else { return }
    change {
      $0.email = text
      $0.emailError = nil
      if $0.passwordError == AuthError.wrongCredentials.sentence { $0.passwordError = nil }
      $0.formError = nil
    }
  }

  private func passwordChanged(_ text: Secret) {
    guard text != password else { return }
    password = text
    change {
      $0.hasPassword = !text.isEmpty
      $0.passwordError = nil
      $0.formError = nil
    }
  }

  private func codeChanged(_ text: String) {
    guard let code = state.code, text != code.code else { return }
    change {
      $0.code?.code = text
      $0.code?.codeError = nil
      $0.formError = nil
    }
  }

  private func newPasswordChanged(_ text: Secret) {
    guard state.code != nil, text != newPassword else { return }
    newPassword = text
    change {
      $0.code?.hasNewPassword = !text.isEmpty
      $0.code?.newPasswordError = nil
      $0.formError = nil
    }
  }

  private func passwordTapped() {
    guard state.code != nil else { return }
    giveUp()
    forgetCode()
    change { $0.formError = nil }
  }

  private func requestCode(setsPassword: Bool) {
    retryUnreachable()
    guard state.offersCode, state.work != .codeRequest else { return }
    let email = state.code?.email ?? trimmed(state.email)
    let emailError = Self.error(inEmail: email)
    giveUp()
    change {
      $0.emailError = emailError
      $0.passwordError = nil
      $0.formError = nil
    }
    unaddressed = emailError == nil ? nil : setsPassword
    guard emailError == nil else { return }
    perform(.codeRequest) { [session] () throws(AuthError) in
      try await session.requestCode(for: email)
    } done: { [self] challenge in
      self.challenge = challenge
      newPassword = Secret("")
      change {
        $0.work = nil
        $0.code = State.CodeEntry(email: email, setsPassword: setsPassword)
      }
    }
  }

  private func submitCode(_ entry: State.CodeEntry, _ challenge: Secret) {
    let code = entry.code.filter { !$0.isWhitespace }
    var checked = entry
    let isWhole = code.count == CodeChallenge.codeLength
    checked.codeError =
      code.isEmpty ? "Enter the code from the mail." : isWhole ? nil : "The code has \(CodeChallenge.codeForm.lowercased())."
    checked.newPasswordError = entry.setsPassword && newPassword.isEmpty ? "Enter a new password." : nil
    change {
      $0.code = checked
      $0.formError = nil
    }
    guard checked.codeError == nil, checked.newPasswordError == nil else { return }
    signIn(.code, with: .mailedCode(code, challenge: challenge, newPassword: entry.setsPassword ? newPassword : nil))
  }

  private func submitTapped() {
    guard state.canSubmit else { return }
    retryUnreachable()
    if let entry = state.code, let challenge { return submitCode(entry, challenge) }
    if let unaddressed, password.isEmpty { return requestCode(setsPassword: unaddressed) }
    let email = trimmed(state.email)
    let emailError = Self.error(inEmail: email)
    let passwordError = password.isEmpty ? "Enter your password." : nil
    change {
      $0.emailError = emailError
      $0.passwordError = passwordError
      $0.formError = nil
    }
    guard emailError == nil, passwordError == nil else { return }
    giveUp()
    signIn(.credentials, with: .password(email: email, password: password))
  }

  private func sampleAccountTapped() {
    retryUnreachable()
    guard state.canSubmit, let account = state.publication?.sampleAccount else { return }
    change {
      $0.emailError = nil
      $0.passwordError = nil
      $0.formError = nil
    }
    giveUp()
    signIn(.sampleAccount, with: .password(email: account.email, password: account.password))
  }

  private func providerTapped(_ id: LoginPublication.Provider.ID) {
    retryUnreachable()
    guard state.providers.contains(where: { $0.id == id }) else { return }
    // The page that is open already goes on, too.
    if state.work == .provider(id), openAgain(id) { return }
    // Its port is free before the next page is opened.
    giveUp()
    change {
      $0.emailError = nil
      $0.passwordError = nil
      $0.formError = nil
    }
    signIn(.provider(id), with: .browser(issuer: id))
  }

  private func signIn(_ work: State.Work, with credential: Credential) {
    perform(work) { [session] () throws(AuthError) in
      try await session.signIn(with: credential)
    } done: { [self] in
      signedIn()
    }
  }

  private func perform<Value: Sendable>(
    _ work: State.Work, _ request: @escaping @MainActor () async throws(AuthError) -> Value, done: @escaping @MainActor (Value) -> Void
  ) {
    attempts += 1
    let mine = attempts
    change { $0.work = work }
    signingIn = Task {
      let answer: Result<Value, AuthError>
      do throws(AuthError) { answer = .success(try await request()) } catch { answer = .failure(error) }
      guard mine == attempts else { return }
      switch answer {
      case .success(let value): done(value)
      case .failure where Task.isCancelled:
        cancelled()
        // Its page is still open in the browser, and nothing comes of it any more.
        if case .provider = work { change { $0.formError = Self.browserSignInCancelled } }
      case .failure(let error): failed(work, error)
      }
    }
  }

  private static let browserSignInCancelled = "Signing in in the browser was cancelled. You can close its page."

  private func cancelTapped() { signingIn?.cancel() }

  /// Nothing comes of the request that is under way.
  private func giveUp() {
    guard state.isWorking else { return }
    attempts += 1
    signingIn?.cancel()
    cancelled()
  }

  private func cancelled() {
    change { $0.work = nil }
    show(session.state)
  }

  private func forgetCode() {
    challenge = nil
    newPassword = Secret("")
    change { $0.code = nil }
  }

  private func signedIn() {
    // The next reader at this screen sees nothing of this one.
    password = Secret("")
    forgetCode()
    change {
      $0.work = nil
      $0.email = ""
      $0.hasPassword = false
    }
  }

  private func failed(_ work: State.Work, _ error: AuthError) {
    change {
      $0.work = nil
      switch (error, work) {
      case (.wrongCredentials, .credentials): $0.passwordError = error.sentence
      case (.wrongCode, .code), (.codeExpired, .code): $0.code?.codeError = error.sentence
      // The code was right, and was not used up.
      case (.rejected, .code) where $0.code?.setsPassword == true: $0.code?.newPasswordError = error.sentence
      case (.wrongCredentials, .sampleAccount): $0.formError = "The publication does not know its sample account any more."
      default: $0.formError = error.sentence
      }
    }
    show(session.state)
  }

  /// The publication may be reachable by the time that the reader tries again.
  private func retryUnreachable() {
    guard unanswered != nil else { return }
    unanswered = nil
    show(session.state)
    load()
  }

  private func load() {
    guard state.publication == nil, !isLoading else { return }
    isLoading = true
    Task { [weak self, effects, loadPublication] in
      let answer: Result<LoginPublication, any Error>
      do {
        answer = .success(try await effects.run("login.publication") { try await loadPublication() })
      } catch { answer = .failure(error) }
      guard let self else { return }
      isLoading = false
      switch answer {
      case .success(let publication):
        (unanswered, failedLoads) = (nil, 0)
        change { $0.publication = publication }
      case .failure(let error):
        unanswered = error as? AuthError
        loadLater()
      }
      show(session.state)
    }
  }

  private static let loadPace = Backoff(first: .seconds(4), longest: .seconds(30), jitter: 0)

  /// Without its answer the password is the only way in.
  private func loadLater() {
    guard observation != nil else { return }
    failedLoads += 1
    let wait = Self.loadPace.wait(after: failedLoads, chance: 0)
    retrying?.cancel()
    retrying = Task { [weak self, effects, clock] in
      guard (try? await effects.sleep("login.publication.again", for: wait, on: clock)) != nil, !Task.isCancelled else { return }
      self?.load()
    }
  }

  private func show(_ session: Session.State) {
    clearing?.cancel()
    switch session {
    case .restoring: change { $0.notice = Self.keyringNotice }
    case .checking: change { $0.notice = "Your keyring has answered. One moment…" }
    case .signedOut(let cause): show(cause)
    case .signingOut: awaitClearing()
    case .unverified, .signingIn, .signedIn, .refreshing: break
    }
  }

  /// A keyring that answers does so at once. One that does not still has the session, and the next start would open it.
  private func awaitClearing() {
    clearing = Task { [weak self, effects, clock] in
      guard (try? await effects.sleep("login.clearing", for: Self.clearingPatience, on: clock)) != nil, !Task.isCancelled else { return }
      self?.change { $0.notice = Self.clearingNotice }
    }
  }

  private static let clearingPatience = Duration.seconds(2)
  private static let clearingNotice =
    "You are signed out here, but your desktop's keyring has not answered yet. Until it does it keeps your session, and the next start may open it."

  private static let keyringNotice =
    "Your desktop's keyring has not answered yet, and may ask for its password. If it knows your session, you need not sign in."

  private func show(_ cause: Session.SignedOutCause) {
    // What stands beside the buttons is not said twice.
    let unanswered = unanswered.map(\.sentence).flatMap { $0 == state.formError ? nil : $0 }
    // The cause says what the keyring did not do.
    let persistence = if case .byUserTokenNotErased = cause { String?.none } else { self.session.persistence.sentence }
    // A reader who did not choose to leave sees that nothing is lost, and what goes on by itself.
    let unfinished: [String?] = cause == .ended || cause == .reused ? self.unfinished.sentences : []
    let sentences = ([cause.sentence] + unfinished + [unanswered, persistence]).compactMap { $0 }
    change {
      $0.notice = sentences.isEmpty ? nil : sentences.joined(separator: " ")
      if $0.email.isEmpty, cause == .ended || cause == .reused { $0.email = self.session.endedUser?.email ?? "" }
    }
  }

  /// Changes the state. Observers are called once, after the whole change.
  private func change(_ change: (inout State) -> Void) {
    var new = state
    change(&new)
    state = new
  }

  private func trimmed(_ text: String) -> String {
    String(text.drop(while: \.isWhitespace).reversed().drop(while: \.isWhitespace).reversed())
  }

  private static func error(inEmail email: String) -> String? {
    if email.isEmpty { return "Enter your email address." }
    let parts = email.split(separator: "@", omittingEmptySubsequences: false)
    guard parts.count > 1 else { return "An email address has an @ in it." }
    guard parts.count == 2, !parts[0].isEmpty, !parts[1].isEmpty, !email.contains(where: \.isWhitespace) else {
      return "This is not an email address."
    }
    return nil
  }
}
