import CGtk
import CGtkShims

/// One child that may be larger than its room.
@MainActor public final class ScrolledWindow: Widget {
  /// - Parameter scrollsHorizontally: otherwise the child gets the width there is.
  public init(_ child: Widget? = nil, scrollsHorizontally: Bool = false) {
    super.init(made: UnsafeMutableRawPointer(gtk_scrolled_window_new()))
    gtk_scrolled_window_set_policy(
      opaque, scrollsHorizontally ? GTK_POLICY_AUTOMATIC : GTK_POLICY_NEVER, GTK_POLICY_AUTOMATIC)
    self.child(child)
    expandsVertically = true
  }

  /// Puts a child in the place of the present one.
  public func child(_ child: Widget?) { gtk_scrolled_window_set_child(opaque, child?.widget) }

  /// Lets the keyboard scroll it as a text is read: the space bar a page, the arrows a line, Home and End to the ends.
  ///
  /// The focus has to be in it, and the focused widget gets keys first: the space bar presses a button.
  /// - Parameter arrowsFirst: whether the arrows, Home and End scroll wherever the focus is. A label takes them where it has a link, for a
  ///   caret that is not drawn. Not for a page with fields to type in.
  public func scrollsByKeyboard(arrowsFirst: Bool = false) {
    addScrolling([("space", GTK_SCROLL_PAGE_DOWN), ("<Shift>space", GTK_SCROLL_PAGE_UP)], GTK_PHASE_BUBBLE)
    addScrolling(
      [("Down", GTK_SCROLL_STEP_DOWN), ("Up", GTK_SCROLL_STEP_UP), ("Home", GTK_SCROLL_START), ("End", GTK_SCROLL_END)],
      arrowsFirst ? GTK_PHASE_CAPTURE : GTK_PHASE_BUBBLE)
  }

  private func addScrolling(_ steps: [(String, GtkScrollType)], _ phase: GtkPropagationPhase) {
    let controller = checked(gtk_shortcut_controller_new())
    gtk_event_controller_set_propagation_phase(controller, phase)
    for (key, step) in steps { gtk_shortcut_controller_add_shortcut(controller, Self.shortcut(key, step)) }
    gtk_widget_add_controller(widget, controller)
  }

  /// - Returns: what scrolls vertically by a key; the caller owns it.
  private static func shortcut(_ key: String, _ step: GtkScrollType) -> OpaquePointer {
    let shortcut = checked(gtk_shortcut_new(gtk_shortcut_trigger_parse_string(key), gtk_signal_action_new("scroll-child")))
    let arguments: [OpaquePointer?] = [g_variant_new_int32(Int32(step.rawValue)), g_variant_new_boolean(0)]
    arguments.withUnsafeBufferPointer {
      gtk_shortcut_set_arguments(shortcut, g_variant_new_tuple(UnsafeMutablePointer(mutating: $0.baseAddress), gsize($0.count)))
    }
    return shortcut
  }

  /// Lets the keys that scroll by a page and to the ends do so from everything else in a page too, such as a bar below the scrolled part, where
  /// nothing takes them. The toolkit offers a key to the focused widget and to what is around that, and the scrolled part is not around a bar.
  /// - Parameter page: what is around it; without fields to type in.
  public func takesKeys<Owner: SignalOwner>(of page: Widget, _ owner: Owner) {
    let steps = [
      ("Page_Down", GTK_SCROLL_PAGE_DOWN), ("Page_Up", GTK_SCROLL_PAGE_UP), ("Home", GTK_SCROLL_START), ("End", GTK_SCROLL_END),
    ]
    for (key, step) in steps {
      for key in [key, "KP_\(key)"] {
        let shortcut = Object(made: UnsafeMutableRawPointer(Self.shortcut(key, step)))
        page.addShortcut(key, owner, inside: true, when: { [weak self] _ in self?.isMapped == true }) { [weak self] _ in
          self?.scroll(by: shortcut)
        }
      }
    }
  }

  /// As if the key had been pressed within it.
  private func scroll(by shortcut: Object) {
    guard let action = gtk_shortcut_get_action(shortcut.opaque) else { return }
    gtk_shortcut_action_activate(action, GtkShortcutActionFlags(0), widget, gtk_shortcut_get_arguments(shortcut.opaque))
  }

  /// From the window itself Tab leads out, past everything in it.
  override var keyboardHolder: UnsafeMutablePointer<GtkWidget> { gtk_scrolled_window_get_child(opaque) ?? widget }

