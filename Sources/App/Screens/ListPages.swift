import FanClubFeature
import FeatureKit
import Gtk

/// A fan club: who it is, and its posts.
@MainActor final class FanClubView: View {
  let scope = Scope()
  let root: Widget
  let messages: Overlay?
  private let viewModel: FanClubViewModel
  private let stack = Stack()
  private let status = StatusView()
  private let pictures: Pictures
  private let picture = PictureView(width: 72, ratio: 1, growsWithText: true)
  private let name = Label(styles: [.heading], wraps: true, lines: 3, direction: .ofText)
  private let about = Label(styles: [.dim], wraps: true, direction: .ofText)
  // The posts keep their room however much there is to read.
  private let aboutScroller: FittingScroller
  private let more = Button("More", styles: [.flat, "eyebrow"])
  private let numbers = Label(styles: [.caption, .dim], wraps: true)
  private let waiting = WaitingMark()
  private let problem = Label(styles: [.caption, .dim], wraps: true)
  private let follow = Button("Follow", styles: [.pill, "compact"])
  private let notify = Button(icon: .notifications, name: "Notifications of new posts", styles: [.flat, "round"])
  private let remove = Button("Remove feed…", styles: [.pill, "compact", "removal"])
  private let removing = Spinner(name: "Removing the feed")
  private let removal: Box
  private let question = Label(wraps: true)
  private let keep = Button("Keep it", styles: [.pill, "compact"])
  private let agree = Button("Remove feed", styles: [.destructive, .pill, "compact"])
  private let popover: Popover
  private let page: Box
  private let list: PostListView

  init(_ viewModel: FanClubViewModel, pictures: Pictures) {
    self.viewModel = viewModel
    self.pictures = pictures
    follow.vertical = .center
    aboutScroller = FittingScroller(about, tallest: 160)
    aboutScroller.scrollsByKeyboard(name: "About the fan club")
    more.horizontal = .start
    let text = Box(.vertical, spacing: 4, children: [name, Box(.horizontal, children: [numbers, waiting.root])])
    text.expandsHorizontally = true
    text.vertical = .center
    notify.vertical = .center
    removal = Box(.horizontal, spacing: 6, children: [removing, remove])
    removal.vertical = .center
    let buttons = Wrap(removal, Box(.horizontal, spacing: 18, children: [notify, follow]), spacing: 18)
    buttons.vertical = .center
    picture.root.horizontal = .start
    // Below the picture where the text is large.
    let facts = Wrap(picture.root, Wrap(text, buttons, least: 240, spacing: 10), spacing: 18, shrinks: true)
    // The one that loses nothing is first, and so has the keyboard.
    let answers = Box(.horizontal, spacing: 10, children: [keep, agree])
    answers.horizontal = .end
    question.setMaximumWidth(characters: 32)
    let asking = Box(.vertical, spacing: 12, children: [question, answers])
    asking.setMargin(6)
    popover = Popover(asking)
    let header = Clamp(
      maximumWidth: 844, Box(.vertical, spacing: 12, styles: ["club-header"], children: [facts, aboutScroller, more, problem]))
    list = PostListView(viewModel, pictures: pictures, words: .fanClub)
    list.root.expandsVertically = true
    page = Box(.vertical, styles: [.page], children: [header, list.root])
    stack.add(page, name: "club")
    stack.add(status.root, name: "status")
    // Not above the posts alone: they are not there as long as the fan club is not.
    let whole = Overlay(stack)
    messages = whole
    root = whole
    follow.onClicked(self) { $0.viewModel.send(.followTapped) }
    more.onClicked(self) { $0.viewModel.send(.aboutTapped) }
    notify.onClicked(self) { $0.viewModel.send(.notifyTapped) }
    remove.onClicked(self) { $0.popover.open(in: $0.page, beside: $0.remove) }
    keep.onClicked(self) { $0.popover.close() }
    agree.onClicked(self) { view in
      view.popover.close()
      view.viewModel.send(.removeTapped)
      // Not with a button that nothing can be done with.
      view.takeKeyboard()
    }
    list.onFetch = { [weak self] in self?.viewModel.send(.fetchTapped) }
    status.button.onClicked(self) { view in
      if case .gone = view.viewModel.state.phase { view.viewModel.send(.backTapped) } else { view.viewModel.send(.retryTapped) }
    }
    viewModel.observe { [weak self] in self?.show($0) }
  }

  /// On the posts, or on what fetches them.
  func takeKeyboard() {
    if stack.visibleName == "club" { list.takeKeyboard() } else { stack.focusFirst() }
  }

