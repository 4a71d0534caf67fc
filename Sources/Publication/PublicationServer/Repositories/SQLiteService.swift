import PublicationAPI
import SQLiteStorage

/// ``ServiceRepository`` on SQLite.
struct SQLiteService: ServiceRepository {
  let database: Connection

  func minimumVersion() throws -> String? { try database.setting("minimum_version") }
  func setMinimumVersion(_ version: String?) throws { try database.set("minimum_version", to: version) }
  func maintenance() throws -> Maintenance? { try database.setting("maintenance") }
  func setMaintenance(_ maintenance: Maintenance?) throws { try database.set("maintenance", to: maintenance) }
}
