import Gtk
import PublicationClient
import SearchFeature

/// Search: a field that has the keyboard at once, and what is found as one types.
@MainActor final class SearchView: View {
  let scope = Scope()
  let root: Widget
  private let viewModel: SearchViewModel
  private let entry = Entry(placeholder: "Search all posts", name: "Search")
  private let clear = Button(icon: .clear, name: "Clear the search")
  private let spinner = Spinner(isSpinning: false, name: "Searching")
  private let stack = Stack()
  private let status = StatusView()
  private let message = MessageBar()
  private let progress = ProgressLine()
  private var list: ListView<String, SearchRowView>!

  init(_ viewModel: SearchViewModel) {
    self.viewModel = viewModel
    entry.setStyle("large")
    entry.expandsHorizontally = true
    let bar = Box(.horizontal, spacing: 8, styles: ["list-bar"], children: [entry, spinner, clear])
    stack.expandsVertically = true
    message.root.vertical = .end
    root = Box(
      .vertical, styles: [.page], children: [Clamp(maximumWidth: 844, bar), Overlay(stack, above: [message.root]), progress.root])
    list = ListView(
      self, row: { _ in SearchRowView() },
      bind: { view, row, id in if let value = view.viewModel.row(for: id) { row.show(value) } })
    list.setListName("Found")
    stack.add(list, name: "rows")
    stack.add(status.root, name: "status")
    list.onActivated(self) { $0.viewModel.postTapped($1) }
    list.onNearEnd(self) { $0.viewModel.reachedEnd() }
    entry.onChanged(self) { $0.viewModel.queryChanged($1) }
    entry.onSubmit(self) { $0.viewModel.submitTapped() }
    clear.onClicked(self) { view in
      view.viewModel.clearTapped()
      view.takeKeyboard()
    }
    for button in [status.button, progress.retry] { button.onClicked(self) { $0.viewModel.retryTapped() } }
    message.onDismissed = { [weak self] in self?.viewModel.messageDismissed() }
    viewModel.onRowsChanged = { [weak self] ids in self?.list.update(ids) }
    viewModel.onChange = { [weak self] in self?.show($0) }
  }

  func takeKeyboard() { entry.focus() }

  private func show(_ state: SearchViewModel.State) {
    entry.text = state.query
    clear.isVisible = !state.query.isEmpty
    spinner.isSpinning = state.isSearching || state.phase == .searching
    spinner.isVisible = spinner.isSpinning
    message.message = state.message
    list.show(state.ids)
    let isListed = state.phase == .results
    progress.show(isListed && state.isLoadingMore ? "Loading more…" : nil, failure: isListed ? state.loadMoreFailure : nil)
    switch state.phase {
    case .results:
      stack.show("rows")
      return
    case .idle:
      status.show(
        icon: .search, heading: "Search all posts", sentence: "Titles and texts of this publication, also by the beginnings of words.")
    case .searching: status.showLoading("Searching…")
    case .nothing(let sentence):
      status.show(icon: .search, heading: "Nothing found", sentence: sentence)
    case .offline(let sentence): status.showOffline(sentence)
    case .failed(let sentence): status.showFailed(sentence)
    }
    stack.show("status")
  }
}

/// A post that was found, with what was found marked.
@MainActor final class SearchRowView: ListRow {
  let scope = Scope()
  let root: Widget
  private var row: SearchRow?
  private let club = Label(styles: ["eyebrow"], lines: 1)
  private let lock = Box(.horizontal, spacing: 4, styles: [.badge, "premium"], children: [Image(.lock, size: 12), Label("Premium")])
  private let title = Label(styles: [.subheading], wraps: true, lines: 2, direction: .ofText)
  private let excerpt = Label(styles: [.dim], wraps: true, lines: 3, direction: .ofText)
  private let date = Label(styles: [.caption, .dim], lines: 1)

  init() {
    lock.vertical = .center
    let head = Box(.horizontal, spacing: 8, children: [club, lock])
    root = Clamp(
      maximumWidth: 820, Box(.vertical, spacing: 4, styles: [.card, "post-row"], children: [head, title, excerpt, date]))
  }

  var accessibleName: String { row.map { $0.title.text + ($0.post.isLocked ? ", premium" : "") } ?? "" }

  func show(_ row: SearchRow) {
    self.row = row
    club.text = row.post.club
    lock.isVisible = row.post.isLocked
    title.setMarkup(Self.markup(row.title))
    excerpt.setMarkup(Self.markup(row.excerpt))
    excerpt.isVisible = !row.excerpt.text.isEmpty
    date.text = row.post.date
  }

  func unbind() { row = nil }

  private static func markup(_ text: MarkedText) -> Markup {
    text.parts.reduce(Markup("")) { $0 + ($1.isMatch ? Markup($1.text).highlighted : Markup($1.text)) }
  }
}
