import AccountFeature
import Foundation
import Gtk

/// Account → Purchases.
@MainActor final class PurchasesView: View {
  let scope = Scope()
  let root: Widget
  private let viewModel: PurchasesViewModel
  private let stack = Stack()
  private lazy var status = StatusView(in: stack, over: "list")
  private let badge = StoreBadge()
  private let note = Label(styles: [.caption, .dim], wraps: true)
  private let rows = Box(.vertical, spacing: 10)
  private let balance = Label(styles: [.dim], wraps: true)
  private let cancelling = Label(wraps: true)
  private let cancellingText: SelectionArea
  private let scroller = ScrolledWindow()
  private let restore = Button("Restore purchases", styles: [.pill])
  private let spinner = Spinner(isSpinning: false, name: "Restoring purchases")
  private let loadingLabel = Label(styles: [.caption, .dim], wraps: true, alignment: .center)
  private let loading: LoadingWords
  private let progress = ProgressLine()
  /// Whether the keyboard was on the button that was pressed, and comes back to it.
  private var pressedRestore = false
  private var open: [PurchaseRowView] = []
  private var hasScrolled = false

  init(_ viewModel: PurchasesViewModel) {
    self.viewModel = viewModel
    loading = LoadingWords(loadingLabel)
    cancellingText = SelectionArea(only: cancelling, copyAll: "Copy all")
    cancellingText.setStyle("notice")
    // Purchases from elsewhere can be restored also when the list is empty.
    let button = Box(.horizontal, spacing: 10, children: [spinner, restore])
    button.horizontal = .center
    let restoring = Box(.vertical, spacing: 4, children: [button, loadingLabel])
    let list = Box(.vertical, spacing: 12, children: [note, rows, balance, cancellingText])
    stack.add(list, name: "list")
    let column = Box(
      .vertical, spacing: 16, margin: 24,
      children: [Label("Purchases", styles: [.title], wraps: true), badge.root, stack, restoring])
    scroller.child(Clamp(maximumWidth: 640, column))
    root = Box(.vertical, styles: [.page], children: [scroller, progress.root])
    scroller.keepFocusInSight(self)
    scroller.scrollsByKeyboard(arrowsFirst: true)
    cancellingText.page = root
    restore.onClicked(self) { $0.viewModel.send(.restoreTapped) }
    status.onAction(self) { view, _ in view.viewModel.send(.refreshTapped) }
    viewModel.observe { [weak self] in self?.show($0) }
  }

  /// The focus is on the newest purchase if that waits for the reader. Otherwise it is on the page as a whole, which the arrows scroll:
  /// people begin to read at the top, a button further down would scroll the page to itself, and no text is a control.
  func takeKeyboard() {
    switch viewModel.state.phase {
    case .loading: break
    case .ready: if open.first?.focusButton() != true { scroller.holdKeyboard() }
    case .empty, .failed: root.focusFirst()
    }
  }

  private func show(_ state: PurchasesViewModel.State) {
    badge.text = state.badge
    progress.show(state.isRefreshing && state.phase != .loading ? "Refreshing…" : nil, failure: nil)
    note.text = state.note ?? ""
    note.isVisible = state.showsNote
    showRows(state)
    for (label, words) in [(balance, state.balance), (cancelling, state.cancelling)] {
      label.text = words ?? ""
      label.isVisible = words != nil
    }
    // With the ground around its words.
    cancellingText.isVisible = state.cancelling != nil
    showRestoring(state)
    // The button that restores purchases is below the listed ones, and at the page's end where there are none.
    stack.expandsVertically = state.phase != .ready
    status.show(state.statusPage)
  }

  private func showRestoring(_ state: PurchasesViewModel.State) {
    if state.isRestoring, restore.hasFocus {
      pressedRestore = true
      scroller.holdKeyboard()
    }
    restore.isSensitive = !state.isRestoring
    spinner.isSpinning = state.isRestoring
    spinner.isVisible = state.isRestoring
    loading.show(state.isRestoring ? "Restoring…" : nil)
    // Its line stays, so that nothing moves, and what comes is in sight with the button.
    if !state.isRestoring { loadingLabel.text = "" }
    guard !state.isRestoring else { return }
    if pressedRestore, scroller.holdsKeyboard { restore.focus() }
    pressedRestore = false
  }

