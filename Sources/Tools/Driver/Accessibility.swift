import CAtspi

/// The accessibility bus of the desktop this process runs on, and the main loop its answers come through.
enum Accessibility {
  /// Connects, once for the process.
  static func connect() throws {
    // 0 the first time, 1 when connected already.
    guard atspi_init() <= 1 else { throw DriverError.noDesktop("the accessibility bus does not answer") }
    atspi_set_timeout(3000, 15000)
    // libatspi asks each new app for a cache that GTK 4 does not have yet at that moment, and warns of it. That shall not end the driver
    // where G_DEBUG makes warnings fatal for the app.
    g_log_set_always_fatal(GLogLevelFlags(rawValue: G_LOG_LEVEL_ERROR.rawValue | G_LOG_LEVEL_CRITICAL.rawValue))
    _ = g_log_set_handler("dbind", G_LOG_LEVEL_WARNING, { _, _, _, _ in }, nil)
  }

  /// The application of the process `identifier`, once it has registered.
  static func application(ofProcess identifier: Int32) -> Element? {
    guard let desktop = atspi_get_desktop(0).map(Element.init(owning:)) else { return nil }
    return desktop.children.first { candidate in
      // Nothing is kept: a driver that remembers sees yesterday's window.
      atspi_accessible_set_cache_mask(candidate.accessible, AtspiCache(0))
      return atspi_accessible_get_process_id(candidate.accessible, nil) == guint(bitPattern: identifier)
    }
  }

  /// Lets the loop handle what has arrived, and waits up to `milliseconds` for more.
  static func pump(milliseconds: UInt32 = 15) {
    let done = UnsafeMutablePointer<Bool>.allocate(capacity: 1)
    done.initialize(to: false)
    defer { done.deallocate() }
    _ = g_timeout_add(
      milliseconds,
      { pointer in
        pointer?.assumingMemoryBound(to: Bool.self).pointee = true
        return 0
      }, done)
    while !done.pointee { _ = g_main_context_iteration(nil, 1) }
  }
}
