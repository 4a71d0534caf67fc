import SessionService

/// What the login screen shows of the publication one signs in to.
public struct LoginPublication: Equatable, Sendable {
  /// An account that anyone may try.
  public struct SampleAccount: Equatable, Sendable {
    /// The address to sign in with.
    public var email: String
    /// The account's password, which the publication shows to anyone.
    public var password: Secret

    public init(email: String, password: Secret) {
      self.email = email
      self.password = password
    }
  }

  /// An identity provider at which one may sign in, by its page in the browser.
  public struct Provider: Equatable, Sendable, Identifiable {
    /// Identifies the provider by its issuer.
    public var id: String
    /// What people know it as.
    public var name: String

    public init(id: String, name: String) {
      self.id = id
      self.name = name
    }
  }

  /// The name on the masthead.
  public var name: String
  /// One line below it; empty for none.
  public var tagline: String
  /// `nil` when the publication offers none.
  public var sampleAccount: SampleAccount?
  /// Whether it mails codes, with which one signs in and sets another password.
  public var mailsCodes: Bool
  /// Where one may sign in besides.
  public var providers: [Provider]

  public init(
    name: String, tagline: String = "", sampleAccount: SampleAccount? = nil, mailsCodes: Bool = false, providers: [Provider] = []
  ) {
    self.name = name
    self.tagline = tagline
    self.sampleAccount = sampleAccount
    self.mailsCodes = mailsCodes
    self.providers = providers
  }
}

extension LoginViewModel {
  /// What a reader whose session ended has not finished. It stays on this computer, and goes on by itself once they are back.
  public struct Unfinished: Equatable, Sendable {
    /// How many changes were not sent.
    public var changes: Int
    /// How many payments that they agreed to were not confirmed.
    public var payments: Int

    /// Nothing, unless it is said what.
    public init(changes: Int = 0, payments: Int = 0) {
      self.changes = changes
      self.payments = payments
    }

    /// What becomes of it, a sentence each; empty for nothing.
    var sentences: [String] {
      var sentences: [String] = []
      switch changes {
      case 0: break
      case 1: sentences.append("1 change is kept here, and sent when you sign in again.")
      case let count: sentences.append("\(count) changes are kept here, and sent when you sign in again.")
      }
      switch payments {
      case 0: break
      case 1: sentences.append("1 payment that you agreed to continues when you sign in again.")
      case let count: sentences.append("\(count) payments that you agreed to continue when you sign in again.")
      }
      return sentences
    }
  }

  /// Everything the login screen shows. The password is not part of it: the screen's field holds what was typed.
  public struct State: Equatable, Sendable {
    /// Which button shows progress.
    public enum Work: Equatable, Sendable {
      /// The button "Sign in", below address and password.
      case credentials
      /// The button "Use the sample account".
      case sampleAccount
      /// The button "Mail me a code", or the one for another code.
      case codeRequest
      /// The button below a code, which signs in.
      case code
      /// The button "Sign in with" of a provider, whose page is open in the browser.
      case provider(LoginPublication.Provider.ID)
    }

    /// What takes the place of the password once a code was mailed. The new password is not part of it: the screen's field holds what was
    /// typed.
    public struct CodeEntry: Equatable, Sendable {
      /// Where the code was mailed to.
      public var email: String
      /// What stands in the field of the code.
      public var code = ""
      /// A sentence beside it.
      public var codeError: String?
      /// Whether a new password is set with it, since the reader forgot theirs.
      public var setsPassword: Bool
      /// Whether anything stands in the field of the new password; when not, the screen empties it.
      public var hasNewPassword = false
      /// A sentence beside it.
      public var newPasswordError: String?

      /// A form for the code that was mailed to an address; nothing is typed yet.
      public init(email: String, setsPassword: Bool) {
        self.email = email
        self.setsPassword = setsPassword
      }

      /// What the reader may expect. It does not tell whether the address is known.
      public var sentence: String { "If \(email) is a reader’s address, a code is on its way there. It is good for ten minutes." }
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
    /// The code that was mailed; `nil` while one signs in with a password.
    public var code: CodeEntry?
    /// A sentence beside the buttons, for what is wrong with neither field.
    public var formError: String?
    /// The request to the backend that is under way.
    public var work: Work?
    /// What the reader should know before signing in: how the last session ended, how long the next one lasts.
    public var notice: String?

    /// A form in which nothing was typed.
    public init() {}

    /// Whether a request is under way.
    public var isWorking: Bool { work != nil }
    /// Whether "Sign in" can be pressed. It can with empty fields: pressing says what is missing. It can while the app waits for a page in the
    /// browser: the reader may choose another way.
    public var canSubmit: Bool {
      guard case .provider = work else { return !isWorking }
      return true
    }
    /// Whether the sample account is offered.
    public var offersSampleAccount: Bool { publication?.sampleAccount != nil && code == nil }
    /// Where one may sign in besides.
    public var providers: [LoginPublication.Provider] { code == nil ? publication?.providers ?? [] : [] }
    /// The provider whose page is waited for.
    public var awaitedProvider: LoginPublication.Provider? {
      guard case .provider(let id) = work else { return nil }
      return publication?.providers.first { $0.id == id }
    }
    /// What the reader is to do on the page of ``awaitedProvider``; `nil` without one.
    public var awaitedSentence: String? {
      awaitedProvider.map { "Sign in on the page of \($0.name) in your browser. Matinee goes on by itself." }
    }
    /// Whether a code can be mailed.
    public var offersCode: Bool { publication?.mailsCodes == true }
    /// Whether there is another way to sign in than with a password.
    public var offersOtherWays: Bool { offersSampleAccount || offersCode || !providers.isEmpty }
    /// What stands on the masthead.
    public var heading: String { publication?.name ?? "Welcome" }
    /// What stands on the button below address and password, or below a code.
    public var signInTitle: String { work == .credentials || work == .code ? "Signing in…" : signInName }
    /// What that button is called also while it shows progress.
    public var signInName: String { code?.setsPassword == true ? "Set the password" : "Sign in" }
    /// What stands on the button that asks for a code.
    public var codeTitle: String { work == .codeRequest ? "Asking for a code…" : code == nil ? "Mail me a code" : "Mail another code" }
    /// What stands on the button of the sample account.
    public var sampleTitle: String { work == .sampleAccount ? "Signing in…" : "Use the sample account" }
    /// What stands on the button of a provider.
    public func title(of provider: LoginPublication.Provider) -> String {
      provider == awaitedProvider ? "Open the page of \(provider.name) again" : "Sign in with \(provider.name)"
    }
  }
}
