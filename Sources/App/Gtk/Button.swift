import CGtk
import CGtkShims

/// A button. It changes nothing by itself: all that it shows comes from a state, also whether it is on.
@MainActor public final class Button: Widget {
  /// A button with a text on it.
  public init(_ label: String, styles: [Style] = []) {
    super.init(made: UnsafeMutableRawPointer(gtk_button_new_with_label(label)))
    wrapLabel()
    setAccessibleName(label)
    for style in styles { setStyle(style) }
  }

  /// With an icon.
  /// - Parameter name: what it does, for screen readers and as tooltip.
  public init(icon: Icon, name: String, styles: [Style] = [.flat]) {
    super.init(made: UnsafeMutableRawPointer(gtk_button_new_from_icon_name(icon.name)))
    setAccessibleName(name)
    tooltip = name
    for style in styles { setStyle(style) }
  }

  /// With any content.
  /// - Parameter name: what it does, for screen readers.
  public init(_ child: Widget, name: String, styles: [Style] = []) {
    super.init(made: UnsafeMutableRawPointer(gtk_button_new()))
    gtk_button_set_child(pointer(), child.widget)
    setAccessibleName(name)
    for style in styles { setStyle(style) }
  }

  /// The text; setting it replaces an icon or other content, and the name.
  public var label: String {
    get { string(gtk_button_get_label(pointer())) ?? "" }
    set {
      guard newValue != label else { return }
      gtk_button_set_label(pointer(), newValue.withoutNull)
      wrapLabel()
      setAccessibleName(newValue)
    }
  }

  /// Between words, where the desktop wants text to be so large that a narrow window has no room for all of them in a line.
  private func wrapLabel() { Self.wrapLabel(of: pointer()) }

  /// Does so in all windows, for those that were made when text was smaller.
  static func wrapLabelsOfWindows() {
    guard Theme.textScale > 1.2 else { return }
    func wrap(_ widget: UnsafeMutablePointer<GtkWidget>) {
      if matinee_is_a(widget, gtk_button_get_type()) != 0 {
        wrapLabel(of: UnsafeMutableRawPointer(widget).assumingMemoryBound(to: GtkButton.self))
      }
      var child = gtk_widget_get_first_child(widget)
      while let present = child {
        wrap(present)
        child = gtk_widget_get_next_sibling(present)
      }
    }
    let windows = gtk_window_get_toplevels()
    for place in 0..<g_list_model_get_n_items(windows) {
      guard let window = g_list_model_get_object(windows, place) else { continue }
      wrap(UnsafeMutableRawPointer(window).assumingMemoryBound(to: GtkWidget.self))
      g_object_unref(window)
    }
  }

  private static func wrapLabel(of button: UnsafeMutablePointer<GtkButton>) {
    guard Theme.textScale > 1.2, let child = gtk_button_get_child(button), matinee_is_a(child, gtk_label_get_type()) != 0 else { return }
    let label = OpaquePointer(child)
    gtk_label_set_wrap(label, 1)
    gtk_label_set_natural_wrap_mode(label, GTK_NATURAL_WRAP_NONE)
    gtk_label_set_justify(label, GTK_JUSTIFY_CENTER)
  }

  /// Puts an icon in the place of what is shown.
  public func setIcon(_ icon: Icon) {
    if string(gtk_button_get_icon_name(pointer())) != icon.name { gtk_button_set_icon_name(pointer(), icon.name) }
  }
  /// Where its content stands in a button that is wider. `.center` at first.
  public var contentAlignment: Alignment = .center {
    didSet { if let child = gtk_button_get_child(pointer()) { gtk_widget_set_halign(child, contentAlignment.native) } }
  }
  /// Puts any content in the place of what is shown.
  public func child(_ child: Widget?) { gtk_button_set_child(pointer(), child?.widget) }

  /// Draws it as on or off. A click never does: only this.
  public var isOn: Bool = false {
    didSet {
      guard isOn != oldValue || !saysPressed else { return }
      saysPressed = true
      setStyle(.on, isOn)
      setAccessiblePressed(isOn)
    }
  }
  private var saysPressed = false

  /// Called when it was pressed.
  @discardableResult public func onClicked<Owner: SignalOwner>(_ owner: Owner, _ body: @escaping @MainActor (Owner) -> Void)
    -> SignalConnection
  {
    connect("clicked", owner: owner, body)
  }

  /// Emits `clicked`, as a press does; for tests.
  public func click() { if isSensitive { matinee_emit(raw, "clicked") } }
}
