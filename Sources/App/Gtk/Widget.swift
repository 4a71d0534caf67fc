import CGtk
import CGtkShims

/// Where a widget stands in room that is larger than it needs.
public enum Alignment: Sendable {
  /// Takes all of the room.
  case fill
  /// Left in left-to-right languages, or top.
  case start
  /// Right in left-to-right languages, or bottom.
  case end
  /// In the middle of the place that the parent gives.
  case center
  /// With the line that its text stands on where its neighbours' text stands.
  case baseline

  var native: GtkAlign {
    switch self {
    case .fill: GTK_ALIGN_FILL
    case .start: GTK_ALIGN_START
    case .end: GTK_ALIGN_END
    case .center: GTK_ALIGN_CENTER
    case .baseline: GTK_ALIGN_BASELINE
    }
  }
}

/// Along which axis children follow one another.
public enum Orientation: Sendable {
  /// Children stand beside each other.
  case horizontal
  /// One below the other.
  case vertical

  var native: GtkOrientation { self == .horizontal ? GTK_ORIENTATION_HORIZONTAL : GTK_ORIENTATION_VERTICAL }
}

/// Anything that is drawn. Setters do nothing when the value is already set, so a screen may apply its whole state each time.
@MainActor public class Widget: Object {
  var widget: UnsafeMutablePointer<GtkWidget> { pointer() }

  // MARK: Layout

  /// Whether it is part of its window's layout.
  public final var isVisible: Bool {
    get { gtk_widget_get_visible(widget) != 0 }
    set { if newValue != isVisible { gtk_widget_set_visible(widget, newValue ? 1 : 0) } }
  }
  /// Whether it can be used, unless a container around it is insensitive.
  public final var isSensitive: Bool {
    get { gtk_widget_get_sensitive(widget) != 0 }
    set { if newValue != isSensitive { gtk_widget_set_sensitive(widget, newValue ? 1 : 0) } }
  }
  /// Horizontal place. `.fill` at first.
  public final var horizontal: Alignment = .fill { didSet { gtk_widget_set_halign(widget, horizontal.native) } }
  /// Vertical place. `.fill` at first.
  public final var vertical: Alignment = .fill { didSet { gtk_widget_set_valign(widget, vertical.native) } }
  /// Whether it takes what width is left over.
  public final var expandsHorizontally: Bool {
    get { gtk_widget_get_hexpand(widget) != 0 }
    set { gtk_widget_set_hexpand(widget, newValue ? 1 : 0) }
  }
  /// Whether it takes what height is left over.
  public final var expandsVertically: Bool {
    get { gtk_widget_get_vexpand(widget) != 0 }
    set { gtk_widget_set_vexpand(widget, newValue ? 1 : 0) }
  }
  /// From 0 (not seen, but there) to 1.
  public final var opacity: Double {
    get { gtk_widget_get_opacity(widget) }
    set { gtk_widget_set_opacity(widget, newValue) }
  }
  /// Room around it, in pixels.
  public final func setMargins(horizontal: Int, vertical: Int) {
    gtk_widget_set_margin_start(widget, Int32(horizontal))
    gtk_widget_set_margin_end(widget, Int32(horizontal))
    gtk_widget_set_margin_top(widget, Int32(vertical))
    gtk_widget_set_margin_bottom(widget, Int32(vertical))
  }
  /// Room around it, the same on all sides, in pixels.
  public final func setMargin(_ margin: Int) { setMargins(horizontal: margin, vertical: margin) }
  /// Lays it out, but nothing in it, as a text is read: by the first letter that has a direction; as the interface where none has.
  public final func turn(as text: String) {
    gtk_widget_set_direction(widget, matinee_text_direction(text))
  }
  /// The least size in pixels; -1 leaves one side to the content.
  public final func setMinimumSize(width: Int = -1, height: Int = -1) { gtk_widget_set_size_request(widget, Int32(width), Int32(height)) }
  /// The width it was given, in pixels; 0 before the first layout.
  public final var width: Int { Int(gtk_widget_get_width(widget)) }
  /// The height it was given, in pixels; 0 before the first layout.
  public final var height: Int { Int(gtk_widget_get_height(widget)) }
  /// Whether content that is larger than the widget, or lies under its rounded corners, is cut off.
  public final var clipsContent: Bool {
    get { gtk_widget_get_overflow(widget) == GTK_OVERFLOW_HIDDEN }
    set { gtk_widget_set_overflow(widget, newValue ? GTK_OVERFLOW_HIDDEN : GTK_OVERFLOW_VISIBLE) }
  }

