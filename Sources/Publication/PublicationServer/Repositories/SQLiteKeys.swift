import Foundation
import PublicationAPI
import SQLiteStorage

/// ``KeyRepository`` on SQLite.
struct SQLiteKeys: KeyRepository {
  /// How long after its end a receipt may still be checked: offline access, a purchase that was not finished.
  static let grace: Int64 = 60 * 86_400

  let database: Connection

  func current() throws -> KeySet.Key? {
    try database.setting("receipt_key")
  }

  func start(_ key: KeySet.Key, at time: Int64) throws {
    try database.transaction {
      let previous = try current()
      guard previous != key else { return }
      if let previous, try database.queryOne("SELECT 1 FROM receipt_key WHERE kid = ?", previous.kid, map: { _ in true }) == nil {
        try retire(previous, at: time)
      }
      try database.set("receipt_key", to: key)
    }
  }

  /// Whether a receipt may have been given out, by what is known.
  func haveSigned() throws -> Bool {
    try current() != nil
      || database.queryOne(
        "SELECT 1 WHERE EXISTS (SELECT 1 FROM receipt_key) OR EXISTS (SELECT 1 FROM purchase WHERE paid IS NOT NULL)", map: { _ in true })
        != nil
  }

  func retire(_ key: KeySet.Key, at time: Int64) throws {
    // Not before the last payment, which it may have signed, by any clock.
    try database.execute(
      """
      INSERT INTO receipt_key (kid, jwk, retired)
      VALUES (?, ?, max(?, (SELECT coalesce(max(paid), 0) FROM purchase WHERE paid IS NOT NULL)))
      ON CONFLICT (kid) DO UPDATE SET retired = excluded.retired
      """, key.kid, String(decoding: try Wire.encode(key), as: UTF8.self), time)
  }

  /// The first payment of what is in force later than a time. `purchase_in_force` has the same conditions: neither past orders nor those for
  /// good are looked at one by one.
  static let firstPayment = """
    SELECT min(paid) FROM (
      SELECT min(paid) AS paid FROM purchase WHERE state = 'paid' AND kind <> 'consumable' AND expires IS NULL
      UNION ALL SELECT min(paid) FROM purchase WHERE state = 'paid' AND kind <> 'consumable' AND expires > ?)
    """

  func retired(neededAt time: Int64?) throws -> [KeySet.Key] {
    // A receipt is signed on request, so any order that was paid before the key was retired may have one of its.
    let payment: Int64? = try time.flatMap { time in
      try database.queryOne(Self.firstPayment, time - Self.grace) { try $0.get(0, as: Int64?.self) } ?? nil
    }
    return try database.query(
      "SELECT jwk FROM receipt_key WHERE ?1 IS NULL OR retired > ?1 - ?2 OR retired >= ?3 ORDER BY retired DESC, kid", time, Self.grace,
      payment
    ) { try Wire.decode(from: Data(try $0.get(0, as: String.self).utf8)) }
  }
}

extension Connection {
  /// A setting that is stored as JSON; `nil` when there is none.
  /// - Throws: ``Publication/Failure/damagedSetting(name:)``, `SQLiteError`.
  func setting<Value: Decodable>(_ name: String) throws -> Value? {
    try queryOne("SELECT value FROM setting WHERE name = ?", name) { row in
      do { return try Wire.decode(from: Data(try row.get(0, as: String.self).utf8)) } catch is DecodingError {
        throw Publication.Failure.damagedSetting(name: name)
      }
    }
  }

  /// Stores a setting as JSON; `nil` removes it.
  /// - Throws: `SQLiteError`, `EncodingError`.
  func set(_ name: String, to value: (some Encodable)?) throws {
    guard let value else { return _ = try execute("DELETE FROM setting WHERE name = ?", name) }
    try execute(
      "INSERT OR REPLACE INTO setting (name, value) VALUES (?, ?)", name, String(decoding: try Wire.encode(value), as: UTF8.self))
  }
}
