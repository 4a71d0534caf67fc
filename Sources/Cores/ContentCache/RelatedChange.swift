import Foundation

/// What an action changes beside the entity that it is about, such as a number that counts it. It is applied and taken back with the
/// action. Once the server has carried the action out, the change stays until the server's next answer about that entity.
@MainActor public struct RelatedChange {
  let apply: (_ beneath: Bool) -> Void
  let revert: () -> Void
  let confirm: () -> Void

  /// - Parameters:
  ///   - action: ``Action/id``.
  ///   - id: the other entity; one that is not known is left alone.
  ///   - cache: where that is.
  ///   - change: changes it. Applied to each value from the server, which may include the change already: a count can then be off by one.
  public init<Value: Entity>(
    of action: UUID, on id: String, in cache: Cache<Value>, change: @escaping @Sendable (inout Value) -> Void
  ) {
    let pending = Cache<Value>.Pending(id: action) { value in
      guard var changed = value else { return }
      change(&changed)
      value = changed
    }
    apply = { cache.add(pending, to: id, beneath: $0) }
    revert = { cache.remove(pending, from: id) }
    confirm = {
      guard var value = cache.value(id) else { return cache.remove(pending, from: id) }
      change(&value)
      cache.confirm(pending, of: id, as: value)
    }
  }
}
