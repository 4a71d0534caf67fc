import Gtk
import PublicationAPI
import ReaderContent
import SearchFeature

/// Search: a field that has the keyboard at once, and the matches while the reader types.
@MainActor final class SearchView: View {
  let scope = Scope()
  let root: Widget
  private let viewModel: SearchViewModel
  private let entry = Entry(placeholder: "Search posts and fan clubs", name: "Search")
  private let clear = Button(icon: .clear, name: "Clear the search")
  private let spinner = Spinner(isSpinning: false, name: "Searching")
  private let stack = Stack()
  private lazy var status = StatusView(in: stack, over: "rows")
  private let message = MessageBar()
  let messages: Overlay?
  private let progress = ProgressLine()
  private var list: ListView<SearchItem, SearchRowView>!

  init(_ viewModel: SearchViewModel, pictures: Pictures) {
    self.viewModel = viewModel
    entry.setStyle("large")
    entry.expandsHorizontally = true
    let bar = Box(.horizontal, spacing: 8, styles: ["list-bar"], children: [entry, spinner, clear])
    stack.expandsVertically = true
    let rows = Overlay(stack, above: [message.root])
    messages = rows
    root = Box(.vertical, styles: [.page], children: [Clamp(maximumWidth: 844, bar), rows, progress.root])
    list = ListView(
      self, row: { _ in SearchRowView(pictures: pictures) },
      bind: { view, row, item in
        switch item {
        case .club(let id, let heading): if let value = view.viewModel.clubRow(for: id) { row.show(value, below: heading) }
        case .post(let id, let heading): if let value = view.viewModel.row(for: id) { row.show(value, below: heading) }
        }
      })
    list.setListName("Found")
    stack.add(list, name: "rows")
    list.onActivated(self) { view, item in
      switch item {
      case .club(let id, _): view.viewModel.send(.clubTapped(id))
      case .post(let id, _): view.viewModel.send(.postTapped(id))
      }
    }
    list.onNearEnd(self) { $0.viewModel.send(.reachedEnd) }
    entry.onChanged(self) { $0.viewModel.send(.queryChanged($1)) }
    entry.onSubmit(self) { $0.viewModel.send(.submitTapped) }
    clear.onClicked(self) { view in
      view.viewModel.send(.clearTapped)
      view.takeKeyboard()
    }
    progress.retry.onClicked(self) { $0.viewModel.send(.retryTapped) }
    status.onAction(self) { view, _ in view.viewModel.send(.retryTapped) }
    message.onDismissed = { [weak self] in self?.viewModel.send(.messageDismissed) }
    viewModel.onRowsChanged = { [weak self] ids in self?.update { if case .post(let id, _) = $0 { ids.contains(id) } else { false } } }
    viewModel.onClubsChanged = { [weak self] ids in self?.update { if case .club(let id, _) = $0 { ids.contains(id) } else { false } } }
    viewModel.observe { [weak self] in self?.show($0) }
  }

  func takeKeyboard() { entry.focus() }

  private func update(where isChanged: (SearchItem) -> Bool) { list.update(Set(list.bound.keys.filter(isChanged))) }

  private func show(_ state: SearchViewModel.State) {
    entry.text = state.query
    clear.isVisible = !state.query.isEmpty
    spinner.isSpinning = state.isSearching || state.phase == .searching
    spinner.isVisible = spinner.isSpinning
    message.message = state.message
    list.show(Self.items(state))
    // The spinner says at once that an answer is awaited.
    progress.show(state.underWay, failure: state.failure, isSaid: state.isSearching)
    status.show(state.statusPage)
  }

  /// Without clubs the posts are all there is, and need no heading.
  private static func items(_ state: SearchViewModel.State) -> [SearchItem] {
    state.clubs.enumerated().map { .club($1, below: $0 == 0 ? "Fan clubs" : nil) }
      + state.ids.enumerated().map { .post($1, below: $0 == 0 && !state.clubs.isEmpty ? "Posts" : nil) }
  }
}

/// A row of the matches. The first of its kind has a heading above it, which is not a row of its own: the arrow keys would stop there.
enum SearchItem: Hashable, Sendable {
  case club(FanClub.ID, below: String?)
  case post(Post.ID, below: String?)
}

/// A post or a fan club that was found, with what was found marked.
@MainActor final class SearchRowView: ListRow {
  let scope = Scope()
  let root: Widget
  private let pictures: Pictures
  private let heading = Label(styles: [.subheading])
  private let clubCard: Box
  private let picture = PictureView(width: 40, ratio: 1, growsWithText: true)
  private let name = Label(styles: [.subheading], wraps: true, lines: 2, direction: .ofText)
  private let numbers = Label(styles: [.caption, .dim], wraps: true, lines: 2)
  private let postCard: Box
  private let dot = Box(.horizontal, styles: ["unread-dot"])
  private let club = Label(styles: ["eyebrow"], lines: 1)
  private let lock = Box(.horizontal, spacing: 4, styles: [.badge, "premium"], children: [Image(.lock), Label("Premium")])
  private let title = Label(styles: [.subheading], wraps: true, lines: 2, direction: .ofText)
  private let excerpt = Label(styles: [.dim], wraps: true, lines: 3, direction: .ofText)
  private let date = Label(styles: [.caption, .dim], lines: 1)

  init(pictures: Pictures) {
    self.pictures = pictures
    lock.vertical = .center
    dot.vertical = .center
    dot.setMinimumSize(width: 8, height: 8)
    let head = Box(.horizontal, spacing: 8, children: [dot, club, lock])
    postCard = Box(.vertical, spacing: 4, styles: [.card, "post-row"], children: [head, title, excerpt, date])
    let text = Box(.vertical, spacing: 4, children: [name, numbers])
    text.expandsHorizontally = true
    text.vertical = .center
    clubCard = Box(.horizontal, spacing: 14, styles: [.card, "post-row"], children: [picture.root, text])
    heading.setMargin(6)
    root = Clamp(maximumWidth: 820, Box(.vertical, children: [heading, clubCard, postCard]))
  }

  private(set) var accessibleName = ""

  func show(_ row: SearchClubRow, below heading: String?) {
    show(clubCard, below: heading)
    name.setMarkup(Self.markup(row.name))
    numbers.text = row.club.numbers
    picture.show(row.club.picture, or: row.club.emblem, from: pictures)
    accessibleName = "\(row.club.name), fan club"
  }

  func show(_ row: SearchRow, below heading: String?) {
    show(postCard, below: heading)
    accessibleName = row.title.text + (row.post.isRead ? "" : ", unread") + (row.post.isLocked ? ", premium" : "")
    postCard.setStyle("read", row.post.isRead)
    dot.isVisible = !row.post.isRead
    club.text = row.post.club
    lock.isVisible = row.post.isLocked
    title.setMarkup(Self.markup(row.title))
    excerpt.setMarkup(Self.markup(row.excerpt))
    excerpt.isVisible = !row.excerpt.text.isEmpty
    date.setMarkup(.line(of: [Markup(row.post.date)] + (row.byline.map { [Self.markup($0)] } ?? [])))
  }

  private func show(_ card: Box, below words: String?) {
    for other in [clubCard, postCard] { other.isVisible = other === card }
    heading.text = words ?? ""
    heading.isVisible = words != nil
  }

  func unbind() {
    accessibleName = ""
    picture.clear()
  }

  private static func markup(_ text: MarkedText) -> Markup {
    text.parts.reduce(Markup("")) { $0 + ($1.isMatch ? Markup($1.text).highlighted : Markup($1.text)) }
  }
}
