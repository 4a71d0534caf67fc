import ArticleFeature
import FeedFormats
import Gtk
import PublicationClient

/// An article: title, byline, picture, text, and what it takes to read on.
@MainActor final class ArticleView: View {
  let scope = Scope()
  let root: Widget
  private let viewModel: ArticleViewModel
  private let pictures: Pictures
  private let stack = Stack()
  private let status = StatusView()
  private let message = MessageBar()
  private let clubName = Label(lines: 1)
  private let club: Button
  private let title = Label(styles: [.title], wraps: true, isSelectable: true)
  private let byline = Label(styles: [.dim], wraps: true)
  private let react = ReactButton()
  private let bookmark = Button(icon: .bookmark, name: "Bookmark", styles: [.flat, "quiet"])
  private let picture = PictureView(width: 720, least: 0, ratio: 16 / 9)
  private let body = Box(.vertical, spacing: 14)
  private let progress = Spinner(isSpinning: false, name: "Loading")
  private let problem: Box
  private let problemText = Label(styles: [.dim], wraps: true)
  private let retry = Button("Try again", styles: [.pill])
  private let wall = UnlockBar()
  private var text: ArticleViewModel.State.Text?
  private var bodyPictures: [PictureView] = []

  init(_ viewModel: ArticleViewModel, pictures: Pictures) {
    self.viewModel = viewModel
    self.pictures = pictures
    club = Button(clubName, name: "Fan club", styles: [.flat, "eyebrow"])
    club.horizontal = .start
    byline.expandsHorizontally = true
    problem = Box(.horizontal, spacing: 12) { [problemText, retry] in
      problemText
      retry
    }
    problemText.expandsHorizontally = true
    let facts = Box(.horizontal, spacing: 4) { [byline, react, bookmark] in
      byline
      react.root
      bookmark
    }
    let column = Box(.vertical, spacing: 12, margin: 24) { [club, title, picture, body, progress, problem] in
      club
      title
      facts
      picture.root
      body
      progress
      problem
    }
    stack.add(ScrolledWindow(Clamp(maximumWidth: 720, column)), name: "article")
    stack.add(status.root, name: "status")
    stack.setStyle(.page)
    message.root.vertical = .end
    // Below what scrolls: whoever wants to read on shall not have to look for it.
    root = Box(.vertical, children: [Overlay(stack, above: [message.root]), wall.root])
    club.onClicked(self) { $0.viewModel.clubTapped() }
    react.root.onClicked(self) { $0.viewModel.reactTapped() }
    bookmark.onClicked(self) { $0.viewModel.bookmarkTapped() }
    wall.unlock.onClicked(self) { $0.viewModel.unlockTapped() }
    wall.pass.onClicked(self) { $0.viewModel.passTapped() }
    retry.onClicked(self) { $0.viewModel.retryTapped() }
    status.button.onClicked(self) { $0.viewModel.retryTapped() }
    message.onDismissed = { [weak self] in self?.viewModel.messageDismissed() }
    viewModel.onChange = { [weak self] in self?.show($0) }
  }

  private func show(_ state: ArticleViewModel.State) {
    message.message = state.message
    if let post = state.post {
      clubName.text = post.club
      club.setAccessibleName(post.club)
      title.text = post.title
      byline.text = [post.byline, post.date].filter { !$0.isEmpty }.joined(separator: "  ·  ")
      react.show(count: post.reactions, isOn: post.isReacted)
      bookmark.isOn = post.isBookmarked
      picture.root.isVisible = post.picture != nil
      picture.show(post.picture, from: pictures)
    }
    if state.text != text {
      text = state.text
      showText()
    }
    wall.show(state)
    progress.isSpinning = state.phase == .loading
    progress.isVisible = state.phase == .loading
    show(state.phase, hasPost: state.post != nil)
  }

  private func show(_ phase: ArticleViewModel.State.Phase, hasPost: Bool) {
    switch phase {
    case .loading:
      problem.isVisible = false
      if hasPost { return show(page: "article") }
      status.showLoading("Fetching the article…")
    case .ready:
      problem.isVisible = false
      return show(page: "article")
    case .gone(let sentence): status.show(icon: .failed, heading: "Not here", sentence: sentence)
    case .offline(let sentence), .failed(let sentence):
      problem.isVisible = true
      problemText.text = sentence
      if hasPost { return show(page: "article") }
      let isOffline = if case .offline = phase { true } else { false }
      status.show(
        icon: isOffline ? .offline : .failed, heading: isOffline ? "You are offline" : "This did not work", sentence: sentence,
        action: "Try again")
    }
    show(page: "status")
  }