  // MARK: Look

  /// Adds or removes a class of the style sheet.
  public final func setStyle(_ style: Style, _ isOn: Bool = true) {
    guard (gtk_widget_has_css_class(widget, style.name) != 0) != isOn else { return }
    if isOn { gtk_widget_add_css_class(widget, style.name) } else { gtk_widget_remove_css_class(widget, style.name) }
  }
  /// Whether it has a class of the style sheet.
  public final func hasStyle(_ style: Style) -> Bool { gtk_widget_has_css_class(widget, style.name) != 0 }
  /// Shown when the pointer rests on it.
  public final var tooltip: String? {
    get { string(matinee_widget_tooltip(widget)) }
    set { if newValue != tooltip { matinee_widget_set_tooltip(widget, newValue) } }
  }

  /// Where the pointer is on its window, in pixels; `nil` when it is elsewhere, or the window is not shown.
  final var pointerOnWindow: SIMD2<Double>? {
    guard gtk_widget_get_realized(widget) != 0, let window = gtk_widget_get_root(widget), let display = gdk_display_get_default(),
      let pointer = gdk_display_get_default_seat(display).flatMap({ gdk_seat_get_pointer($0) })
    else { return nil }
    var (x, y) = (0.0, 0.0)
    return gdk_surface_get_device_position(gtk_native_get_surface(window), pointer, &x, &y, nil) != 0 ? [x, y] : nil
  }

  // MARK: Focus

  /// Asks for the keyboard.
  /// - Returns: false when it cannot have it.
  @discardableResult public final func focus() -> Bool { gtk_widget_grab_focus(widget) != 0 }
  /// Focuses the first widget in it that takes the focus, unless one in it has it.
  /// - Returns: false when there is none.
  @discardableResult public final func focusFirst() -> Bool {
    // From where the keyboard is in it, it would go on to the next.
    (hasFocus && !holdsKeyboard) || gtk_widget_child_focus(widget, GTK_DIR_TAB_FORWARD) != 0
  }
  /// Takes the focus itself, though it handles no keys, and gives it to no widget in it.
  public final func holdKeyboard() {
    // Focused in the usual way, it would pass the focus to the first widget in it.
    if isMapped, let root = gtk_widget_get_root(widget) { gtk_root_set_focus(root, keyboardHolder) }
  }
  /// Whether it has the keyboard itself, and nothing in it.
  public final var holdsKeyboard: Bool { gtk_widget_get_root(widget).map { gtk_root_get_focus($0) == keyboardHolder } ?? false }
  /// What the keyboard is on when the widget has it itself.
  var keyboardHolder: UnsafeMutablePointer<GtkWidget> { widget }
  /// Whether it, or something in it, has the keyboard.
  public final var hasFocus: Bool { (gtk_widget_get_state_flags(widget).rawValue & GTK_STATE_FLAG_FOCUS_WITHIN.rawValue) != 0 }
  /// Whether the keyboard can reach it.
  public final var isFocusable: Bool {
    get { gtk_widget_get_focusable(widget) != 0 }
    set { gtk_widget_set_focusable(widget, newValue ? 1 : 0) }
  }
  /// Whether the keyboard can reach anything in it, itself included.
  public final var takesKeyboard: Bool {
    get { gtk_widget_get_can_focus(widget) != 0 }
    set { gtk_widget_set_can_focus(widget, newValue ? 1 : 0) }
  }
  /// Whether clicks reach it; otherwise they go to what lies beneath.
  public final var takesClicks: Bool {
    get { gtk_widget_get_can_target(widget) != 0 }
    set { gtk_widget_set_can_target(widget, newValue ? 1 : 0) }
  }

  /// Puts a text into the clipboard of the display that it is on.
  public final func copyToClipboard(_ text: String) { Self.offer(text, in: gtk_widget_get_clipboard(widget)) }

  /// As bytes beside the string: GTK 4.8 never ends writing a string of more than 256 KB to another program on X11, and stands still.
  static func offer(_ text: String, in clipboard: OpaquePointer) {
    let text = text.withoutNull
    var value = GValue()
    g_value_init(&value, GType(16 << 2))  // G_TYPE_STRING, a macro that Swift does not see
    defer { g_value_unset(&value) }
    g_value_set_string(&value, text)
    let bytes = g_bytes_new(text, gsize(text.utf8.count))
    defer { g_bytes_unref(bytes) }
    // The first that has a type is asked for it. The union owns them.
    var providers: [UnsafeMutablePointer<GdkContentProvider>?] = [
      gdk_content_provider_new_for_bytes("text/plain;charset=utf-8", bytes), gdk_content_provider_new_for_value(&value),
    ]
    let content = checked(gdk_content_provider_new_union(&providers, gsize(providers.count)))
    gdk_clipboard_set_content(clipboard, content)
    g_object_unref(content)
  }

