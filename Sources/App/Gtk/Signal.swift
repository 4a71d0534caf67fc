import CGtk
import CGtkShims

/// A closure that the toolkit owns: retained when it is connected, released by the destroy notification.
class SignalBox {
  @MainActor weak var connection: SignalConnection?

  init() { Diagnostics.signalMade() }
  deinit { Diagnostics.signalReleased() }

  /// The reference that the toolkit's side holds from now on.
  final var retained: UnsafeMutableRawPointer { Unmanaged<SignalBox>.passRetained(self).toOpaque() }
}

final class Handler<Argument: Sendable, Answer: Sendable>: SignalBox {
  let body: @MainActor (Argument) -> Answer

  init(_ body: @escaping @MainActor (Argument) -> Answer) {
    self.body = body
    super.init()
  }
}

/// Calls the handler behind a signal's user data. Every trampoline ends here.
func fire<Argument: Sendable, Answer: Sendable>(_ data: gpointer?, _ argument: Argument, as answer: Answer.Type = Answer.self) -> Answer {
  let box = Unmanaged<SignalBox>.fromOpaque(data!).takeUnretainedValue()
  let body = unsafeDowncast(box, to: Handler<Argument, Answer>.self).body
  return MainActor.assumeIsolated { body(argument) }
}

/// Releases a box when the toolkit drops the closure.
let releaseClosure: GClosureNotify = { data, _ in releaseBox(data) }
let releaseData: GDestroyNotify = { data in releaseBox(data) }

private func releaseBox(_ data: gpointer?) {
  guard let data else { return }
  // The toolkit lets go on the thread that it runs on: the main one.
  nonisolated(unsafe) let box = Unmanaged<SignalBox>.fromOpaque(data).takeRetainedValue()
  MainActor.assumeIsolated { box.connection?.ended() }
}

/// A C function with one signal's signature, which converts the arguments for a ``Handler``. There is one for each signature.
struct Trampoline<Argument: Sendable, Answer: Sendable>: Sendable {
  let callback: @Sendable @convention(c) () -> Void

  init<Function>(_ function: Function) { callback = unsafeBitCast(function, to: (@Sendable @convention(c) () -> Void).self) }
}

extension Trampoline where Argument == Void, Answer == Void {
  static let plain = {
    let function: @convention(c) (gpointer?, gpointer?) -> Void = { _, data in fire(data, ()) }
    return Trampoline(function)
  }()
  static let notify = {
    let function: @convention(c) (gpointer?, gpointer?, gpointer?) -> Void = { _, _, data in fire(data, ()) }
    return Trampoline(function)
  }()
}

extension Trampoline where Argument == Void, Answer == Bool {
  static let question = {
    let function: @convention(c) (gpointer?, gpointer?) -> gboolean = { _, data in fire(data, (), as: Bool.self) ? 1 : 0 }
    return Trampoline(function)
  }()
}

extension Trampoline where Argument == Bool, Answer == Void {
  static let flag = {
    let function: @convention(c) (gpointer?, gboolean, gpointer?) -> Void = { _, flag, data in fire(data, flag != 0) }
    return Trampoline(function)
  }()
}

extension Trampoline where Argument == Int, Answer == Void {
  static let position = {
    let function: @convention(c) (gpointer?, guint, gpointer?) -> Void = { _, position, data in fire(data, Int(position)) }
    return Trampoline(function)
  }()
}

extension Trampoline where Argument == (presses: Int, x: Double, y: Double), Answer == Void {
  static let press = {
    let function: @convention(c) (gpointer?, gint, gdouble, gdouble, gpointer?) -> Void = { _, presses, x, y, data in
      fire(data, (presses: Int(presses), x: x, y: y))
    }
    return Trampoline(function)
  }()
}

extension Trampoline where Argument == Int, Answer == Void {
  static let response = {
    let function: @convention(c) (gpointer?, gint, gpointer?) -> Void = { _, response, data in fire(data, Int(response)) }
    return Trampoline(function)
  }()
}

extension Trampoline where Argument == (x: Double, y: Double), Answer == Void {
  static let place = {
    let function: @convention(c) (gpointer?, gdouble, gdouble, gpointer?) -> Void = { _, x, y, data in fire(data, (x: x, y: y)) }
    return Trampoline(function)
  }()
}

