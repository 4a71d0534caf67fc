@testable import CrashProbe

/// A way that a purchase can go, whose every point is one to be killed at.
struct Journey: Sendable {
  let name: String
  let product: String
  let decision: Errand.Decision
  /// What the switch says when it begins.
  let stage: Errand.Stage
  /// How many article passes it gives, once; `nil` for access.
  var passes: Int?
  /// What happens before the points are counted: a journey can be the recovery from another's end.
  var prelude: [Blow] = []

  /// Whether it ends with a charge and the entitlement, if nobody interferes.
  var isBought: Bool { decision == .approved || needsBank }
  /// Whether somebody else has to say yes before it goes on.
  var needsBank: Bool { decision == .deferred || decision == .interrupted }
}

/// A place of a journey: the n-th time that somebody stands there.
struct Point: Hashable, Sendable {
  let label: String
  var occurrence = 1

  static let ledgerCalled = Point(label: "ledger asked")
  static let ledgerWrote = Point(label: "ledger wrote")

  /// Whether the ledger's file has to be held to get there.
  var isAtLedger: Bool { label.hasPrefix("ledger ") }

  /// The same request with all of it at a server that cannot write anything yet; `nil` unless this is one that arrived.
  var blocked: Point? {
    let sent = "\(Relay.Boundary.sent.rawValue) "
    guard label.hasPrefix(sent), !label.hasPrefix("\(sent)GET") else { return nil }
    return Point(label: "blocked \(label.dropFirst(sent.count))", occurrence: occurrence)
  }

  /// The point at which the database is taken away, so that a request is ``blocked`` afterwards.
  var beforeBlocked: Point? {
    guard label.hasPrefix("blocked ") else { return nil }
    return Point(label: "\(Relay.Boundary.before.rawValue) \(label.dropFirst(8))", occurrence: occurrence)
  }
}

/// Who is killed.
enum Victim: String, CaseIterable, Sendable {
  case client, server, both, ledger

  var killsClient: Bool { self == .client || self == .both }
  var killsServer: Bool { self == .server || self == .both }
}

/// One killing.
struct Blow: Sendable {
  enum Place: Sendable {
    case point(Point)
    /// The n-th standstill since the blow before, wherever that is.
    case standstill(Int)
  }

  /// What becomes of the message that stands on the wire then.
  enum Fate: CaseIterable, Sendable {
    /// It was under way, and arrives at whoever is there now.
    case arrives
    case isLost
    /// It arrives when everything is over.
    case arrivesLate
  }

  let place: Place
  let victim: Victim
  var fate = Fate.arrives
  /// Whether the victim was let go first, and is hit wherever it has come to by then.
  var inItsStride = false
  /// Whether the ledger's process goes down with its server.
  var withLedger = false
  /// Of both, who goes first.
  var serverFirst = false
}

/// Sebastiano Vigna's SplitMix64: the same numbers for a seed everywhere.
struct Chance: RandomNumberGenerator {
  var state: UInt64

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var value = state
    value = (value ^ (value >> 30)) &* 0xBF58_476D_1CE4_E5B9
    value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
    return value ^ (value >> 31)
  }
}
