import Gtk
import PaywallFeature

/// A paywall: the benefits and their prices.
@MainActor final class PaywallView: View {
  let scope = Scope()
  let root: Widget
  private let viewModel: PaywallViewModel
  private let stack = Stack()
  private lazy var status = StatusView(in: stack, over: "offers")
  private let title = Label(styles: [.heading], wraps: true, alignment: .center)
  private let text = Label(styles: [.dim], wraps: true, alignment: .center)
  private let badge = StoreBadge()
  private let benefits = Box(.vertical, spacing: 6)
  private let warning = Label(styles: ["notice"], wraps: true)
  private let notice = Label(styles: ["notice"], wraps: true)
  private let confirm = Button("Open your bank's page", styles: [.pill])
  private let balance = Label(styles: [.dim], wraps: true, alignment: .center)
  private let offers = Box(.vertical, spacing: 10)
  private let scroller: FittingScroller
  private let cancel = Button("Not now", styles: [.flat])
  private var shown: [PaywallViewModel.State.ProductRow] = []
  private var shownBenefits: [String] = []

  init(_ viewModel: PaywallViewModel) {
    self.viewModel = viewModel
    let content = Box(.vertical, spacing: 14, children: [title, text, benefits, warning, notice, confirm, offers, balance])
    scroller = FittingScroller(content)
    stack.add(scroller, name: "offers")
    root = Box(.vertical, spacing: 10, children: [badge.root, stack, cancel])
    confirm.horizontal = .center
    confirm.onClicked(self) { $0.viewModel.send(.confirmTapped) }
    cancel.onClicked(self) { $0.viewModel.send(.closeTapped) }
    status.onAction(self) { view, _ in view.viewModel.send(.retryTapped) }
    viewModel.observe { [weak self] in self?.show($0) }
  }

  /// The focus is on a button that is harmless and always visible: the first offer is further down, and the page would begin there. A page
  /// that comes back without the offer that was pressed begins at its beginning too: what has changed meanwhile is said there.
  func takeKeyboard() {
    scroller.position = 0
    cancel.focus()
  }

  private func show(_ state: PaywallViewModel.State) {
    title.text = state.title
    text.text = state.text
    badge.text = state.badge
    for (label, words) in [(warning, state.warning), (notice, state.notice), (balance, state.balance)] {
      label.text = words ?? ""
      label.isVisible = words != nil
    }
    confirm.isVisible = state.confirmPage != nil
    if state.benefits != shownBenefits {
      shownBenefits = state.benefits
      benefits.replaceAll(state.benefits.map { Self.line($0) })
    }
    if state.products != shown {
      shown = state.products
      // Before the button goes that has the keyboard.
      if offers.hasFocus { takeKeyboard() }
      offers.replaceAll(state.products.map { button($0) })
    }
    cancel.label = state.closeTitle
    status.show(state.statusPage)
  }

  private static func line(_ benefit: String) -> Widget {
    let words = Label(benefit, wraps: true)
    words.expandsHorizontally = true
    let tick = Image(.done, size: .line, styles: ["tick"])
    tick.vertical = .start
    return Box(.horizontal, spacing: 8, children: [tick, words])
  }

  private func button(_ product: PaywallViewModel.State.ProductRow) -> Widget {
    let words = Box(
      .vertical, spacing: 3, children: [Label(product.name, styles: [.subheading], wraps: true, lines: 3)])
    if let saving = product.saving {
      // Beneath the name: beside it there is no room in a narrow window.
      let badge = Label(saving, styles: [.badge, "saving"])
      badge.horizontal = .start
      words.append(badge)
    }
    if !product.note.isEmpty { words.append(Label(product.note, styles: [.caption, .dim], wraps: true)) }
    words.expandsHorizontally = true
    let price = Label(product.price, styles: ["price"], wraps: true, lines: 2, alignment: .end)
    let pace = Label(product.pace, styles: [.caption, .dim], wraps: true, lines: 2, alignment: .end)
    let prices = Box(.vertical, spacing: 2, children: [price])
    if product.pace != product.price { prices.append(pace) }
    prices.vertical = .center
    // On a line of its own it ends where the others end.
    prices.expandsHorizontally = true
    // Below each other where there is little room, or the text is large.
    let button = Button(
      Wrap(words, prices, least: 84, spacing: 12), name: "\(product.name), \(product.price)", styles: [.card, "offer"])
    button.isSensitive = product.canBuy
    button.setStyle("best", product.isBest)
    button.onClicked(self) { $0.viewModel.send(.buyTapped(product.id)) }
    return button
  }
}
