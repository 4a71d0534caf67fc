import CGtk

/// A page, and a sheet above it that has to be answered first: the page is dimmed, and the keyboard stays in the sheet.
@MainActor public final class SheetHost: View {
  /// Ends the host's own connections with the host.
  public let scope = Scope()
  /// What goes into the window.
  public var root: Widget { overlay }
  /// Called when the person pressed Escape or clicked beside the sheet; the sheet goes when it is dismissed.
  public var onCancelled: (@MainActor () -> Void)?
  /// Called when a sheet goes, and what had the keyboard before is gone or cannot have it.
  public var onKeyboardLeft: (@MainActor () -> Void)?
  /// Whether a sheet is shown.
  public var isPresenting: Bool { layer != nil }

  private let page: Widget
  private let overlay: Overlay
  private var layer: Widget?
  // What had the keyboard before the sheet took it.
  private var focused: RememberedFocus?

  /// - Parameter page: what lies beneath.
  public init(_ page: Widget) {
    self.page = page
    overlay = Overlay(page)
  }

  /// Shows a sheet in the place of one that is shown.
  /// - Parameters:
  ///   - name: what it asks, for screen readers.
  ///   - maximumWidth: in pixels.
  ///   - takeKeyboard: puts the keyboard into the sheet; nil for the first widget in it that takes it.
  public func present(_ sheet: Widget, name: String, maximumWidth: Int = 460, takeKeyboard: (() -> Void)? = nil) {
    let surface = Box(.vertical, styles: ["sheet"])
    surface.setAccessibleRole(.dialog)
    surface.setAccessibleName(name)
    surface.vertical = .center
    surface.setMargin(12)
    surface.append(sheet)
    let backdrop = Box(.vertical, styles: ["dimmed"])
    surface.addShortcut("Escape", self) { $0.onCancelled?() }
    backdrop.onClick(self) { $0.onCancelled?() }
    let layer = Overlay(backdrop) { Clamp(maximumWidth: maximumWidth, surface) }
    overlay.add(layer)
    let former = self.layer
    self.layer = layer
    if former == nil {
      focused = RememberedFocus(in: page)
      page.takesKeyboard = false
      page.setAccessibleHidden(true)
    }
    takeKeyboard?()
    surface.focusFirst()
    if let former { overlay.remove(former) }
  }

  /// Takes the sheet away; does nothing without one.
  public func dismiss() {
    guard let layer else { return }
    page.takesKeyboard = true
    page.setAccessibleHidden(false)
    // Before the sheet goes: a window that loses its focus gives it to the first widget, and the page scrolls there.
    if focused?.restore() != true { onKeyboardLeft?() }
    focused = nil
    overlay.remove(layer)
    self.layer = nil
  }
}
