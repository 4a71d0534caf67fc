import AccountFeature
import Gtk

/// Account → Sessions.
@MainActor final class SessionsView: View {
  let scope = Scope()
  let root: Widget
  private let viewModel: SessionsViewModel
  private let stack = Stack()
  private lazy var status = StatusView(in: stack, over: "list")
  private let rows = Box(.vertical, spacing: 10)
  private let others = Button("Sign out everywhere else", styles: [.pill])
  private let failure = Label(styles: [.error], wraps: true, alignment: .center)
  private let progress = ProgressLine()
  private var open: [SessionRow] = []
  private let providers = Box(.vertical, spacing: 10)
  private let providerPart: Box
  private var openProviders: [ProviderRow] = []

  init(_ viewModel: SessionsViewModel) {
    self.viewModel = viewModel
    others.horizontal = .center
    let words = Label(
      "Where you are signed in. On a device that you do not know, sign out, and change your password.", styles: [.dim], wraps: true)
    providerPart = Box(
      .vertical, spacing: 10,
      children: [
        Label("Other ways to sign in", styles: [.heading], wraps: true),
        Label(
          "Whoever signs in to one of these accounts is signed in here, too. A new password removes those that you added.", styles: [.dim],
          wraps: true), providers,
      ])
    stack.add(Box(.vertical, spacing: 16, children: [words, rows, others, providerPart, failure]), name: "list")
    let column = Box(.vertical, spacing: 16, margin: 24, children: [Label("Sessions", styles: [.title], wraps: true), stack])
    let scroller = ScrolledWindow(Clamp(maximumWidth: 640, column))
    root = Box(.vertical, styles: [.page], children: [scroller, progress.root])
    scroller.keepFocusInSight(self)
    others.onClicked(self) { $0.viewModel.send(.endOthersTapped) }
    status.onAction(self) { view, _ in view.viewModel.send(.refreshTapped) }
    viewModel.observe { [weak self] in self?.show($0) }
  }

  private func show(_ state: SessionsViewModel.State) {
    progress.show(state.isRefreshing ? "Refreshing…" : nil, failure: nil)
    failure.text = state.failure ?? ""
    failure.isVisible = state.failure != nil
    showRows(state)
    showProviders(state)
    others.isVisible = state.canEndOthers
    others.isSensitive = !state.isEndingOthers
    others.label = state.isEndingOthers ? "Signing out…" : "Sign out everywhere else"
    stack.expandsVertically = state.phase != .ready
    status.show(state.statusPage)
  }

  private func showRows(_ state: SessionsViewModel.State) {
    if open.map(\.id) != state.rows.map(\.id) {
      // The button that was pressed goes with its row.
      if rows.hasFocus { root.holdKeyboard() }
      for row in open { row.scope.close() }
      open = state.rows.map { row in SessionRow(row.id) { [weak self] in self?.viewModel.send(.endTapped(row.id)) } }
      rows.replaceAll(open.map(\.root))
    }
    for (view, row) in zip(open, state.rows) { view.show(row, isSensitive: !state.isEndingOthers) }
  }
}

extension SessionsView {
  private func showProviders(_ state: SessionsViewModel.State) {
    providerPart.isVisible = !state.providers.isEmpty
    if openProviders.map(\.id) != state.providers.map(\.id) {
      for row in openProviders { row.scope.close() }
      openProviders = state.providers.map { row in ProviderRow(row.id) { [weak self] in self?.viewModel.send($0) } }
      providers.replaceAll(openProviders.map(\.root))
    }
    for (view, row) in zip(openProviders, state.providers) { view.show(row) }
  }
}

/// An identity provider, and the button that adds or removes the reader's account there.
@MainActor private final class ProviderRow: SignalOwner {
  let scope = Scope()
  let id: String
  let root: Box
  private let name = Label(wraps: true, direction: .ofText)
  private let detail = Label(styles: [.caption, .dim], wraps: true)
  private let button = Button("Add", styles: [.pill, "compact"])
  private let cancel = Button("Cancel", styles: [.flat, "compact"])
  private var input: SessionsViewModel.Input?

  init(_ id: String, onTapped: @escaping (SessionsViewModel.Input) -> Void) {
    self.id = id
    // Not where "Add" was: a second click is not meant for it. Nor beside that: where text is large there is no room for both.
    let words = Box(.vertical, spacing: 2, children: [name, detail, cancel])
    words.expandsHorizontally = true
    words.vertical = .center
    cancel.horizontal = .start
    button.vertical = .center
    root = Box(.horizontal, spacing: 12, styles: [.card, "padded"], children: [words, button])
    cancel.onClicked(self) { _ in onTapped(.cancelProviderTapped) }
    button.onClicked(self) { row in if let input = row.input { onTapped(input) } }
  }

  func show(_ row: SessionsViewModel.State.Provider) {
    name.text = row.name
    detail.text = row.detail
    let isAdding = row.isWorking && row.canAdd
    input = row.canAdd ? .addProviderTapped(row.id) : row.canRemove ? .removeProviderTapped(row.id) : nil
    cancel.isVisible = isAdding
    cancel.setAccessibleName("Cancel adding \(row.name)")
    // A second Enter is not meant for "Cancel" either.
    if isAdding, button.hasFocus { root.holdKeyboard() }
    button.isVisible = input != nil && !isAdding
    button.isSensitive = row.isSensitive
    button.label = row.canAdd ? "Add" : row.isWorking ? "Removing…" : "Remove"
    button.setAccessibleName("\(row.canAdd ? "Add" : "Remove") \(row.name)")
  }
}

/// A session, and the button that ends it.
@MainActor private final class SessionRow: SignalOwner {
  let scope = Scope()
  let id: String
  let root: Box
  private let device = Label(wraps: true, direction: .ofText)
  private let detail = Label(styles: [.caption, .dim], wraps: true)
  private let end = Button("Sign out", styles: [.pill, "compact"])
  private let onEnd: () -> Void

  init(_ id: String, onEnd: @escaping () -> Void) {
    self.id = id
    self.onEnd = onEnd
    let words = Box(.vertical, spacing: 2, children: [device, detail])
    words.expandsHorizontally = true
    words.vertical = .center
    end.vertical = .center
    root = Box(.horizontal, spacing: 12, styles: [.card, "padded"], children: [words, end])
    end.onClicked(self) { $0.onEnd() }
  }

  func show(_ row: SessionsViewModel.State.Row, isSensitive: Bool) {
    device.text = row.device
    detail.text = row.detail
    end.isVisible = !row.isCurrent
    end.isSensitive = isSensitive && !row.isEnding
    end.label = row.isEnding ? "Signing out…" : "Sign out"
    end.setAccessibleName("Sign out on \(row.device)")
  }
}