  /// How far down it is scrolled, in pixels. A value out of range is brought into it.
  public var position: Double {
    get { gtk_adjustment_get_value(gtk_scrolled_window_get_vadjustment(opaque)) }
    set { gtk_adjustment_set_value(gtk_scrolled_window_get_vadjustment(opaque), newValue) }
  }

  /// The place of a widget in it: its distance below the upper edge of the visible part, and its height; `nil` before the first layout.
  public func place(of content: Widget) -> (top: Double, height: Double)? { place(of: content.widget) }

  private func place(of content: UnsafeMutablePointer<GtkWidget>) -> (top: Double, height: Double)? {
    var area = graphene_rect_t()
    // The whole of what scrolls stays where it is until the next layout.
    guard let viewport = gtk_scrolled_window_get_child(opaque), let whole = gtk_widget_get_first_child(viewport),
      gtk_widget_compute_bounds(content, whole, &area) != 0, gtk_widget_get_width(content) > 0
    else { return nil }
    return (Double(area.origin.y) - position, Double(area.size.height))
  }

  /// Called when it is scrolled up or down, by a person or by the app.
  public func onScrolled<Owner: SignalOwner>(_ owner: Owner, _ body: @escaping @MainActor (Owner) -> Void) {
    adjustment.connect("value-changed", owner: owner, body)
  }

  /// Called when a key leads to the end, before it is scrolled there.
  public func onKeyToEnd<Owner: SignalOwner>(_ owner: Owner, _ body: @escaping @MainActor (Owner) -> Void) {
    connect("scroll-child", .scrollType, owner: owner, absent: false) { owner, type in
      if type == GTK_SCROLL_END { body(owner) }
      return false
    }
  }

  /// Called after each layout in which what can be scrolled, or the room for it, became higher or lower; before that is painted, so that a
  /// person sees no jump if the handler scrolls.
  public func onResized<Owner: SignalOwner>(_ owner: Owner, _ body: @escaping @MainActor (Owner) -> Void) {
    var isResized = false
    adjustment.connect("changed", owner: owner) { _ in isResized = true }
    onLayout(owner) { [weak self] owner in
      guard isResized else { return }
      isResized = false
      if let self { laidOutSurplus = surplus }
      body(owner)
    }
  }

  /// Whether a layout is under way in which that changed, where ``onResized(_:_:)`` has a handler: it may bring the position into a smaller
  /// range, without a person scrolling.
  public var isBeingResized: Bool { surplus != laidOutSurplus }
  private var laidOutSurplus = 0.0
  /// How much longer than the room for it is what can be scrolled, in pixels.
  private var surplus: Double {
    let adjustment = gtk_scrolled_window_get_vadjustment(opaque)
    return gtk_adjustment_get_upper(adjustment) - gtk_adjustment_get_page_size(adjustment)
  }

  /// Called when less than a page and a half is left below, also because what is there does not fill the window: time to add more.
  public func onNearEnd<Owner: SignalOwner>(_ owner: Owner, _ body: @escaping @MainActor (Owner) -> Void) {
    var isCalled = false
    for signal in ["value-changed", "changed"] {
      adjustment.connect(signal, owner: owner) { [weak self] owner in
        guard let self, !isCalled, isNearEnd else { return }
        isCalled = true
        // The end comes near in the middle of a layout, where nothing may change.
        MainLoop.after(seconds: 0) { [weak owner] in
          isCalled = false
          if let owner, !owner.scope.isClosed { body(owner) }
        }
      }
    }
  }

  private var isNearEnd: Bool {
    let adjustment = gtk_scrolled_window_get_vadjustment(opaque)
    let page = gtk_adjustment_get_page_size(adjustment)
    return page > 0 && surplus - position < page * 1.5
  }

  /// Keeps the focused widget in sight when less room is left, as when something appears below it. A widget that was scrolled out of sight
  /// before stays there.
  public func keepFocusInSight<Owner: SignalOwner>(_ owner: Owner) {
    onResized(owner) { [weak self] _ in self?.showFocus() }
  }

  private var formerHeight = 0

