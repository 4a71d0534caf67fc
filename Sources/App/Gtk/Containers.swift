import CGtk
import CGtkShims
import Foundation

/// Collects children: `Box(.vertical) { title; if wide { picture }; for row in rows { row } }`.
@MainActor @resultBuilder public enum WidgetBuilder {
  /// One child.
  public static func buildExpression(_ widget: Widget) -> [Widget] { [widget] }
  /// The root of a view.
  public static func buildExpression(_ view: some View) -> [Widget] { [view.root] }
  /// Several children.
  public static func buildExpression(_ widgets: [Widget]) -> [Widget] { widgets }
  /// All of them, in order.
  public static func buildBlock(_ parts: [Widget]...) -> [Widget] { parts.flatMap { $0 } }
  /// Children that may be missing.
  public static func buildOptional(_ widgets: [Widget]?) -> [Widget] { widgets ?? [] }
  /// The first branch.
  public static func buildEither(first widgets: [Widget]) -> [Widget] { widgets }
  /// The other branch.
  public static func buildEither(second widgets: [Widget]) -> [Widget] { widgets }
  /// Children from a loop.
  public static func buildArray(_ parts: [[Widget]]) -> [Widget] { parts.flatMap { $0 } }
}

/// Children side by side or one below the other.
@MainActor public final class Box: Widget {
  /// - Parameters:
  ///   - spacing: between children, in pixels.
  ///   - margin: around the whole, in pixels.
  ///   - children: as an array where a closure may not be written: in an initializer that has not set all of its own members.
  public init(
    _ orientation: Orientation = .vertical, spacing: Int = 0, margin: Int = 0, styles: [Style] = [], children: [Widget]
  ) {
    super.init(made: UnsafeMutableRawPointer(gtk_box_new(orientation.native, Int32(spacing))))
    if margin > 0 { setMargin(margin) }
    for style in styles { setStyle(style) }
    for child in children { append(child) }
  }

  /// The same with a builder: `Box(.vertical, spacing: 6) { title; if wide { picture } }`.
  public convenience init(
    _ orientation: Orientation = .vertical, spacing: Int = 0, margin: Int = 0, styles: [Style] = [],
    @WidgetBuilder _ children: () -> [Widget] = { [] }
  ) {
    self.init(orientation, spacing: spacing, margin: margin, styles: styles, children: children())
  }

  /// Adds children at the end.
  public func append(_ children: Widget...) { for child in children { gtk_box_append(pointer(), child.widget) } }
  /// Adds a child at the beginning.
  public func prepend(_ child: Widget) { gtk_box_prepend(pointer(), child.widget) }
  /// Takes a child out; does nothing when it is not one.
  public func remove(_ child: Widget) {
    if gtk_widget_get_parent(child.widget) == widget { gtk_box_remove(pointer(), child.widget) }
  }
  /// Takes all children out.
  public func removeAll() { while let child = gtk_widget_get_first_child(widget) { gtk_box_remove(pointer(), child) } }
  /// Puts these children in the place of all others.
  public func replaceAll(@WidgetBuilder _ children: () -> [Widget]) {
    // GTK 4.8 never asks again whether an empty box on a covered page has lines that wrap, unless the box was measured in between.
    gtk_widget_measure(widget, GTK_ORIENTATION_HORIZONTAL, -1, nil, nil, nil, nil)
    removeAll()
    for child in children() { append(child) }
  }
  /// Whether every child gets as much room as the largest.
  public var isHomogeneous: Bool {
    get { gtk_box_get_homogeneous(pointer()) != 0 }
    set { gtk_box_set_homogeneous(pointer(), newValue ? 1 : 0) }
  }
}

/// A child, and others drawn above it.
@MainActor public final class Overlay: Widget {
  /// - Parameters:
  ///   - child: the one that decides the size.
  ///   - above: the last one is on top.
  public init(_ child: Widget, above: [Widget]) {
    super.init(made: UnsafeMutableRawPointer(matinee_overlay_new()))
    gtk_overlay_set_child(opaque, child.widget)
    for widget in above { add(widget) }
  }

  /// The same with a builder.
  public convenience init(_ child: Widget, @WidgetBuilder above: () -> [Widget] = { [] }) { self.init(child, above: above()) }

  /// Draws one more above those already there, placed by its alignment.
  public func add(_ widget: Widget) { gtk_overlay_add_overlay(opaque, widget.widget) }
  /// Takes one out; does nothing when it is not one of those above.
  public func remove(_ child: Widget) {
    if gtk_widget_get_parent(child.widget) == widget { gtk_overlay_remove_overlay(opaque, child.widget) }
  }
}

