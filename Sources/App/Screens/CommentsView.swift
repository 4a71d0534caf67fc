import CommentsFeature
import Gtk
import PublicationAPI

/// The comments under a post, and a field to write one.
@MainActor final class CommentsView: View {
  let scope = Scope()
  let root: Widget
  private let viewModel: CommentsViewModel
  private let stack = Stack()
  private lazy var status = StatusView(in: stack, over: "rows")
  private let message = MessageBar()
  let messages: Overlay?
  private let title = Label(styles: [.subheading], lines: 2, direction: .ofText)
  private let post: Button
  private let note = Label(styles: [.caption, .dim, "note"], wraps: true, alignment: .center)
  private let progress = ProgressLine()
  // More than can be sent, so that a reader sees by how much a text is too long.
  private let field = TextArea(placeholder: "Write a comment…", name: "Your comment", height: 140, limit: Comment.largest)
  private let counter = Label(styles: [.caption, .dim])
  private let hint = Label("Ctrl+Enter sends", styles: [.caption, .dim], lines: 1)
  private let send = Button("Send", styles: [.suggested, .pill, "compact"])
  private let compose: Box
  private let unlock = Button("Open the post", styles: [.pill, "compact"])
  private let locked: Box
  private let confirm = Button("Delete the comment", styles: [.destructive])
  private let popover: Popover
  private let foot: Box
  private var deleting: String?
  private weak var selected: SelectionArea?
  /// The comment that was written last. It stays in sight while earlier comments are added above it, until the person scrolls elsewhere.
  private var written: String?
  private var list: ListView<String, CommentRowView>!

  init(_ viewModel: CommentsViewModel) {
    self.viewModel = viewModel
    post = Button(title, name: "Back to the post", styles: [.flat, "link-like"])
    popover = Popover(confirm)
    hint.expandsHorizontally = true
    let below = Box(.horizontal, spacing: 10, children: [hint, counter, send])
    compose = Box(.vertical, spacing: 8, children: [field, below])
    unlock.horizontal = .center
    locked = Box(
      .vertical, spacing: 8,
      children: [Label("You can comment once you have unlocked this post.", styles: [.dim], wraps: true, alignment: .center), unlock])
    foot = Box(.vertical, styles: ["compose-bar"], children: [Clamp(maximumWidth: 720, Box(.vertical, children: [compose, locked]))])
    // As wide as the list with the room around its cards, so that the title stands above them.
    let head = Clamp(maximumWidth: 744, Box(.vertical, styles: ["list-bar", "flush", "headline"], children: [post]))
    stack.expandsVertically = true
    note.isVisible = false
    let rows = Overlay(stack, above: [message.root])
    messages = rows
    root = Box(.vertical, styles: [.page], children: [head, note, rows, progress.root, foot])
    list = ListView(
      self,
      row: { view in
        CommentRowView(
          selected: { [weak view] in view?.select(in: $0) }, linkTapped: { [weak view] in view?.viewModel.send(.linkTapped($0)) }
        ) {
          [weak view] in view?.confirmDeletion($0, beside: $1)
        }
      },
      bind: { view, row, id in if let value = view.viewModel.row(for: id) { row.show(value) } })
    list.setListName("Comments")
    stack.add(list, name: "rows")
    list.onNearEnd(self) { $0.viewModel.send(.reachedEnd) }
    for button in [post, unlock] { button.onClicked(self) { $0.viewModel.send(.postTapped) } }
    field.onChanged(self) { $0.viewModel.send(.draftChanged($1)) }
    field.onSubmit(self) { $0.sendTapped() }
    send.onClicked(self) { $0.sendTapped() }
    confirm.onClicked(self) { $0.deleteTapped() }
    progress.retry.onClicked(self) { $0.viewModel.send(.retryTapped) }
    status.onAction(self) { view, _ in view.viewModel.send(.retryTapped) }
    message.onDismissed = { [weak self] in self?.viewModel.send(.messageDismissed) }
    viewModel.onRowsChanged = { [weak self] ids in self?.list.update(ids) }
    viewModel.observe { [weak self] in self?.show($0) }
  }

