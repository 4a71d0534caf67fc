import FeatureKit
import PublicationAPI
import PublicationClient
import Runtime
import SessionService

/// The sheet that changes the reader's password. Isolated to the main actor.
///
/// The publication checks the password by its own rule, and says what is wrong.
@MainActor public final class ChangePasswordViewModel: Closable, AsksBeforeLeaving {
  /// Everything the sheet shows. The passwords are no part of it: the sheet's fields hold what was typed.
  public struct State: Equatable, Sendable {
    /// A sentence beside the field of the current password.
    public var currentError: String?
    /// A sentence beside the field of the new one.
    public var newError: String?
    /// A sentence beside the buttons, for what is wrong with neither.
    public var formError: String?
    /// Whether the request is under way: the fields keep their texts, and nothing can be pressed.
    public var isWorking = false
    /// Whether the password may be another one at all; ``formError`` says why not.
    public var canChange = true

    /// A form whose fields are empty.
    public init() {}
  }

  /// What the coordinator does next.
  public enum Output: Equatable, Sendable {
    /// Close the sheet.
    case close
    /// Show the reader the result of the change, also after the sheet is gone.
    case told(String)
  }

  /// What the reader did.
  public enum Input: Codable, Equatable, Sendable {
    /// The text of the field of the current password changed.
    case currentChanged(PasswordInput)
    /// The text of the field of the new password changed.
    case newChanged(PasswordInput)
    /// The reader pressed "Change password", or Enter in a field.
    case submitTapped
    /// The reader pressed "Cancel", or "Close". A request that was sent is not taken back, and its result is shown to the reader.
    case cancelTapped
  }

  /// The single source of truth.
  @ViewState public private(set) var state = State()
  /// See `ScreenModel`.
  public func observe(_ observer: @escaping @MainActor (State) -> Void) { $state.observe(observer) }

  private let client: APIClient
  private let mailsCodes: Bool
  private let effects: Effects
  private let output: @MainActor (Output) -> Void
  private var current = Secret("")
  private var new = Secret("")
  private var isClosed = false

  /// - Parameters:
  ///   - client: speaks for the reader.
  ///   - mailsCodes: whether a forgotten password can be replaced at the login.
  ///   - isSampleAccount: whether the reader came by the sample account, whose password all know.
  ///   - effects: the door off the main actor.
  ///   - output: called with what comes next.
  public init(
    client: APIClient, mailsCodes: Bool, isSampleAccount: Bool = false, effects: Effects, output: @escaping @MainActor (Output) -> Void
  ) {
    self.client = client
    self.mailsCodes = mailsCodes
    self.effects = effects
    self.output = output
    guard isSampleAccount else { return }
    state.canChange = false
    state.formError = "The password of the sample account is everybody’s, and stays."
  }

  /// Handles an input of the reader.
  public func send(_ input: Input) {
    switch input {
    case .currentChanged(let password): currentChanged(password.secret)
    case .newChanged(let password): newChanged(password.secret)
    case .submitTapped: submitTapped()
    case .cancelTapped: cancelTapped()
    }
  }

  /// See `AsksBeforeLeaving`. Passwords are the one thing that is typed and not kept: the next person at this machine would find them.
  public var lossOnLeaving: String? {
    guard !state.isWorking, !(current.isEmpty && new.isEmpty) else { return nil }
    return "The passwords that you typed are not kept. If you leave, you have to type them again."
  }

  private func cancelTapped() {
    (current, new) = (Secret(""), Secret(""))
    output(.close)
  }

  private func currentChanged(_ text: Secret) {
    guard text != current else { return }
    current = text
    corrected(\.currentError)
  }

  private func newChanged(_ text: Secret) {
    guard text != new else { return }
    new = text
    corrected(\.newError)
  }

  private func submitTapped() {
    guard !state.isWorking, state.canChange else { return }
    var checked = State()
    if current.isEmpty { checked.currentError = "Enter your current password." }
    if new.isEmpty {
      checked.newError = "Enter a new password."
    } else if new == current {
      checked.newError = "This is your current password. Choose another one."
    }
    checked.isWorking = checked == State()
    state = checked
    guard checked.isWorking else { return }
    let change = PasswordChange(currentPassword: current.revealed, newPassword: new.revealed)
    // Also when the sheet is closed meanwhile: the reader has to know which password is in force.
    Task { [effects, client] in
      do {
        try await effects.run("password.change") { try await client.changePassword(change) }
        (current, new) = (Secret(""), Secret(""))
        state = State()
        if !isClosed { output(.close) }
        output(.told("Your password was changed. All other sessions have ended."))
      } catch { refused((error as? ClientError) ?? .cancelled) }
    }
  }

  /// See `Closable`.
  public func closed() { isClosed = true }

  private func refused(_ error: ClientError) {
    var new = State()
    switch error.code {
    case .wrongCredentials?:
      // Who came by an identity provider has none.
      let way = " If you forgot it, or never had one, sign out and choose “Forgot your password?” at the login."
      new.currentError = error.sentence + (mailsCodes ? way : "")
    case .badRequest?: new.newError = error.sentence
    default: new.formError = error.sentence
    }
    state = new
    guard isClosed else { return }
    let isRefused =
      switch error.disposition {
      case .refused, .notFound, .sessionEnded, .retryLater(.busy, _): true
      case .retryLater, .cancelled: false
      }
    output(
      .told("\(isRefused ? "Your password was not changed." : "It is not known whether your password was changed.") \(error.sentence)"))
  }

  /// The reader changes what was wrong.
  private func corrected(_ error: WritableKeyPath<State, String?>) {
    guard state.canChange else { return }
    var new = state
    new[keyPath: error] = nil
    new.formError = nil
    state = new
  }
}