/// One child at a time, by name.
@MainActor public final class Stack: Widget {
  /// - Parameter crossfades: whether one fades into the other (150 ms, unless the desktop wants no animations).
  public init(crossfades: Bool = false) {
    super.init(made: UnsafeMutableRawPointer(gtk_stack_new()))
    gtk_stack_set_transition_type(opaque, crossfades ? GTK_STACK_TRANSITION_TYPE_CROSSFADE : GTK_STACK_TRANSITION_TYPE_NONE)
    gtk_stack_set_transition_duration(opaque, 150)
    gtk_stack_set_hhomogeneous(opaque, 0)
    gtk_stack_set_vhomogeneous(opaque, 0)
  }

  /// Adds a child; the first one is shown.
  /// - Returns: false when the name is taken, and then nothing is added.
  @discardableResult public func add(_ child: Widget, name: String) -> Bool {
    guard gtk_stack_get_child_by_name(opaque, name) == nil else { return false }
    gtk_stack_add_named(opaque, child.widget, name)
    hideCoveredPages()
    return true
  }
  /// Takes a child out; does nothing when it is not one.
  public func remove(_ child: Widget) {
    if gtk_widget_get_parent(child.widget) == widget { gtk_stack_remove(opaque, child.widget) }
  }
  /// Takes out the child of that name; false when there is none.
  @discardableResult public func remove(name: String) -> Bool {
    guard let child = gtk_stack_get_child_by_name(opaque, name) else { return false }
    gtk_stack_remove(opaque, child)
    return true
  }
  /// Whether there is a child of that name.
  public func contains(_ name: String) -> Bool { gtk_stack_get_child_by_name(opaque, name) != nil }
  /// Shows the child of that name; false when there is none, and then nothing changes.
  /// - Parameter atOnce: whether nothing fades.
  @discardableResult public func show(_ name: String, atOnce: Bool = false) -> Bool {
    guard contains(name) else { return false }
    guard visibleName != name else { return true }
    let transition = atOnce ? GTK_STACK_TRANSITION_TYPE_NONE : gtk_stack_get_transition_type(opaque)
    gtk_stack_set_visible_child_full(opaque, name, transition)
    hideCoveredPages()
    return true
  }
  /// The name of the child that is shown.
  public var visibleName: String? { string(gtk_stack_get_visible_child_name(opaque)) }

  /// Whether one child fades into another at this moment.
  public var isTransitionRunning: Bool { gtk_stack_get_transition_running(opaque) != 0 }
  /// Called when one child begins to fade into another, and when it is done.
  @discardableResult public func onTransitionRunningChanged<Owner: SignalOwner>(
    _ owner: Owner, _ body: @escaping @MainActor (Owner) -> Void
  ) -> Connection {
    connect("notify::transition-running", .notify, owner: owner, absent: ()) { owner, _ in body(owner) }
  }

