import CGtk

/// A small surface that a button opens.
@MainActor public final class Popover: Widget {
  /// - Parameter child: what is on it.
  public init(_ child: Widget) {
    super.init(made: UnsafeMutableRawPointer(gtk_popover_new()))
    gtk_popover_set_child(pointer(), child.widget)
  }

  /// Closes it, as after a choice.
  public func close() { gtk_popover_popdown(pointer()) }
}

/// A button that opens a ``Popover``.
@MainActor public final class MenuButton: Widget {
  /// - Parameter name: what is behind it, for screen readers and as tooltip.
  public init(icon: Icon, name: String, popover: Popover, styles: [Style] = [.flat]) {
    super.init(made: UnsafeMutableRawPointer(gtk_menu_button_new()))
    gtk_menu_button_set_icon_name(opaque, icon.name)
    gtk_menu_button_set_popover(opaque, popover.widget)
    setAccessibleName(name)
    tooltip = name
    // The frame belongs to a button within, which the class does not reach.
    gtk_menu_button_set_has_frame(opaque, styles.contains(.flat) ? 0 : 1)
    for style in styles { setStyle(style) }
  }

  /// Opens it.
  public func open() { gtk_menu_button_popup(opaque) }
  /// Closes it.
  public func close() { gtk_menu_button_popdown(opaque) }
}
