import AddFeedFeature
import Gtk

/// The sheet that adds a feed: an address or a file, how far it is, and what came of it.
@MainActor final class AddFeedView: View {
  let scope = Scope()
  let root: Widget
  private let viewModel: AddFeedViewModel
  private let stack = Stack()
  private let chooser = FileChooser()
  private let entry = Entry(placeholder: "https://example.org/feed.xml", name: "Address of the feed")
  private let choose = Button("Choose a file…")
  private let file = Label(styles: [.dim], lines: 1)
  private let problem = Label(styles: [.error], wraps: true, isSelectable: true)
  private let add = Button("Add", styles: [.suggested, .pill, "compact"])
  private let close = Button("Cancel", styles: [.pill, "compact"])
  private let feed = Label(styles: [.subheading], wraps: true)
  private let words = Label(styles: [.dim], wraps: true)
  private let bar = ProgressBar(name: "Adding the feed")
  private let cancel = Button("Cancel", styles: [.pill, "compact"])
  private let trouble = Label(styles: [.error], wraps: true)
  private let result = Label(wraps: true)
  private let open = Button("Show the fan clubs", styles: [.suggested, .pill, "compact"])
  private let done = Button("Close", styles: [.pill, "compact"])

  init(_ viewModel: AddFeedViewModel) {
    self.viewModel = viewModel
    entry.setStyle("large")
    file.expandsHorizontally = true
    let asking = Box(
      .vertical, spacing: 12,
      children: [
        Label("The address of a feed, or a file: a feed, or a list of feeds (OPML) from another reader.", styles: [.dim], wraps: true),
        entry, Box(.horizontal, spacing: 10, children: [choose, file]), problem, Self.row(close, add),
      ])
    let adding = Box(.vertical, spacing: 12, children: [feed, words, bar, trouble, Self.row(cancel)])
    let added = Box(.vertical, spacing: 12, children: [result, Self.row(done, open)])
    for (page, name) in [(asking, "asking"), (adding, "adding"), (added, "added")] { stack.add(page, name: name) }
    root = Box(.vertical, spacing: 14, children: [Label("Add feed", styles: [.heading]), stack])
    entry.onChanged(self) { $0.viewModel.urlChanged($1) }
    entry.onSubmit(self) { $0.viewModel.addTapped() }
    add.onClicked(self) { $0.viewModel.addTapped() }
    choose.onClicked(self) { $0.chooseTapped() }
    cancel.onClicked(self) { $0.viewModel.cancelTapped() }
    open.onClicked(self) { $0.viewModel.openTapped() }
    for button in [close, done] { button.onClicked(self) { $0.viewModel.closeTapped() } }
    viewModel.onChange = { [weak self] in self?.show($0) }
    root.onShown(self) { view in MainLoop.after(seconds: 0) { [weak view] in if view?.entry.isMapped == true { view?.entry.focus() } } }
    root.onHidden(self) { $0.chooser.close() }
  }

  private static func row(_ buttons: Button...) -> Box {
    let row = Box(.horizontal, spacing: 10, children: buttons)
    row.horizontal = .end
    return row
  }

  private func chooseTapped() {
    chooser.open(title: "Choose a feed", button: "Choose", over: root) { [weak self] in
      self?.viewModel.fileChosen($0)
      // What one does next.
      self?.add.focus()
    }
  }

  private func show(_ state: AddFeedViewModel.State) {
    entry.text = state.url
    file.text = state.file ?? ""
    add.isSensitive = state.canAdd
    for label in [problem, trouble] {
      label.text = state.problem ?? ""
      label.isVisible = state.problem != nil
    }
    switch state.phase {
    case .asking:
      bar.isPulsing = false
      stack.show("asking")
    case .adding(let progress):
      feed.text = progress.title
      feed.isVisible = !progress.title.isEmpty
      words.text = progress.words
      bar.isPulsing = progress.fraction == nil
      if let fraction = progress.fraction { bar.fraction = fraction }
      cancel.isSensitive = !progress.isCancelling
      stack.show("adding")
    case .added(let sentence):
      bar.isPulsing = false
      result.text = sentence
      open.isVisible = state.openLabel != nil
      if let label = state.openLabel { open.label = label }
      guard stack.visibleName != "added" else { return }
      stack.show("added")
      (open.isVisible ? open : done).focus()
    }
  }
}