  /// In the field, for a reader who may write. Comments have buttons that delete them, of which none shall be the first that Enter presses.
  func takeKeyboard() { if compose.isVisible { field.focusText() } else { root.focusFirst() } }

  private func sendTapped() {
    guard viewModel.state.canSend else { return }
    viewModel.send(.sendTapped)
    // It is at the end, which may be far below.
    written = viewModel.state.comments.ids.last
    list.scroll(to: viewModel.state.comments.ids.count - 1)
    field.focusText()
  }

  /// One comment has what is selected, as there is one text to copy.
  private func select(in text: SelectionArea) {
    if selected !== text { selected?.clear() }
    selected = text
  }

  private func confirmDeletion(_ id: String, beside anchor: Widget) {
    deleting = id
    popover.open(in: root, beside: anchor)
  }

  private func deleteTapped() {
    popover.close()
    if let deleting { viewModel.send(.deleteTapped(deleting)) }
    deleting = nil
    // The toolkit would give it to the next best button, which leads away from here.
    takeKeyboard()
  }

  private func show(_ state: CommentsViewModel.State) {
    title.text = state.title
    post.isVisible = !state.title.isEmpty
    post.setAccessibleDescription(state.title)
    // Of which two lines are shown.
    post.tooltip = state.title
    field.text = state.draft
    send.isSensitive = state.canSend
    counter.text = state.surplus ?? state.room ?? ""
    counter.setStyle(.error, state.surplus != nil)
    counter.setStyle(.dim, state.surplus == nil)
    compose.isVisible = state.canWrite
    locked.isVisible = state.isLocked
    foot.isVisible = !state.isGone
    note.text = state.comments.note ?? ""
    note.isVisible = state.comments.showsNote
    message.message = state.comments.message
    show(state.comments.ids)
    progress.show(state.comments)
    status.show(state.statusPage)
  }

  private func show(_ ids: [String]) {
    let stays = written.map { list.isInSight($0) } ?? false
    list.show(ids)
    if let place = stays ? written.flatMap({ ids.lastIndex(of: $0) }) : nil { list.scroll(to: place) } else { written = nil }
  }
}

/// A comment.
@MainActor final class CommentRowView: ListRow {
  let scope = Scope()
  let root: Widget
  private var row: CommentRow?
  private let card: Box
  private let author = Label(styles: ["author"], lines: 1)
  private let date = Label(styles: [.caption, .dim], lines: 1)
  private let words = Label(wraps: true, direction: .ofText)
  let text: SelectionArea
  private let delete = Button(icon: .delete, name: "Delete", styles: [.flat, "quiet"])

  /// - Parameters:
  ///   - selected: called with the text in which a selection may begin.
  ///   - linkTapped: given the address.
  ///   - deleteTapped: given the comment, and what was pressed.
  init(
    selected: @escaping @MainActor (SelectionArea) -> Void, linkTapped: @escaping @MainActor (String) -> Void,
    deleteTapped: @escaping @MainActor (String, Widget) -> Void
  ) {
    text = SelectionArea(only: words, copyAll: "Copy comment")
    date.expandsHorizontally = true
    let head = Box(.horizontal, spacing: 8, children: [author, date, delete])
    card = Box(.vertical, spacing: 4, styles: [.card, "comment"], children: [head, text])
    root = Clamp(maximumWidth: 720, card)
    delete.onClicked(self) { view in if let row = view.row { deleteTapped(row.id, view.delete) } }
    words.onLink(self) { linkTapped($1) }
    text.onSelecting = { [weak self] in if let self { selected(text) } }
  }

  var accessibleName: String { row.map { "\($0.author): \($0.text)" } ?? "" }

  func show(_ row: CommentRow) {
    self.row = row
    author.text = row.author
    date.text = row.isWaiting ? "Waiting to be sent" : row.date
    words.setMarkup(row.parts.reduce(Markup("")) { $0 + ($1.isLink ? Markup($1.text).link(to: $1.text) : Markup($1.text)) })
    delete.isVisible = row.isMine
    card.setStyle("waiting", row.isWaiting)
  }

  func unbind() { row = nil }
}
