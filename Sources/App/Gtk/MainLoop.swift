import CGtk
import CGtkShims
import Dispatch

/// The loop that the window runs in: GLib's, with the main actor's jobs among its sources.
@MainActor public enum MainLoop {
  /// Lets jobs of the main actor run inside GLib's loop. ``Application/run(opening:)`` does it; a test that turns the loop itself calls it.
  /// - Returns: false when Dispatch offers no descriptor to wait on.
  @discardableResult public static func attachMainActor() -> Bool { matinee_main_queue_attach() != 0 }

  /// How often the main actor's jobs woke the loop since the start; does not grow while nothing happens. For tests.
  public static var wakeups: Int { Int(matinee_main_queue_wakeups()) }

  /// Turns the loop until `condition` holds: for tests, and for tools that draw one picture and end.
  /// - Parameter seconds: the longest to wait.
  /// - Returns: whether the condition was met in time.
  @discardableResult public static func run(upTo seconds: Double, until condition: () -> Bool = { false }) -> Bool {
    attachMainActor()
    let deadline = g_get_monotonic_time() + gint64(seconds * 1_000_000)
    // Wakes the blocking iteration often enough to look at the condition and at the clock.
    let ticker = g_timeout_add(10, { _ in 1 }, nil)
    defer { g_source_remove(ticker) }
    while !condition() {
      if g_get_monotonic_time() >= deadline { return false }
      g_main_context_iteration(nil, 1)
    }
    return true
  }

  /// The monotonic time, in seconds, which no change of the clock affects.
  public static var uptime: Double { Double(g_get_monotonic_time()) / 1_000_000 }

  /// Calls `body` once after some time, on the main actor.
  public static func after(seconds: Double, _ body: @escaping @MainActor () -> Void) {
    let handler = Handler<Void, Void> { body() }
    let call: GSourceFunc = { data in
      fire(data, (), as: Void.self)
      return 0
    }
    g_timeout_add_full(G_PRIORITY_DEFAULT, guint(max(0, seconds) * 1000), call, handler.retained, releaseData)
  }
}
