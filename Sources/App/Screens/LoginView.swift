import Gtk
import LoginFeature
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
  private let formError = Label(styles: [.error], wraps: true, alignment: .center)
  private let signIn = Button("Sign in", styles: [.suggested, .pill])
  private let or = Label("or", styles: [.caption, .dim], alignment: .center)
  private let sample = Button("Use the sample account", styles: [.pill])
  private let slow = Label(LoadingWords.explanation, styles: [.caption, .dim], wraps: true, alignment: .center)
  private let cancel = Button("Cancel", styles: [.flat])
  /// A request that takes long is shown, and can be cancelled; before that nothing flickers.
  private let patience: Box
  private var attempts = 0

  init(_ viewModel: LoginViewModel) {
    self.viewModel = viewModel
    patience = Box(.vertical, spacing: 6, children: [slow, cancel])
    patience.isVisible = false
    email.expectsEmail()
    let form = Box(
      .vertical, spacing: 18, styles: [.card, "padded"],
      children: [
        Box(.vertical, spacing: 6, children: [Label("Email", styles: [.caption]), email, emailError]),
        Box(.vertical, spacing: 6, children: [Label("Password", styles: [.caption]), password, passwordError]),
        Box(.vertical, spacing: 12, children: [formError, signIn, or, sample, patience]),
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
    sample.onClicked(self) { $0.viewModel.send(.sampleAccountTapped) }
    cancel.onClicked(self) { $0.viewModel.send(.cancelTapped) }
    viewModel.observe { [weak self] in self?.show($0) }
  }

  func takeKeyboard() { (viewModel.state.email.isEmpty ? email : password).focus() }

  private func show(_ state: LoginViewModel.State) {
    heading.text = state.publication?.name ?? "Welcome"
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
    let wasWrong = email.isWrong || password.isWrong
    email.isWrong = state.emailError != nil
    password.isWrong = state.passwordError != nil
    // The first that has to be corrected.
    if !wasWrong, !state.isWorking {
      if email.isWrong { email.focusAll() } else if password.isWrong { password.focusAll() }
    }
    for field in [email, password] as [TextEntry] { field.isEditable = !state.isWorking }
    for button in [signIn, sample] { button.isSensitive = !state.isWorking }
    showPatience(state.isWorking)
    signIn.label = state.work == .credentials ? "Signing in…" : "Sign in"
    signIn.setAccessibleName("Sign in")
    sample.label = state.work == .sampleAccount ? "Signing in…" : "Use the sample account"
    sample.setAccessibleName("Use the sample account")
    sample.isVisible = state.offersSampleAccount
    or.isVisible = state.offersSampleAccount
  }

  private var isWorking = false

  private func showPatience(_ isWorking: Bool) {
    guard isWorking != self.isWorking else { return }
    self.isWorking = isWorking
    if !isWorking, password.isWrong { password.focusAll() }
    attempts += 1
    if patience.hasFocus { takeKeyboard() }
    patience.isVisible = false
    guard isWorking else { return }
    let mine = attempts
    MainLoop.after(seconds: LoadingWords.patience) { [weak self] in if let self, mine == attempts { patience.isVisible = true } }
  }

  private func show(_ sentence: String?, in label: Label) {
    label.text = sentence ?? ""
    label.isVisible = sentence != nil
  }
}