  private func show(_ state: FanClubViewModel.State) {
    if let club = state.club {
      name.text = club.name
      numbers.text = club.numbers
      waiting.show(club.waiting)
      problem.text = club.problem ?? ""
      problem.isVisible = club.problem != nil && club.isFetched
      follow.label = club.isFollowed ? "Following" : "Follow"
      follow.setAccessibleName("Follow")
      follow.isOn = club.isFollowed
      follow.setStyle(.suggested, !club.isFollowed)
      picture.show(club.picture, or: club.emblem, from: pictures)
    }
    about.text = state.about
    aboutScroller.isVisible = !state.about.isEmpty
    // What is there in full at once needs no key to scroll.
    aboutScroller.takesKeyboard = state.isAboutWhole == true
    more.isVisible = state.isAboutWhole != nil
    more.label = state.isAboutWhole == true ? "Less" : "More"
    question.text = "Remove “\(state.club?.name ?? "")”? Its posts go with it, and what you did with them. You can add the feed again."
    removal.isVisible = state.canRemove
    remove.label = state.isRemoving ? "Removing…" : "Remove feed…"
    remove.isSensitive = !state.isRemoving
    removing.isVisible = state.isRemoving
    notify.isVisible = state.notifies != nil
    notify.isOn = state.notifies == true
    notify.setIcon(state.notifies == false ? .silent : .notifications)
    list.show(state.posts, fetch: state.fetch, refresh: state.refresh)
    switch state.phase {
    case .ready:
      stack.show("club")
      return
    case .loading: status.showLoading("Fetching the fan club…")
    case .gone(let sentence): status.showGone(sentence)
    case .offline(let sentence): status.showOffline(sentence)
    case .failed(let sentence): status.showFailed(sentence)
    }
    stack.show("status")
  }
}

/// All fan clubs.
@MainActor final class FanClubListView: View {
  let scope = Scope()
  let root: Widget
  private let viewModel: FanClubListViewModel
  private let stack = Stack()
  private let status = StatusView()
  private let message = MessageBar()
  let messages: Overlay?
  private let followed = FilterButton("Followed", explanation: "Only fan clubs that you follow")
  private let addFeed = Button(
    Box(.horizontal, spacing: 6, children: [Image(.add), Label("Add feed")]), name: "Add feed", styles: [.flat, "choice"])
  private let export = Button("Export…", styles: [.flat, "choice"])
  private let chooser = FileChooser()
  private let note = Label(styles: [.caption, .dim, "note"], wraps: true, alignment: .center)
  private let progress = ProgressLine()
  private var list: ListView<String, FanClubRowView>!

  init(_ viewModel: FanClubListViewModel, pictures: Pictures) {
    self.viewModel = viewModel
    stack.expandsVertically = true
    note.isVisible = false
    let filler = Box(.horizontal)
    filler.expandsHorizontally = true
    // Below each other where the text is large.
    let bar = Wrap(followed.root, Box(.horizontal, children: [filler, Wrap(export, addFeed, spacing: 6)]), spacing: 6)
    bar.setStyle("list-bar")
    for button in [followed.root, export] { button.horizontal = .start }
    let rows = Overlay(stack, above: [message.root])
    messages = rows
    root = Box(.vertical, styles: [.page], children: [Clamp(maximumWidth: 844, bar), note, rows, progress.root])
    followed.root.onClicked(self) { $0.viewModel.send(.followedOnlyTapped) }
    addFeed.onClicked(self) { $0.viewModel.send(.addFeedTapped) }
    export.onClicked(self) { $0.exportTapped() }
    root.onHidden(self) { $0.chooser.close() }
    list = ListView(
      self, row: { view in FanClubRowView(viewModel: view.viewModel, pictures: pictures) },
      bind: { view, row, id in
        if let value = view.viewModel.row(for: id) { row.show(value) }
      })
    list.setStyle(.plainList)
    stack.add(list, name: "rows")
    stack.add(status.root, name: "status")
    list.onActivated(self) { $0.viewModel.send(.clubTapped($1)) }
    list.onNearEnd(self) { $0.viewModel.send(.reachedEnd) }
    for button in [status.button, progress.retry] { button.onClicked(self) { $0.viewModel.send(.retryTapped) } }
    message.onDismissed = { [weak self] in self?.viewModel.send(.messageDismissed) }
    viewModel.onRowsChanged = { [weak self] ids in self?.list.update(ids) }
    viewModel.observe { [weak self] in self?.show($0) }
  }

