import FeatureKit
import FeedFeature
import Gtk

/// Home: the choice of what to read, and the posts.
@MainActor final class FeedView: View {
  let scope = Scope()
  var root: Widget { list.root }
  var messages: Overlay? { list.messages }
  private let viewModel: FeedViewModel
  let list: PostListView
  private let choice = ChoiceMenu<FeedViewModel.Choice>(name: "Posts shown")
  private let unread = FilterButton("Unread", explanation: "Only what you have not read")
  // With its name where there is room for it.
  private let allRead = Button(
    Either(
      wide: Box(.horizontal, spacing: 6, children: [Image(.done), Label("Mark all as read")]),
      narrow: Either(wide: Box(.horizontal, spacing: 6, children: [Image(.done), Label("All read")]), narrow: Image(.done))),
    name: "Mark all as read", styles: [.flat, "choice"])

  init(_ viewModel: FeedViewModel, pictures: Pictures) {
    self.viewModel = viewModel
    let filler = Box(.horizontal)
    filler.expandsHorizontally = true
    // Below each other where the text is large.
    let bar = Wrap(
      Box(.horizontal, spacing: 6, children: [choice.root, unread.root]), Box(.horizontal, children: [filler, allRead]), least: 1,
      spacing: 6, shrinks: true)
    bar.setStyle("list-bar")
    allRead.tooltip = "Mark all as read"
    list = PostListView(viewModel, pictures: pictures, header: Clamp(maximumWidth: 844, bar))
    unread.root.onClicked(self) { $0.viewModel.send(.unreadOnlyTapped) }
    allRead.onClicked(self) { $0.viewModel.send(.allReadTapped) }
    list.onFetch = { [weak self] in self?.viewModel.send(.fetchTapped) }
    choice.onChosen = { [weak self] in self?.viewModel.send(.choiceTapped($0)) }
    viewModel.observe { [weak self] in self?.show($0) }
  }

  private func show(_ state: FeedViewModel.State) {
    choice.root.isVisible = state.offersChoice
    choice.show(state.options.map { ($0.id, $0.name) }, chosen: state.choice)
    unread.isOn = state.isUnreadOnly
    allRead.isSensitive = state.offersAllRead
    list.show(state.posts, refresh: state.refresh)
    if state.isJumping { list.scrollToTop() }
  }

  func takeKeyboard() { list.takeKeyboard() }
}
