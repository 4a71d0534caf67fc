import Gtk

/// A picture, a sentence with what to do, and perhaps a button: what a page shows when it has nothing else.
@MainActor final class StatusView {
  let root: Widget
  let button: Button
  private let image: Image
  private let spinner = Spinner(isSpinning: false, name: "Loading")
  private let heading = Label(styles: [.heading], wraps: true, alignment: .center)
  private let sentence = Label(styles: [.dim], wraps: true, alignment: .center)

  init() {
    image = Image(.empty, size: 96)
    image.setStyle("status-picture")
    button = Button("Try again", styles: [.pill])
    button.horizontal = .center
    sentence.setMaximumWidth(characters: 44)
    spinner.setMinimumSize(width: 40, height: 40)
    spinner.horizontal = .center
    let box = Box(.vertical, spacing: 14, margin: 32) { [image, spinner, heading, sentence, button] in
      image
      spinner
      heading
      sentence
      button
    }
    box.vertical = .center
    box.horizontal = .center
    box.expandsVertically = true
    root = box
  }

  /// - Parameter action: the button's text; nil for no button.
  func show(icon: Icon, heading: String, sentence: String, action: String? = nil) {
    image.setIcon(icon)
    image.isVisible = true
    spinner.isSpinning = false
    spinner.isVisible = false
    self.heading.text = heading
    self.heading.isVisible = true
    self.sentence.text = sentence
    if button.hasFocus { root.holdKeyboard() }
    button.isVisible = action != nil
    if let action { button.label = action }
    // Whoever pressed it is still here when it comes back.
    if root.holdsKeyboard, action != nil { button.focus() }
  }

  /// The publication cannot be reached.
  func showOffline(_ sentence: String) { show(icon: .offline, heading: "You are offline", sentence: sentence, action: "Try again") }

  /// What the page is about is not there, so that all one can do is leave.
  func showGone(_ sentence: String) { show(icon: .failed, heading: "Not here", sentence: sentence, action: "Go back") }

  /// It did not work, for another reason.
  func showFailed(_ sentence: String) { show(icon: .failed, heading: "This did not work", sentence: sentence, action: "Try again") }

  func showLoading(_ sentence: String) {
    show(icon: .empty, heading: "", sentence: sentence)
    image.isVisible = false
    heading.isVisible = false
    spinner.isVisible = true
    spinner.isSpinning = true
  }
}
