import FeatureKit
import Gtk

/// A picture in a frame that has its size from the beginning. It is loaded when it comes on screen and released when it leaves: a list
/// keeps some two hundred rows, and shows ten. The frame is empty during the load; a sign, or a club's initials, replace a picture that
/// could not be loaded.
@MainActor final class PictureView: View {
  let scope = Scope()
  let root: Widget
  /// What is on the picture, for screen readers; empty for decoration, which is mentioned only when it is missing.
  var altText = "" { didSet { if altText != oldValue { name() } } }
  /// Called when the picture could not be loaded.
  var onMissing: (() -> Void)?
  private let picture = Picture(fit: .cover)
  private let layers: Overlay
  private var width: Int
  private let ratio: Double
  private let isWhole: Bool
  private let enlargement: Double
  private let frame: RatioBox
  private var shown: (path: String, pictures: Pictures)?
  private var loading: Task<Void, Never>?
  private var emblem: Emblem?
  private var isMissing = false {
    didSet {
      guard isMissing != oldValue else { return }
      showStandIn()
      name()
    }
  }
  // Made when they are needed: most pictures can be had.
  private var sign: Widget?
  private var initials: Label?
  private var tint: Style?

  /// - Parameters:
  ///   - width: in pixels, where there is room.
  ///   - least: the width in a narrow window; nil for the same.
  ///   - ratio: width divided by height.
  ///   - growsWithText: whether the widths are those at the usual text size, up to twice that.
  ///   - isWhole: whether the frame takes the shape of the picture once that is there. Otherwise the picture fills the frame, and is cut
  ///     where it does not fit.
  ///   - enlargement: how many times its size a picture that is shown whole has at most, so that it is as wide as its place; one for which
  ///     that is not enough has its own size.
  init(
    width: Int, least: Int? = nil, ratio: Double, growsWithText: Bool = false, isWhole: Bool = false, enlargement: Double = 1
  ) {
    let usual = width
    let width = growsWithText ? Self.grown(usual) : usual
    (self.width, self.ratio, self.isWhole, self.enlargement) = (width, ratio, isWhole, enlargement)
    layers = Overlay(picture)
    frame = RatioBox(ratio: ratio, maximumWidth: width, layers)
    frame.setMinimumSize(width: least ?? width)
    frame.setStyle("picture-frame")
    frame.vertical = .center
    root = frame
    frame.onPlaced(self) { $0.load() }
    frame.onShown(self) { $0.load() }
    frame.onHidden(self) { $0.unload() }
    frame.onScaleFactorChanged(self) { $0.loadAgain() }
    if growsWithText { Theme.onTextScaleChanged(self) { $0.resize(Self.grown(usual), least: least) } }
  }

  private static func grown(_ width: Int) -> Int { Int((Double(width) * min(max(Theme.textScale, 1), 2)).rounded()) }

  /// - Parameters:
  ///   - width: in pixels, where there is room.
  ///   - least: the width in a narrow window; nil for the same.
  func resize(_ width: Int, least: Int? = nil) {
    guard width != self.width else { return }
    self.width = width
    frame.setMinimumSize(width: least ?? width)
    frame.setShape(ratio: ratio, maximumWidth: width)
    sizeInitials()
    loadAgain()
  }

  /// - Parameter emblem: drawn where there is no picture, or it could not be loaded.
  func show(_ path: String?, or emblem: Emblem? = nil, from pictures: Pictures) {
    if path != shown?.path {
      clear()
      shown = path.map { ($0, pictures) }
    }
    self.emblem = emblem
    showStandIn()
    load()
  }

  func clear() {
    unload()
    shown = nil
  }

  private func load() {
    // A new row counts as on screen for a moment, before the list has placed its rows.
    guard let shown, loading == nil, root.isMapped, root.width > 0 else { return }
    let (side, ratio) = (width * root.scaleFactor, isWhole ? nil : ratio)
    if let texture = shown.pictures.cached(shown.path, side: side, ratio: ratio) { return draw(texture) }
    // Another size of it, until this one is there.
    if let other = shown.pictures.cached(shown.path) { draw(other) } else { picture.texture = nil }
    loading = Task { [weak self] in
      let texture = await shown.pictures.load(shown.path, side: side, ratio: ratio)
      guard !Task.isCancelled, let self else { return }
      if let texture { draw(texture) }
      isMissing = picture.texture == nil
      if texture == nil { shown.pictures.wait(self) { [weak self] in self?.loadAgain() } }
      if isMissing { onMissing?() }
    }
  }

  private func draw(_ texture: Texture) {
    picture.texture = texture
    guard isWhole else { return }
    let natural = texture.width / max(1, root.scaleFactor)
    let isEnough = Double(natural) * enlargement >= Double(width)
    frame.setShape(
      ratio: Double(texture.width) / Double(texture.height), maximumWidth: isEnough ? width : max(Self.leastWhole, natural))
  }

  /// Below this nothing is recognized, in pixels.
  private static let leastWhole = 16

  private func loadAgain() {
    loading?.cancel()
    loading = nil
    load()
  }

  private func unload() {
    loading?.cancel()
    loading = nil
    shown?.pictures.leave(self)
    picture.texture = nil
    isMissing = false
  }

  /// A club has an emblem; anything else shows that its picture could not be loaded.
  private func showStandIn() {
    let emblem = shown == nil || isMissing ? emblem : nil
    let isBroken = isMissing && emblem == nil
    root.setStyle("missing", isBroken)
    if isBroken, sign == nil { sign = add(Self.makeSign()) }
    sign?.isVisible = isBroken
    let wanted = emblem.map { Style("tint-\($0.tint)") }
    if wanted != tint {
      if let tint { root.setStyle(tint, false) }
      if let wanted { root.setStyle(wanted) }
      tint = wanted
    }
    if emblem != nil, initials == nil {
      let letters = Label(styles: ["initials"], lines: 1, alignment: .center)
      initials = add(letters)
      sizeInitials()
      // The name stands beside it.
      initials?.setAccessibleHidden(true)
    }
    initials?.text = emblem?.initials ?? ""
    initials?.isVisible = emblem != nil
  }

  /// Two of the widest letters have room in the frame.
  private func sizeInitials() { initials?.setTextSize(pixels: Double(width) * 0.36) }

  private func add<Part: Widget>(_ part: Part) -> Part {
    layers.add(part)
    return part
  }

  /// With words where there is room for them.
  private static func makeSign() -> Widget {
    let caption = Label("Picture not available", styles: [.caption], alignment: .center)
    let words = Box(.vertical, spacing: 6, children: [Image(.noPicture, size: .small), caption])
    let icon = Image(.noPicture, size: .small)
    for part in [words, icon] as [Widget] { part.vertical = .center }
    let sign = Either(wide: words, narrow: icon)
    sign.setMargin(8)
    return sign
  }

  private func name() {
    let missing = altText.isEmpty ? "Picture not available" : "\(altText) (picture not available)"
    root.setAccessibleName(isMissing && emblem == nil ? missing : altText)
  }
}
