/// What the server said of an entity, by reference: values are large, and would be copied on their way to the store.
///
/// Of no entity's type, which would have to be found out at run time with each of them: where there are many, they are these.
// @unchecked: nothing in it changes.
class AnyHeld: @unchecked Sendable {
  /// The value's: of a type that is not known here, the whole value is copied to look at a part.
  let id: String
  /// Whether it is kept for good by what it is.
  let isKept: Bool

  fileprivate init(_ id: String, isKept: Bool) {
    self.id = id
    self.isKept = isKept
  }

  /// The value, which is of this type: all that a ``Cache`` has are of its own.
  func value<Value: Entity>(of type: Value.Type) -> Value { unsafeDowncast(self, to: Held<Value>.self).value }
}

/// What the server said of an entity, with its value.
final class Held<Value: Entity>: AnyHeld, @unchecked Sendable {
  let value: Value

  init(_ value: consuming Value) {
    let (id, isKept) = (value.id, value.isKept)
    self.value = value
    super.init(id, isKept: isKept)
  }

  /// Reads one out of the store; `nil` when the bytes are no such value.
  /// - Parameter detail: what is stored beside the bytes, if it is wanted.
  init?(_ bytes: UnsafeRawBufferPointer, detail: String? = nil) {
    var value = Value.blank
    guard StoredForm.read(&value, from: bytes) else { return nil }
    if let detail { value.detail = detail }
    let (id, isKept) = (value.id, value.isKept)
    self.value = consume value
    super.init(id, isKept: isKept)
  }
}

/// What is known of an entity, and of its way into the store.
@MainActor final class Known {
  var held: AnyHeld
  /// When this value was asked for.
  var stamp: Stamp
  /// Whether it is among those that a ``Keeper`` is going to write.
  var isUnwritten = false
  /// When the store last noted it, in its own counting; `nil` when it has not, or may not have.
  var storedAt: Int64?
  /// Whether it was forgotten since.
  var isGone = false

  let id: String

  init(_ held: AnyHeld, _ stamp: Stamp) {
    id = held.id
    self.held = held
    self.stamp = stamp
  }
}

extension [String: Known] {
  /// What is known under its id, or else this, which is put in: with one search.
  @MainActor mutating func find(orInsert new: Known) -> Known {
    let read = { (known: inout Known) in known }
    // Read in place: otherwise the default would not be put in.
    return read(&self[new.id, default: new])
  }
}
