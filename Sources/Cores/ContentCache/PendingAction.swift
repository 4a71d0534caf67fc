import Foundation
import Runtime

/// One entity of one cache.
struct Target: Hashable {
  let cache: ObjectIdentifier
  let entityID: String
}

/// An action that the server has not confirmed, its type forgotten.
@MainActor final class PendingAction {
  /// The key that two actions share if the later supersedes the earlier. An action that may have reached the server is superseded too: the
  /// newer one sets the final value.
  struct Key: Hashable {
    let target: Target
    let name: String
  }

  let id: UUID
  let kind: String
  let target: Target
  /// `nil` when each counts.
  let key: Key?
  /// Its row in the outbox.
  let row: @Sendable () throws -> Outbox.Row
  /// Changes the cache; true puts it beneath the other pending actions.
  let apply: (_ beneath: Bool) -> Void
  let revert: () -> Void
  /// Asks the server; what is returned stores the answer.
  let send: @MainActor () async throws -> @MainActor () -> Void
  /// Returns when the server's change is stored: for an action about all entities, of which the disk has no other trace once it is
  /// removed.
  let isStored: (@MainActor () async -> Void)?
  /// Reports a refusal to where the kind was registered.
  let refused: (any Error) -> Void
  /// Gives the user's text back to the code that registered the kind, and returns whether there is any.
  let handBack: () -> Bool
  /// Its row is written, or never will be.
  var isPersisted = false
  /// Its row could not be written: it is in memory alone.
  var isUnstored = false
  var isOnItsWay = false
  /// Whether the server may have it. It was sent, or an earlier run left it, which may have sent it.
  var mayHaveArrived = false
  /// It is not in the line any more.
  var isFinished = false
  /// How often it was sent; several times count as one until the server has answered another request.
  var tries = 0
  /// How much else the server had answered when it was sent last.
  var triedAt: Int?

  init<A: Action>(
    _ action: A, target: Target, apply: @escaping (Bool) -> Void, revert: @escaping () -> Void,
    send: @escaping @MainActor () async throws -> @MainActor () -> Void, isStored: (@MainActor () async -> Void)?,
    refused: @escaping (any Error) -> Void, handBack: @escaping () -> Bool
  ) {
    id = action.id
    kind = A.kind
    self.target = target
    key = action.supersedesKey.map { Key(target: target, name: $0) }
    row = { try Outbox.Row(action) }
    self.apply = apply
    self.revert = revert
    self.send = send
    self.isStored = isStored
    self.refused = refused
    self.handBack = handBack
  }
}

/// How one kind of action is made from its row, applied and sent. A protocol, since the kinds, of different types, are in one table.
@MainActor protocol Registration {
  func pending(decoding payload: Data) throws -> PendingAction
  /// Hands back what was refused in an earlier run.
  func handBack(decoding payload: Data) throws
}

@MainActor struct Registered<A: Action>: Registration {
  let cache: Cache<A.Value>
  let relatedChange: @MainActor (A) -> RelatedChange?
  let effects: Effects
  let send: @Sendable (A) async throws -> A.Value?
  let confirmed: @MainActor (A) -> Void
  let refused: @MainActor (A, any Error) -> Void
  let handBack: @MainActor (A) -> Bool

  func pending(decoding payload: Data) throws -> PendingAction { pending(try JSONDecoder().decode(A.self, from: payload)) }

  func handBack(decoding payload: Data) throws { _ = handBack(try JSONDecoder().decode(A.self, from: payload)) }

  func pending(_ action: A) -> PendingAction {
    let (cache, effects, send, confirmed, refused, handBack) = (cache, effects, send, confirmed, refused, handBack)
    let change = Cache<A.Value>.Pending(id: action.id, apply: action.apply)
    let side = relatedChange(action)
    let entity = A.isAboutAll ? nil : action.entityID
    var isStored: (@MainActor () async -> Void)?
    if A.isAboutAll, cache.entityStore != nil { isStored = { await cache.written() } }
    return PendingAction(
      action, target: Target(cache: ObjectIdentifier(cache), entityID: action.entityID),
      apply: { beneath in
        cache.add(change, to: entity, beneath: beneath)
        side?.apply(beneath)
      },
      revert: {
        cache.remove(change, from: entity)
        side?.revert()
      },
      send: {
        let value = try await effects.run("action.\(A.kind)") { try await send(action) }
        return {
          if let entity { cache.confirm(change, of: entity, as: value) } else { cache.confirm(change) }
          side?.confirm()
          confirmed(action)
        }
      },
      isStored: isStored, refused: { refused(action, $0) }, handBack: { handBack(action) })
  }
}
