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

/// A picture, a sentence with what to do, and perhaps a button: what a page shows when it has nothing else.
@MainActor final class StatusView {
  let root: Widget
  let button: Button
  private let image: Image
  private let spinner = Spinner(isSpinning: false, name: "Loading")
  private let heading = Label(styles: [.heading], wraps: true, alignment: .center)
  private let sentence = Label(styles: [.dim], wraps: true, alignment: .center)
  private let loading: LoadingWords

  init() {
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
  }

  /// - Parameter action: the button's text; nil for no button.
  func show(icon: Icon, heading: String, sentence: String, action: String? = nil) {
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

  /// The publication cannot be reached, which the window says by itself.
  func showOffline(_ sentence: String, heading: String = "Not on this computer yet") {
    show(icon: .offline, heading: heading, sentence: sentence, action: "Try again")
  }

  /// What the page is about is not there, so that all one can do is leave.
  func showGone(_ sentence: String) { show(icon: .failed, heading: "Not here", sentence: sentence, action: "Go back") }

  /// It did not work, for another reason.
  func showFailed(_ sentence: String) { show(icon: .failed, heading: "This did not work", sentence: sentence, action: "Try again") }

  /// - Parameter sentence: what is waited for.
  func showLoading(_ sentence: String) {
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
