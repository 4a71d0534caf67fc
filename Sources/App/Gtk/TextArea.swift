import CGtk

/// Several lines that a person types. Tab leaves it.
@MainActor public final class TextArea: Widget {
  private let view: Object
  private let buffer: Object
  private let hint: Label
  private var isSetting = false

  /// - Parameters:
  ///   - placeholder: shown while it is empty.
  ///   - name: what belongs in it, for screen readers.
  ///   - height: the most that it takes before it scrolls, in pixels.
  public init(placeholder: String = "", name: String, height: Int = 160) {
    let view = Object(made: UnsafeMutableRawPointer(gtk_text_view_new()))
    self.view = view
    buffer = Object(borrowed: UnsafeMutableRawPointer(gtk_text_view_get_buffer(view.pointer())))
    hint = Label(placeholder, styles: [.dim])
    super.init(made: UnsafeMutableRawPointer(gtk_overlay_new()))
    setStyle("text-area")
    clipsContent = true
    gtk_text_view_set_wrap_mode(view.pointer(), GTK_WRAP_WORD_CHAR)
    gtk_text_view_set_accepts_tab(view.pointer(), 0)
    for set in [gtk_text_view_set_top_margin, gtk_text_view_set_bottom_margin] { set(view.pointer(), 8) }
    for set in [gtk_text_view_set_left_margin, gtk_text_view_set_right_margin] { set(view.pointer(), 10) }
    Accessible.set(view.opaque, GTK_ACCESSIBLE_PROPERTY_LABEL) { g_value_set_string(&$0, name) }
    let scroller = Widget(made: UnsafeMutableRawPointer(gtk_scrolled_window_new()))
    gtk_scrolled_window_set_policy(scroller.opaque, GTK_POLICY_NEVER, GTK_POLICY_AUTOMATIC)
    gtk_scrolled_window_set_propagate_natural_height(scroller.opaque, 1)
    gtk_scrolled_window_set_max_content_height(scroller.opaque, gint(height))
    gtk_scrolled_window_set_child(scroller.opaque, view.pointer())
    gtk_overlay_set_child(opaque, scroller.widget)
    hint.horizontal = .start
    hint.vertical = .start
    hint.setMargins(horizontal: 10, vertical: 8)
    hint.takesClicks = false
    gtk_overlay_add_overlay(opaque, hint.widget)
  }

  /// What is in it. Setting it tells nobody: only what a person types is reported.
  public var text: String {
    get {
      var (start, end) = (GtkTextIter(), GtkTextIter())
      gtk_text_buffer_get_bounds(buffer.pointer(), &start, &end)
      return takenString(gtk_text_buffer_get_text(buffer.pointer(), &start, &end, 0)) ?? ""
    }
    set {
      guard newValue != text else { return }
      isSetting = true
      gtk_text_buffer_set_text(buffer.pointer(), newValue.withoutNull, -1)
      isSetting = false
      hint.isVisible = newValue.isEmpty
    }
  }

  /// Called with the text after each change that a person made.
  public func onChanged<Owner: SignalOwner>(_ owner: Owner, _ body: @escaping @MainActor (Owner, String) -> Void) {
    buffer.connect("changed", .plain, owner: owner, absent: ()) { [weak self] owner, _ in
      guard let self, !isSetting else { return }
      let text = text
      hint.isVisible = text.isEmpty
      body(owner, text)
    }
  }

  /// Called when Ctrl+Enter is pressed in it; Enter alone begins a line.
  public func onSubmit<Owner: SignalOwner>(_ owner: Owner, _ body: @escaping @MainActor (Owner) -> Void) {
    let keys = Object(made: UnsafeMutableRawPointer(gtk_event_controller_key_new()))
    // Before the field itself takes it for the end of a line.
    gtk_event_controller_set_propagation_phase(keys.opaque, GTK_PHASE_CAPTURE)
    gtk_widget_add_controller(view.pointer(), OpaquePointer(g_object_ref(keys.raw)))
    keys.connect("key-pressed", .key, owner: owner, absent: false) { owner, key in
      let isEnter = [GDK_KEY_Return, GDK_KEY_KP_Enter, GDK_KEY_ISO_Enter].contains(Int32(bitPattern: key.value))
      guard isEnter, key.modifiers & GDK_CONTROL_MASK.rawValue != 0 else { return false }
      body(owner)
      return true
    }
  }

  /// Puts the keyboard there.
  public func focusText() { gtk_widget_grab_focus(view.pointer()) }
}
