import AddFeedFeature
import Gtk

/// The sheet that adds a feed: an address or a file, the choice among several feeds, the progress, and the result.
@MainActor final class AddFeedView: View {
  let scope = Scope()
  let root: Widget
  private let viewModel: AddFeedViewModel
  private let stack = Stack()
  private let chooser = FileChooser()
  private let entry = Entry(placeholder: "example.org", name: "Address of the feed")
  private let choose = Button("Choose a file…")
  private let file = Label(styles: [.dim], lines: 1)
  private let problem = Label(styles: [.error], wraps: true)
  private let problemText: SelectionArea
  private let question = Label(wraps: true)
  private let choices = Box(.vertical, spacing: 2)
  private let add = Button("Add", styles: [.suggested, .pill, "compact"])
  private let close = Button("Cancel", styles: [.pill, "compact"])
  // One line each, and there from the beginning: the dialog would change its height with each name.
  private let feed = Label(styles: [.subheading], lines: 1, direction: .ofText)
  private let words = Label(styles: [.dim], lines: 1)
  private let bar = ProgressBar(name: "Adding the feed")
  private let cancel = Button("Cancel", styles: [.pill, "compact"])
  private let trouble = Label(styles: [.error], wraps: true)
  private let result = Label(wraps: true)
  private let notice = Label(styles: [.error], wraps: true)
  private let failures = FailureList(name: "What could not be fetched")
  private let fetch = Button("Fetch all", styles: [.pill, "compact"])
  private let open = Button("Show the fan clubs", styles: [.suggested, .pill, "compact"])
  private let done = Button("Close", styles: [.pill, "compact"])
  private var shownQuestion: AddFeedViewModel.State.Question?
  private var refusals = 0

  init(_ viewModel: AddFeedViewModel) {
    self.viewModel = viewModel
    problemText = SelectionArea(only: problem, copyAll: "Copy all")
    entry.setStyle("large")
    file.expandsHorizontally = true
    let form = Box(
      .vertical, spacing: 12,
      children: [
        Label(
          "The address of a page or of its feed, or a file: a feed, or a list of feeds (OPML) from another reader.", styles: [.dim],
          wraps: true),
        entry, Box(.horizontal, spacing: 10, children: [choose, file]), problemText, question, choices,
      ])
    // Large words in a small window leave the buttons where they are.
    let scroller = FittingScroller(form)
    let asking = Box(.vertical, spacing: 12, children: [scroller, Self.row(close, add)])
    let adding = Box(.vertical, spacing: 12, children: [words, feed, bar, trouble, Self.row(cancel)])
    let end = Wrap(Self.row(done, fetch), open, spacing: 10)
    end.horizontal = .end
    // On a line of its own it has all of it.
    open.expandsHorizontally = true
    let added = Box(.vertical, spacing: 12, children: [result, notice, failures.root, end])
    for (page, name) in [(asking, "asking"), (adding, "adding"), (added, "added")] { stack.add(page, name: name) }
    root = Box(.vertical, spacing: 14, children: [Label("Add feed", styles: [.heading]), stack])
    entry.onChanged(self) { $0.viewModel.send(.urlChanged($1)) }
    entry.onSubmit(self) { $0.viewModel.send(.addTapped) }
    add.onClicked(self) { $0.viewModel.send(.addTapped) }
    choose.onClicked(self) { $0.chooseTapped() }
    cancel.onClicked(self) { $0.viewModel.send(.cancelTapped) }
    fetch.onClicked(self) { $0.viewModel.send(.fetchTapped) }
    open.onClicked(self) { $0.viewModel.send(.openTapped) }
    for button in [close, done] { button.onClicked(self) { $0.viewModel.send(.closeTapped) } }
    viewModel.observe { [weak self] in self?.show($0) }
    root.onShown(self) { view in MainLoop.after(seconds: 0) { [weak view] in if view?.entry.isMapped == true { view?.entry.focusAll() } } }
    root.onHidden(self) { $0.chooser.close() }
  }

  /// While a feed is being added, no button has the focus: a second Enter must not cancel it.
  func takeKeyboard() {
    switch stack.visibleName {
    case "asking": entry.focusAll()
    case "added": (open.isVisible ? open : done).focus()
    default: root.holdKeyboard()
    }
  }

  private static func row(_ buttons: Button...) -> Box {
    let row = Box(.horizontal, spacing: 10, children: buttons)
    row.horizontal = .end
    return row
  }

  private func chooseTapped() {
    chooser.open(title: "Choose a feed", button: "Choose", over: root) { [weak self] path in
      guard let self, let path else { return }
      viewModel.send(.fileChosen(path))
      // The next step of the reader.
      add.focus()
    }
  }

  private func show(_ state: AddFeedViewModel.State) {
    entry.text = state.url
    file.text = state.file ?? ""
    add.isSensitive = state.canAdd
    let isRefused = state.refusals != refusals
    refusals = state.refusals
    for label in [problem, trouble, notice] { label.text = state.problem ?? "" }
    for part in [problemText, trouble, notice] as [Widget] { part.isVisible = state.problem != nil }
    show(state.question)
    failures.show(state.failures)
    switch state.phase {
    case .asking:
      bar.isPulsing = false
      if isRefused { MainLoop.after(seconds: 0) { [weak self] in if self?.entry.isMapped == true { self?.entry.focusAll() } } }
      guard stack.visibleName != "asking" else { return }
      stack.show("asking")
      // What was pressed to cancel is gone.
      if state.question == nil { (state.file == nil ? entry : add as Widget).focus() }
    case .adding(let progress), .fetching(let progress):
      feed.text = progress.title
      words.text = progress.words
      bar.isPulsing = progress.fraction == nil
      if let fraction = progress.fraction { bar.fraction = fraction }
      cancel.isSensitive = !progress.isCancelling
      stack.show("adding")
    case .added(let sentence):
      bar.isPulsing = false
      result.text = sentence
      fetch.isVisible = state.fetchLabel != nil
      if let label = state.fetchLabel { fetch.label = label }
      open.isVisible = state.openLabel != nil
      if let label = state.openLabel { open.label = label }
      guard stack.visibleName != "added" else { return }
      stack.show("added")
      (open.isVisible ? open : done).focus()
    }
  }

  private func show(_ question: AddFeedViewModel.State.Question?) {
    self.question.isVisible = question != nil
    choices.isVisible = question != nil
    guard shownQuestion != question else { return }
    shownQuestion = question
    self.question.text = question?.sentence ?? ""
    let buttons = (question?.choices ?? []).map { choice in
      let name = choice.title.isEmpty ? choice.url : choice.title
      let lines =
        [Label(name, lines: 1, direction: .ofText)] + (choice.title.isEmpty ? [] : [Label(choice.url, styles: [.caption, .dim], lines: 1)])
      let button = Button(Box(.vertical, spacing: 2, children: lines), name: name, styles: [.flat, "menu-item"])
      button.onClicked(self) { $0.viewModel.send(.choiceTapped(choice.url)) }
      return button
    }
    choices.replaceAll(buttons)
    buttons.first?.focus()
  }
}
