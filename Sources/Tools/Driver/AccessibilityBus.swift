import CGio

/// The accessibility bus of the desktop this process runs on, spoken to directly: `org.a11y.atspi` as AT-SPI 2 specifies it.
///
/// libatspi sends one request at a time, and an app during an animation answers one between two frames: with software rendering, reading a
/// page took twenty seconds. Here requests are sent together. Belongs to the thread that made it.
final class AccessibilityBus {
  /// An object of a program on the bus.
  struct Address: Hashable {
    /// The program's connection.
    let name: String
    let path: String
  }

  /// A D-Bus method call.
  struct Call {
    let address: Address
    let interface: String
    let method: String
    let arguments: [Argument]

    init(to address: Address, _ interface: String, _ method: String, arguments: [Argument] = []) {
      self.address = address
      self.interface = interface.contains(".") ? interface : "org.a11y.atspi.\(interface)"
      self.method = method
      self.arguments = arguments
    }

    static func property(_ name: String, of address: Address, _ interface: String = "Accessible") -> Call {
      Call(to: address, "org.freedesktop.DBus.Properties", "Get", arguments: [.text("org.a11y.atspi.\(interface)"), .text(name)])
    }
  }

  enum Argument {
    case text(String)
    case integer(Int32)
    case natural(UInt32)

    fileprivate var variant: OpaquePointer? {
      switch self {
      case .text(let text): g_variant_new_string(text)
      case .integer(let number): g_variant_new_int32(number)
      case .natural(let number): g_variant_new_uint32(number)
      }
    }
  }

  /// Answers that are waited for together.
  private final class Batch {
    var answers: [Value?]
    var missing: Int
    init(count: Int) { (answers, missing) = (Array(repeating: nil, count: count), count) }
  }

  private final class Question {
    let batch: Batch
    let index: Int
    init(_ batch: Batch, _ index: Int) { (self.batch, self.index) = (batch, index) }
  }

  private static let patience: gint = 15_000
  private let connection: OpaquePointer

  /// - Throws: `DriverError.noDesktop` when there is no accessibility bus.
  init() throws {
    let missing = DriverError.noDesktop("the accessibility bus does not answer")
    guard let session = g_bus_get_sync(G_BUS_TYPE_SESSION, nil, nil) else { throw missing }
    defer { g_object_unref(UnsafeMutableRawPointer(session)) }
    let answer = g_dbus_connection_call_sync(
      session, "org.a11y.Bus", "/org/a11y/bus", "org.a11y.Bus", "GetAddress", nil, nil, G_DBUS_CALL_FLAGS_NONE, Self.patience, nil, nil)
    guard let address = answer.map(Value.init(owning:))?[0]?.text else { throw missing }
    let flags = GDBusConnectionFlags(
      G_DBUS_CONNECTION_FLAGS_AUTHENTICATION_CLIENT.rawValue | G_DBUS_CONNECTION_FLAGS_MESSAGE_BUS_CONNECTION.rawValue)
    guard let connection = g_dbus_connection_new_for_address_sync(address, flags, nil, nil, nil) else { throw missing }
    // The bus ends with the desktop, perhaps before this process.
    g_dbus_connection_set_exit_on_close(connection, 0)
    self.connection = connection
  }

  deinit { g_object_unref(UnsafeMutableRawPointer(connection)) }

  /// Sends all calls at once, and waits for all answers: nil for a call that was refused or not answered.
  func answers(_ calls: [Call]) -> [Value?] {
    let batch = Batch(count: calls.count)
    for (index, call) in calls.enumerated() {
      var arguments = call.arguments.map(\.variant)
      let tuple = g_variant_new_tuple(&arguments, gsize(arguments.count))
      g_dbus_connection_call(
        connection, call.address.name, call.address.path, call.interface, call.method, tuple, nil, G_DBUS_CALL_FLAGS_NONE, Self.patience,
        nil,
        { connection, result, context in
          guard let context, let connection, let result else { return }
          let question = Unmanaged<Question>.fromOpaque(context).takeRetainedValue()
          let answer = g_dbus_connection_call_finish(OpaquePointer(connection), result, nil)
          question.batch.answers[question.index] = answer.map(Value.init(owning:))
          question.batch.missing -= 1
        }, Unmanaged.passRetained(Question(batch, index)).toOpaque())
    }
    while batch.missing > 0 { _ = g_main_context_iteration(nil, 1) }
    return batch.answers
  }

  func answer(_ call: Call) -> Value? { answers([call])[0] }

  /// The application of the process `identifier`, once it has registered.
  func application(ofProcess identifier: Int32) -> Element? {
    let registry = Address(name: "org.a11y.atspi.Registry", path: "/org/a11y/atspi/accessible/root")
    let applications = answer(Call(to: registry, "Accessible", "GetChildren"))?[0]?.addresses ?? []
    let bus = Address(name: "org.freedesktop.DBus", path: "/org/freedesktop/DBus")
    let processes = answers(
      applications.map { Call(to: bus, "org.freedesktop.DBus", "GetConnectionUnixProcessID", arguments: [.text($0.name)]) })
    return zip(applications, processes).first { $1?[0]?.natural == UInt32(bitPattern: identifier) }.map { Element($0.0, on: self) }
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

/// What a program answered. A part that is not there, or of another type, is nil.
final class Value {
  private let variant: OpaquePointer

  init(owning variant: OpaquePointer) { self.variant = variant }

  deinit { g_variant_unref(variant) }

  private var type: String { String(cString: g_variant_get_type_string(variant)) }

  /// Its parts, of a tuple or an array.
  var parts: [Value] {
    guard g_variant_is_container(variant) != 0 else { return [] }
    return (0..<g_variant_n_children(variant)).map { Value(owning: g_variant_get_child_value(variant, $0)) }
  }

  subscript(index: Int) -> Value? {
    guard g_variant_is_container(variant) != 0, index < Int(g_variant_n_children(variant)) else { return nil }
    return Value(owning: g_variant_get_child_value(variant, gsize(index)))
  }

  /// What a property's answer holds.
  var property: Value? { type == "(v)" ? self[0]?[0] : nil }
  var text: String? { type == "s" || type == "o" ? String(cString: g_variant_get_string(variant, nil)) : nil }
  var natural: UInt32? { type == "u" ? g_variant_get_uint32(variant) : nil }
  var integer: Int? { type == "i" ? Int(g_variant_get_int32(variant)) : nil }
  var number: Double? { type == "d" ? g_variant_get_double(variant) : nil }
  var isTrue: Bool { type == "b" && g_variant_get_boolean(variant) != 0 }
  var address: AccessibilityBus.Address? {
    guard let name = self[0]?.text, let path = self[1]?.text, path != "/org/a11y/atspi/null" else { return nil }
    return AccessibilityBus.Address(name: name, path: path)
  }
  var addresses: [AccessibilityBus.Address] { parts.compactMap(\.address) }
}
