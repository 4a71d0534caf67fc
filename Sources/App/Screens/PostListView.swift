import FeatureKit
import Gtk

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
      emptySentence: "This fan club has not published anything so far.")
    static let unread = Words(
      loading: "Fetching what you have not read…", emptyIcon: .done, emptyHeading: "All read",
      emptySentence: "There is nothing here that you have not read. Refresh to look again.")
    static let bookmarks = Words(
      loading: "Fetching your bookmarks…", emptyIcon: .bookmark, emptyHeading: "No bookmarks yet",
      emptySentence: "Press the bookmark on a post to keep it here for later.")
  }

  let scope = Scope()
  let root: Widget
  private let page: any PostListScreen
  private var words: Words
  private let stack = Stack()
  private let note = Label(styles: [.caption, .dim, "note"], wraps: true, alignment: .center)
  private lazy var menu = PostMenu(page)
  private let status = StatusView()
  private let message = MessageBar()
  let messages: Overlay?
  private let progress = ProgressLine()
  private let fetching = FetchLine()
  private let pill = Button("New posts", styles: [.suggested, .pill, "compact", "new-posts"])
  private let header: Widget?
  private(set) var list: ListView<String, PostRowView>!
  private var phase = ListState.Phase.loading
  private var fetch = ClubFetch.State.notNeeded
  /// Whether the keyboard was on the pill that was pressed, and moves to the rows that the pill shows.
  private var awaitsNewest = false
  /// Called when the posts of a fan club are to be fetched, where that was offered.
  var onFetch: (() -> Void)?

  /// - Parameter header: what stands above the list.
  init(_ page: any PostListScreen, pictures: Pictures, words: Words, header: Widget? = nil) {
    self.page = page
    self.words = words
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
    stack.add(status.root, name: "status")
    list.onActivated(self) { $0.page.send(.postTapped($1)) }
    list.onMenuKey(self) { $1.menuKeyPressed() }
    // GTK would move the focus to the nearest widget below, which is a button of the first post.
    for key in ["Down", "KP_Down"] { header?.addShortcut(key, self, inside: true) { $0.takeKeyboard() } }
    list.onNearEnd(self) { $0.page.send(.reachedEnd) }
    status.button.onClicked(self) { view in
      switch (view.fetch, view.phase) {
      // That is what the button there says.
      case (.notNeeded, .empty): view.page.send(.refreshTapped)
      case (.notNeeded, _): view.page.send(.retryTapped)
      case (.offered, _), (.running, _): view.onFetch?()
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
    switch (fetch, phase) {
    case (.offered, _): stack.focusFirst()
    case (.running, _), (.notNeeded, .loading): break
    case (.notNeeded, .ready): list.focusRow()
    case (.notNeeded, .empty), (.notNeeded, .offline), (.notNeeded, .failed): root.focusFirst()
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

  /// - Parameters:
  ///   - words: what the page says while it has no rows, in place of the words before; `nil` for the same.
  ///   - fetch: what there is to do about a fan club's posts, in the place of rows.
  ///   - refresh: what there is to say about the feeds behind the posts.
  func show(
    _ state: ListState, words: Words? = nil, fetch: ClubFetch.State = .notNeeded, refresh: ClubsFetch.Report = ClubsFetch.Report()
  ) {
    if let words { self.words = words }
    let hasRows = fetch == .notNeeded && state.phase == .ready
    note.text = state.note ?? ""
    note.isVisible = fetch == .notNeeded && state.showsNote
    list.show(state.ids)
    (phase, self.fetch) = (state.phase, fetch)
    if let words = state.pill { pill.label = words }
    pill.isVisible = state.pill != nil && hasRows
    show(state.phase, fetch)
    if awaitsNewest, hasRows, state.newItemCount == 0, let newest = state.ids.first {
      awaitsNewest = false
      if root.holdsKeyboard { list.focusRow(newest) }
    }
    progress.show(state, isSaid: refresh.isUnderWay)
    fetching.show(refresh)
    message.actionLabel = state.canUndo ? "Undo" : nil
    message.message = state.message
  }

  private func show(_ phase: ListState.Phase, _ fetch: ClubFetch.State) {
    switch (fetch, phase) {
    case (.offered(let problem), _):
      showStatus {
        $0.show(
          icon: .people, heading: problem == nil ? "Not fetched yet" : "This did not work",
          sentence: problem ?? "This fan club came from a list of feeds. Its posts are fetched when you ask for them.",
          action: "Fetch posts")
      }
    case (.running, _): showStatus { $0.showLoading("Fetching the posts…") }
    case (.notNeeded, .ready): stack.show("rows")
    case (.notNeeded, .loading): showStatus { $0.showLoading(words.loading) }
    case (.notNeeded, .empty):
      showStatus { $0.show(icon: words.emptyIcon, heading: words.emptyHeading, sentence: words.emptySentence, action: "Refresh") }
    case (.notNeeded, .offline(let sentence)): showStatus { $0.showOffline(sentence) }
    case (.notNeeded, .failed(let sentence)): showStatus { $0.showFailed(sentence) }
    }
  }

  private func showStatus(_ fill: (StatusView) -> Void) {
    fill(status)
    stack.show("status")
  }
}
