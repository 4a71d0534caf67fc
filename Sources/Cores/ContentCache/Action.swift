import Foundation

/// Something a reader does to an entity: it changes the cache at once and the server afterwards.
public protocol Action: Codable, Sendable {
  /// What it changes.
  associatedtype Value: Entity

  /// The name it is kept under in the outbox; never changed once it shipped.
  static var kind: String { get }
  /// Identifies this one action for good: it is sent under this name, however often.
  var id: UUID { get }
  /// Which entity it changes.
  var entityID: String { get }
  /// A later action on the same entity with the same key takes the place of this one while it has not been sent; `nil` when each counts,
  /// as with comments. By default the kind.
  var supersedesKey: String? { get }
  /// Changes the entity as the server will. Applied to a value that has the change already, it must leave it as it is: an answer may
  /// come from before or after the server acted.
  func apply(to value: inout Value)
}

extension Action {
  /// The kind: of two toggles only the last matters.
  public var supersedesKey: String? { Self.kind }
}

/// Why the server did not do what it was asked, with a sentence for the reader.
public enum RequestFailure: Error, Equatable, Sendable {
  /// It answered, and the answer is no.
  case refused(String)
  /// Whether it acted is not known: it could not be reached, or its answer was lost.
  case unreachable(String)

  /// For the reader.
  public var sentence: String {
    switch self {
    case .refused(let sentence), .unreachable(let sentence): sentence
    }
  }
}

/// An action that was taken back.
public struct ActionFailure: Error, Equatable, Sendable {
  /// ``Action/kind``.
  public let kind: String
  /// ``Action/id``.
  public let actionID: UUID
  /// ``Action/entityID``.
  public let entityID: String
  /// Why, with a sentence for the reader.
  public let reason: RequestFailure

  /// For the reader.
  public var sentence: String { reason.sentence }

  /// Makes one.
  public init(kind: String, actionID: UUID, entityID: String, reason: RequestFailure) {
    self.kind = kind
    self.actionID = actionID
    self.entityID = entityID
    self.reason = reason
  }
}

/// What becomes of an action when nobody could be reached.
public enum UnreachablePolicy: Equatable, Sendable {
  /// It is taken back as if it had been refused, and the reader is told.
  case revert
}
