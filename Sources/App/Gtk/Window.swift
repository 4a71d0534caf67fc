import CGtk
import CGtkShims

/// A window of the application.
@MainActor public final class Window: Widget {
  private let size = UnmaximizedSize()

  /// - Parameters:
  ///   - application: which ends when its last window is closed; nil in tests.
  ///   - title: shown in the title bar and by the desktop.
  ///   - width: at first, in pixels.
  ///   - height: at first, in pixels.
  public init(_ application: Application?, title: String, width: Int = 960, height: Int = 720) {
    if let application {
      super.init(borrowed: UnsafeMutableRawPointer(checked(gtk_application_window_new(application.pointer()))))
    } else {
      super.init(borrowed: UnsafeMutableRawPointer(checked(gtk_window_new())))
    }
    gtk_window_set_title(pointer(), title)
    // The toolkit's own answer to F10 leaves the keyboard on the menu's button.
    gtk_window_set_handle_menubar_accel(pointer(), 0)
    gtk_window_set_default_size(pointer(), Int32(width), Int32(height))
    observeLayout()
    observeSize()
  }

  /// The widget under a resting pointer changes when something is scrolled or drawn again. The toolkit notices that in the frame after the
  /// layout, which GTK 4.8 requests only where the window manager paces the frames: elsewhere a click would go to the former widget.
  private func observeLayout() {
    typealias Callback = @convention(c) (UnsafeMutableRawPointer, gpointer?) -> Void
    let realized: Callback = { window, _ in
      guard let clock = gtk_widget_get_frame_clock(window.assumingMemoryBound(to: GtkWidget.self)) else { return }
      let laidOut: Callback = { clock, _ in
        let flush: GSourceFunc = { clock in
          if let clock { gdk_frame_clock_request_phase(OpaquePointer(clock), GDK_FRAME_CLOCK_PHASE_FLUSH_EVENTS) }
          return 0
        }
        // After the frame is painted: requested within it, the next frame would lay out again, and so on.
        g_idle_add_full(GDK_PRIORITY_REDRAW + 20, flush, g_object_ref(clock)) { if let clock = $0 { g_object_unref(clock) } }
      }
      let callback = unsafeBitCast(laidOut, to: GCallback.self)
      g_signal_connect_data(UnsafeMutableRawPointer(clock), "layout", callback, nil, nil, GConnectFlags(rawValue: 0))
    }
    g_signal_connect_data(raw, "realize", unsafeBitCast(realized, to: GCallback.self), nil, nil, G_CONNECT_AFTER)
  }

  /// Shown in the title bar and by the desktop.
  public var title: String {
    get { string(gtk_window_get_title(pointer())) ?? "" }
    set { if newValue != title { gtk_window_set_title(pointer(), newValue) } }
  }
  /// What the window shows.
  public func child(_ child: Widget?) { gtk_window_set_child(pointer(), child?.widget) }
  /// The bar at the top; nil leaves it to the window manager.
  public func titlebar(_ bar: HeaderBar?) { gtk_window_set_titlebar(pointer(), bar?.widget) }
  /// The least size in pixels that a person can make it.
  public func setMinimumWindowSize(width: Int, height: Int) { setMinimumSize(width: width, height: height) }
  /// The size in pixels that it has when it is not maximized.
  public var unmaximizedSize: (width: Int, height: Int) { (size.width, size.height) }
  /// Changes that size; the display may allow less.
  public func setUnmaximizedSize(width: Int, height: Int) {
    gtk_window_set_default_size(pointer(), gint(clamping: width), gint(clamping: height))
  }