  // MARK: Place in the window

  /// Whether it is drawn: visible, and in a window that is shown.
  public final var isMapped: Bool { gtk_widget_get_mapped(widget) != 0 }
  /// The display's pixels for each unit, in each direction.
  public final var scaleFactor: Int { Int(matinee_object_get_int(raw, "scale-factor")) }
  /// Called when it is on a display of another scale.
  @discardableResult public final func onScaleFactorChanged<Owner: SignalOwner>(
    _ owner: Owner, _ body: @escaping @MainActor (Owner) -> Void
  ) -> SignalConnection {
    connect("notify::scale-factor", .notify, owner: owner, absent: ()) { owner, _ in body(owner) }
  }
  /// Called when it comes on screen.
  @discardableResult public final func onShown<Owner: SignalOwner>(_ owner: Owner, _ body: @escaping @MainActor (Owner) -> Void)
    -> SignalConnection
  {
    connect("map", owner: owner, body)
  }
  /// Called when it goes off screen.
  @discardableResult public final func onHidden<Owner: SignalOwner>(_ owner: Owner, _ body: @escaping @MainActor (Owner) -> Void)
    -> SignalConnection
  {
    connect("unmap", owner: owner, body)
  }
  /// Called after each frame of its window that was painted. Costs nothing while nothing changes: it asks for no frames of its own.
  ///
  /// Connected before ``Window/present()`` it sees the very first frame.
  /// - Returns: nil when it is in no window, or the display gives that no frame clock.
  @discardableResult public final func onFrame<Owner: SignalOwner>(_ owner: Owner, _ body: @escaping @MainActor (Owner) -> Void)
    -> SignalConnection?
  {
    guard gtk_widget_get_root(widget) != nil else { return nil }
    if gtk_widget_get_realized(widget) == 0 { gtk_widget_realize(widget) }
    guard let clock = gtk_widget_get_frame_clock(widget) else { return nil }
    return Object(borrowed: UnsafeMutableRawPointer(clock)).connect("after-paint", owner: owner, body)
  }
  /// Called after each layout of its window while it is shown, before that is painted: what is moved then is never seen elsewhere.
  public final func onLayout<Owner: SignalOwner>(_ owner: Owner, _ body: @escaping @MainActor (Owner) -> Void) {
    var layouts: SignalConnection?
    onShown(owner) { [weak self] owner in
      guard let self, layouts == nil, let clock = gtk_widget_get_frame_clock(widget) else { return }
      // The window listens to the same signal for longer, and so has laid everything out by then.
      layouts = Object(borrowed: UnsafeMutableRawPointer(clock)).connect("layout", owner: owner, body)
    }
    onHidden(owner) { _ in
      layouts?.disconnect()
      layouts = nil
    }
  }
  /// Acts as if the person had used it: presses a button, submits an entry.
  /// - Returns: false when there is nothing to use.
  @discardableResult public final func activate() -> Bool { gtk_widget_activate(widget) != 0 }
}

extension Widget {
  /// The share of the height of its window's focused widget that it covers, from 0 to 1; 0 where that is within it, or beside it.
  public final var shareOfFocusBeneath: Double {
    guard isMapped, let root = gtk_widget_get_root(widget), let focus = gtk_root_get_focus(root), gtk_widget_get_mapped(focus) != 0,
      gtk_widget_is_ancestor(focus, widget) == 0
    else { return 0 }
    var (mine, area) = (graphene_rect_t(), graphene_rect_t())
    guard gtk_widget_compute_bounds(widget, widget, &mine) != 0, gtk_widget_compute_bounds(focus, widget, &area) != 0,
      area.size.height > 0, area.origin.x < mine.origin.x + mine.size.width, mine.origin.x < area.origin.x + area.size.width
    else { return 0 }
    let top = max(mine.origin.y, area.origin.y)
    let bottom = min(mine.origin.y + mine.size.height, area.origin.y + area.size.height)
    return Double(max(0, bottom - top) / area.size.height)
  }
}
