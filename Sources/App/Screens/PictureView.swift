import Gtk

/// A picture that is loaded when it is shown, in a frame that has its size from the beginning.
@MainActor final class PictureView {
  let root: Widget
  private let picture = Picture(fit: .cover)
  private var path: String?
  private var loading: Task<Void, Never>?

  /// - Parameters:
  ///   - width: in pixels, where there is room.
  ///   - least: the width in a narrow window; nil for the same.
  ///   - ratio: width divided by height.
  init(width: Int, least: Int? = nil, ratio: Double) {
    let frame = RatioBox(ratio: ratio, maximumWidth: width, picture)
    frame.setMinimumSize(width: least ?? width)
    frame.setStyle("picture-frame")
    root = frame
  }

  func show(_ path: String?, from pictures: Pictures) {
    guard path != self.path else { return }
    clear()
    self.path = path
    guard let path else { return }
    if let known = pictures.known(path) {
      picture.texture = known
      return
    }
    loading = Task { [weak self] in
      let texture = await pictures.load(path)
      guard let self, !Task.isCancelled, self.path == path else { return }
      picture.texture = texture
    }
  }

  func clear() {
    loading?.cancel()
    loading = nil
    path = nil
    picture.texture = nil
  }
}
