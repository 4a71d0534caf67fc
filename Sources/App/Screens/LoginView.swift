import Gtk
import LoginFeature
import PublicationAPI
import SessionService

/// The login.
@MainActor final class LoginView: View {
  let scope = Scope()
  let root: Widget
  private let viewModel: LoginViewModel
  private let heading = Label("Welcome", styles: [.title], wraps: true, alignment: .center)
  private let tagline = Label(styles: [.dim], wraps: true, alignment: .center)
  private let notice = Label(styles: ["notice"], wraps: true)
  private let email = Entry(placeholder: "you@example.org", name: "Email")
  private let emailError = Label(styles: [.caption, .error], wraps: true)
  private let password = PasswordEntry(placeholder: "Password", name: "Password")
  private let passwordError = Label(styles: [.caption, .error], wraps: true)
  private let forgot = Button("Forgot your password?", styles: [.flat, "compact"])
  private let mailed = Label(wraps: true)
  private let code = Entry(placeholder: CodeChallenge.codeForm, name: "Code")
  private let codeError = Label(styles: [.caption, .error], wraps: true)
  private let newPassword = PasswordEntry(placeholder: "At least ten characters", name: "New password")
  private let newPasswordError = Label(styles: [.caption, .error], wraps: true)
  private let passwordPart: Box
  private let codePart: Box
  private let newPasswordPart: Box
  private let formError = Label(styles: [.error], wraps: true, alignment: .center)
  private let signIn = Button("Sign in", styles: [.suggested, .pill])
  private let or = Label("or", styles: [.caption, .dim], alignment: .center)
  private let mail = Button("Mail me a code", styles: [.pill])
  private let providers = Box(.vertical, spacing: 12)
  private var shownProviders: [LoginPublication.Provider] = []
  private let awaited = Label(styles: [.dim], wraps: true, alignment: .center)
  private let back = Button("Sign in with a password", styles: [.flat])
  private let sample = Button("Use the sample account", styles: [.pill])
  private let slow = Label(LoadingWords.explanation, styles: [.caption, .dim], wraps: true, alignment: .center)
  private let cancel = Button("Cancel", styles: [.flat])
  /// A request that takes long is shown, and can be cancelled; before that nothing flickers.
  private let patience: Box
  private var attempts = 0

  init(_ viewModel: LoginViewModel) {
    self.viewModel = viewModel
    patience = Box(.vertical, spacing: 6, children: [slow, awaited, cancel])
    email.expectsEmail()
    forgot.horizontal = .end
    passwordPart = Box(
      .vertical, spacing: 18,
      children: [
        Self.part("Email", email, emailError), Box(.vertical, children: [Self.part("Password", password, passwordError), forgot]),
      ])
    newPasswordPart = Self.part("New password", newPassword, newPasswordError)
    codePart = Box(.vertical, spacing: 18, children: [mailed, Self.part("Code", code, codeError), newPasswordPart])
    for part in [patience, codePart, newPasswordPart] { part.isVisible = false }
    let form = Box(
      .vertical, spacing: 18, styles: [.card, "padded"],
      children: [
        passwordPart, codePart, Box(.vertical, spacing: 12, children: [formError, signIn, or, providers, mail, sample, patience, back]),
      ])
    let brand = Box(
      .vertical, spacing: 6, children: [Label("Matinee", styles: ["brand", "brand-small"], alignment: .center), heading, tagline])
    let column = Box(.vertical, spacing: 24, margin: 24, children: [brand, notice, form])
    column.vertical = .center
    root = ScrolledWindow(Clamp(maximumWidth: 420, column))
    root.setStyle(.page)
    email.onChanged(self) { $0.viewModel.send(.emailChanged($1)) }
    password.onChanged(self) { $0.viewModel.send(.passwordChanged(.init($1))) }
    email.onSubmit(self) { $0.viewModel.send(.submitTapped) }
    password.onSubmit(self) { $0.viewModel.send(.submitTapped) }
    signIn.onClicked(self) { $0.viewModel.send(.submitTapped) }
    code.onChanged(self) { $0.viewModel.send(.codeChanged($1)) }
    newPassword.onChanged(self) { $0.viewModel.send(.newPasswordChanged(.init($1))) }
    code.onSubmit(self) { $0.viewModel.send(.submitTapped) }
    newPassword.onSubmit(self) { $0.viewModel.send(.submitTapped) }
    forgot.onClicked(self) { $0.viewModel.send(.forgotPasswordTapped) }
    mail.onClicked(self) { $0.viewModel.send(.codeTapped) }
    back.onClicked(self) { $0.viewModel.send(.passwordTapped) }
    sample.onClicked(self) { $0.viewModel.send(.sampleAccountTapped) }
    cancel.onClicked(self) { $0.viewModel.send(.cancelTapped) }
    viewModel.observe { [weak self] in self?.show($0) }
  }

