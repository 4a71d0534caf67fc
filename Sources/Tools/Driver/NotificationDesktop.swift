import CGio

/// Stands in for the part of a desktop that shows notifications: takes what programs on the session bus show, and clicks it.
///
/// Belongs to the thread that made it. What programs send arrives while an ``AppDriver`` waits.
public final class NotificationDesktop {
  /// A notification as a program sent it.
  public struct Notification: Equatable {
    /// Its number on this desktop.
    public let id: UInt32
    /// The first line of the notification.
    public let title: String
    /// The text below the title.
    public let body: String
  }

  /// Everything that was sent, in order.
  public private(set) var shown: [Notification] = []
  /// What was neither clicked nor taken back by its program.
  public private(set) var present: [Notification] = []

  private static let name = "org.freedesktop.Notifications"
  private static let path = "/org/freedesktop/Notifications"
  private static let interface = """
    <node><interface name="org.freedesktop.Notifications">
      <method name="Notify">
        <arg type="s" direction="in"/><arg type="u" direction="in"/><arg type="s" direction="in"/><arg type="s" direction="in"/>
        <arg type="s" direction="in"/><arg type="as" direction="in"/><arg type="a{sv}" direction="in"/><arg type="i" direction="in"/>
        <arg type="u" direction="out"/>
      </method>
      <method name="CloseNotification"><arg type="u" direction="in"/></method>
      <method name="GetCapabilities"><arg type="as" direction="out"/></method>
      <signal name="ActionInvoked"><arg type="u"/><arg type="s"/></signal>
      <signal name="NotificationClosed"><arg type="u"/><arg type="u"/></signal>
    </interface></node>
    """

  private let bus: OpaquePointer
  private let description: UnsafeMutablePointer<GDBusNodeInfo>
  private var registration: guint = 0
  private var last: UInt32 = 0

  /// Takes the place of the desktop's own on the session bus.
  /// - Throws: `DriverError.noDesktop` without a session bus, `.refused` when there is one already.
  public init() throws {
    guard let bus = g_bus_get_sync(G_BUS_TYPE_SESSION, nil, nil) else { throw DriverError.noDesktop("the session bus does not answer") }
    guard let description = g_dbus_node_info_new_for_xml(Self.interface, nil) else {
      g_object_unref(UnsafeMutableRawPointer(bus))
      throw DriverError.refused("the interface of notifications is not understood")
    }
    self.bus = bus
    self.description = description
    var methods = GDBusInterfaceVTable()
    methods.method_call = methodCalled
    // Not retained: it is unregistered before it goes.
    if let interface = description.pointee.interfaces[0] {
      registration = g_dbus_connection_register_object(
        bus, Self.path, interface, &methods, Unmanaged.passUnretained(self).toOpaque(), nil, nil)
    }
    guard registration != 0, callBus("RequestName", g_variant_new_string(Self.name), g_variant_new_uint32(4)) == 1 else {
      throw DriverError.refused("there is a desktop that shows notifications already")
    }
  }

  deinit {
    _ = callBus("ReleaseName", g_variant_new_string(Self.name))
    if registration != 0 { g_dbus_connection_unregister_object(bus, registration) }
    g_dbus_node_info_unref(description)
    g_object_unref(UnsafeMutableRawPointer(bus))
  }

  /// Clicks a notification, which takes it away.
  public func click(_ notification: Notification) {
    emit("ActionInvoked", g_variant_new_uint32(notification.id), g_variant_new_string("default"))
    present.removeAll { $0.id == notification.id }
    emit("NotificationClosed", g_variant_new_uint32(notification.id), g_variant_new_uint32(2))
  }

  /// Clicks a notification that a program has left behind: activates the program's action. The bus does not start the program: the test has
  /// started it as the bus would.
  /// - Parameters:
  ///   - program: its name on the bus.
  ///   - target: what the action is given.
  /// - Returns: whether there was a program to ask.
  public func click(_ action: String, of program: String, with target: String) -> Bool {
    let targets: [OpaquePointer?] = [g_variant_new_variant(g_variant_new_string(target))]
    let arguments: [OpaquePointer?] = [
      g_variant_new_string(action), g_variant_new_array(nil, targets, 1), g_variant_parse(nil, "@a{sv} {}", nil, nil, nil),
    ]
    let path = "/" + program.replacing(".", with: "/")
    let answer = g_dbus_connection_call_sync(
      bus, program, path, "org.freedesktop.Application", "ActivateAction", g_variant_new_tuple(arguments, gsize(arguments.count)), nil,
      G_DBUS_CALL_FLAGS_NO_AUTO_START, 10_000, nil, nil)
    if let answer { g_variant_unref(answer) }
    return answer != nil
  }

  fileprivate func called(_ method: String, _ arguments: OpaquePointer) -> OpaquePointer? {
    switch method {
    case "Notify":
      let replaced = number(arguments, 1)
      if replaced == 0 { last += 1 }
      let sent = Notification(id: replaced == 0 ? last : replaced, title: text(arguments, 3), body: text(arguments, 4))
      shown.append(sent)
      present.removeAll { $0.id == sent.id }
      present.append(sent)
      return tuple(g_variant_new_uint32(sent.id))
    case "CloseNotification":
      let id = number(arguments, 0)
      present.removeAll { $0.id == id }
      return tuple()
    default:
      let capabilities: [OpaquePointer?] = ["actions", "body", "body-markup"].map { (name: String) in g_variant_new_string(name) }
      return tuple(g_variant_new_array(nil, capabilities, gsize(capabilities.count)))
    }
  }

  private func text(_ arguments: OpaquePointer, _ place: Int) -> String {
    let value = g_variant_get_child_value(arguments, gsize(place))
    defer { g_variant_unref(value) }
    return String(cString: g_variant_get_string(value, nil))
  }

  private func number(_ arguments: OpaquePointer, _ place: Int) -> UInt32 {
    let value = g_variant_get_child_value(arguments, gsize(place))
    defer { g_variant_unref(value) }
    return g_variant_get_uint32(value)
  }

  private func tuple(_ values: OpaquePointer?...) -> OpaquePointer? { g_variant_new_tuple(values, gsize(values.count)) }

  private func emit(_ signal: String, _ values: OpaquePointer?...) {
    g_dbus_connection_emit_signal(bus, nil, Self.path, Self.name, signal, g_variant_new_tuple(values, gsize(values.count)), nil)
  }

  /// Calls a method of the bus itself.
  private func callBus(_ method: String, _ values: OpaquePointer?...) -> UInt32? {
    let answer = g_dbus_connection_call_sync(
      bus, "org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus", method,
      g_variant_new_tuple(values, gsize(values.count)),
      nil, G_DBUS_CALL_FLAGS_NONE, -1, nil, nil)
    guard let answer else { return nil }
    defer { g_variant_unref(answer) }
    return number(answer, 0)
  }
}

// In no isolated context: the main loop calls it.
private let methodCalled: GDBusInterfaceMethodCallFunc = { _, _, _, _, method, arguments, invocation, data in
  guard let method, let arguments, let invocation, let data else { return }
  let desktop = Unmanaged<NotificationDesktop>.fromOpaque(data).takeUnretainedValue()
  g_dbus_method_invocation_return_value(invocation, desktop.called(String(cString: method), arguments))
}
