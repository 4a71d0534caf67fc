import FeatureFlags
import Foundation
import Runtime
import Synchronization

/// A server that a test plays: rules, and what was taken. Safe from any thread.
final class Server: FlagSource, FlagSink {
  struct State {
    var rules: [FlagRule] = []
    var malformed: [FlagRule.Failure] = []
    var failure: FlagError?
    /// Takes what it is sent, and its answer gets lost.
    var losesAnswers = false
    var requested: [ClientCapabilities] = []
    var batches: [[FlagEvent]] = []
    var taken: [String: [FlagEvent]] = [:]
  }

  private let state = Mutex(State())

  func with<Value: Sendable>(_ body: (inout State) throws -> Value) rethrows -> Value { try state.withLock { try body(&$0) } }

  func set(_ name: String, _ percent: Int, from version: String? = nil, features: [String] = []) throws {
    let rule = try FlagRule(name: name, percent: percent, minimumVersion: version, features: features)
    with { state in
      state.rules.removeAll { $0.name == name }
      state.rules.append(rule)
    }
  }

  func rules(for client: ClientCapabilities) async throws -> FetchedRules {
    try with { state in
      state.requested.append(client)
      if let failure = state.failure { throw failure }
      return FetchedRules(rules: state.rules, malformed: state.malformed)
    }
  }

  func send(_ events: [FlagEvent], of user: String) async throws {
    try with { state in
      state.batches.append(events)
      if let failure = state.failure { throw failure }
      for event in events where !(state.taken[user] ?? []).contains(where: { $0.id == event.id }) {
        state.taken[user, default: []].append(event)
      }
      if state.losesAnswers { throw FlagError.unreachable }
    }
  }

  /// `exposed a=on`, in the order in which they were taken.
  func taken(_ user: String) -> [String] {
    with { state in
      (state.taken[user] ?? []).map { event in
        let buckets = event.buckets.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value.rawValue)" }
        return ([event.name.rawValue] + [event.code].compactMap { $0 } + buckets).joined(separator: " ")
      }
    }
  }
}

/// The flags of one run of a program, in a folder.
@MainActor struct Run {
  let flags: Flags
  let effects = Effects()
  let clock: ManualClock
  let problems = Lines()

  final class Lines { var all: [String] = [] }

  init(
    _ server: Server, path: String = ":memory:", clock: ManualClock = ManualClock(), version: String = "1.0", features: Set<String> = [],
    scope: String = "server", identifiers: any IdentifierSource = RandomIdentifiers()
  ) throws {
    guard let version = ClientVersion(version) else { throw FlagError.refused("no version") }
    self.clock = clock
    flags = Flags(
      FlagEnvironment(
        client: ClientCapabilities(version: version, features: features), scope: scope, path: path, clock: clock, identifiers: identifiers,
        effects: effects), source: server, sink: server)
    flags.onProblem = { [problems] in problems.all.append($0) }
  }

  /// As a program starts: the file, then the server.
  func start(_ user: String? = nil) async {
    await flags.open()
    await flags.refresh()
    if let user { flags.begin(user) }
    await settle()
  }

  func settle() async {
    await effects.settled()
    await flags.written()
    await effects.settled()
  }

  func quit() async {
    flags.end()
    await flags.written()
    await effects.settled()
  }
}

/// A folder for one test, gone with it.
final class Folder: Sendable {
  let path = NSTemporaryDirectory() + "matinee-flags-\(UUID().uuidString)"
  init() throws { try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true) }
  deinit { try? FileManager.default.removeItem(atPath: path) }
  var file: String { path + "/flags.sqlite" }
}

/// The first user from a list of made-up ones on that side of a roll-out.
func user(_ variant: Variant, of flag: String, at percent: Int = 50) throws -> String {
  let rule = try FlagRule(name: flag, percent: percent)
  return (0...).lazy.map { "reader-\($0)" }.first { rule.variant(for: $0) == variant } ?? ""
}
