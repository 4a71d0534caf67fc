import CGtk
import CGtkShims
import Foundation

/// Children side by side or one below the other.
@MainActor public final class Box: Widget {
  /// - Parameters:
  ///   - spacing: between children, in pixels.
  ///   - margin: around the whole, in pixels.
  public init(
    _ orientation: Orientation = .vertical, spacing: Int = 0, margin: Int = 0, styles: [Style] = [], children: [Widget] = []
  ) {
    super.init(made: UnsafeMutableRawPointer(gtk_box_new(orientation.native, Int32(spacing))))
    if margin > 0 { setMargin(margin) }
    for style in styles { setStyle(style) }
    for child in children { append(child) }
  }

  /// Children one below the other, on stripes of plain colors.
  /// - Parameters:
  ///   - columns: of equal width.
  ///   - rows: of equal height, above the columns.
  public init(columns: [Color], rows: [Color], styles: [Style], children: [Widget]) {
    let (columns, rows) = (columns.map(\.native), rows.map(\.native))
    super.init(made: UnsafeMutableRawPointer(matinee_stripes_new(columns, UInt32(columns.count), rows, UInt32(rows.count))))
    for style in styles { setStyle(style) }
    for child in children { append(child) }
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
  public func replaceAll(_ children: [Widget]) {
    // GTK 4.8 never asks again whether an empty box on a covered page has lines that wrap, unless the box was measured in between.
    gtk_widget_measure(widget, GTK_ORIENTATION_HORIZONTAL, -1, nil, nil, nil, nil)
    removeAll()
    for child in children { append(child) }
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
  public init(_ child: Widget, above: [Widget] = []) {
    super.init(made: UnsafeMutableRawPointer(matinee_overlay_new()))
    gtk_overlay_set_child(opaque, child.widget)
    for widget in above { add(widget) }
  }

  /// Draws one more above those already there, placed by its alignment.
  public func add(_ widget: Widget) { gtk_overlay_add_overlay(opaque, widget.widget) }
  /// Takes one out; does nothing when it is not one of those above.
  public func remove(_ child: Widget) {
    if gtk_widget_get_parent(child.widget) == widget { gtk_overlay_remove_overlay(opaque, child.widget) }
  }
  /// Whether something else than `child` stands at the lower edge.
  public func hasMore(atTheEndBeside child: Widget) -> Bool {
    var next = gtk_widget_get_first_child(widget)
    while let other = next {
      if other != child.widget, gtk_widget_get_mapped(other) != 0, gtk_widget_get_valign(other) == GTK_ALIGN_END { return true }
      next = gtk_widget_get_next_sibling(other)
    }
    return false
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
    // The toolkit would move the focus to the first button of the new child, which the next Enter would press.
    if hasFocus { holdKeyboard() }
    let transition = atOnce ? GTK_STACK_TRANSITION_TYPE_NONE : gtk_stack_get_transition_type(opaque)
    gtk_stack_set_visible_child_full(opaque, name, transition)
    hideCoveredPages()
    return true
  }
  /// Whether a stack in a widget holds the keyboard since it showed another child: something of that child is to take it.
  public static func holdsKeyboard(in widget: Widget) -> Bool {
    guard let root = gtk_widget_get_root(widget.widget), let focus = gtk_root_get_focus(root) else { return false }
    return matinee_is_a(focus, gtk_stack_get_type()) != 0 && gtk_widget_is_ancestor(focus, widget.widget) != 0
  }
  /// The name of the child that is shown.
  public var visibleName: String? { string(gtk_stack_get_visible_child_name(opaque)) }

  /// Whether one child fades into another at this moment.
  public var isTransitionRunning: Bool { gtk_stack_get_transition_running(opaque) != 0 }
  /// Called when one child begins to fade into another, and when it is done.
  @discardableResult public func onTransitionRunningChanged<Owner: SignalOwner>(
    _ owner: Owner, _ body: @escaping @MainActor (Owner) -> Void
  ) -> SignalConnection {
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

/// A line between parts.
@MainActor public final class Separator: Widget {
  /// - Parameter orientation: of the line itself.
  public init(_ orientation: Orientation = .horizontal) {
    super.init(made: UnsafeMutableRawPointer(gtk_separator_new(orientation.native)))
  }
}
