import CGtk
import Foundation
import Synchronization

/// Counts of what lives, for tests: after a screen is closed both are what they were before it was opened.
public enum Diagnostics {
  private static let signals = Atomic<Int>(0)
  private static let objects = Atomic<Int>(0)

  /// Closures that the toolkit holds for us.
  public static var liveSignals: Int { signals.load(ordering: .relaxed) }
  /// Objects of the toolkit that were wrapped once and are not freed yet.
  public static var liveObjects: Int { objects.load(ordering: .relaxed) }

  /// What this process takes of the machine's memory, in bytes; nil under a sanitizer, which keeps what was freed, and more beside it.
  static var residentBytes: Int? {
    guard dlsym(nil, "__asan_init") == nil, dlsym(nil, "__tsan_init") == nil else { return nil }
    let pages = (try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8))?.split(separator: " ").dropFirst().first
    return (pages.flatMap { Int($0) } ?? 0) * Int(sysconf(Int32(_SC_PAGESIZE)))
  }

  static func signalMade() { signals.add(1, ordering: .relaxed) }
  static func signalReleased() { signals.subtract(1, ordering: .relaxed) }

  /// Counts an object once, however often it is wrapped.
  static func watch(_ object: UnsafeMutableRawPointer) {
    let instance = object.assumingMemoryBound(to: GObject.self)
    guard g_object_get_data(instance, watchedKey) == nil else { return }
    g_object_set_data(instance, watchedKey, object)
    objects.add(1, ordering: .relaxed)
    g_object_weak_ref(instance, objectGone, nil)
  }

  private static let watchedKey = "matinee-watched"
  private static let objectGone: GWeakNotify = { _, _ in objects.subtract(1, ordering: .relaxed) }
}
