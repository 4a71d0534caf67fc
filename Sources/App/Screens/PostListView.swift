import FeatureKit
import Gtk

/// A page with a list of posts, and a pill when there are newer ones: the feed, the bookmarks and a fan club's posts are each one.
@MainActor final class PostListView: View {
  let scope = Scope()
  let root: Widget
  private let page: any PostListScreen
  private let stack = Stack()
  private let note = Label(styles: [.caption, .dim, "note"], wraps: true, alignment: .center)
  private lazy var menu = PostMenu(page)
  private lazy var status = StatusView(in: stack, over: "rows")
  private let message = MessageBar()
  let messages: Overlay?
  private let progress = ProgressLine()
  private let fetching = FetchLine()
  private let pill = Button("New posts", styles: [.suggested, .pill, "compact", "new-posts"])
  private let header: Widget?
  private(set) var list: ListView<String, PostRowView>!
  private var statusPage: StatusPage? = .loading("")
  /// Whether the keyboard was on the pill that was pressed, and moves to the rows that the pill shows.
  private var awaitsNewest = false
  /// Called when the posts of a fan club are to be fetched, where that was offered.
  var onFetch: (() -> Void)?

  /// - Parameter header: what stands above the list.
  init(_ page: any PostListScreen, pictures: Pictures, header: Widget? = nil) {
    self.page = page
    self.header = header
    stack.expandsVertically = true
    note.isVisible = false
    pill.horizontal = .center
    pill.vertical = .start
    pill.setMargin(12)
    pill.isVisible = false
    let rows = Overlay(stack, above: [pill, message.root])
    messages = rows
    root = Box(.vertical, styles: [.page], children: (header.map { [$0] } ?? []) + [note, rows, progress.root, fetching.root])
    list = ListView(
      self, row: { view in PostRowView(page: view.page, pictures: pictures) { [weak view] in view?.openMenu($0, beside: $1, at: $2) } },
      bind: { view, row, id in
        if let value = view.page.row(for: id) { row.show(value) }
      })
    list.setStyle(.plainList)
    stack.add(list, name: "rows")
    list.onActivated(self) { $0.page.send(.postTapped($1)) }
    list.onMenuKey(self) { $1.menuKeyPressed() }
    if let header { list.takesKeys(from: header, self) }
    list.onNearEnd(self) { $0.page.send(.reachedEnd) }
    status.onAction(self) { view, action in
      switch action {
      case .refresh: view.page.send(.refreshTapped)
      case .fetch: view.onFetch?()
      case .retry, .back, .close: view.page.send(.retryTapped)
      }
    }
    progress.retry.onClicked(self) { $0.page.send(.retryTapped) }
    fetching.cancel.onClicked(self) { $0.page.send(.cancelFetchTapped) }
    fetching.retry.onClicked(self) { $0.page.send(.fetchAgainTapped) }
    fetching.dismiss.onClicked(self) { $0.page.send(.fetchDismissed) }
    fetching.onKeyboardLeft = { [weak self] in self?.takeKeyboard() }
    pill.onClicked(self) { view in
      view.awaitsNewest = view.pill.hasFocus
      if view.awaitsNewest { view.root.holdKeyboard() }
      view.page.send(.newPostsTapped)
      view.scrollToTop()
    }
    message.onDismissed = { [weak self] in self?.messageAnswered { $0.send(.messageDismissed) } }
    message.onAction = { [weak self] in self?.messageAnswered { $0.send(.undoTapped) } }
    page.onRowsChanged = { [weak self] ids in self?.list.update(ids) }
  }

  /// Shows the first row.
  func scrollToTop() { list.scroll(to: 0) }

  /// The focus is on the rows, or on the button that fetches them; the controls above are a step back. It is nowhere until it is known
  /// whether there are rows.
  func takeKeyboard() {
    switch statusPage {
    case nil: list.focusRow()
    case .loading: break
    case .message: if statusPage?.action == .fetch { stack.focusFirst() } else { root.focusFirst() }
    }
  }

  /// The bar goes. A person who pressed a button of it by the keyboard reads on.
  private func messageAnswered(_ body: (any PostListScreen) -> Void) {
    let hadKeyboard = message.root.hasFocus
    body(page)
    if hadKeyboard { takeKeyboard() }
  }

  private func openMenu(_ row: PostRow, beside anchor: Widget, at point: (x: Double, y: Double)?) {
    menu.open(row, in: root, beside: anchor, at: point)
  }

  /// - Parameter refresh: what there is to say about the feeds behind the posts.
  func show(_ state: ListState, refresh: FanClubsFetch.Report = FanClubsFetch.Report()) {
    statusPage = page.statusPage
    let hasRows = statusPage == nil
    note.text = state.note ?? ""
    note.isVisible = state.showsNote && (hasRows || statusPage?.action == .refresh)
    list.show(state.ids)
    if let words = state.pill { pill.label = words }
    pill.isVisible = state.pill != nil && hasRows
    status.show(statusPage)
    if awaitsNewest, hasRows, state.newItemCount == 0, let newest = state.ids.first {
      awaitsNewest = false
      if root.holdsKeyboard { list.focusRow(newest) }
    }
    progress.show(state, isSaid: refresh.isUnderWay)
    fetching.show(refresh)
    message.actionLabel = state.canUndo ? "Undo" : nil
    message.message = state.message
  }
}
