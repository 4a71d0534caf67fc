import Gtk

/// A picture of an article, whole, at its own width where there is room. A picture that could not be loaded takes no room: a line says what
/// is missing, and tries again.
@MainActor final class ArticlePicture: View {
  let scope = Scope()
  let root: Widget
  private let picture: PictureView
  private let missing: Box
  private let words = Label(styles: [.caption, .dim], wraps: true, direction: .ofText)
  private let retry = Button("Try again", styles: [.pill, "compact"])
  private var shown: (path: String, pictures: Pictures)?
  /// Called with the address of a picture that is too large to be shown, and is to be opened.
  var onOpen: ((String) -> Void)?
  private var altText = ""
  private var isTooLarge = false
  private let width: Int?
  /// How long the lines of the text are at most, in pixels: no picture is wider.
  var lineWidth: Int { didSet { if lineWidth != oldValue { picture.resize(Self.place(of: width, in: lineWidth), least: 0) } } }

  /// - Parameters:
  ///   - width: in pixels, as the text wants it; `nil` for that of the picture.
  ///   - ratio: width divided by height, until the picture is there.
  ///   - lineWidth: how long the lines of the text are at most, in pixels.
  ///   - enlargement: how many times its size a picture has at most, so that it is as wide as the lines.
  init(width: Int? = nil, ratio: Double = 16.0 / 9, lineWidth: Int, enlargement: Double = 1) {
    (self.width, self.lineWidth) = (width, lineWidth)
    picture = PictureView(
      width: Self.place(of: width, in: lineWidth), least: 0, ratio: ratio, isWhole: true,
      enlargement: width == nil ? enlargement : .infinity)
    picture.root.setAccessibleRole(.image)
    // A small one begins where the text does, with no ground beside it.
    picture.root.horizontal = .start
    words.expandsHorizontally = true
    retry.vertical = .center
    missing = Box(.horizontal, spacing: 10, styles: ["missing-picture"], children: [Image(.noPicture, size: .line), words, retry])
    missing.isVisible = false
    root = Box(.vertical, children: [picture.root, missing])
    picture.onMissing = { [weak self] in self?.shrink() }
    retry.onClicked(self) { view in
      guard let shown = view.shown else { return }
      if view.isTooLarge { return view.onOpen?(shown.path) ?? () }
      shown.pictures.forget(failureOf: shown.path)
      view.tryAgain()
    }
    // What was missing when the page was left may be there when it is back.
    root.onShown(self) { $0.tryAgain() }
    root.onHidden(self) { view in view.shown?.pictures.leave(view) }
  }

  private static func place(of width: Int?, in lineWidth: Int) -> Int { width.map { min(lineWidth, max(16, $0)) } ?? lineWidth }

  /// - Parameter altText: what is on it, for readers who cannot see it; empty when the article does not say.
  func show(_ path: String?, altText: String = "", from pictures: Pictures) {
    if path != shown?.path { reveal() }
    shown = path.map { ($0, pictures) }
    picture.altText = altText
    self.altText = altText
    root.isVisible = path != nil
    picture.show(path, from: pictures)
  }

  private func shrink() {
    guard !missing.isVisible, let shown else { return }
    isTooLarge = shown.pictures.isTooLarge(shown.path)
    let reason = isTooLarge ? "the picture is too large to be shown" : "picture not available"
    words.text = altText.isEmpty ? reason.prefix(1).uppercased() + reason.dropFirst() : "\(altText) (\(reason))"
    retry.label = isTooLarge ? "Open in browser" : "Try again"
    retry.isVisible = !isTooLarge || (onOpen != nil && shown.path.hasPrefix("http"))
    missing.isVisible = true
    picture.root.isVisible = false
    // It would be too large again.
    if !isTooLarge { shown.pictures.wait(self) { [weak self] in self?.tryAgain() } }
  }

  private func tryAgain() { if missing.isVisible { reveal() } }

  /// The frame loads as soon as it is on screen.
  private func reveal() {
    missing.isVisible = false
    picture.root.isVisible = true
    shown?.pictures.leave(self)
  }
}
