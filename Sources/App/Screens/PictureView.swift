import Gtk
import PublicationClient

/// A picture in a frame that has its size from the beginning. It is loaded when it comes on screen and let go when it leaves: a list
/// keeps some two hundred rows, and shows ten. The empty frame stands for what is on its way, one with a sign for what could not be had.
@MainActor final class PictureView: View {
  let scope = Scope()
  let root: Widget
  /// What is on the picture, for screen readers; empty for decoration, which is mentioned only when it is missing.
  var altText = "" { didSet { if altText != oldValue { name() } } }
  private let picture = Picture(fit: .cover)
  private let side: Int
  private var shown: (path: String, pictures: Pictures)?
  private var loading: Task<Void, Never>?
  private var isMissing = false {
    didSet {
      guard isMissing != oldValue else { return }
      root.setStyle("missing", isMissing)
      name()
    }
  }

  /// - Parameters:
  ///   - width: in pixels, where there is room.
  ///   - least: the width in a narrow window; nil for the same.
  ///   - ratio: width divided by height.
  init(width: Int, least: Int? = nil, ratio: Double) {
    // Enough for a display with two pixels to the unit.
    side = width * 2
    let frame = RatioBox(ratio: ratio, maximumWidth: width, picture)
    frame.setMinimumSize(width: least ?? width)
    frame.setStyle("picture-frame")
    frame.vertical = .center
    root = frame
    frame.onPlaced(self) { $0.load() }
    frame.onShown(self) { $0.load() }
    frame.onHidden(self) { $0.unload() }
  }

  func show(_ path: String?, from pictures: Pictures) {
    guard path != shown?.path else { return }
    clear()
    guard let path else { return }
    shown = (path, pictures)
    load()
  }

  func clear() {
    unload()
    shown = nil
  }

  private func load() {
    // A new row is on screen for a moment, before the list gives those a place that are.
    guard let shown, loading == nil, root.isMapped, root.width > 0 else { return }
    let side = side
    if let known = shown.pictures.known(shown.path, side: side) {
      picture.texture = known
      return
    }
    picture.texture = shown.pictures.known(shown.path)
    loading = Task { [weak self] in
      let texture = await shown.pictures.load(shown.path, side: side)
      guard !Task.isCancelled, let self else { return }
      if let texture { picture.texture = texture }
      isMissing = picture.texture == nil
    }
  }

  private func unload() {
    loading?.cancel()
    loading = nil
    picture.texture = nil
    isMissing = false
  }

  private func name() {
    let missing = altText.isEmpty ? "Picture not available" : "\(altText) (picture not available)"
    root.setAccessibleName(isMissing ? missing : altText)
  }
}
