import CGtk
import CGtkShims

/// One strong reference to an object of the toolkit, held for as long as this one lives. Belongs to the main actor.
///
/// The toolkit's object may live longer: a window keeps its widgets. Closures given to it live until their ``Scope`` closes, also without
/// this wrapper.
@MainActor public class Object {
  let raw: UnsafeMutableRawPointer

  /// Takes over what a constructor returned: a floating reference is sunk, a full one kept.
  init(made pointer: UnsafeMutableRawPointer?) {
    raw = g_object_take_ref(checked(pointer))
    Diagnostics.watch(raw)
  }

  /// Takes a reference of its own to an object that another owner holds.
  init(borrowed pointer: UnsafeMutableRawPointer) {
    raw = g_object_ref(pointer)
    Diagnostics.watch(raw)
  }

  /// The same for objects that live as long as the display, and would be counted as leaks.
  init(lasting pointer: UnsafeMutableRawPointer) { raw = g_object_ref(pointer) }

  isolated deinit { g_object_unref(raw) }

  /// The pointer as a type whose structure C shows.
  func pointer<Structure>() -> UnsafeMutablePointer<Structure> { raw.assumingMemoryBound(to: Structure.self) }

  /// The pointer as a type whose structure C hides.
  var opaque: OpaquePointer { OpaquePointer(raw) }

  func setBoolean(_ property: String, _ value: Bool) { matinee_object_set_boolean(raw, property, value ? 1 : 0) }
  func boolean(_ property: String) -> Bool { matinee_object_get_boolean(raw, property) != 0 }
  func text(_ property: String) -> String { takenString(matinee_object_get_string(raw, property)) ?? "" }
  func setString(_ property: String, _ value: String) { matinee_object_set_string(raw, property, value) }
}

/// The object that a constructor returned. It is `nil` only when the toolkit was never started, which no input can cause.
func checked<Pointer>(_ made: Pointer?) -> Pointer {
  guard let made else { preconditionFailure("the toolkit made no object: call Toolkit.start() first") }
  return made
}

/// A C string as Swift's, nil for NULL.
func string(_ text: UnsafePointer<CChar>?) -> String? { text.map { String(cString: $0) } }

/// A C string that we must free, as Swift's.
func takenString(_ text: UnsafeMutablePointer<CChar>?) -> String? {
  guard let text else { return nil }
  defer { g_free(text) }
  return String(cString: text)
}
