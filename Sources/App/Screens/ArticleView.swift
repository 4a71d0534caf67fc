import ArticleFeature
import FeatureKit
import FeedFormats
import Gtk
import ReaderContent

/// An article: title, byline, picture, text, and the offer to unlock the rest.
@MainActor final class ArticleView: View {
  let scope = Scope()
  let root: Widget
  private let viewModel: ArticleViewModel
  private let pictures: Pictures
  private let stack = Stack()
  private let page: ScrolledWindow
  private let lines: Clamp
  let selection: SelectionArea
  /// Until there is an article to read.
  private var wantsKeyboard = false
  private lazy var status = StatusView(in: stack, over: "article")
  private let message = MessageBar()
  let messages: Overlay?
  private let clubName = Label(lines: 1)
  private let club: Button
  private let title = Label(styles: [.title], wraps: true, direction: .ofText)
  private let byline = Label(styles: [.dim], wraps: true)
  private let waiting = WaitingMark()
  private let comments = CommentsButton()
  private let bookmark = BookmarkButton()
  private let more = Button(icon: .more, name: "More", styles: [.flat, "quiet"])
  private let browser = Button("Open in browser", styles: [.flat, "menu-item"])
  private let copy = Button("Copy link", styles: [.flat, "menu-item"])
  private let mail = Button("Send by mail…", styles: [.flat, "menu-item"])
  private let menu: Popover
  private let picture: ArticlePicture
  private let body = Box(.vertical, spacing: 14)
  private let files = Box(.vertical, spacing: 8)
  private var attachments: [Attachment] = []
  private let progress = ProgressLine()
  private let wall = UnlockBar()
  private let note = Label(styles: [.caption, .dim], wraps: true)
  private let reactions = ReactionBar()
  private let discuss = Button("Comments", styles: [.pill, "compact"])
  private let subscribers = Label("You can comment once you have unlocked this post.", styles: [.dim], wraps: true)
  private let unread = Button("Mark as unread", styles: [.pill, "compact"])
  private let end: Box
  private let blocks: ArticleBlocks
  private var text: ArticleViewModel.State.Text?
  /// The blocks of the whole text, from above; empty while there is only an opening.
  private var parts: [Widget] = []
  /// Whether the reader wants to be at the end of a text of which more is on its way.
  private var isFollowingEnd = false
  private var lastPosition = 0.0
  /// What unlocks, as long as it cannot be pressed for what it does.
  private var pressed: RememberedFocus?

  init(_ viewModel: ArticleViewModel, pictures: Pictures, preferences: Preferences) {
    self.viewModel = viewModel
    self.pictures = pictures
    club = Button(clubName, name: "Fan club", styles: [.flat, "eyebrow"])
    club.horizontal = .start
    blocks = ArticleBlocks(pictures: pictures, lineWidth: preferences.lineWidth)
    // From one side of the lines to the other, unless it would be blurred.
    picture = ArticlePicture(lineWidth: preferences.lineWidth, enlargement: 2)
    // One below the other: side by side they are wider than a narrow window.
    for button in [discuss, unread] { button.horizontal = .start }
    end = Box(
      .vertical, spacing: 12,
      children: [Separator(), reactions.root, Box(.vertical, spacing: 8, children: [subscribers, discuss, unread])])
    for button in [browser, copy, mail] { button.contentAlignment = .start }
    menu = Popover(Box(.vertical, spacing: 2, children: [browser, copy, mail]))
    let buttons = Box(.horizontal, spacing: 4, children: [waiting.root, comments.root, bookmark.root, more])
    // Below the names where the text is large.
    let facts = Wrap(byline, buttons, least: 96, spacing: 4)
    let column = Box(.vertical, spacing: 12, margin: 24, children: [club, title, facts, note, picture.root, body, files, end])
    title.shareSelection()
    title.setAccessibleRole(.heading(level: 1))
    selection = SelectionArea(column, copyAll: "Copy article")
    lines = Clamp(selection)
    page = ScrolledWindow(lines)
    for text in [title, body] as [Widget] { text.setStyle("article") }
    page.scrollsByKeyboard(arrowsFirst: true)
    selection.scroller = page
    stack.add(page, name: "article")
    stack.setStyle(.page)
    // Below the scrolled part, so that a reader who wants to read on need not look for it.
    let text = Overlay(stack, above: [message.root])
    messages = text
    root = Box(.vertical, styles: [.page], children: [text, progress.root, wall.root])
    club.onClicked(self) { $0.viewModel.send(.clubTapped) }
    reactions.onChosen = { [weak self] in self?.viewModel.send(.reactionChosen($0)) }
    for button in [comments.root, discuss] { button.onClicked(self) { $0.viewModel.send(.commentsTapped) } }
    unread.onClicked(self) { $0.viewModel.send(.readTapped) }
    blocks.onLink = { [weak self] in self?.linkTapped($0) }
    bookmark.root.onClicked(self) { $0.viewModel.send(.bookmarkTapped) }
    more.onClicked(self) { $0.menu.open(in: $0.root, beside: $0.more) }
    browser.onClicked(self) { $0.browserTapped() }
    copy.onClicked(self) { $0.copyTapped() }
    mail.onClicked(self) { $0.mailTapped() }
    // A click into the text takes the focus from buttons, which the space bar would press.
    selection.onTurnedTo = { [weak self] in self?.page.holdKeyboard() }
    selection.takeKeys(of: root, inside: false)
    // What unlocks the rest is beside the scrolled part, and so are a message and what failed.
    page.takesKeys(of: root, self)
    selection.page = root
    root.addShortcut(.openInBrowser, self) { $0.browserTapped() }
    root.addShortcut(.copyLink, self) { $0.copyTapped() }
    wall.unlock.onClicked(self) { $0.viewModel.send(.unlockTapped) }
    wall.pass.onClicked(self) { $0.viewModel.send(.passTapped) }
    progress.retry.onClicked(self) { $0.retryTapped() }
    status.onAction(self) { view, action in
      if action == .back { view.viewModel.send(.backTapped) } else { view.viewModel.send(.retryTapped) }
    }
    message.onDismissed = { [weak self] in self?.viewModel.send(.messageDismissed) }
    page.onScrolled(self) { $0.scrolled() }
    page.onResized(self) { $0.goToPlace() }
    page.onKeyToEnd(self) { $0.isFollowingEnd = $0.isGrowing }
    preferences.observe(self) { view, preferences in
      view.lines.maximumWidth = preferences.lineWidth
      view.picture.lineWidth = preferences.lineWidth
      view.blocks.lineWidth = preferences.lineWidth
      // All parts would be measured at once. Where the reader is further down they would lose their place.
      if view.parts.count > Self.partsAtOnce, view.viewModel.place?.block ?? 0 < Self.partsAtOnce / 2 { view.showText() }
    }
    viewModel.observe { [weak self] in self?.show($0) }
  }

