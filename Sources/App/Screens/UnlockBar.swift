import ArticleFeature
import Gtk

/// What it takes to read on, below an article that is locked.
@MainActor final class UnlockBar {
  let root: Widget
  let unlock = Button("Unlock", styles: [.pill, "compact"])
  let pass = Button("Unlock with a pass", styles: [.pill, "compact"])
  private let explanation = Label(styles: [.dim], wraps: true, alignment: .center)
  private let heading = Label(styles: [.subheading], wraps: true)
  private let loading: LoadingWords
  private let badge = StoreBadge()
  private let spinner = Spinner(isSpinning: false, name: "Unlocking")

  init() {
    loading = LoadingWords(heading)
    let line = Box(
      .horizontal, spacing: 8,
      children: [Image(.lock, styles: ["status-picture"]), heading, spinner])
    line.horizontal = .center
    let buttons = Wrap(pass, unlock, spacing: 6)
    buttons.horizontal = .center
    // On a line of its own it is as wide as the other.
    unlock.expandsHorizontally = true
    let column = Box(
      .vertical, spacing: 8,
      children: [
        line, explanation, badge.root, buttons,
      ])
    let bar = Box(.vertical, styles: ["unlock-bar"], children: [Clamp(maximumWidth: 720, column)])
    bar.isVisible = false
    root = bar
  }

  func show(_ state: ArticleViewModel.State) {
    root.isVisible = state.isLocked || state.isUnlocking
    loading.show(state.isUnlocking ? "Opening the article…" : nil)
    if !state.isUnlocking { heading.text = "The rest is for members" }
    explanation.text = state.wallSentence
    badge.text = state.badge
    if let offer = state.passOffer { pass.label = offer }
    // Without the count: what it does stays the same.
    pass.setAccessibleName("Unlock with a pass")
    pass.isVisible = state.passOffer != nil
    // What the reader has is nearer than what they can buy.
    pass.setStyle(.suggested, state.passOffer != nil)
    unlock.setStyle(.suggested, state.passOffer == nil)
    pass.isSensitive = !state.isUnlocking
    unlock.isSensitive = !state.isUnlocking
    spinner.isSpinning = state.isUnlocking
    spinner.isVisible = state.isUnlocking
  }
}