  /// Otherwise a screen reader finds the login on every page that comes after it.
  private func hideCoveredPages() {
    let shown = gtk_stack_get_visible_child(opaque)
    var child = gtk_widget_get_first_child(widget)
    while let page = child {
      matinee_accessible_set_state(OpaquePointer(page), GTK_ACCESSIBLE_STATE_HIDDEN, page == shown ? 0 : 1)
      child = gtk_widget_get_next_sibling(page)
    }
  }
}

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
  /// The keyboard has to be in it, and what it is on comes first: the space bar presses a button.
  /// - Parameter arrowsFirst: whether the arrows, Home and End scroll whatever the keyboard is on. A label takes them where it has a link,
  ///   for a caret that nobody sees. Not for a page with fields to type in.
  public func scrollsByKeyboard(arrowsFirst: Bool = false) {
    addScrolling([("space", GTK_SCROLL_PAGE_DOWN), ("<Shift>space", GTK_SCROLL_PAGE_UP)], GTK_PHASE_BUBBLE)
    addScrolling(
      [("Down", GTK_SCROLL_STEP_DOWN), ("Up", GTK_SCROLL_STEP_UP), ("Home", GTK_SCROLL_START), ("End", GTK_SCROLL_END)],
      arrowsFirst ? GTK_PHASE_CAPTURE : GTK_PHASE_BUBBLE)
  }

  private func addScrolling(_ steps: [(String, GtkScrollType)], _ phase: GtkPropagationPhase) {
    let controller = checked(gtk_shortcut_controller_new())
    gtk_event_controller_set_propagation_phase(controller, phase)
    for (key, step) in steps {
      let shortcut = checked(gtk_shortcut_new(gtk_shortcut_trigger_parse_string(key), gtk_signal_action_new("scroll-child")))
      // Vertically.
      let arguments: [OpaquePointer?] = [g_variant_new_int32(Int32(step.rawValue)), g_variant_new_boolean(0)]
      arguments.withUnsafeBufferPointer {
        gtk_shortcut_set_arguments(shortcut, g_variant_new_tuple(UnsafeMutablePointer(mutating: $0.baseAddress), gsize($0.count)))
      }
      gtk_shortcut_controller_add_shortcut(controller, shortcut)
    }
    gtk_widget_add_controller(widget, controller)
  }

  /// From the window itself Tab leads out, past everything in it.
  override var keyboardHolder: UnsafeMutablePointer<GtkWidget> { gtk_scrolled_window_get_child(opaque) ?? widget }

  /// How far down it is scrolled, in pixels. A value out of range is brought into it.
  public var position: Double {
    get { gtk_adjustment_get_value(gtk_scrolled_window_get_vadjustment(opaque)) }
    set { gtk_adjustment_set_value(gtk_scrolled_window_get_vadjustment(opaque), newValue) }
  }

  /// Where something in it is: how far below the upper edge of what is seen, and how high; `nil` before the first layout.
  public func place(of content: Widget) -> (top: Double, height: Double)? { place(of: content.widget) }

  private func place(of content: UnsafeMutablePointer<GtkWidget>) -> (top: Double, height: Double)? {
    var area = graphene_rect_t()
    // The whole of what scrolls stays where it is until the next layout.
    guard let viewport = gtk_scrolled_window_get_child(opaque), let whole = gtk_widget_get_first_child(viewport),
      gtk_widget_compute_bounds(content, whole, &area) != 0, gtk_widget_get_width(content) > 0
    else { return nil }
    return (Double(area.origin.y) - position, Double(area.size.height))
  }

  /// Called when it is scrolled up or down, by whomever.
  public func onScrolled<Owner: SignalOwner>(_ owner: Owner, _ body: @escaping @MainActor (Owner) -> Void) {
    adjustment.connect("value-changed", owner: owner, body)
  }

  /// Called after each layout in which what can be scrolled, or the room for it, became higher or lower; before that is painted, so that
  /// who scrolls then is never seen to.
  public func onResized<Owner: SignalOwner>(_ owner: Owner, _ body: @escaping @MainActor (Owner) -> Void) {
    var isResized = false
    adjustment.connect("changed", owner: owner) { _ in isResized = true }
    onLayout(owner) { owner in
      guard isResized else { return }
      isResized = false
      body(owner)
    }
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
    let wheel = Object(made: UnsafeMutableRawPointer(gtk_event_controller_scroll_new(GTK_EVENT_CONTROLLER_SCROLL_VERTICAL)))
    gtk_event_controller_set_propagation_phase(wheel.opaque, GTK_PHASE_CAPTURE)
    gtk_widget_add_controller(widget, OpaquePointer(g_object_ref(wheel.raw)))
    // Not in a scope: this object may go long before the toolkit's own does, whose controller it is.
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
    let adjustment = gtk_scrolled_window_get_vadjustment(OpaquePointer(page))
    // As far as the page itself goes at one step of the wheel.
    let step = inPixels ? 1 : pow(gtk_adjustment_get_page_size(adjustment), 2.0 / 3)
    gtk_adjustment_set_value(adjustment, gtk_adjustment_get_value(adjustment) + distance * step)
    return true
  }
}

/// Children in rows and columns, each as high and wide as the largest in it.
@MainActor public final class Grid: Widget {
  /// - Parameter spacing: between children, in pixels.
  public init(spacing: Int = 0, styles: [Style] = []) {
    super.init(made: UnsafeMutableRawPointer(gtk_grid_new()))
    gtk_grid_set_row_spacing(pointer(), guint(spacing))
    gtk_grid_set_column_spacing(pointer(), guint(spacing))
    for style in styles { setStyle(style) }
  }

  /// Puts a child at a place; it may reach over several rows or columns.
  public func attach(_ child: Widget, column: Int, row: Int, columns: Int = 1, rows: Int = 1) {
    gtk_grid_attach(
      pointer(), child.widget, gint(clamping: column), gint(clamping: row), gint(clamping: max(1, columns)), gint(clamping: max(1, rows)))
  }
}

/// One child at its own height, which scrolls where there is less room than that.
@MainActor public final class FittingScroller: Widget {
  private let scroller: ScrolledWindow

