import Foundation
import Runtime

/// Something a user does to an entity: it changes the cache at once and the server afterwards.
///
/// It says how it changes the entity; how it is sent is defined at its registration. It needs no code that reverts it: the shown value is
/// the server's folded with the pending actions, so it is undone by folding without it.
public protocol Action: Codable, Sendable {
  /// The type of the entities that it changes.
  associatedtype Value: Entity

  /// Its name in the outbox; never changed once it shipped.
  static var kind: String { get }
  /// Identifies this one action permanently: each repeated request has the same identifier.
  var id: UUID { get }
  /// Whether it is about all entities of its cache, also those that become known later: "mark all as read". By default false. ``apply(to:)``
  /// decides for each. It changes values only: it creates nothing, removes nothing and leaves ``Entity/detail`` alone. Once the server has
  /// carried it out, it is applied to all entities in memory and in the entity store.
  static var isAboutAll: Bool { get }
  /// Which entity it changes; for an action about all entities, a name that is unique among its kind.
  var entityID: String { get }
  /// A later action on the same entity with the same key replaces this one, unless the server answers this one first; `nil` when each
  /// counts. By default the kind; kinds that share one change the same cache.
  var supersedesKey: String? { get }
  /// The ``id`` of the action that this one undoes. As long as that one was never sent, it is taken back, and neither is sent; `nil` for an
  /// action that undoes none, as by default.
  var undoes: UUID? { get }
  /// Changes the entity as the server will. `nil` is an entity that is not known here: an action may create it. Setting `nil` removes it.
  ///
  /// Applied to a value that has the change already, it must leave it as it is: an answer may be from before or after the server's change.
  func apply(to value: inout Value?)
}

extension Action {
  /// It is about one entity.
  public static var isAboutAll: Bool { false }
  /// The kind: of two toggles only the last matters.
  public var supersedesKey: String? { Self.kind }
  /// None.
  public var undoes: UUID? { nil }
}

/// An action that the server refused, and that was taken back.
public struct RefusedAction: Equatable, Sendable {
  /// The action's ``Action/kind``.
  public let kind: String
  /// The action's ``Action/id``.
  public let actionID: UUID
  /// The entity that the action changed: its ``Action/entityID``.
  public let entityID: String
  /// Why, for the user.
  public let sentence: String

  public init(kind: String, actionID: UUID, entityID: String, sentence: String) {
    self.kind = kind
    self.actionID = actionID
    self.entityID = entityID
    self.sentence = sentence
  }
}

/// The actions that the server has not confirmed yet, and what delays them: "3 changes waiting".
public struct OutboxStatus: Equatable, Sendable {
  /// How many actions the server has not confirmed.
  public var count: Int
  /// Why they wait, for the user; `nil` while they are being sent, which is not shown as long as the server answers.
  public var problem: String?

  /// By default nothing waits.
  public init(count: Int = 0, problem: String? = nil) {
    self.count = count
    self.problem = problem
  }
}