  private func showFocus() {
    let (former, now) = (Double(formerHeight), Double(height))
    formerHeight = height
    guard now < former, let root = gtk_widget_get_root(widget), let focus = gtk_root_get_focus(root),
      gtk_widget_is_ancestor(focus, widget) != 0, focus != keyboardHolder, let place = place(of: focus)
    else { return }
    // With the ring around it.
    let end = place.top + place.height + 6
    if end > now, end <= former + 6 { position += min(end - now, max(0, place.top)) }
  }

  private var adjustment: Object { Object(borrowed: UnsafeMutableRawPointer(gtk_scrolled_window_get_vadjustment(opaque))) }
}

/// One child at its own size, which scrolls sideways where there is less room than that.
@MainActor public final class WideScroller: Widget {

  /// As high as the child.
  public init(_ child: Widget) {
    super.init(made: UnsafeMutableRawPointer(gtk_scrolled_window_new()))
    gtk_scrolled_window_set_policy(opaque, GTK_POLICY_AUTOMATIC, GTK_POLICY_NEVER)
    // For the bar, which is drawn above the child.
    gtk_widget_set_margin_bottom(child.widget, 8)
    gtk_scrolled_window_set_child(opaque, child.widget)
    if let viewport = gtk_scrolled_window_get_child(opaque), viewport != child.widget {
      gtk_scrollable_set_hscroll_policy(OpaquePointer(viewport), GTK_SCROLL_NATURAL)
    }
    // In GTK 4.8 it would keep the wheel to itself, and a page could not be scrolled past it.
    let wheel = addWheel()
    // Not in a scope: this object may go long before the toolkit's widget, which owns the controller.
    let widget = widget
    let handler = Handler<(x: Double, y: Double, inPixels: Bool), Bool> { Self.passOn($0.y, from: widget, inPixels: $0.inPixels) }
    let callback = Trampoline<(x: Double, y: Double, inPixels: Bool), Bool>.scroll.callback
    g_signal_connect_data(wheel.raw, "scroll", callback, handler.retained, releaseClosure, GConnectFlags(rawValue: 0))
  }

  /// - Returns: whether there is a page that scrolls.
  private static func passOn(_ distance: Double, from widget: UnsafeMutablePointer<GtkWidget>, inPixels: Bool) -> Bool {
    guard distance != 0, let parent = gtk_widget_get_parent(widget),
      let page = gtk_widget_get_ancestor(parent, gtk_scrolled_window_get_type())
    else { return false }
    gtk_scrolled_window_get_vadjustment(OpaquePointer(page)).turn(distance, inPixels: inPixels)
    return true
  }
}

extension UnsafeMutablePointer<GtkAdjustment> {
  /// Moves as far as GTK does for a turn of the wheel.
  func turn(_ distance: Double, inPixels: Bool) {
    let step = inPixels ? 1 : pow(gtk_adjustment_get_page_size(self), 2.0 / 3)
    gtk_adjustment_set_value(self, gtk_adjustment_get_value(self) + distance * step)
  }
}

/// One child at its own height, which scrolls where there is less room than that.
@MainActor public final class FittingScroller: Widget {
  private let scroller: ScrolledWindow

  /// As wide as the child, too.
  /// - Parameter tallest: how high it becomes, in pixels, also where there is more room; `nil` for any height.
  public init(_ child: Widget, tallest: Int? = nil) {
    scroller = ScrolledWindow(child)
    super.init(made: UnsafeMutableRawPointer(matinee_clamp_new(0, 0)))
    gtk_scrolled_window_set_propagate_natural_width(scroller.opaque, 1)
    scroller.expandsVertically = false
    matinee_clamp_set_child(widget, scroller.widget)
    matinee_clamp_set_content(widget, child.widget)
    if let tallest { matinee_clamp_set_max_height(widget, Int32(tallest)) }
  }

  override var keyboardHolder: UnsafeMutablePointer<GtkWidget> { scroller.keyboardHolder }

  /// How far down it is scrolled, in pixels. A value out of range is brought into it.
  public var position: Double {
    get { scroller.position }
    set { scroller.position = newValue }
  }

  /// Scrolls while the mouse drags a selection past its edge.
  public func scrolls(with selection: SelectionArea) { selection.scroller = scroller }

  /// Lets the keyboard scroll it, which goes to it as a whole where nothing in it takes the keyboard.
  /// - Parameter name: for screen readers.
  public func scrollsByKeyboard(name: String) {
    scroller.scrollsByKeyboard()
    scroller.setAccessibleName(name)
    scroller.setStyle("read-by-keyboard")
  }
}