  private func showRows(_ state: PurchasesViewModel.State) {
    if open.map(\.id) != state.rows.map(\.id) {
      for row in open { row.scope.close() }
      open = state.rows.map { row in
        PurchaseRowView(
          row.id, in: root, check: { [weak self] in self?.viewModel.send(.checkTapped(row.id)) },
          confirm: { [weak self] in self?.viewModel.send(.confirmTapped(row.id)) },
          cancel: { [weak self] in self?.viewModel.send(.cancelTapped(row.id)) })
      }
      // The row goes that has the keyboard.
      if rows.hasFocus { scroller.holdKeyboard() }
      rows.replaceAll(open.map(\.root))
    }
    for (view, row) in zip(open, state.rows) { view.show(row, isMarked: row.id == state.marked) }
    bringIntoView(state.marked)
  }

  /// Once: from then on the reader decides where to look.
  private func bringIntoView(_ marked: UUID?) {
    guard !hasScrolled, let row = open.first(where: { $0.id == marked }) else { return }
    hasScrolled = true
    row.root.isFocusable = true
    MainLoop.after(seconds: 0) { [weak row] in row?.root.focus() }
  }
}

/// One purchase.
@MainActor private final class PurchaseRowView: View {
  let scope = Scope()
  let root: Widget
  let id: UUID
  private let name = Label(styles: [.subheading], wraps: true)
  private let price = Label(styles: ["numeric"], alignment: .end)
  private let facts = Label(styles: [.caption, .dim], wraps: true)
  private let factsText: SelectionArea
  private let words = Label(wraps: true)
  private let detail = Label(styles: [.caption, .dim], wraps: true)
  private let spinner = Spinner(isSpinning: false, name: "Asking the store")
  private let answer = Label(styles: [.caption, .dim], wraps: true)
  private let loading: LoadingWords
  private let check = Button("Check now", styles: [.pill, "compact"])
  private let confirm = Button("Open your bank's page", styles: [.suggested, .pill, "compact"])
  private let cancel = Button("Cancel payment", styles: [.pill, "compact"])
  private let buttons: Box

  /// - Parameter page: what its menu belongs to.
  init(
    _ id: UUID, in page: Widget, check: @escaping @MainActor () -> Void, confirm: @escaping @MainActor () -> Void,
    cancel: @escaping @MainActor () -> Void
  ) {
    self.id = id
    loading = LoadingWords(answer)
    name.expandsHorizontally = true
    factsText = SelectionArea(only: facts, copyAll: "Copy all")
    factsText.page = page
    for label in [name, price] { label.vertical = .baseline }
    // Each on a line of its own: beside each other there is no room in a narrow window.
    buttons = Box(
      .vertical, spacing: 8,
      children: [self.confirm, self.cancel, Box(.horizontal, spacing: 10, children: [self.check, spinner, answer])])
    // A sentence why; without room it would be a column of words.
    answer.expandsHorizontally = true
    for widget in [self.check, spinner] { widget.vertical = .center }
    self.confirm.horizontal = .start
    self.cancel.horizontal = .start
    buttons.setMargins(horizontal: 0, vertical: 6)
    root = Box(
      .vertical, spacing: 4, styles: [.card, "padded"],
      children: [Box(.horizontal, spacing: 12, children: [name, price]), factsText, words, detail, buttons])
    self.check.onClicked(self) { _ in check() }
    self.confirm.onClicked(self) { _ in confirm() }
    self.cancel.onClicked(self) { _ in cancel() }
  }

  /// Focuses what the payment waits for: never the button that cancels it.
  /// - Returns: false when it waits for nothing.
  func focusButton() -> Bool {
    guard let button = [confirm, check].first(where: { $0.isVisible && $0.isSensitive }) else { return false }
    return button.focus()
  }

  func show(_ row: PurchaseRow, isMarked: Bool) {
    name.text = row.name
    price.text = row.price
    // One reads out the number of an order.
    facts.setMarkup(Markup(nonBreakingCodesIn: row.facts))
    words.text = row.status.words
    words.setStyle("success", row.status.tone == .good)
    words.setStyle(.error, row.status.tone == .bad)
    words.setStyle(.dim, row.status.tone == .past)
    detail.text = row.status.detail
    detail.isVisible = !row.status.detail.isEmpty
    confirm.isVisible = row.page != nil
    check.isVisible = row.canCheck
    cancel.isVisible = row.canCancel
    buttons.isVisible = row.page != nil || row.canCheck || row.canCancel || row.isChecking
    for button in [check, cancel] { button.isSensitive = !row.isChecking }
    spinner.isSpinning = row.isChecking
    spinner.isVisible = row.isChecking
    loading.show(row.isChecking ? "Asking the store…" : nil)
    if !row.isChecking { answer.text = row.answer ?? "" }
    answer.isVisible = row.isChecking || row.answer != nil
    root.setStyle(.on, isMarked)
    root.setAccessibleName("\(row.name), \(row.status.words)")
  }
}
