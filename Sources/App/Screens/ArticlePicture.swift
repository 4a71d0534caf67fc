import Gtk

/// A picture of an article, as wide as there is room. One that did not come keeps no room: a line says what is missing, and tries again.
@MainActor final class ArticlePicture: View {
  let scope = Scope()
  let root: Widget
  private let picture: PictureView
  private let missing: Box
  private let words = Label(styles: [.caption, .dim], wraps: true, direction: .ofText)
  private let retry = Button("Try again", styles: [.pill, "compact"])
  private var shown: (path: String, pictures: Pictures)?

  /// - Parameters:
  ///   - width: in pixels, where there is room.
  ///   - ratio: width divided by height.
  init(width: Int = 720, ratio: Double = 16.0 / 9) {
    picture = PictureView(width: width, least: 0, ratio: ratio)
    picture.root.setAccessibleRole(.image)
    words.expandsHorizontally = true
    retry.vertical = .center
    missing = Box(.horizontal, spacing: 10, styles: ["missing-picture"], children: [Image(.noPicture, size: 16), words, retry])
    missing.isVisible = false
    root = Box(.vertical, children: [picture.root, missing])
    picture.onMissing = { [weak self] in self?.shrink() }
    retry.onClicked(self) { view in
      if let shown = view.shown { shown.pictures.forget(failureOf: shown.path) }
      view.tryAgain()
    }
    // What was missing when the page was left may be there when it is back.
    root.onShown(self) { $0.tryAgain() }
    root.onHidden(self) { view in view.shown?.pictures.leave(view) }
  }

  /// - Parameter altText: what is on it, for who cannot see it; empty when nobody says.
  func show(_ path: String?, altText: String = "", from pictures: Pictures) {
    if path != shown?.path { reveal() }
    shown = path.map { ($0, pictures) }
    picture.altText = altText
    words.text = altText.isEmpty ? "Picture not available" : "\(altText) (picture not available)"
    root.isVisible = path != nil
    picture.show(path, from: pictures)
  }

  private func shrink() {
    guard !missing.isVisible, let shown else { return }
    missing.isVisible = true
    picture.root.isVisible = false
    shown.pictures.wait(self) { [weak self] in self?.tryAgain() }
  }

  private func tryAgain() { if missing.isVisible { reveal() } }

  /// The frame loads as soon as it is on screen.
  private func reveal() {
    missing.isVisible = false
    picture.root.isVisible = true
    shown?.pictures.leave(self)
  }
}
