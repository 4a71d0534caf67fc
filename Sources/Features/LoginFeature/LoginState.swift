import SessionService

/// What the login screen shows of the publication one signs in to.
public struct LoginPublication: Equatable, Sendable {
  /// An account that anyone may try.
  public struct SampleAccount: Equatable, Sendable {
    /// The address to sign in with.
    public var email: String
    /// Its password.
    public var password: Secret
    /// Memberwise initializer.
    public init(email: String, password: Secret) {
      self.email = email
      self.password = password
    }
  }

  /// The name on the masthead.
  public var name: String
  /// One line below it; empty for none.
  public var tagline: String
  /// `nil` when the publication offers none.
  public var sampleAccount: SampleAccount?

  /// Memberwise initializer.
  public init(name: String, tagline: String = "", sampleAccount: SampleAccount? = nil) {
    self.name = name
    self.tagline = tagline
    self.sampleAccount = sampleAccount
  }
}

extension LoginViewModel {
  /// Everything the login screen shows. The password is not part of it: the screen's field holds what was typed.
  public struct State: Equatable, Sendable {
    /// Which button shows progress.
    public enum Work: Equatable, Sendable {
      /// "Sign in".
      case credentials
      /// "Try the sample account".
      case sampleAccount
    }

    /// `nil` until the publication answered.
    public var publication: LoginPublication?
    /// What stands in the email field.
    public var email = ""
    /// Whether anything stands in the password field; when not, the screen empties it.
    public var hasPassword = false
    /// A sentence beside the email field.
    public var emailError: String?
    /// A sentence beside the password field.
    public var passwordError: String?
    /// A sentence beside the buttons, for what is wrong with neither field.
    public var formError: String?
    /// The request to the backend that is under way.
    public var work: Work?
    /// What the reader should know before signing in: how the last session ended, how long the next one lasts.
    public var notice: String?

    /// An empty form.
    public init() {}

    /// Whether a request is under way: the fields keep their texts, and nothing can be pressed.
    public var isWorking: Bool { work != nil }
    /// Whether "Sign in" can be pressed. Also with empty fields: pressing says what is missing.
    public var canSubmit: Bool { !isWorking }
    /// Whether the sample account is offered.
    public var offersSampleAccount: Bool { publication?.sampleAccount != nil }
  }
}