  private func observeSize() {
    typealias Callback = @convention(c) (UnsafeMutableRawPointer, OpaquePointer?, UnsafeMutableRawPointer) -> Void
    let changed: Callback = { window, _, size in
      MainActor.assumeIsolated {
        Unmanaged<UnmaximizedSize>.fromOpaque(size).takeUnretainedValue().note(window.assumingMemoryBound(to: GtkWindow.self))
      }
    }
    size.note(pointer())
    // As long as the toolkit's window, which outlives this object.
    for side in ["default-width", "default-height"] {
      g_signal_connect_data(
        raw, "notify::\(side)", unsafeBitCast(changed, to: GCallback.self), Unmanaged.passRetained(size).toOpaque(),
        { data, _ in if let data { Unmanaged<UnmaximizedSize>.fromOpaque(data).release() } }, GConnectFlags(rawValue: 0))
    }
  }
  /// Whether it fills the screen.
  public var isMaximized: Bool { gtk_window_is_maximized(pointer()) != 0 }
  /// Fills the screen, at the latest when it is shown.
  public func maximize() { gtk_window_maximize(pointer()) }
  /// Shows it, or brings it to the front.
  public func present() { gtk_window_present(pointer()) }
  /// Its renderer, such as `GskGLRenderer` or `GskCairoRenderer`; nil before it is shown.
  public var rendererName: String? {
    guard let renderer = gtk_native_get_renderer(opaque) else { return nil }
    return string(g_type_name_from_instance(UnsafeMutableRawPointer(renderer).assumingMemoryBound(to: GTypeInstance.self)))
  }
  /// Whether it is the one that the person works in.
  public var isActive: Bool { gtk_window_is_active(pointer()) != 0 }
  /// Called when that changed.
  @discardableResult
  public func onActiveChanged<Owner: SignalOwner>(_ owner: Owner, _ body: @escaping @MainActor (Owner) -> Void) -> SignalConnection {
    connect("notify::is-active", .notify, owner: owner, absent: ()) { owner, _ in body(owner) }
  }
  /// Asks it to close, as the person's click on the cross does.
  public func close() { gtk_window_close(pointer()) }
  /// Takes it away without asking.
  public func destroy() { gtk_window_destroy(pointer()) }

  /// Called when the person wants to close the window; the answer says whether it may.
  @discardableResult
  public func onCloseRequest<Owner: SignalOwner>(_ owner: Owner, _ mayClose: @escaping @MainActor (Owner) -> Bool) -> SignalConnection {
    connect("close-request", .question, owner: owner, absent: false) { owner, _ in !mayClose(owner) }
  }
}

/// The size that the person gave a window.
@MainActor private final class UnmaximizedSize {
  private(set) var width = 0
  private(set) var height = 0

  /// Adopts the window's size, unless only its content required it: such a size is not the person's choice.
  func note(_ window: UnsafeMutablePointer<GtkWindow>) {
    var (width, height): (gint, gint) = (0, 0)
    gtk_window_get_default_size(window, &width, &height)
    let widget = UnsafeMutableRawPointer(window).assumingMemoryBound(to: GtkWidget.self)
    self.width = Self.chosen(Int(width), before: self.width) {
      gtk_widget_measure(widget, GTK_ORIENTATION_HORIZONTAL, -1, &$0, nil, nil, nil)
    }
    self.height = Self.chosen(Int(height), before: self.height) {
      gtk_widget_measure(widget, GTK_ORIENTATION_VERTICAL, width, &$0, nil, nil, nil)
    }
  }

  private static func chosen(_ size: Int, before: Int, measure: (inout gint) -> Void) -> Int {
    var least: gint = 0
    if before > 0, size > before { measure(&least) }
    return size > before && size <= Int(least) ? before : size
  }
}

/// The bar at the top of a window, with its title and buttons.
@MainActor public final class HeaderBar: Widget {
  /// - Parameter title: in the middle; nil shows the window's title.
  public init(title: Widget? = nil) {
    super.init(made: UnsafeMutableRawPointer(gtk_header_bar_new()))
    if let title { self.title(title) }
  }

  /// Puts a widget in the middle; nil shows the window's title.
  public func title(_ widget: Widget?) { gtk_header_bar_set_title_widget(opaque, widget?.widget) }
  /// Adds at the left (in left-to-right languages), after those already there.
  public func addStart(_ child: Widget) { gtk_header_bar_pack_start(opaque, child.widget) }
  /// Adds at the right, before those already there.
  public func addEnd(_ child: Widget) { gtk_header_bar_pack_end(opaque, child.widget) }
  /// Takes one out; does nothing when it was not added.
  public func remove(_ child: Widget) {
    if gtk_widget_is_ancestor(child.widget, widget) != 0 { gtk_header_bar_remove(opaque, child.widget) }
  }
  /// Whether the buttons that close and minimize the window are shown.
  public var showsWindowButtons: Bool {
    get { gtk_header_bar_get_show_title_buttons(opaque) != 0 }
    set { gtk_header_bar_set_show_title_buttons(opaque, newValue ? 1 : 0) }
  }
}
