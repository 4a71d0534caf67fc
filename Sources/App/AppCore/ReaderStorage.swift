import Foundation
import Runtime
import SQLiteStorage

/// What readers set on this computer, and what the app has to remember for them: by name, each reader's own.
struct ReaderSettings: Sendable {
  static let migrations = [
    Migration(
      version: 1,
      sql: """
        CREATE TABLE setting (
          owner TEXT NOT NULL,
          name TEXT NOT NULL,
          value BLOB NOT NULL,
          PRIMARY KEY (owner, name)
        ) WITHOUT ROWID
        """)
  ]

  let database: Database
  let owner: String

  /// - Returns: `nil` for what was never set, and for what this version cannot read.
  func read<Value: Decodable & Sendable>(_ name: String, as: Value.Type) async throws -> Value? {
    let data: Data? = try await database.run { connection in
      try connection.queryOne("SELECT value FROM setting WHERE owner = ? AND name = ?", owner, name) { try $0.get(0) }
    }
    return data.flatMap { try? JSONDecoder().decode(Value.self, from: $0) }
  }

  func write(_ name: String, _ value: some Encodable & Sendable) async throws {
    let data = try JSONEncoder().encode(value)
    try await database.run { connection in
      _ = try connection.execute("INSERT OR REPLACE INTO setting (owner, name, value) VALUES (?, ?, ?)", owner, name, data)
    }
  }
}

/// One of the ``ReaderSettings``, written whenever it changes: the newest value in the end, however often it does. Isolated to the main
/// actor.
@MainActor final class KeptSetting<Value: Codable & Sendable> {
  private let name: String
  private let settings: ReaderSettings
  private let effects: Effects
  private let pause: (length: Duration, clock: any AppClock)?
  /// Told why a value could not be written. It holds until the app ends.
  var onFailure: ((any Error) -> Void)?
  private var newest: Value?
  private var writing: Task<Void, Never>?
  private var pausing: Task<Void, Never>?
  /// Whether somebody waits for what is kept to be written.
  private var isHurried = false

  /// - Parameter pause: how long further changes are waited for before one is written; `nil` for what changes seldom.
  init(_ name: String, in settings: ReaderSettings, effects: Effects, pause: (length: Duration, clock: any AppClock)? = nil) {
    self.name = name
    self.settings = settings
    self.effects = effects
    self.pause = pause
  }

  func persist(_ value: Value) {
    newest = value
    guard writing == nil else { return }
    writing = Task {
      while newest != nil {
        await waitForMore()
        guard let value = newest else { break }
        newest = nil
        do { try await effects.run("settings.write") { [settings, name] in try await settings.write(name, value) } } catch {
          onFailure?(error)
        }
      }
      writing = nil
    }
  }

  private func waitForMore() async {
    guard let pause, !isHurried else { return }
    let timer = Task { [effects] in _ = try? await effects.sleep("settings.pause", for: pause.length, on: pause.clock) }
    pausing = timer
    await timer.value
    pausing = nil
  }

  /// Returns when what was kept is written.
  func written() async {
    isHurried = true
    pausing?.cancel()
    await writing?.value
    isHurried = false
  }
}