  private static func part(_ title: String, _ field: TextEntry, _ error: Label) -> Box {
    Box(.vertical, spacing: 6, children: [Label(title, styles: [.caption]), field, error])
  }

  func takeKeyboard() { if !codePart.isVisible { (viewModel.state.email.isEmpty ? email : password).focus() } else { code.focus() } }

  private func show(_ state: LoginViewModel.State) {
    heading.text = state.heading
    tagline.text = state.publication?.tagline ?? ""
    tagline.isVisible = !tagline.text.isEmpty
    show(state.notice, in: notice)
    // The address is filled in after a session ended: only the password is missing, and it must not be typed behind the address.
    if email.text.isEmpty, !state.email.isEmpty, email.hasFocus { password.focus() }
    email.text = state.email
    if !state.hasPassword { password.text = "" }
    show(state.emailError, in: emailError)
    show(state.passwordError, in: passwordError)
    show(state.formError, in: formError)
    show(state.code)
    let fields = [email, password, code, newPassword] as [TextEntry]
    let wasWrong = fields.contains(where: \.isWrong)
    let errors = [state.emailError, state.passwordError, state.code?.codeError, state.code?.newPasswordError]
    for (field, error) in zip(fields, errors) {
      field.isWrong = error != nil
      field.isEditable = state.canSubmit
    }
    // The first that has to be corrected.
    if !wasWrong, !state.isWorking { fields.first(where: \.isWrong)?.focusAll() }
    for button in [signIn, sample] { button.isSensitive = state.canSubmit }
    showPatience(state.isWorking, at: state.awaitedProvider)
    showProviders(state)
    signIn.label = state.signInTitle
    signIn.setAccessibleName(state.signInName)
    mail.label = state.codeTitle
    // The button cannot be pressed while a code is on its way, and the code is typed into its field.
    let isMailing = state.work == .codeRequest
    if !isMailing, !mail.isSensitive, state.code != nil { code.focus() }
    mail.isSensitive = !isMailing
    mail.isVisible = state.offersCode
    forgot.isVisible = state.offersCode
    sample.label = state.sampleTitle
    sample.setAccessibleName("Use the sample account")
    sample.isVisible = state.offersSampleAccount
    or.isVisible = state.offersOtherWays
  }

  private func showProviders(_ state: LoginViewModel.State) {
    let list = state.providers
    providers.isVisible = !list.isEmpty
    if list != shownProviders {
      shownProviders = list
      providerButtons = list.map { provider in
        // Publications choose the names: a long one takes two lines, and does not widen the window.
        let label = Label(wraps: true, alignment: .center)
        let button = Button(label, name: provider.name, styles: [.pill])
        button.onClicked(self) { $0.viewModel.send(.providerTapped(provider.id)) }
        return (button, label)
      }
      providers.replaceAll(providerButtons.map(\.button))
    }
    for (entry, (button, label)) in zip(list, providerButtons) {
      label.text = state.title(of: entry)
      button.setAccessibleName(label.text)
    }
    awaited.text = state.awaitedSentence ?? ""
  }

  private func show(_ entry: LoginViewModel.State.CodeEntry?) {
    let isShown = codePart.isVisible
    if let entry {
      mailed.text = entry.sentence
      code.text = entry.code
      if !entry.hasNewPassword { newPassword.text = "" }
      show(entry.codeError, in: codeError)
      show(entry.newPasswordError, in: newPasswordError)
      newPasswordPart.isVisible = entry.setsPassword
    }
    passwordPart.isVisible = entry == nil
    codePart.isVisible = entry != nil
    back.isVisible = entry != nil
    if isShown != codePart.isVisible { takeKeyboard() }
  }

  private var providerButtons: [(button: Button, label: Label)] = []
  private var isWorking = false
  private var isAwaiting = false

  /// - Parameter provider: the one whose page is waited for, which takes as long as the reader does: that is said at once.
  private func showPatience(_ isWorking: Bool, at provider: LoginPublication.Provider?) {
    guard isWorking != self.isWorking || isAwaiting != (provider != nil) else { return }
    self.isWorking = isWorking
    isAwaiting = provider != nil
    awaited.isVisible = isAwaiting
    slow.isVisible = !isAwaiting
    if !isWorking { ([password, code, newPassword] as [TextEntry]).first(where: \.isWrong)?.focusAll() }
    attempts += 1
    if patience.hasFocus { takeKeyboard() }
    patience.isVisible = isAwaiting
    guard isWorking, !isAwaiting else { return }
    let mine = attempts
    MainLoop.after(seconds: LoadingWords.patience) { [weak self] in if let self, mine == attempts { patience.isVisible = true } }
  }

  private func show(_ sentence: String?, in label: Label) {
    label.text = sentence ?? ""
    label.isVisible = sentence != nil
  }
}
