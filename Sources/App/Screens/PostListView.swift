import Gtk
import PublicationClient

/// A page with a list of posts, and a pill when there are newer ones: the feed, the bookmarks and a fan club's posts are each one.
@MainActor final class PostListView: View {
  /// What the page says while it has no rows.
  struct Words {
    let loading: String
    let emptyIcon: Icon
    let emptyHeading: String
    let emptySentence: String

    static let feed = Words(
      loading: "Fetching the latest posts…", emptyIcon: .empty, emptyHeading: "Nothing here yet",
      emptySentence: "This publication has no posts so far. Refresh to look again.")
    static let followed = Words(
      loading: "Fetching the latest posts…", emptyIcon: .empty, emptyHeading: "Nothing here yet",
      emptySentence: "The fan clubs that you follow have no posts so far. Refresh to look again.")
    static let fanClub = Words(
      loading: "Fetching posts…", emptyIcon: .empty, emptyHeading: "Nothing here yet",
      emptySentence: "This fan club has no posts so far. One from a list of feeds fetches them on its own page.")
    static let unread = Words(
      loading: "Fetching what you have not read…", emptyIcon: .done, emptyHeading: "All read",
      emptySentence: "There is nothing here that you have not read. Refresh to look again.")
    static let bookmarks = Words(
      loading: "Fetching your bookmarks…", emptyIcon: .bookmark, emptyHeading: "No bookmarks yet",
      emptySentence: "Press the bookmark on a post to keep it here for later.")
  }

  let scope = Scope()
  let root: Widget
  private let page: any PostPage
  private var words: Words
  private let stack = Stack()
  private let note = Label(styles: [.caption, .dim, "note"], wraps: true, alignment: .center)
  private lazy var menu = PostMenu(page)
  private let status = StatusView()
  private let message = MessageBar()
  private let progress = ProgressLine()
  private let pill = Button("New posts", styles: [.suggested, .pill, "compact", "new-posts"])
  private(set) var list: ListView<String, PostRowView>!
  private var phase = ListState.Phase.loading

  /// - Parameter header: what stands above the list.
  init(_ page: any PostPage, pictures: Pictures, words: Words, header: Widget? = nil) {
    self.page = page
    self.words = words
    message.root.vertical = .end
    stack.expandsVertically = true
    note.isVisible = false
    pill.horizontal = .center
    pill.vertical = .start
    pill.setMargin(12)
    pill.isVisible = false
    let rows = Overlay(stack, above: [pill])
    let column = Box(.vertical, styles: [.page]) { [note, progress] in
      if let header { header }
      note
      rows
      progress.root
    }
    root = Overlay(column) { [message] in message.root }
    list = ListView(
      self, row: { view in PostRowView(page: view.page, pictures: pictures) { [weak view] in view?.openMenu($0, beside: $1) } },
      bind: { view, row, id in
        if let value = view.page.row(for: id) { row.show(value) }
      })
    list.setStyle(.plainList)
    stack.add(list, name: "rows")
    stack.add(status.root, name: "status")
    list.onActivated(self) { $0.page.postTapped($1) }
    list.onNearEnd(self) { $0.page.reachedEnd() }
    status.button.onClicked(self) { $0.page.retryTapped() }
    progress.retry.onClicked(self) { $0.page.retryTapped() }
    pill.onClicked(self) { view in
      view.page.newPostsTapped()
      view.scrollToTop()
    }
    message.onDismissed = { [weak self] in self?.page.messageDismissed() }
    page.onRowsChanged = { [weak self] ids in self?.list.update(ids) }
  }

  /// Shows the first row.
  func scrollToTop() { list.scroll(to: 0) }

  /// On the rows; what stands above them is a step back. Nowhere as long as nobody knows whether there are any.
  func takeKeyboard() {
    switch phase {
    case .loading: break
    case .ready: list.focusRow()
    case .empty, .offline, .failed: root.focusFirst()
    }
  }

  private func openMenu(_ row: PostRow, beside anchor: Widget) { menu.open(row, in: root, beside: anchor) }

  /// - Parameter words: what the page says while it has no rows, in place of the words before.
  func show(_ state: ListState, words: Words) {
    self.words = words
    show(state)
  }

  func show(_ state: ListState) {
    note.text = state.note ?? ""
    note.isVisible = state.note != nil && state.phase == .ready
    list.show(state.ids)
    phase = state.phase
    if let words = state.pill { pill.label = words }
    pill.isVisible = state.pill != nil && state.phase == .ready
    switch state.phase {
    case .ready: stack.show("rows")
    case .loading: showStatus { $0.showLoading(words.loading) }
    case .empty:
      showStatus { $0.show(icon: words.emptyIcon, heading: words.emptyHeading, sentence: words.emptySentence, action: "Refresh") }
    case .offline(let sentence): showStatus { $0.showOffline(sentence) }
    case .failed(let sentence): showStatus { $0.showFailed(sentence) }
    }
    progress.show(state)
    message.message = state.message
  }

  private func showStatus(_ fill: (StatusView) -> Void) {
    fill(status)
    stack.show("status")
  }
}