  /// The button goes while that is done, and the keyboard is on the text.
  private func retryTapped() {
    if progress.retry.hasFocus { page.holdKeyboard() }
    viewModel.send(.retryTapped)
  }

  private func browserTapped() {
    menu.close()
    viewModel.send(.openInBrowserTapped)
  }

  private func copyTapped() {
    menu.close()
    viewModel.send(.copyLinkTapped)
  }

  private func mailTapped() {
    menu.close()
    viewModel.send(.mailTapped)
  }

  /// The focus is on the text, which keys scroll; the first widget would be the fan club's name.
  func takeKeyboard() {
    wantsKeyboard = !page.isMapped
    page.holdKeyboard()
  }

  private func show(_ state: ArticleViewModel.State) {
    message.message = state.message
    if let post = state.post {
      clubName.text = post.club
      club.setAccessibleName(post.club)
      club.tooltip = post.club
      title.text = post.title
      byline.setMarkup(.line(of: [post.byline, post.date].filter { !$0.isEmpty }.map { Markup($0) }))
      waiting.show(post.waiting)
      comments.show(post)
      reactions.show(post.kinds)
      if let title = state.commentsTitle { discuss.label = title }
      discuss.isVisible = state.commentsTitle != nil
      subscribers.isVisible = post.isLocked
      unread.label = post.isRead ? "Mark as unread" : "Mark as read"
      bookmark.show(isOn: post.isBookmarked)
      more.isVisible = post.link != nil
      picture.show(post.picture, from: pictures)
    }
    if state.text != text {
      text = state.text
      showText()
    }
    if state.attachments != attachments {
      attachments = state.attachments
      files.replaceAll(blocks.files(attachments) { [weak self] in self?.viewModel.send(.attachmentTapped($0)) })
    }
    files.isVisible = !attachments.isEmpty
    note.text = state.note ?? ""
    note.isVisible = state.note != nil
    end.isVisible = state.showsEnd
    showWall(state)
    progress.show(state.underWay, failure: state.failure)
    status.show(state.statusPage)
    if wantsKeyboard { takeKeyboard() }
  }

  /// While the post is being unlocked, the keyboard is on the text; after a failure it returns to the button that was pressed.
  private func showWall(_ state: ArticleViewModel.State) {
    if !state.isLocked || state.isUnlocking, wall.root.hasFocus {
      pressed = RememberedFocus(in: wall.root)
      page.holdKeyboard()
    }
    wall.show(state)
    guard !state.isUnlocking else { return }
    if state.isLocked, page.holdsKeyboard { pressed?.restore() }
    pressed = nil
  }

