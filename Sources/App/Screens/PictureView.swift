import Gtk

/// A picture that is loaded when it is shown, in a frame that has its size from the beginning.
@MainActor final class PictureView {
  let root: Widget
  private let picture = Picture(fit: .cover)
  private let width: Int
  private var path: String?
  private var loading: Task<Void, Never>?

  /// - Parameters:
  ///   - width: in pixels.
  ///   - ratio: width divided by height.
  ///   - fixed: whether the frame is always that wide; otherwise at most.
  init(width: Int, ratio: Double, fixed: Bool = true) {
    self.width = width
    let frame = RatioBox(ratio: ratio, maximumWidth: width, picture)
    if fixed { frame.setMinimumSize(width: width, height: Int(Double(width) / ratio)) }
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
