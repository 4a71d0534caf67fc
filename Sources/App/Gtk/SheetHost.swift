import CGtk

/// A page, and a sheet above it that has to be answered first: the page is dimmed, and the focus stays in the sheet. The first sheet fades
/// in, the last one out.
@MainActor public final class SheetHost: View {
  /// Ends the host's own connections with the host.
  public let scope = Scope()
  /// What goes into the window.
  public var root: Widget { overlay }
  /// Called when the person pressed Escape or clicked beside the sheet; the sheet goes when it is dismissed.
  public var onCancelled: (@MainActor () -> Void)?
  /// Called when a sheet goes, and the formerly focused widget is gone or cannot have the focus.
  public var onKeyboardLeft: (@MainActor () -> Void)?
  /// Whether a sheet is shown; for tests.
  public var isPresenting: Bool { layer != nil }

  private let page: Widget
  private let overlay: Overlay
  /// What is above the page: nothing, a sheet on its dimmed ground, or one of them that fades.
  private let layers = Stack(crossfades: true)
  private let nothing = Box(.vertical)
  private var layer: Widget?
  /// A sheet that was dismissed, and fades out.
  private var leaving: Widget?
  /// The last press, in microseconds of `g_get_monotonic_time`, where it was, and what was on top then.
  private var pressed: (time: gint64, place: (x: Double, y: Double), layer: ObjectIdentifier?) = (0, (0, 0), nil)
  // What had the keyboard before the sheet took it.
  private var focused: RememberedFocus?

  /// - Parameter page: what lies beneath.
  public init(_ page: Widget) {
    self.page = page
    overlay = Overlay(page, above: [layers])
    layers.add(nothing, name: Self.none)
    layers.takesClicks = false
    layers.onTransitionRunningChanged(self) { $0.removeLeaving() }
    ignoreMisplacedClicks()
  }

  /// The second half of a double click may land in a sheet that the first half has opened: it must answer no question, least of all one
  /// about money. And a press at the place of the last one, such as an impatient "Pay", is not meant for the page beneath a closing sheet.
  private func ignoreMisplacedClicks() {
    let click = overlay.addClickGesture(button: 0, captures: true)
    let gesture = click.opaque
    click.connect("pressed", .press, owner: self, absent: ()) { host, press in
      if host.isMisplaced((press.x, press.y)) { gtk_gesture_set_state(gesture, GTK_EVENT_SEQUENCE_CLAIMED) }
    }
  }

  private func isMisplaced(_ place: (x: Double, y: Double)) -> Bool {
    let (now, layer) = (g_get_monotonic_time(), layer.map { ObjectIdentifier($0) })
    let age = now - pressed.time
    if layer != nil, layer != pressed.layer, age < Self.doubleClick { return true }
    let isStill = abs(place.x - pressed.place.x) < 12 && abs(place.y - pressed.place.y) < 12
    // A person who keeps pressing still means the sheet.
    let meansTheSheet = layer == nil && pressed.layer != nil && isStill && age < Self.impatience
    pressed = (now, place, meansTheSheet ? pressed.layer : layer)
    return meansTheSheet
  }

  private static let (none, sheets) = ("none", ["sheet-0", "sheet-1"])

  private func removeLeaving() {
    guard !layers.isTransitionRunning, let leaving else { return }
    self.leaving = nil
    layers.remove(leaving)
  }

  /// In microseconds: a little longer than the 400 ms of most desktops.
  private static let doubleClick: gint64 = 500_000
  private static let impatience: gint64 = 1_500_000

  /// Shows a sheet in the place of one that is shown.
  /// - Parameters:
  ///   - name: what it asks, for screen readers.
  ///   - maximumWidth: in pixels.
  ///   - takeKeyboard: puts the focus into the sheet; nil for the first widget in it that takes it.
  public func present(_ sheet: Widget, name: String, maximumWidth: Int = 460, takeKeyboard: (() -> Void)? = nil) {
    let surface = Box(.vertical, styles: ["sheet"])
    surface.setAccessibleRole(.dialog)
    surface.setAccessibleName(name)
    surface.vertical = .center
    surface.setMargin(12)
    surface.append(sheet)
    surface.addShortcut("Escape", self) { $0.onCancelled?() }
    let layer = Overlay(Box(.vertical, styles: ["dimmed"]), above: [Clamp(maximumWidth: maximumWidth, surface)])
    layer.onClick(beside: surface, self) { $0.onCancelled?() }
    let former = self.layer
    self.layer = layer
    if let leaving { layers.remove(leaving) }
    leaving = nil
    let name = Self.sheets.first { !layers.contains($0) } ?? ""
    layers.add(layer, name: name)
    layers.show(name, atOnce: former != nil)
    layers.takesClicks = true
    if former == nil {
      focused = RememberedFocus(in: page)
      page.takesKeyboard = false
      page.setAccessibleHidden(true)
    }
    takeKeyboard?()
    surface.focusFirst()
    if let former { layers.remove(former) }
  }

  /// Takes the sheet away; does nothing without one.
  public func dismiss() {
    guard let layer else { return }
    page.takesKeyboard = true
    page.setAccessibleHidden(false)
    // Before the sheet goes: a window that loses its focus gives it to the first widget, and the page scrolls there.
    if focused?.restore() != true { onKeyboardLeft?() }
    // GtkStack never releases a child that it hid with the focus in it and that is removed.
    if layer.hasFocus { page.holdKeyboard() }
    focused = nil
    self.layer = nil
    leaving = layer
    layers.takesClicks = false
    layers.show(Self.none)
    removeLeaving()
  }
}
