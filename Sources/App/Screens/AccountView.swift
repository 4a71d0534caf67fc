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
  private let publication = Label(styles: [.subheading], wraps: true)
  private let premium = Label(styles: [.dim], wraps: true)
  private let unlock = Button("Unlock premium", styles: [.suggested, .pill])
  private let purchases = Button("Purchases", styles: [.pill])
  private let notifications = Button("Notifications", styles: [.pill])
  private let signOut = Button("Sign out", styles: [.pill])

  init(_ viewModel: AccountViewModel) {
    self.viewModel = viewModel
    for button in [purchases, notifications, signOut] { button.horizontal = .center }
    // Beneath the words: beside them there is no room in a narrow window.
    unlock.horizontal = .start
    unlock.setMargins(horizontal: 0, vertical: 6)
    let card = Box(.vertical, spacing: 4, styles: [.card, "padded"]) { [publication, premium, unlock] in
      publication
      premium
      unlock
    }
    let column = Box(.vertical, spacing: 16, margin: 32) { [name, email, notice, purchases, notifications, signOut] in
      Image(.person, size: 72, styles: ["status-picture"])
      name
      email
      notice
      card
      purchases
      notifications
      signOut
    }
    root = ScrolledWindow(Clamp(maximumWidth: 560, column))
    root.setStyle(.page)
    unlock.onClicked(self) { $0.viewModel.unlockTapped() }
    purchases.onClicked(self) { $0.viewModel.purchasesTapped() }
    notifications.onClicked(self) { $0.viewModel.notificationsTapped() }
    signOut.onClicked(self) { $0.viewModel.signOutTapped() }
    viewModel.onChange = { [weak self] in self?.show($0) }
  }

  private func show(_ state: AccountViewModel.State) {
    name.text = state.name
    email.text = state.email
    notice.text = state.notice ?? ""
    notice.isVisible = state.notice != nil
    publication.text = state.publication
    premium.text = state.premium
    unlock.isVisible = state.canUnlock
    unlock.isSensitive = !state.isSigningOut
    purchases.isSensitive = !state.isSigningOut
    notifications.isSensitive = !state.isSigningOut
    signOut.isSensitive = !state.isSigningOut
    signOut.label = state.isSigningOut ? "Signing out…" : "Sign out"
    signOut.setAccessibleName("Sign out")
  }
}
