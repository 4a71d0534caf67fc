import Foundation

/// What the test sends the client out for, as JSON in its only argument.
struct Errand: Codable, Sendable {
  enum Mode: String, Codable, Sendable {
    /// Goes on with what is unfinished, then buys.
    case buy
    /// Goes on with what is unfinished.
    case resume
    /// Looks at what is stored, without a network.
    case look
  }

  /// What the person does when asked for money.
  enum Decision: String, Codable, Sendable {
    case approved
    case declined
    case cancelled
    /// Agrees, and the bank has yet to.
    case deferred
    /// Agrees, and has to confirm on a page of the bank's.
    case interrupted
  }

  /// Which path the switch says: purchases that the other one began are finished by that all the same.
  enum Stage: String, Codable, Sendable {
    case backend
    case device

    var other: Stage { self == .backend ? .device : .backend }
  }

  /// What the journal calls the publication.
  static let seller = "crash-matrix"

  var mode: Mode
  /// Where the publication answers.
  var origin: String
  /// Where the client keeps its journal.
  var folder: String
  var reader: String
  var token: String
  var product: String
  /// Whether the product is held once it is bought, and not spent.
  var isSuspended: Bool
  var decision: Decision
  var stage: Stage
}

/// What the client says at the end of its errand.
struct Report: Codable, Equatable, Sendable {
  struct Purchase: Codable, Equatable, Sendable {
    /// The transaction, which is the order.
    var id: UUID
    /// The path that began it.
    var path: String
    /// Every step that was written down for it.
    var steps: [String]
  }

  /// Why the errand failed, if it did.
  var failure: String?
  /// Every purchase in the journal, oldest first.
  var purchases: [Purchase] = []
  /// How many of them are not over.
  var unfinished = 0
  /// The products that the reader has.
  var entitled: Set<String> = []
}

/// A line from the client: where it stands, or its report.
enum Line: Codable, Equatable, Sendable {
  /// It stands still until it gets a byte.
  case stands(String)
  /// The end. It leaves when it gets a byte.
  case done(Report)
}
