import CGtk
import CGtkShims

/// A small surface that a button opens.
@MainActor public final class Popover: Widget, SignalOwner {
  /// Ends the popover's own connections with the popover.
  public let scope = Scope()
  private weak var lender: Widget?
  private var focus: RememberedFocus?
  private var watching: SignalConnection?
  private var drawing: SignalConnection?

  /// - Parameter child: what is on it.
  public init(_ child: Widget) {
    super.init(made: UnsafeMutableRawPointer(gtk_popover_new()))
    gtk_popover_set_child(pointer(), child.widget)
  }

  /// Opens it beside a widget that has none of its own: one popover serves all rows of a list.
  /// - Parameters:
  ///   - page: what it belongs to while it is open; outlives the widget, which a list may take away meanwhile.
  ///   - anchor: what it points at; in the page.
  public func open(in page: Widget, beside anchor: Widget) {
    var area = graphene_rect_t()
    guard gtk_widget_compute_bounds(anchor.widget, page.widget, &area) != 0 else { return }
    open(in: page, at: area)
  }

  /// Opens it at a point of a widget, as the menu of the other mouse button.
  public func open(in page: Widget, at point: (x: Double, y: Double), of anchor: Widget) {
    var (from, to) = (graphene_point_t(x: Float(point.x), y: Float(point.y)), graphene_point_t())
    guard gtk_widget_compute_point(anchor.widget, page.widget, &from, &to) != 0 else { return }
    open(in: page, at: graphene_rect_t(origin: to, size: graphene_size_t(width: 1, height: 1)))
  }

  private func open(in page: Widget, at area: graphene_rect_t) {
    if lender !== page {
      takeBack()
      watching?.disconnect()
      watching = page.onHidden(self) { $0.takeBack() }
      if lender == nil { connect("closed", owner: self) { $0.closed() } }
      lender = page
    }
    focus = RememberedFocus(in: page)
    if gtk_widget_get_parent(widget) == nil { gtk_widget_set_parent(widget, page.widget) }
    var place = GdkRectangle(
      x: gint(area.origin.x), y: gint(area.origin.y), width: max(1, gint(area.size.width)), height: max(1, gint(area.size.height)))
    gtk_popover_set_pointing_to(pointer(), &place)
    gtk_popover_popup(pointer())
  }

  /// Called each time when it is on screen with everything in its place: before that nothing in it can be scrolled to.
  public func onDrawn<Owner: SignalOwner>(_ owner: Owner, _ body: @escaping @MainActor (Owner) -> Void) {
    onShown(self) { [weak owner] popover in
      popover.forgetDrawing()
      popover.drawing = popover.onFrame(popover) { popover in
        popover.forgetDrawing()
        if let owner, !owner.scope.isClosed, popover.isMapped { body(owner) }
      }
    }
    onHidden(self) { $0.forgetDrawing() }
  }

  private func forgetDrawing() {
    drawing?.disconnect()
    drawing = nil
  }

  /// Later, since the toolkit still notifies others of the closing, and focuses the first button that it finds.
  private func closed() {
    MainLoop.after(seconds: 0) { [weak self] in
      guard let self, !isVisible else { return }
      takeBack()
      restoreFocus()
    }
  }

  /// A page that goes off screen, or away, takes no open popover with it.
  private func takeBack() {
    guard gtk_widget_get_parent(widget) != nil else { return }
    gtk_popover_popdown(pointer())
    gtk_widget_unparent(widget)
  }

  /// Closes it, such as after a choice. The focus is back in its place before the choice is carried out, which may move it.
  public func close() {
    gtk_popover_popdown(pointer())
    restoreFocus()
  }

  private func restoreFocus() {
    focus?.restore()
    focus = nil
  }
}

/// A button that opens a ``Popover``.
@MainActor public final class MenuButton: Widget {
  /// - Parameters:
  ///   - name: what is behind it, for screen readers and as tooltip.
  public init(icon: Icon, name: String, popover: Popover, styles: [Style] = [.flat]) {
    words = nil
    super.init(made: UnsafeMutableRawPointer(gtk_menu_button_new()))
    gtk_menu_button_set_icon_name(opaque, icon.name)
    gtk_menu_button_set_popover(opaque, popover.widget)
    setAccessibleName(name)
    tooltip = name
    // The frame belongs to a button within, which the class does not reach.
    gtk_menu_button_set_has_frame(opaque, styles.contains(.flat) ? 0 : 1)
    for style in styles { setStyle(style) }
  }

  /// With a text and an arrow.
  /// - Parameter name: what is behind it, for screen readers.
  public init(_ label: String, name: String, popover: Popover, styles: [Style] = []) {
    let words = Label(label, lines: 1)
    words.setMaximumWidth(characters: 28)
    words.setMinimumWidth(characters: 6)
    self.words = words
    super.init(made: UnsafeMutableRawPointer(gtk_menu_button_new()))
    gtk_menu_button_set_child(opaque, words.widget)
    gtk_menu_button_set_always_show_arrow(opaque, 1)
    gtk_menu_button_set_popover(opaque, popover.widget)
    setAccessibleName(name)
    for style in styles { setStyle(style) }
  }

  /// The text on it, which is cut where it is long; the name stays.
  public var label: String {
    get { words?.text ?? "" }
    set { words?.text = newValue }
  }
  private let words: Label?

  /// Opens the menu.
  public func open() { gtk_menu_button_popup(opaque) }
  /// Closes the menu.
  public func close() { gtk_menu_button_popdown(opaque) }
}
