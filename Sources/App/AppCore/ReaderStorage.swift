import ContentCache
import FanClubFeature
import FeatureKit
import Foundation
import ReaderContent
import Runtime
import SQLiteStorage

/// The files of one reader on this machine. Isolated to the main actor.
@MainActor package final class ReaderStorage {
  /// The reader's pending actions.
  package let outbox: Outbox
  /// What the reader read, for reading offline; `nil` when nothing can be stored.
  package let entities: EntityStore?
  let notifications: StoredSetting<NotificationSettings>
  let memory: StoredSetting<PostNotifications.Memory>
  package let unfinished: StoredSetting<UnfinishedWork>
  let place: StoredSetting<LastPlace>
  let analytics: StoredSetting<Analytics.Memory>
  /// Where what this reader does is written down for them, if they choose so; `nil` when nothing can be stored.
  let analyticsFile: AnalyticsFile?
  /// Whether the file with the settings was damaged, and set aside.
  let haveSettingsBeenSetAside: Bool
  private let databases: (outbox: Database, settings: Database)
  private let effects: Effects

  /// The most that is lost in a power failure; a whole draft is written each time.
  private static let unfinishedPause = Duration.seconds(1)

  /// Opens the files, and makes those that are missing.
  /// - Parameters:
  ///   - folder: where they are; `nil` has them in memory.
  ///   - owner: whose they are: readers of several publications share the files.
  ///   - contentLimit: how much of what the reader read is stored, in bytes.
  /// - Throws: `SQLiteError`, `MigrationError`.
  package init(in folder: String?, owner: String, contentLimit: Int, effects: Effects, clock: any AppClock) async throws {
    let path = { @Sendable (name: String) in folder.map { "\($0)/\(name).sqlite" } ?? ":memory:" }
    let outbox = try await effects.run("reader.open") {
      try await Database(path: path("outbox"), migrations: Outbox.migrations, ifDamaged: .setAside)
    }
    let (settings, notifications, memory, unfinished, place, analytics) = try await effects.run("settings.open") {
      let settings = SettingTable(
        database: try await Database(path: path("settings"), migrations: SettingTable.migrations, ifDamaged: .setAside), owner: owner)
      return (
        settings, try await settings.read("notifications", as: NotificationSettings.self),
        try await settings.read("notified", as: PostNotifications.Memory.self),
        try await settings.read("unfinished", as: UnfinishedWork.self), try await settings.read("place", as: LastPlace.self),
        try await settings.read("analytics", as: Analytics.Memory.self)
      )
    }
    self.outbox = Outbox(database: outbox, owner: owner)
    entities = folder.map { EntityStore(path: $0 + "/content.sqlite", owner: owner, clock: clock, limit: contentLimit) }
    self.notifications = StoredSetting("notifications", in: settings, stored: notifications, effects: effects)
    self.memory = StoredSetting("notified", in: settings, stored: memory, effects: effects)
    self.unfinished = StoredSetting(
      "unfinished", in: settings, stored: unfinished, effects: effects, pause: (length: Self.unfinishedPause, clock: clock))
    self.place = StoredSetting("place", in: settings, stored: place, effects: effects, pause: (length: Self.unfinishedPause, clock: clock))
    self.analytics = StoredSetting(
      "analytics", in: settings, stored: analytics, effects: effects, pause: (length: Self.unfinishedPause, clock: clock))
    analyticsFile = folder.map { AnalyticsFile(path: $0 + "/analytics.jsonl") }
    haveSettingsBeenSetAside = settings.database.timesSetAside > 0
    databases = (outbox, settings.database)
    self.effects = effects
  }

  /// Called with the reason when a setting could not be written. It is in memory until the app ends.
  func onFailure(_ body: @escaping @MainActor (any Error) -> Void) {
    notifications.onFailure = body
    memory.onFailure = body
    unfinished.onFailure = body
    place.onFailure = body
    analytics.onFailure = body
  }

  /// Whether there is a text of the reader's that the end of the app would lose: it is not on the disk, and the last write of a setting
  /// failed.
  var isTextInDanger: Bool {
    let areFailing = [notifications.isFailing, memory.isFailing, unfinished.isFailing, place.isFailing, analytics.isFailing]
    return areFailing.contains(true) && unfinished.pending?.hasText(beyond: unfinished.onDisk) == true
  }

  /// Returns when accepted writes are done.
  func written() async {
    await notifications.written()
    await memory.written()
    await unfinished.written()
    await place.written()
    await analytics.written()
  }

  /// Erases what the reader read, which is private, and closes the files. Pending actions are sent when the reader is back.
  func close() async {
    _ = try? await effects.run("reader.close") { [databases, entities] in
      // Without this, what was begun would still be in the file.
      try? await databases.settings.run { try $0.script("VACUUM; PRAGMA wal_checkpoint(TRUNCATE)") }
      await databases.outbox.close()
      await databases.settings.close()
      await entities?.erase()
      await entities?.close()
    }
  }
}

/// Readers' settings on this computer, and what the app remembers for them: by name, for each reader.
private struct SettingTable: Sendable {
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

  /// - Returns: `nil` for a value that was never set, or that this version cannot read.
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

/// One setting of a reader, written whenever it changes: frequent changes are combined into one write of the newest value. Isolated to the
/// main actor.
@MainActor package final class StoredSetting<Value: Codable & Sendable> {
  /// As it was when it was opened; `nil` for what was never set.
  package let stored: Value?
  private let name: String
  private let table: SettingTable
  private let effects: Effects
  private let pause: (length: Duration, clock: any AppClock)?
  /// What was written last; at first, what was there.
  private(set) var onDisk: Value?
  /// What could not be written since; `nil` while there is nothing. A later write that succeeds makes up for it.
  private var unwritten: Value?
  /// Whether the last write failed.
  var isFailing: Bool { unwritten != nil }
  /// The newest value that is not on the disk; `nil` when all is, or is on its way.
  var pending: Value? { newest ?? unwritten }
  /// Called with the error when a value could not be written. The value is in memory until the app ends.
  var onFailure: ((any Error) -> Void)?
  /// Called after each write, whether it succeeded or not.
  var onOutcome: (() -> Void)?
  private var newest: Value?
  private var writing: Task<Void, Never>?
  private var pausing: Task<Void, Never>?
  /// Whether a caller waits for the value to be written.
  private var isHurried = false

  /// - Parameter pause: how long to wait for further changes before a write; `nil` for a value that changes seldom.
  fileprivate init(
    _ name: String, in table: SettingTable, stored: Value?, effects: Effects, pause: (length: Duration, clock: any AppClock)? = nil
  ) {
    self.name = name
    self.table = table
    self.stored = stored
    onDisk = stored
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
        do {
          try await effects.run("settings.write") { [table, name] in try await table.write(name, value) }
          (onDisk, unwritten) = (value, nil)
        } catch {
          unwritten = value
          onFailure?(error)
        }
        onOutcome?()
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

  /// Returns when the newest value is written. One that could not be written is tried once more: there may be room again.
  func written() async {
    isHurried = true
    if writing == nil, let unwritten { persist(unwritten) }
    pausing?.cancel()
    await writing?.value
    isHurried = false
  }
}
