import CGtk

/// The widget in a page that has the focus, to restore it when the page is shown again.
@MainActor public struct RememberedFocus {
  private let focused: Object
  private let page: Widget

  /// - Parameter page: which the widget is in.
  /// - Returns: nil when the keyboard is elsewhere.
  public init?(in page: Widget) {
    let widget = gtk_widget_get_root(page.widget).flatMap { gtk_root_get_focus($0) }
    guard let widget, gtk_widget_is_ancestor(widget, page.widget) != 0 else { return nil }
    focused = Object(borrowed: UnsafeMutableRawPointer(widget))
    self.page = page
  }

  /// Gives the keyboard back.
  /// - Returns: false when the widget is gone from the page, or cannot have the focus.
  @discardableResult public func restore() -> Bool {
    guard gtk_widget_is_ancestor(focused.pointer(), page.widget) != 0 else { return false }
    // One that held it would hand it on to the first widget in it.
    if gtk_widget_get_focusable(focused.pointer()) == 0, gtk_widget_get_mapped(focused.pointer()) != 0,
      let root = gtk_widget_get_root(page.widget)
    {
      gtk_root_set_focus(root, focused.pointer())
      return true
    }
    return gtk_widget_grab_focus(focused.pointer()) != 0
  }
}