extension Trampoline where Argument == (x: Double, y: Double, inPixels: Bool), Answer == Bool {
  static let scroll = {
    let function: @convention(c) (gpointer?, gdouble, gdouble, gpointer?) -> gboolean = { controller, x, y, data in
      guard let controller else { return 0 }
      let inPixels = gtk_event_controller_scroll_get_unit(OpaquePointer(controller)) == GDK_SCROLL_UNIT_SURFACE
      return fire(data, (x: x, y: y, inPixels: inPixels), as: Bool.self) ? 1 : 0
    }
    return Trampoline(function)
  }()
}

extension Trampoline where Argument == GtkScrollType, Answer == Bool {
  static let scrollType = {
    let function: @convention(c) (gpointer?, GtkScrollType, gboolean, gpointer?) -> gboolean = { _, type, _, data in
      fire(data, type, as: Bool.self) ? 1 : 0
    }
    return Trampoline(function)
  }()
}

extension Trampoline where Argument == (value: UInt32, modifiers: UInt32), Answer == Bool {
  static let key = {
    let function: @convention(c) (gpointer?, guint, guint, GdkModifierType, gpointer?) -> gboolean = { _, value, _, modifiers, data in
      fire(data, (value: value, modifiers: modifiers.rawValue), as: Bool.self) ? 1 : 0
    }
    return Trampoline(function)
  }()
}

extension Trampoline where Argument == String, Answer == Bool {
  static let link = {
    let function: @convention(c) (gpointer?, UnsafePointer<CChar>?, gpointer?) -> gboolean = { _, address, data in
      fire(data, string(address) ?? "", as: Bool.self) ? 1 : 0
    }
    return Trampoline(function)
  }()
}

/// An object that a handler gets, and may use only until it returns.
struct Passed: @unchecked Sendable {  // stays on the main thread, where the signal was emitted
  let raw: UnsafeMutableRawPointer
}

extension Trampoline where Argument == Passed, Answer == Void {
  static let object = {
    let function: @convention(c) (gpointer?, gpointer?, gpointer?) -> Void = { _, object, data in
      if let object { fire(data, Passed(raw: object), as: Void.self) }
    }
    return Trampoline(function)
  }()
}

extension Trampoline where Argument == String, Answer == Void {
  static let problem = {
    let function: @convention(c) (gpointer?, gpointer?, UnsafePointer<GError>?, gpointer?) -> Void = { _, _, error, data in
      fire(data, string(error?.pointee.message) ?? "", as: Void.self)
    }
    return Trampoline(function)
  }()
}

extension Trampoline where Argument == [String], Answer == Void {
  static let files = {
    let function: @convention(c) (gpointer?, UnsafeMutablePointer<OpaquePointer?>?, gint, gpointer?, gpointer?) -> Void = {
      _, files, count, _, data in
      fire(data, (0..<Int(count)).compactMap { index in files?[index].flatMap { takenString(matinee_file_uri($0)) } })
    }
    return Trampoline(function)
  }()
}

extension Object {
  /// Connects a closure to a signal until the scope closes, the object goes, or the connection is ended.
  @discardableResult
  func connect<Argument, Answer>(
    _ signal: String, _ trampoline: Trampoline<Argument, Answer>, in scope: Scope, _ body: @escaping @MainActor (Argument) -> Answer
  ) -> SignalConnection {
    let handler = Handler(body)
    let identifier = g_signal_connect_data(raw, signal, trampoline.callback, handler.retained, releaseClosure, GConnectFlags(rawValue: 0))
    let raw = raw
    // The pointer needs no reference: an object that goes releases its closures first, and that clears this one.
    let connection = SignalConnection {
      if g_signal_handler_is_connected(raw, identifier) != 0 { g_signal_handler_disconnect(raw, identifier) }
    }
    handler.connection = connection
    scope.record(connection)
    return connection
  }

  /// The same, with an owner that is held weakly and given to the closure; `absent` answers when the owner is gone.
  @discardableResult
  func connect<Owner: SignalOwner, Argument, Answer>(
    _ signal: String, _ trampoline: Trampoline<Argument, Answer>, owner: Owner, absent: Answer,
    _ body: @escaping @MainActor (Owner, Argument) -> Answer
  ) -> SignalConnection {
    connect(signal, trampoline, in: owner.scope) { [weak owner] argument in
      guard let owner else { return absent }
      return body(owner, argument)
    }
  }

  /// The same, for the many signals that only say that something happened.
  @discardableResult
  func connect<Owner: SignalOwner>(_ signal: String, owner: Owner, _ body: @escaping @MainActor (Owner) -> Void) -> SignalConnection {
    connect(signal, .plain, owner: owner, absent: ()) { owner, _ in body(owner) }
  }
}
