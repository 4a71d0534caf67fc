import Foundation
import Runtime

/// Something a reader does to an entity: it changes the cache at once and the server afterwards.
///
/// It says how it changes the entity; how it is sent is said when it is registered. It needs no way back: what is shown is the server's value
/// folded with the pending actions, so that one is undone by folding without it.
public protocol Action: Codable, Sendable {
  /// What it changes.
  associatedtype Value: Entity

  /// The name it is kept under in the outbox; never changed once it shipped.
  static var kind: String { get }
  /// Identifies this one action for good: it is sent under this name, however often.
  var id: UUID { get }
  /// Whether it is about all entities of its cache, also those that become known later: "mark all as read". By default false. ``apply(to:)``
  /// decides for each. It changes values only: it creates nothing, removes nothing and leaves ``Entity/detail`` alone. Once the server has
  /// carried it out, it is applied to all entities in memory and in the store.
  static var isAboutAll: Bool { get }
  /// Which entity it changes; for one about all, whatever else tells it from others of its kind.
  var entityID: String { get }
  /// A later action on the same entity with the same key takes the place of this one, unless the server answers this one first; `nil` when
  /// each counts. By default the kind; kinds that share one change the same cache.
  var supersedesKey: String? { get }
  /// Changes the entity as the server will. `nil` is an entity that is not known here: an action may make it. Setting `nil` removes it.
  ///
  /// Applied to a value that has the change already, it must leave it as it is: an answer may come from before or after the server acted.
  func apply(to value: inout Value?)
}

extension Action {
  /// It is about one entity.
  public static var isAboutAll: Bool { false }
  /// The kind: of two toggles only the last matters.
  public var supersedesKey: String? { Self.kind }
}

/// An action that the server refused, and that was taken back.
public struct RefusedAction: Equatable, Sendable {
  /// ``Action/kind``.
  public let kind: String
  /// ``Action/id``.
  public let actionID: UUID
  /// ``Action/entityID``.
  public let entityID: String
  /// Why, for the reader.
  public let sentence: String

  /// Memberwise initializer.
  public init(kind: String, actionID: UUID, entityID: String, sentence: String) {
    self.kind = kind
    self.actionID = actionID
    self.entityID = entityID
    self.sentence = sentence
  }
}

/// The actions that the server has not confirmed yet, and what holds them up: "3 changes waiting".
public struct OutboxStatus: Equatable, Sendable {
  /// How many actions.
  public var count: Int
  /// Why they wait, for the reader; `nil` while they are simply on their way, which is not shown.
  public var problem: String?

  /// Makes one; without arguments nothing waits.
  public init(count: Int = 0, problem: String? = nil) {
    self.count = count
    self.problem = problem
  }
}