  private func show(page: String) { stack.show(page) }

  private func showText() {
    bodyPictures = []
    switch text {
    case nil: body.removeAll()
    case .teaser(let teaser), .locked(let teaser): body.replaceAll { paragraph(Markup(teaser), style: .reading) }
    case .body(let blocks): body.replaceAll { for block in blocks { widget(for: block) } }
    }
  }

  private func widget(for block: ArticleBody.Block) -> Widget {
    switch block {
    case .heading(let level, let inlines):
      let label = paragraph(markup(inlines), style: level <= 2 ? .heading : .subheading)
      return label
    case .paragraph(let inlines): return paragraph(markup(inlines), style: .reading)
    case .quote(let blocks) where blocks.count == 1:
      let quoted = widget(for: blocks[0])
      quoted.setStyle("quote")
      return quoted
    case .quote(let blocks): return Box(.vertical, spacing: 10, styles: ["quote"]) { for block in blocks { widget(for: block) } }
    case .list(let items): return Box(.vertical, spacing: 6) { for item in items { entry(item) } }
    case .table(let table): return rows(table)
    case .code(let code):
      let label = Label(code, styles: ["code"], isSelectable: true)
      let scroller = ScrolledWindow(label, scrollsHorizontally: true)
      scroller.expandsVertically = false
      return scroller
    case .image(let image):
      let view = PictureView(width: 720, least: 0, ratio: 16 / 9)
      view.root.setAccessibleName(image.alt.isEmpty ? "Picture" : image.alt)
      view.show(image.url, from: pictures)
      bodyPictures.append(view)
      guard !image.caption.isEmpty else { return view.root }
      return Box(.vertical, spacing: 6) {
        view.root
        caption(image.caption)
      }
    case .rule: return Separator()
    }
  }

  private func entry(_ item: ArticleBody.ListItem) -> Widget {
    let bullet = Label(item.marker, styles: [.reading, .dim])
    bullet.vertical = .start
    let text = Box(.vertical, spacing: 6) { for block in item.blocks { widget(for: block) } }
    text.expandsHorizontally = true
    let row = Box(.horizontal, spacing: 8) {
      bullet
      text
    }
    row.setMargins(horizontal: 24, vertical: 0)
    return row
  }

  private func rows(_ table: ArticleBody.Table) -> Widget {
    Box(.vertical, spacing: 8) {
      if !table.caption.isEmpty { caption(table.caption) }
      for row in table.rows {
        cells(row, areBeside: table.columns <= 4)
        Separator()
      }
    }
  }

  /// A few cells stand side by side; many would be wider than any window, and stand one below the other.
  private func cells(_ row: [ArticleBody.Cell], areBeside: Bool) -> Widget {
    let box = Box(areBeside ? .horizontal : .vertical, spacing: 12) {
      for cell in row { Box(.vertical, spacing: 6) { for block in cell.blocks { widget(for: block) } } }
    }
    box.isHomogeneous = areBeside
    return box
  }

  private func caption(_ inlines: [ArticleBody.Inline]) -> Label {
    let label = paragraph(markup(inlines), style: .caption)
    label.setStyle(.dim)
    return label
  }

  private func paragraph(_ markup: Markup, style: Style) -> Label {
    let label = Label(styles: [style], wraps: true, isSelectable: true)
    label.setMarkup(markup)
    label.onLink(self) { $0.viewModel.linkTapped($1) }
    return label
  }

  private func markup(_ inlines: [ArticleBody.Inline]) -> Markup {
    inlines.reduce(Markup("")) { whole, inline in
      var part = Markup(inline.text)
      if inline.style.contains(.emphasis) { part = part.italic }
      if inline.style.contains(.strong) { part = part.bold }
      if inline.style.contains(.code) { part = part.monospaced }
      if inline.style.contains(.struck) { part = part.struck }
      if inline.style.contains(.superscript) { part = part.superscript }
      if inline.style.contains(.subscript) { part = part.subscript }
      if let link = inline.link { part = part.link(to: link) }
      return whole + part
    }
  }
}
