import Foundation
import Runtime
import SQLiteStorage

/// What flags need of the world.
public struct FlagEnvironment: Sendable {
  /// What this client can do.
  public let client: ClientCapabilities
  /// Whose flags these are, such as a server's origin: one file holds those of several owners separately.
  public let scope: String
  /// A file of its own, which this process alone has open, or `:memory:`.
  public let path: String
  /// When a run began.
  public let clock: any AppClock
  /// Names runs and events.
  public let identifiers: any IdentifierSource
  /// The door off the main actor.
  public let effects: Effects

  /// Nothing is opened yet: ``Flags/open()`` opens the file.
  public init(
    client: ClientCapabilities, scope: String, path: String, clock: any AppClock, identifiers: any IdentifierSource = RandomIdentifiers(),
    effects: Effects
  ) {
    self.client = client
    self.scope = scope
    self.path = path
    self.clock = clock
    self.identifiers = identifiers
    self.effects = effects
  }
}

/// The flags of one app: the rules, the values of the present run, and the counts by bucket. Isolated to the main actor.
///
/// A run of a user lasts from their sign-in to their sign-out, or to the program's end. A flag that was read keeps its value for the rest
/// of the run, also after a refresh; the next run starts from the rules that are known then.
@MainActor public final class Flags {
  struct Run {
    let id: UUID
    let user: String
    var answers: [String: Bool] = [:]
    var buckets: [String: Variant] = [:]
  }

  /// Called with a sentence for the log when something is wrong with a rule, a file or a server's answer.
  public var onProblem: ((String) -> Void)?

  let environment: FlagEnvironment
  let sink: any FlagSink
  var run: Run?
  var store: FlagStore?
  /// The last write; each waits for the one before.
  var writing: Task<Void, Never>?
  var sending: Task<Void, Never>?
  var hasToSend = false
  private let source: any FlagSource
  private var rules: [String: FlagRule] = [:]
  var opening: Task<Void, Never>?
  private var refreshing: Task<Void, Never>?
  private var refreshed: Duration?

  /// Starts without rules; ``open()`` and ``refresh()`` bring them.
  public init(_ environment: FlagEnvironment, source: any FlagSource, sink: any FlagSink) {
    self.environment = environment
    self.source = source
    self.sink = sink
  }

  // MARK: Rules

  /// Opens the file, reads the rules that were known last, and counts a crash for each earlier run that was not closed. A second call waits
  /// for the first. A damaged file is set aside and replaced; a file that cannot be used is reported, and nothing is stored then.
  public func open() async {
    let task = opening ?? Task { await self.opened() }
    opening = task
    await task.value
  }

  private func opened() async {
    let (scope, path) = (environment.scope, environment.path)
    do {
      let (store, storedRules) = try await environment.effects.run("flags.open") {
        let store = FlagStore(
          database: try await Database(path: path, migrations: FlagStore.migrations, synchronous: .normal, ifDamaged: .setAside),
          scope: scope)
        try await store.countCrashes()
        return (store, try await store.rules())
      }
      self.store = store
      if store.database.timesSetAside > 0 {
        onProblem?("The file with the flags and what was counted was damaged. It was set aside, and a new one made.")
      }
      if refreshed == nil { take(storedRules) }
    } catch {
      onProblem?("The flags of earlier runs cannot be read. \(error)")
    }
  }

  /// Asks the server for its rules. Without an answer the known ones stay in force. Returns after the answer; a second call waits for the
  /// first.
  public func refresh() async {
    let task = refreshing ?? Task { await self.fetch() }
    refreshing = task
    await task.value
  }

  private func fetch() async {
    defer { refreshing = nil }
    do {
      let fetched = try await environment.effects.run("flags.refresh") { [source, client = environment.client] in
        try await source.rules(for: client)
      }
      refreshed = environment.clock.uptime
      take(fetched)
      let rules = Array(rules.values)
      write { try await $0.setRules(rules) }
    } catch FlagError.refused(let sentence) {
      onProblem?("The flags cannot be asked for. \(sentence)")
    } catch {
      // Offline: what was known last holds.
    }
  }

  private func take(_ fetched: FetchedRules) {
    for malformed in fetched.malformed { onProblem?("\(malformed)") }
    // Two rules of one name: the first counts.
    rules = Dictionary(fetched.rules.map { ($0.name, $0) }) { first, _ in first }
  }

  // MARK: Runs

  /// A user signed in. ``written()`` says when the run's marker is on the disk.
  public func begin(_ user: String) {
    guard run?.user != user else { return }
    end()
    let run = Run(id: environment.identifiers.next(), user: user)
    self.run = run
    let now = environment.clock.now
    write { try await $0.begin(run.id, of: user, at: now) }
    // What an earlier run left behind.
    send()
    if let refreshed, environment.clock.uptime - refreshed < Self.freshness { return }
    Task { await refresh() }
  }

  /// How long rules are fresh enough to begin another run with.
  private static let freshness = Duration.seconds(60)

  /// The user signed out, or the program ends normally. ``written()`` returns when that is on the disk.
  public func end() {
    guard let run else { return }
    self.run = nil
    write { try await $0.end(run.id) }
  }

  /// Whether a flag is on for the signed-in user: the same for the whole run. Without a user it is the flag's default value.
  public func isOn(_ flag: Flag) -> Bool {
    guard var run else { return flag.defaultValue }
    if let answer = run.answers[flag.name] { return answer }
    guard let rule = rules[flag.name], rule.applies(to: environment.client) else {
      // Not part of the roll-out: the answer holds, and is counted nowhere.
      self.run?.answers[flag.name] = flag.defaultValue
      return flag.defaultValue
    }
    let variant = rule.variant(for: run.user)
    run.answers[flag.name] = variant == .on
    run.buckets[flag.name] = variant
    self.run = run
    let exposure = FlagEvent(id: environment.identifiers.next(), name: .exposed, buckets: [flag.name: variant])
    write { [run] in try await $0.expose(exposure, in: run.id, of: run.user, now: run.buckets) }
    send()
    return variant == .on
  }
}
