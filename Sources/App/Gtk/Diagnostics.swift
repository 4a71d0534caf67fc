import CGtk
import Foundation
import Synchronization

/// Figures of the toolkit that tests check: how many objects live (after a screen is closed as many as before it was opened), and its
/// warnings.
public enum Diagnostics {
  private static let signals = Atomic<Int>(0)
  private static let objects = Atomic<Int>(0)

  /// Closures that the toolkit holds for us; for tests.
  public static var liveSignals: Int { signals.load(ordering: .relaxed) }
  /// Objects of the toolkit that were wrapped once and are not freed yet; for tests.
  public static var liveObjects: Int { objects.load(ordering: .relaxed) }

  /// This process's resident memory, in bytes; nil under a sanitizer, which keeps freed memory and its own.
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

  private static let complaints = Mutex<[String]?>(nil)

  /// Records the toolkit's warnings and errors from now on, which are still written; for tests.
  static func collectComplaints() {
    let isFirst = complaints.withLock { complaints in
      defer { complaints = [] }
      return complaints == nil
    }
    // GLib takes one such function in a process.
    if isFirst { g_log_set_writer_func(writeLog, nil, nil) }
  }

  /// What it wrote so since the last call; for tests.
  static func takeComplaints() -> [String] {
    complaints.withLock { complaints in
      defer { if complaints != nil { complaints = [] } }
      return complaints ?? []
    }
  }

  fileprivate static func complained(_ text: String) { complaints.withLock { $0?.append(text) } }
}

// In no isolated context: the toolkit calls it on any thread.
private let writeLog: GLogWriterFunc = { level, fields, count, data in
  let serious = G_LOG_LEVEL_ERROR.rawValue | G_LOG_LEVEL_CRITICAL.rawValue | G_LOG_LEVEL_WARNING.rawValue
  guard let fields else { return G_LOG_WRITER_UNHANDLED }
  if level.rawValue & serious != 0 {
    for field in UnsafeBufferPointer(start: fields, count: Int(count)) where String(cString: field.key) == "MESSAGE" {
      Diagnostics.complained(String(cString: field.value.assumingMemoryBound(to: CChar.self)))
    }
  }
  return g_log_writer_default(level, fields, count, data)
}