  /// As wide as the child, too.
  /// - Parameter tallest: how high it becomes, in pixels, whatever room there is; `nil` for any height.
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

/// One child, centered and never wider than a limit, so that lines stay readable in a wide window.
@MainActor public final class Clamp: Widget {
  /// How wide the child becomes, in pixels.
  public var maximumWidth: Int { didSet { matinee_clamp_set_max_width(widget, Int32(maximumWidth)) } }

  /// - Parameter maximumWidth: in pixels.
  public init(maximumWidth: Int = 720, _ child: Widget? = nil) {
    self.maximumWidth = maximumWidth
    super.init(made: UnsafeMutableRawPointer(matinee_clamp_new(Int32(maximumWidth), 0)))
    self.child(child)
  }

  /// Puts a child in the place of the present one.
  public func child(_ child: Widget?) { matinee_clamp_set_child(widget, child?.widget) }
}

/// One child in a frame whose height follows from its width, such as a picture of 16 : 9.
@MainActor public final class RatioBox: Widget {
  /// - Parameters:
  ///   - ratio: width divided by height; must be above 0.
  ///   - maximumWidth: in pixels; nil for any.
  public init(ratio: Double, maximumWidth: Int? = nil, _ child: Widget) {
    super.init(made: UnsafeMutableRawPointer(matinee_clamp_new(Int32(maximumWidth ?? 0), max(ratio, 0.01))))
    clipsContent = true
    matinee_clamp_set_child(widget, child.widget)
  }

  /// Gives it another shape, such as that of a picture that has come.
  public func setShape(ratio: Double, maximumWidth: Int) { matinee_clamp_set_shape(widget, Int32(maximumWidth), max(ratio, 0.01)) }

  /// Called after it was given a place, and not while a list keeps it in reserve: time to load what belongs in it.
  @discardableResult public func onPlaced<Owner: SignalOwner>(_ owner: Owner, _ body: @escaping @MainActor (Owner) -> Void) -> Connection {
    connect("placed", owner: owner) { owner in
      // After the layout, in which no widget may change.
      MainLoop.after(seconds: 0) { [weak owner] in if let owner, !owner.scope.isClosed { body(owner) } }
    }
  }
}

/// Two children for the same place: the wide one where there is room for it, else the narrow one.
@MainActor public final class Either: Widget {
  /// - Parameters:
  ///   - wide: shown where its least width fits.
  ///   - narrow: shown otherwise; decides the least width.
  public init(wide: Widget, narrow: Widget) {
    super.init(made: UnsafeMutableRawPointer(matinee_either_new(wide.widget, narrow.widget)))
  }
}

/// Two children beside each other, or the second below the first where that would leave it too little room.
@MainActor public final class Wrap: Widget {
  /// - Parameters:
  ///   - first: takes what width the second leaves.
  ///   - second: as wide as it would like to be.
  ///   - least: how many pixels the first has to have beside the other; nil for as many as it would like.
  ///   - spacing: between the two, in pixels.
  ///   - shrinks: whether the second takes less than it would like to before it goes below.
  public init(_ first: Widget, _ second: Widget, least: Int? = nil, spacing: Int = 8, shrinks: Bool = false) {
    super.init(
      made: UnsafeMutableRawPointer(
        matinee_wrap_new(first.widget, second.widget, Int32(least ?? 0), Int32(spacing), shrinks ? 1 : 0)))
  }
}

/// A line between parts.
@MainActor public final class Separator: Widget {
  /// - Parameter orientation: of the line itself.
  public init(_ orientation: Orientation = .horizontal) {
    super.init(made: UnsafeMutableRawPointer(gtk_separator_new(orientation.native)))
  }
}

/// A child that slides into its place and out of sight, always at its full size. Takes the same room either way.
@MainActor public final class Slide: Widget {
  /// Where a child comes from and goes to.
  public enum Edge: Sendable {
    /// As a curtain lifts.
    case top
    /// As a message comes up.
    case bottom
  }

  /// Hidden at first.
  public init(_ child: Widget, from edge: Edge) {
    super.init(made: UnsafeMutableRawPointer(matinee_slide_new(child.widget, edge == .top ? 1 : 0)))
    setAccessibleHidden(true)
  }

  /// Whether the child is shown. It changes at once where the widget is not on screen, or the desktop wants no animations.
  public var isRevealed: Bool {
    get { matinee_slide_is_shown(widget) != 0 }
    set {
      matinee_slide_set_shown(widget, newValue ? 1 : 0)
      setAccessibleHidden(!newValue)
    }
  }
}