  private func showText() {
    selection.clear()
    switch text {
    case nil:
      parts = []
      body.removeAll()
    case .teaser(let teaser), .locked(let teaser):
      parts = []
      body.replaceAll([blocks.teaser(teaser)])
    case .body(let written):
      isFollowingEnd = false
      parts = blocks.widgets(written.prefix(Self.count(of: Self.partsAtOnce, in: written, upTo: Self.charactersAtOnce)))
      body.replaceAll(parts)
      if isGrowing { continueText(written.dropFirst(parts.count)) }
    }
  }

  /// Whether more of the text is on its way.
  private var isGrowing: Bool { if case .body(let written) = text { parts.count < written.count } else { false } }

  /// How much of a text is there at once. Those of a book take seconds, in which nothing would move.
  private static let partsAtOnce = 120
  private static let charactersAtOnce = 20_000
  /// How much each frame adds, which takes longer the longer its paragraphs are.
  private static let partsOfAFrame = 40
  private static let charactersOfAFrame = 4_000
  /// Of what is there already, to which each frame adds. A frame lays all of it out: the same few parts each time take by the square.
  private static let shareOfAFrame = 64

  /// How many blocks go together: at least one.
  private static func count(of most: Int, in blocks: some Collection<ArticleBody.Block>, upTo characters: Int) -> Int {
    var (count, left) = (0, characters)
    for block in blocks.prefix(most) where left > 0 { (count, left) = (count + 1, left - block.length) }
    return count
  }

  /// Makes the rest of a text, frame by frame, unless another one takes its place.
  private func continueText(_ rest: ArraySlice<ArticleBody.Block>) {
    let shown = text
    MainLoop.after(seconds: 0.01) { [weak self] in
      guard let self, !scope.isClosed, text == shown, !rest.isEmpty else { return }
      let count = max(parts.count / Self.shareOfAFrame, Self.count(of: Self.partsOfAFrame, in: rest, upTo: Self.charactersOfAFrame))
      let more = blocks.moreWidgets(rest.prefix(count))
      parts += more
      for part in more { body.append(part) }
      continueText(rest.dropFirst(more.count))
    }
  }

  // MARK: The reader's place

  /// Above what a link within the text leads to, in pixels.
  private static let room = 12.0

  /// A note is in the text, or the place that led to it; everything else is on the web.
  private func linkTapped(_ link: String) {
    guard link.hasPrefix("#") else { return viewModel.send(.linkTapped(link)) }
    guard let target = blocks.place(of: String(link.dropFirst())), let place = page.place(of: target.label) else { return }
    page.position += place.top + target.label.top(ofLineAt: target.byte) - Self.room
  }

  /// After the window was made narrower, and after coming back, the reader reads on where they were. Who went to the end of a text whose rest
  /// is on its way goes on to that.
  private func goToPlace() {
    if isFollowingEnd {
      isFollowingEnd = isGrowing
      page.position = .infinity
      // Not by scrolling, which a layout is not.
      return viewModel.send(.scrolled(to: place))
    }
    guard let wanted = viewModel.place, parts.indices.contains(wanted.block), let part = page.place(of: parts[wanted.block]) else { return }
    let distance = part.top + part.height * wanted.fraction
    if abs(distance) >= 1 { page.position += distance }
  }

  private func scrolled() {
    // Back from there.
    if page.position < lastPosition, !page.isBeingResized { isFollowingEnd = false }
    lastPosition = page.position
    guard let first = parts.first, page.isMapped, !page.isBeingResized, page.place(of: first) != nil else { return }
    viewModel.send(.scrolled(to: place))
  }

  /// The block at the upper edge, or the first one while that is still below it; `nil` at the beginning.
  private var place: ReadingPlace? {
    var (low, high) = (0, parts.count)
    while low < high {
      let middle = (low + high) / 2
      guard let part = page.place(of: parts[middle]) else { return nil }
      if part.top + part.height <= 0 { low = middle + 1 } else { high = middle }
    }
    guard page.position >= 1, low < parts.count, let part = page.place(of: parts[low]), part.height > 0 else { return nil }
    // Between two blocks the lower one counts as at the edge: a gap does not grow with the text, so a part of a block would be more than it.
    let fraction = -part.top / part.height
    return ReadingPlace(block: low, fraction: low == 0 ? fraction : max(0, fraction))
  }
}

extension Preferences {
  /// How wide the lines of an article are at most, in pixels: larger text has as many words in a line.
  fileprivate var lineWidth: Int {
    let usual =
      switch values.articleWidth {
      case .narrow: 560
      case .medium: 720
      case .wide: 1000
      }
    return usual * values.textSize / 100
  }
}
