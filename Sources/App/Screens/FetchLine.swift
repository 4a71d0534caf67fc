import FeatureKit
import Gtk

/// The line below a list of posts while feeds are being fetched again: the progress, and then the feeds that could not be fetched.
@MainActor final class FetchLine: View {
  let scope = Scope()
  let root: Widget
  /// Fetches no further ones.
  let cancel = Button("Cancel", styles: [.flat])
  /// Tries again what could not be fetched.
  let retry = Button("Try again", styles: [.flat])
  /// The reader has read what could not be fetched.
  let dismiss = Button(icon: .close, name: "Dismiss message", styles: [.flat])
  /// Called when the pressed button goes and takes the focus with it.
  var onKeyboardLeft: (() -> Void)?
  private let spinner = Spinner(isSpinning: false, name: "Fetching feeds")
  private let words = Label(styles: [.caption], wraps: true)
  // The posts above keep at least two thirds of the smallest window.
  private let failures = FailureList(name: "What could not be fetched", tallest: 160)

  init() {
    words.expandsHorizontally = true
    for part in [words, cancel, retry, dismiss] as [Widget] { part.vertical = .center }
    let line = Box(.horizontal, spacing: 8, children: [spinner, words, cancel, retry, dismiss])
    root = Box(
      .vertical, styles: ["fetch-line"], children: [Clamp(maximumWidth: 820, Box(.vertical, spacing: 4, children: [line, failures.root]))])
    root.isVisible = false
  }

  func show(_ report: FanClubsFetch.Report) {
    let isSaid = report.words != nil
    words.text = report.words ?? ""
    words.setStyle(.dim, report.isUnderWay)
    spinner.isSpinning = report.isUnderWay
    spinner.isVisible = report.isUnderWay
    failures.show(report.isUnderWay ? [] : report.failures)
    // Before the button goes that has the keyboard.
    let isPressed = report.isUnderWay ? retry.hasFocus || dismiss.hasFocus : cancel.hasFocus
    if isSaid { (report.isUnderWay ? cancel : retry).isVisible = true }
    if isPressed, isSaid { (report.isUnderWay ? cancel : retry).focus() }
    let isLeft = !isSaid && root.hasFocus
    root.isVisible = isSaid
    cancel.isVisible = report.isUnderWay
    for button in [retry, dismiss] { button.isVisible = !report.isUnderWay }
    if isLeft { onKeyboardLeft?() }
  }
}

/// Which feeds could not be fetched, and why; scrolls where there are many.
@MainActor final class FailureList {
  let root: FittingScroller
  private let rows = Box(.vertical, spacing: 8)
  private let selection: SelectionArea
  private var shown: [FanClubsFetch.Failure] = []

  /// - Parameters:
  ///   - name: for screen readers.
  ///   - tallest: how high it becomes, in pixels; `nil` for as high as there is room.
  init(name: String, tallest: Int? = nil) {
    selection = SelectionArea(rows, copyAll: "Copy all")
    root = FittingScroller(selection, tallest: tallest)
    root.scrollsByKeyboard(name: name)
    root.scrolls(with: selection)
    root.isVisible = false
    selection.takeKeys(of: root)
    selection.onTurnedTo = { [weak root] in root?.holdKeyboard() }
  }

  func show(_ failures: [FanClubsFetch.Failure]) {
    root.isVisible = !failures.isEmpty
    guard shown != failures else { return }
    shown = failures
    selection.clear()
    let texts = FanClubsFetch.Failure.byReason(failures).map { failure in
      let name = Label(failure.name, wraps: true, lines: 2, direction: .ofText)
      let problem = Label(failure.problem, styles: [.caption, .error], wraps: true)
      name.shareSelection()
      problem.shareSelection(after: "\n")
      let text = Box(.vertical, spacing: 2, children: [name, problem])
      // All of them, however many: the list scrolls.
      if !failure.members.isEmpty {
        let members = Label(failure.members.joined(separator: ", "), styles: [.caption], wraps: true, direction: .ofText)
        members.shareSelection(after: "\n")
        text.append(members)
      }
      // The keyboard goes through all of them at once: it would take long to walk over hundreds.
      text.takesKeyboard = false
      return text
    }
    rows.replaceAll(texts)
  }
}
