import Foundation
import PublicationAPI
import SQLiteStorage

/// ``ServiceRepository`` on SQLite.
struct SQLiteService: ServiceRepository {
  let database: Connection

  func minimumVersion() throws -> String? { try database.setting("minimum_version") }
  func setMinimumVersion(_ version: String?) throws { try set("minimum_version", version) }
  func maintenance() throws -> Maintenance? { try database.setting("maintenance") }
  func setMaintenance(_ maintenance: Maintenance?) throws { try set("maintenance", maintenance) }

  private func set(_ name: String, _ value: (some Encodable)?) throws {
    guard let value else { return _ = try database.execute("DELETE FROM setting WHERE name = ?", name) }
    try database.execute(
      "INSERT OR REPLACE INTO setting (name, value) VALUES (?, ?)", name, String(decoding: try Wire.encode(value), as: UTF8.self))
  }
}
