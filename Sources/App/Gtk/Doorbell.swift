import CGtk

/// Lets a later start reach a separate instance, by a name on the session bus that both know.
///
/// An ``Application`` that runs as ``Application/Instance/own`` keeps its id, by which desktops find its icon and its notifications, but has
/// no name on the bus: a second start cannot find it. This one has a name there, so that it can.
@MainActor public final class Doorbell: Object {
  private let scope = Scope()

  /// Answers later starts from here on, for as long as this lives; `nil` without a session bus, or when the name is taken.
  /// - Parameters:
  ///   - name: as application ids are.
  ///   - onRing: called with the URIs to open, letter by letter; with none when the program was only started once more.
  public init?(_ name: String, onRing: @escaping @MainActor ([String]) -> Void) {
    guard let made = Self.make(name) else { return nil }
    super.init(made: made)
    connect("activate", .plain, in: scope) { onRing([]) }
    connect("open", .files, in: scope) { onRing($0) }
    guard g_application_register(pointer(), nil, nil) != 0, g_application_get_is_remote(pointer()) == 0 else { return nil }
  }

  /// Asks the program that has this name to open something, and to come to the front.
  /// - Returns: whether there is one.
  public static func ring(_ name: String, opening uris: [String]) -> Bool {
    guard let made = make(name) else { return false }
    let bell = Object(made: made)
    let application: UnsafeMutablePointer<GApplication> = bell.pointer()
    guard g_application_register(application, nil, nil) != 0, g_application_get_is_remote(application) != 0 else { return false }
    if uris.isEmpty {
      g_application_activate(application)
    } else {
      var files: [OpaquePointer?] = uris.map { g_file_new_for_uri($0) }
      g_application_open(application, &files, gint(files.count), "")
      for file in files { if let file { g_object_unref(UnsafeMutableRawPointer(file)) } }
    }
    // This process may be over before its loop runs again.
    if let bus = g_application_get_dbus_connection(application) { g_dbus_connection_flush_sync(bus, nil, nil) }
    return true
  }

  private static func make(_ name: String) -> UnsafeMutableRawPointer? {
    guard g_application_id_is_valid(name) != 0 else { return nil }
    return g_application_new(name, G_APPLICATION_HANDLES_OPEN).map { UnsafeMutableRawPointer($0) }
  }
}
