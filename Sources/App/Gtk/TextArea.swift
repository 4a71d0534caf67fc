import CGtk

/// Several lines that a person types. Tab leaves it.
@MainActor public final class TextArea: Widget {
  private let view: Object
  private let buffer: Object
  private let hint: Label
  private var isSetting = false
  private let scope = Scope()

  /// - Parameters:
  ///   - placeholder: shown while it is empty.
  ///   - name: what belongs in it, for screen readers.
  ///   - height: the most that it takes before it scrolls, in pixels.
  ///   - limit: how many Unicode scalars a person can get into it. Far longer texts take GTK 4.8 seconds, and it complains of them.
  public init(placeholder: String = "", name: String, height: Int = 160, limit: Int = 100_000) {
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
    buffer.connect("end-user-action", .plain, in: scope) { [weak self] in self?.cut(to: limit) }
    buffer.connect("changed", .plain, in: scope) { [weak self] in self?.wrap() }
    let position = Object(borrowed: UnsafeMutableRawPointer(gtk_scrolled_window_get_vadjustment(scroller.opaque)))
    for signal in ["changed", "value-changed"] { position.connect(signal, .plain, in: scope) { [weak self] in self?.fill() } }
  }

  /// See ``Swift/String/hasLongWord``.
  private func wrap() { gtk_text_view_set_wrap_mode(view.pointer(), text.hasLongWord ? GTK_WRAP_CHAR : GTK_WRAP_WORD_CHAR) }

  /// The last typed or pasted text ends at the caret: the excess of it is removed.
  private func cut(to limit: Int) {
    let surplus = gtk_text_buffer_get_char_count(buffer.pointer()) - gint(limit)
    guard surplus > 0 else { return }
    var (start, end) = (GtkTextIter(), GtkTextIter())
    gtk_text_buffer_get_iter_at_mark(buffer.pointer(), &end, gtk_text_buffer_get_insert(buffer.pointer()))
    start = end
    gtk_text_iter_backward_chars(&start, surplus)
    gtk_text_buffer_delete(buffer.pointer(), &start, &end)
  }

  /// Scrolls back from behind the end. In GTK 4.8 pasted text leads there: the text view measures its height before it has its width, and
  /// scrolls to the caret's place in the former height of the field. During that scrolling it does not report its present height either.
  private func fill() {
    guard let adjustment = gtk_scrollable_get_vadjustment(view.opaque), mayFill() else { return }
    var (visible, end, top, height) = (GdkRectangle(), GtkTextIter(), gint(0), gint(0))
    gtk_text_view_get_visible_rect(view.pointer(), &visible)
    gtk_text_buffer_get_end_iter(buffer.pointer(), &end)
    gtk_text_view_get_line_yrange(view.pointer(), &end, &top, &height)
    let room = Double(visible.height)
    let length = Double(top + height + gtk_text_view_get_top_margin(view.pointer()) + gtk_text_view_get_bottom_margin(view.pointer()))
    let position = gtk_adjustment_get_value(adjustment)
    guard room > 0, position > max(0, length - room) else { return }
    if gtk_adjustment_get_page_size(adjustment) < room { gtk_adjustment_set_page_size(adjustment, room) }
    gtk_adjustment_set_value(adjustment, max(0, length - room))
  }

  /// Whether it may be filled once more in this frame. The text view scrolls on in each layout, and the frame clock makes no more than four of
  /// them for a frame: after that the scroll bar would be drawn without a place, which GTK complains of. The next frame is right.
  private func mayFill() -> Bool {
    guard let clock = gtk_widget_get_frame_clock(view.pointer()) else { return true }
    let frame = gdk_frame_clock_get_frame_counter(clock)
    fills = fills.frame == frame ? (frame, fills.count + 1) : (frame, 1)
    return fills.count <= Self.mostFills
  }

  private static let mostFills = 4
  private var fills: (frame: gint64, count: Int) = (-1, 0)

  /// Its text. Setting it calls no handler: only what a person types is reported.
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
