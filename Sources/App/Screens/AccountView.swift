import AccountFeature
import Gtk

/// The reader's account.
@MainActor final class AccountView: View {
  let scope = Scope()
  let root: Widget
  private let viewModel: AccountViewModel
  private let name = Label(styles: [.title], wraps: true, alignment: .center)
  private let email = Label(styles: [.dim], wraps: true, alignment: .center)
  private let notice = Label(styles: ["notice"], wraps: true)
  // All of a card is on one side, that of its button.
  private let publication = Label(styles: [.subheading], wraps: true)
  private let premium = Label(styles: [.dim], wraps: true)
  private let passes = Label(styles: [.dim], wraps: true)
  private let unlock = Button("Unlock premium", styles: [.suggested, .pill])
  private let purchases = AccountView.row("Purchases", .forward)
  private let notifications = AccountView.row("Notifications", .forward)
  private let privacy = AccountView.row("Privacy", .forward)
  private let sessions = AccountView.row("Sessions", .forward)
  private let password = AccountView.row("Change password", .forward)
  private let passwordSeparator = Separator()
  private let signOut = AccountView.row("Sign out")
  private let progress = ProgressLine()

  init(_ viewModel: AccountViewModel) {
    self.viewModel = viewModel
    // Beneath the words: beside them there is no room in a narrow window.
    unlock.horizontal = .start
    unlock.setMargins(horizontal: 0, vertical: 6)
    let card = Box(.vertical, spacing: 4, styles: [.card, "padded"], children: [publication, premium, passes, unlock])
    let rows = Box(
      .vertical, styles: [.card, "rows"],
      children: [
        purchases.button, Separator(), notifications.button, Separator(), privacy.button, Separator(), sessions.button, passwordSeparator,
        password.button, Separator(), signOut.button,
      ])
    let column = Box(
      .vertical, spacing: 16, margin: 32,
      children: [Image(.person, size: .large, styles: ["status-picture"]), name, email, notice, card, rows])
    let scroller = ScrolledWindow(Clamp(maximumWidth: 560, column))
    root = Box(.vertical, styles: [.page], children: [scroller, progress.root])
    scroller.keepFocusInSight(self)
    unlock.onClicked(self) { $0.viewModel.send(.unlockTapped) }
    purchases.button.onClicked(self) { $0.viewModel.send(.purchasesTapped) }
    notifications.button.onClicked(self) { $0.viewModel.send(.notificationsTapped) }
    privacy.button.onClicked(self) { $0.viewModel.send(.privacyTapped) }
    sessions.button.onClicked(self) { $0.viewModel.send(.sessionsTapped) }
    password.button.onClicked(self) { $0.viewModel.send(.changePasswordTapped) }
    signOut.button.onClicked(self) { $0.viewModel.send(.signOutTapped) }
    viewModel.observe { [weak self] in self?.show($0) }
  }

  /// A line as wide as the list, which leads somewhere or does something.
  private static func row(_ title: String, _ icon: Icon? = nil) -> (button: Button, label: Label, detail: Label) {
    let label = Label(title, wraps: true)
    let detail = Label(styles: [.caption, .dim], wraps: true)
    detail.isVisible = false
    let words = Box(.vertical, spacing: 2, children: [label, detail])
    words.expandsHorizontally = true
    words.vertical = .center
    let content = Box(.horizontal, spacing: 12, children: [words] + (icon.map { [Image($0, styles: [.dim])] } ?? []))
    let button = Button(content, name: title, styles: [.flat, "row"])
    button.contentAlignment = .fill
    return (button, label, detail)
  }

  private func show(_ state: AccountViewModel.State) {
    name.text = state.name
    email.text = state.email
    email.isVisible = !state.email.isEmpty
    password.button.isVisible = state.canChangePassword
    passwordSeparator.isVisible = state.canChangePassword
    progress.show(state.isRefreshing ? "Refreshing…" : nil, failure: nil)
    notice.text = state.notice ?? ""
    notice.isVisible = state.notice != nil
    publication.text = state.publication
    premium.text = state.premium
    passes.text = state.passes ?? ""
    passes.isVisible = state.passes != nil
    // After buying, the keyboard is where the purchase began.
    let hadKeyboard = unlock.hasFocus
    unlock.isVisible = state.canUnlock
    if hadKeyboard, !state.canUnlock { purchases.button.focus() }
    unlock.isSensitive = !state.isSigningOut
    purchases.detail.text = state.payments ?? ""
    purchases.detail.isVisible = state.payments != nil
    purchases.button.setAccessibleDescription(state.payments ?? "")
    // Not the one that was pressed: it would lose the keyboard, which returns to it where the question is answered with no.
    for row in [purchases, notifications, privacy, sessions, password] { row.button.isSensitive = !state.isSigningOut }
    signOut.label.text = state.isSigningOut ? "Signing out…" : "Sign out"
  }
}