  private func exportTapped() {
    chooser.save(title: "Export the feeds that you follow", button: "Export", name: "fan-clubs.opml", over: root) { [weak self] in
      self?.viewModel.send(.exportChosen($0))
    }
  }

  /// On the rows; what stands above them is a step back.
  func takeKeyboard() {
    switch viewModel.state.clubs.phase {
    case .loading: break
    case .ready: list.focusRow()
    case .empty, .offline, .failed: root.focusFirst()
    }
  }

  private func show(_ state: FanClubListViewModel.State) {
    followed.isOn = state.isFollowedOnly
    for button in [export, addFeed] { button.isVisible = state.canAddFeeds }
    show(state.clubs, isFollowedOnly: state.isFollowedOnly)
  }

  private func show(_ state: ListState, isFollowedOnly: Bool) {
    note.text = state.note ?? ""
    note.isVisible = state.showsNote
    list.show(state.ids)
    progress.show(state)
    message.message = state.message
    switch state.phase {
    case .ready:
      stack.show("rows")
      return
    case .loading: status.showLoading("Fetching the fan clubs…")
    case .empty where isFollowedOnly:
      status.show(
        icon: .people, heading: "You follow none yet", sentence: "Follow fan clubs to find them here, and to hear of their new posts.")
    case .empty:
      status.show(
        icon: .people, heading: "No fan clubs yet", sentence: "This publication has none so far. Refresh to look again.", action: "Refresh")
    case .offline(let sentence): status.showOffline(sentence)
    case .failed(let sentence): status.showFailed(sentence)
    }
    stack.show("status")
  }
}

extension FanClubRow {
  /// In one line, or in several where there is little room: a number stays with what it counts.
  fileprivate var numbers: String {
    let posts = unread.isEmpty ? [posts] : [posts, "\(unread) unread"]
    return "\(followers)  ·  \(posts.map { $0.replacing(" ", with: "\u{a0}") }.joined(separator: ", "))"
  }
}

/// A fan club in the list of all.
@MainActor final class FanClubRowView: ListRow {
  let scope = Scope()
  let root: Widget
  private let viewModel: FanClubListViewModel
  private let pictures: Pictures
  private let picture = PictureView(width: 56, ratio: 1, growsWithText: true)
  private let name = Label(styles: [.subheading], wraps: true, lines: 2, direction: .ofText)
  private let unread = Label(styles: [.badge, "unread", "numeric"])
  private let about = Label(styles: [.dim], wraps: true, lines: 2, direction: .ofText)
  private let numbers = Label(styles: [.caption, .dim], wraps: true, lines: 3)
  private let waiting = WaitingMark()
  private let follow = Button("Follow", styles: [.pill, "compact"])
  private var id: String?

  init(viewModel: FanClubListViewModel, pictures: Pictures) {
    self.viewModel = viewModel
    self.pictures = pictures
    follow.vertical = .center
    // Beside the name: on the picture it would cover the initials.
    unread.vertical = .start
    name.expandsHorizontally = true
    let text = Box(.vertical, spacing: 4) { [name, unread, about, numbers, waiting] in
      Box(.horizontal, spacing: 8, children: [name, unread])
      about
      Box(.horizontal, children: [numbers, waiting.root])
    }
    text.expandsHorizontally = true
    text.vertical = .center
    root = Clamp(
      maximumWidth: 820,
      Box(.horizontal, spacing: 14, styles: [.card, "post-row"], children: [picture.root, Wrap(text, follow, least: 220, spacing: 10)]))
    follow.onClicked(self) { view in if let id = view.id { view.viewModel.send(.followTapped(id)) } }
  }

  private(set) var accessibleName = ""

  func show(_ row: FanClubRow) {
    id = row.id
    name.text = row.name
    accessibleName = row.unread.isEmpty ? row.name : "\(row.name), \(row.unread) unread"
    unread.text = row.unread
    // Whoever does not follow a club does not wait for its posts.
    unread.isVisible = row.isFollowed && !row.unread.isEmpty
    about.text = row.about
    about.isVisible = !row.about.isEmpty
    numbers.text = row.numbers
    waiting.show(row.waiting)
    follow.label = row.isFollowed ? "Following" : "Follow"
    follow.setAccessibleName("Follow")
    follow.isOn = row.isFollowed
    picture.show(row.picture, or: row.emblem, from: pictures)
  }

  func unbind() {
    id = nil
    picture.clear()
  }
}
