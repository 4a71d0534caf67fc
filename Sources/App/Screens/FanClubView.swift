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
  private lazy var status = StatusView(in: stack, over: "club")
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
  private let header: Widget
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
    header = Clamp(
      maximumWidth: 844, Box(.vertical, spacing: 12, styles: ["club-header"], children: [facts, aboutScroller, more, problem]))
    list = PostListView(viewModel, pictures: pictures)
    list.root.expandsVertically = true
    page = Box(.vertical, styles: [.page], children: [header, list.root])
    stack.add(page, name: "club")
    // Not above the posts only: they are not shown until the fan club is.
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
    list.list.onScrolled(self) { $0.makeRoom() }
    list.list.scrollsByWheel(over: header, self) { $0.aboutScroller.takesKeyboard }
    list.onFetch = { [weak self] in self?.viewModel.send(.fetchTapped) }
    status.onAction(self) { view, action in
      if action == .back { view.viewModel.send(.backTapped) } else { view.viewModel.send(.retryTapped) }
    }
    viewModel.observe { [weak self] in self?.show($0) }
  }

  /// The focus is on the posts, or on the button that fetches them. It is nowhere while the fan club is loaded: a widget with the focus
  /// would pass it on to the fan club's first button, which may be the one that removes it.
  func takeKeyboard() {
    switch viewModel.state.phase {
    case .ready: list.takeKeyboard()
    case .loading: break
    case .gone, .offline, .failed: stack.focusFirst()
    }
  }

  /// In a small window with large text the header leaves posts little room: it goes while they are scrolled, and comes back with their top.
  private func makeRoom() {
    guard header.isVisible else { return header.isVisible = list.list.position <= 0 }
    // Without it a short list would be at its top again.
    let leavesTop = list.list.position > 0 && list.list.surplus > 2 * Double(header.height)
    if leavesTop, header.height > page.height / 3, !header.hasFocus { header.isVisible = false }
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
    // A text that is wholly visible needs no keys to scroll.
    aboutScroller.takesKeyboard = state.isAboutWhole == true
    more.isVisible = state.isAboutWhole != nil
    more.label = state.isAboutWhole == true ? "Less" : "More"
    question.text = state.removalQuestion
    removal.isVisible = state.canRemove
    remove.label = state.isRemoving ? "Removing…" : "Remove feed…"
    remove.isSensitive = !state.isRemoving
    removing.isVisible = state.isRemoving
    notify.isVisible = state.notifies != nil
    notify.isOn = state.notifies == true
    notify.setIcon(state.notifies == false ? .silent : .notifications)
    list.show(state.posts, refresh: state.refresh)
    status.show(state.statusPage)
  }
}
