import FeatureKit
import Gtk

/// Shows progress words in a label. After four seconds they also say that the publication takes long, so that the app does not look frozen.
@MainActor final class LoadingWords {
  /// In seconds. What takes less needs no explanation.
  static var patience = 4.0
  static let explanation = "The publication takes long to answer."
  /// Called when it takes long.
  var onExplained: (() -> Void)?
  /// The words of which it is said that it takes long.
  private(set) var explains: String?
  private let label: Label
  private var words: String?
  private var shown = 0

  init(_ label: Label) { self.label = label }

  /// - Parameter words: nil when nothing is under way; the label is then free for other words.
  func show(_ words: String?) {
    guard words != self.words else { return }
    (self.words, explains) = (words, nil)
    shown += 1
    guard let words else { return }
    label.text = words
    let mine = shown
    MainLoop.after(seconds: Self.patience) { [weak self] in
      guard let self, mine == shown else { return }
      label.text = "\(words) \(Self.explanation)"
      explains = words
      onExplained?()
    }
  }
}

/// Shows a `StatusPage`, in place of what a page shows otherwise.
@MainActor final class StatusView {
  let root: Widget
  private let button: Button
  private let stack: Stack?
  private let content: String
  private let image: Image
  private let spinner = Spinner(isSpinning: false, name: "Loading")
  private let heading = Label(styles: [.heading], wraps: true, alignment: .center)
  private let sentence = Label(styles: [.dim], wraps: true, alignment: .center)
  private let loading: LoadingWords
  private var action: StatusPage.Action?

  /// - Parameters:
  ///   - stack: where it takes the place of the content; nil where it is all there is.
  ///   - content: the content's name in the stack.
  init(in stack: Stack? = nil, over content: String = "") {
    (self.stack, self.content) = (stack, content)
    loading = LoadingWords(sentence)
    image = Image(.empty, size: .huge)
    image.setStyle("status-picture")
    button = Button("Try again", styles: [.pill])
    button.horizontal = .center
    sentence.setMaximumWidth(characters: 44)
    spinner.setMinimumSize(width: 40, height: 40)
    spinner.horizontal = .center
    let box = Box(.vertical, spacing: 14, margin: 32, children: [image, spinner, heading, sentence, button])
    // Large words may be higher than a small window.
    root = FittingScroller(box)
    root.vertical = .center
    root.horizontal = .center
    root.expandsVertically = true
    stack?.add(root, name: "status")
  }

  /// - Parameter body: called with what the button is to do.
  func onAction<Owner: SignalOwner>(_ owner: Owner, _ body: @escaping @MainActor (Owner, StatusPage.Action) -> Void) {
    button.onClicked(owner) { [weak self] owner in if let action = self?.action { body(owner, action) } }
  }

  /// - Parameter page: nil for the content.
  func show(_ page: StatusPage?) {
    switch page {
    case nil: break
    case .loading(let words): showLoading(words)
    case .message(let symbol, let heading, let sentence, let action):
      show(symbol.icon, heading: heading, sentence: sentence, action: action?.title)
      self.action = action
    }
    stack?.show(page == nil ? content : "status")
  }

  /// - Parameter action: the button's text; nil for no button.
  private func show(_ icon: Icon, heading: String, sentence: String, action: String?) {
    image.setIcon(icon)
    self.heading.text = heading
    showParts(isLoading: false)
    loading.show(nil)
    self.sentence.text = sentence
    if button.hasFocus { root.holdKeyboard() }
    button.isVisible = action != nil
    if let action { button.label = action }
    // The button that comes back gets the keyboard again, if the person who pressed it is still on this page.
    if root.holdsKeyboard, action != nil { button.focus() }
  }

  /// - Parameter sentence: what is waited for.
  private func showLoading(_ sentence: String) {
    showParts(isLoading: true)
    if button.hasFocus { root.holdKeyboard() }
    button.isVisible = false
    loading.show(sentence)
  }

  private func showParts(isLoading: Bool) {
    image.isVisible = !isLoading
    heading.isVisible = !isLoading
    spinner.isVisible = isLoading
    spinner.isSpinning = isLoading
  }
}

extension StatusPage.Symbol {
  fileprivate var icon: Icon {
    switch self {
    case .empty: .empty
    case .done: .done
    case .failed: .failed
    case .offline: .offline
    case .bookmark: .bookmark
    case .comment: .comment
    case .people: .people
    case .search: .search
    }
  }
}
