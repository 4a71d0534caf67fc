import CGtk
import CGtkShims

/// The toolkit as a whole.
@MainActor public enum Toolkit {
  /// Connects to the display. ``Application`` does it by itself; tests and tools call it before they make a widget.
  /// - Returns: false when there is no display.
  public static func start() -> Bool { gtk_init_check() != 0 && gdk_display_get_default() != nil }

  /// Lets the threads of this process share their heaps. To be called before there are any.
  public nonisolated static func shareHeaps() { matinee_share_heaps() }

  /// Returns memory to the system that only the start needed: free heap memory, and mapped code.
  public static func trimMemory() { matinee_trim_memory() }

  /// Opens an address in the browser (or the mail program) that the desktop has for it.
  ///
  /// Only `http`, `https` and `mailto` are opened: links of a publication must not reach files or other programs.
  /// - Parameter failed: called when the desktop has no program for it.
  /// - Returns: false when the address is of another kind.
  @discardableResult
  public static func open(_ uri: String, over window: Window? = nil, failed: (@MainActor () -> Void)? = nil) -> Bool {
    guard let scheme = takenString(g_uri_parse_scheme(uri))?.lowercased(), ["http", "https", "mailto"].contains(scheme) else {
      return false
    }
    show(uri, over: window, failed: failed)
    return true
  }

  /// Opens a folder in the file manager that the desktop has.
  /// - Parameters:
  ///   - path: the folder's, from the root.
  ///   - failed: called when the desktop has no program for it.
  public static func open(folder path: String, over window: Window? = nil, failed: (@MainActor () -> Void)? = nil) {
    guard let uri = takenString(g_filename_to_uri(path, nil, nil)) else { return failed?() ?? () }
    show(uri, over: window, failed: failed)
  }

  /// The versions of GTK and GLib that run.
  public static var versions: (gtk: String, glib: String) {
    (
      "\(gtk_get_major_version()).\(gtk_get_minor_version()).\(gtk_get_micro_version())",
      "\(glib_major_version).\(glib_minor_version).\(glib_micro_version)"
    )
  }

  private static func show(_ uri: String, over window: Window?, failed: (@MainActor () -> Void)?) {
    let handler = Handler<Bool, Void> { opened in if !opened { failed?() } }
    let done: GAsyncReadyCallback = { window, result, data in
      var error: UnsafeMutablePointer<GError>?
      // Only the window that made the request gets the answer.
      let parent = window.map { UnsafeMutableRawPointer($0).assumingMemoryBound(to: GtkWindow.self) }
      let opened = result.map { gtk_show_uri_full_finish(parent, $0, &error) != 0 } ?? false
      g_clear_error(&error)
      fire(data, opened, as: Void.self)
      releaseData(data)
    }
    gtk_show_uri_full(window?.pointer(), uri, guint32(GDK_CURRENT_TIME), nil, done, handler.retained)
  }
}
