import Foundation
import Runtime
import SQLiteStorage

/// The data that survive the program: every purchase with a row before each of its steps, the receipts, and the keys that verify them.
///
/// Written with `synchronous=FULL`: a purchase that was agreed to is on the disk before the first request to the store. A payment token is
/// in the file only while a request may still need it. Safe from any thread; blocks none but its own.
public struct Journal: Sendable {
  /// The steps from an empty file to the present schema of the journal.
  public static let migrations = [
    Migration(
      version: 1,
      sql: """
        CREATE TABLE purchase (
          id TEXT PRIMARY KEY NOT NULL, seller TEXT NOT NULL, user_id TEXT NOT NULL, product TEXT NOT NULL, one_time INTEGER NOT NULL,
          minor_units INTEGER NOT NULL, currency TEXT NOT NULL, path TEXT NOT NULL, begun REAL NOT NULL, step TEXT NOT NULL,
          token TEXT, receipt TEXT, failure TEXT
        ) STRICT;
        CREATE INDEX purchase_open ON purchase (seller, step);
        CREATE TABLE purchase_step (
          number INTEGER PRIMARY KEY, purchase TEXT NOT NULL REFERENCES purchase (id), step TEXT NOT NULL, at REAL NOT NULL
        ) STRICT;
        CREATE INDEX purchase_step_purchase ON purchase_step (purchase);
        CREATE TABLE receipt (
          number INTEGER PRIMARY KEY AUTOINCREMENT, seller TEXT NOT NULL, user_id TEXT NOT NULL, id TEXT NOT NULL, token TEXT NOT NULL,
          stored REAL NOT NULL, UNIQUE (seller, user_id, id)
        ) STRICT;
        CREATE TABLE trusted_keys (seller TEXT PRIMARY KEY NOT NULL, issuer TEXT NOT NULL, keys TEXT NOT NULL, fetched REAL NOT NULL) STRICT;
        """),
    // Receipts and keys belong to a path, so that two paths beside each other share no state. Before, a store had one path, whose rows
    // still belong to it.
    Migration(
      version: 2,
      sql: """
        ALTER TABLE purchase ADD COLUMN wait TEXT;
        ALTER TABLE purchase ADD COLUMN sentence TEXT;
        ALTER TABLE purchase ADD COLUMN url TEXT;
        ALTER TABLE purchase ADD COLUMN revoked INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE receipt RENAME TO old_receipt;
        CREATE TABLE receipt (
          number INTEGER PRIMARY KEY AUTOINCREMENT, seller TEXT NOT NULL, path TEXT NOT NULL, user_id TEXT NOT NULL, id TEXT NOT NULL,
          token TEXT NOT NULL, stored REAL NOT NULL, UNIQUE (seller, path, user_id, id)
        ) STRICT;
        INSERT INTO receipt SELECT number, seller, coalesce(
          (SELECT path FROM purchase WHERE purchase.seller = old_receipt.seller ORDER BY begun DESC LIMIT 1), ''), user_id, id, token, stored
          FROM old_receipt;
        DROP TABLE old_receipt;
        ALTER TABLE trusted_keys RENAME TO old_trusted_keys;
        CREATE TABLE trusted_keys (
          seller TEXT NOT NULL, path TEXT NOT NULL, issuer TEXT NOT NULL, keys TEXT NOT NULL, fetched REAL NOT NULL,
          PRIMARY KEY (seller, path)
        ) STRICT;
        INSERT INTO trusted_keys SELECT seller, coalesce(
          (SELECT path FROM purchase WHERE purchase.seller = old_trusted_keys.seller ORDER BY begun DESC LIMIT 1), ''), issuer, keys, fetched
          FROM old_trusted_keys;
        DROP TABLE old_trusted_keys;
        CREATE TABLE trusted_time (
          seller TEXT NOT NULL, path TEXT NOT NULL, time REAL NOT NULL, uptime REAL NOT NULL, boot TEXT NOT NULL, starts INTEGER NOT NULL,
          PRIMARY KEY (seller, path)
        ) STRICT;
        """),
    // One word for the path of a file, and another for one of purchases.
    Migration(
      version: 3,
      sql: """
        ALTER TABLE purchase RENAME COLUMN path TO purchase_path;
        ALTER TABLE receipt RENAME COLUMN path TO purchase_path;
        ALTER TABLE trusted_keys RENAME COLUMN path TO purchase_path;
        ALTER TABLE trusted_time RENAME COLUMN path TO purchase_path;
        """),
  ]

  let database: Database
  let clock: any AppClock

  /// Opens a journal, and makes the file when there is none.
  /// - Parameters:
  ///   - path: a file of its own, or `:memory:`.
  ///   - clock: dates the steps.
  /// - Throws: `SQLiteError`, `MigrationError`.
  public init(path: String, clock: any AppClock) async throws {
    database = try await Database(path: path, migrations: Self.migrations, synchronous: .full)
    self.clock = clock
  }

  /// Closes the file once everything handed in before is written.
  public func close() async { await database.close() }

  // MARK: Purchases

  /// Writes a new purchase down, unless one of the same product is being paid by the same user.
  /// - Returns: that other purchase; `nil` when the new one was written.
  /// - Throws: `SQLiteError`.
  func begin(_ transaction: Transaction) async throws -> Transaction? {
    let now = clock.now
    return try await database.run { connection in
      try connection.transaction {
        let other = try connection.query(
          "SELECT * FROM purchase WHERE seller = ? AND user_id = ? AND product = ?", transaction.seller, transaction.user,
          transaction.productID, map: Transaction.init
        ).first { $0.step.isPaying }
        if let other { return other }
        try connection.execute(
          """
          INSERT INTO purchase (id, seller, user_id, product, one_time, minor_units, currency, purchase_path, begun, step)
          VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
          """, transaction.id, transaction.seller, transaction.user, transaction.productID, transaction.isOneTime,
          transaction.price?.minorUnits ?? 0, transaction.price?.currency ?? "", transaction.purchasePath, transaction.begun,
          transaction.step)
        try Self.note(transaction, now, connection)
        return nil
      }
    }
  }

  /// Writes a purchase's next step down, with what belongs to it.
  /// - Throws: `SQLiteError`.
  func record(_ transaction: Transaction) async throws {
    let now = clock.now
    try await database.run { connection in try connection.transaction { try Self.update(transaction, now, connection) } }
  }

  /// The purchases at a seller that are not over, oldest first.
  /// - Throws: `SQLiteError`.
  public func unfinished(seller: String) async throws -> [Transaction] {
    try await database.run { connection in
      try connection.query("SELECT * FROM purchase WHERE seller = ? ORDER BY begun, rowid", seller, map: Transaction.init)
        .filter { !$0.step.isFinished }
    }
  }

  /// A user's purchases with any outcome, newest first; of two at the same instant, the one that was written later is first.
  /// - Throws: `SQLiteError`.
  public func purchases(seller: String, user: String) async throws -> [Transaction] {
    try await database.run { connection in
      try connection.query(
        "SELECT * FROM purchase WHERE seller = ? AND user_id = ? ORDER BY begun DESC, rowid DESC", seller, user, map: Transaction.init)
    }
  }

  /// The steps that were written down for a purchase, in order.
  /// - Throws: `SQLiteError`.
  public func steps(of id: UUID) async throws -> [Transaction.Step] {
    try await database.run { connection in
      try connection.query("SELECT step FROM purchase_step WHERE purchase = ? ORDER BY number", id) {
        try $0.get("step", as: Transaction.Step.self)
      }
    }
  }

  // MARK: Receipts

  /// The receipts that a path stored for a user, by the transaction they are for.
  /// - Throws: `SQLiteError`.
  func receipts(seller: String, purchasePath: String, user: String) async throws -> [String] {
    try await database.run { connection in
      try connection.query(
        "SELECT token FROM receipt WHERE seller = ? AND purchase_path = ? AND user_id = ? ORDER BY id", seller, purchasePath, user
      ) {
        try $0.get("token", as: String.self)
      }
    }
  }

  /// Stores a verified receipt together with its purchase's step: both or neither.
  /// - Throws: `SQLiteError`.
  func record(_ transaction: Transaction, verified receipt: String) async throws {
    let now = clock.now
    try await database.run { connection in
      try connection.transaction {
        try Self.update(transaction, now, connection)
        try Self.store(
          receipt, of: transaction.id, seller: transaction.seller, purchasePath: transaction.purchasePath, user: transaction.user, at: now,
          in: connection)
      }
    }
  }

  /// The number of the last receipt that was stored: ``replaceReceipts(seller:purchasePath:user:with:upTo:)`` keeps newer ones.
  /// - Throws: `SQLiteError`.
  func lastReceipt() async throws -> Int {
    try await database.run { connection in
      try connection.queryOne("SELECT coalesce(max(number), 0) FROM receipt") { try $0.get(0, as: Int.self) } ?? 0
    }
  }

  /// Stores the receipts that are in force at the store, and removes the user's other receipts of this path up to a number.
  /// - Throws: `SQLiteError`.
  func replaceReceipts(seller: String, purchasePath: String, user: String, with receipts: [UUID: String], upTo last: Int) async throws {
    let now = clock.now
    try await database.run { connection in
      try connection.transaction {
        try connection.execute(
          "DELETE FROM receipt WHERE seller = ? AND purchase_path = ? AND user_id = ? AND number <= ?", seller, purchasePath, user, last)
        for (id, token) in receipts {
          try Self.store(token, of: id, seller: seller, purchasePath: purchasePath, user: user, at: now, in: connection)
        }
      }
    }
  }

  /// Removes a receipt that the store revoked, and records that in its purchase, if that was made here: both or neither.
  /// - Returns: that purchase as it was before.
  /// - Throws: `SQLiteError`.
  func revoke(_ id: UUID, seller: String, purchasePath: String, sentence: String) async throws -> Transaction? {
    try await database.run { connection in
      try connection.transaction {
        let before = try connection.queryOne(
          "SELECT * FROM purchase WHERE id = ? AND seller = ? AND purchase_path = ?", id, seller, purchasePath, map: Transaction.init)
        try connection.execute("DELETE FROM receipt WHERE seller = ? AND purchase_path = ? AND id = ?", seller, purchasePath, id)
        try connection.execute(
          "UPDATE purchase SET revoked = 1, sentence = ? WHERE id = ? AND seller = ? AND purchase_path = ?", sentence, id, seller,
          purchasePath)
        return before
      }
    }
  }

  // MARK: Inside a transaction

  private static func update(_ transaction: Transaction, _ now: Date, _ connection: Connection) throws {
    try connection.execute(
      "UPDATE purchase SET step = ?, token = ?, receipt = ?, failure = ?, wait = ?, sentence = ?, url = ? WHERE id = ?", transaction.step,
      transaction.token?.rawValue, transaction.receipt, transaction.failure, transaction.wait, transaction.sentence, transaction.url,
      transaction.id)
    try note(transaction, now, connection)
  }

  private static func note(_ transaction: Transaction, _ now: Date, _ connection: Connection) throws {
    try connection.execute(
      "INSERT INTO purchase_step (purchase, step, at) VALUES (?, ?, ?)", transaction.id, transaction.step, now)
  }

  private static func store(
    _ token: String, of id: UUID, seller: String, purchasePath: String, user: String, at now: Date, in connection: Connection
  ) throws {
    try connection.execute(
      "INSERT OR REPLACE INTO receipt (seller, purchase_path, user_id, id, token, stored) VALUES (?, ?, ?, ?, ?, ?)", seller, purchasePath,
      user, id,
      token,
      now)
    // A receipt that the store lists again is not revoked any more.
    try connection.execute("UPDATE purchase SET revoked = 0, sentence = NULL WHERE id = ? AND revoked = 1", id)
    // A purchase whose receipt was rejected counts as bought once the store lists it.
    try connection.execute(
      "UPDATE purchase SET step = ?, failure = NULL, sentence = NULL WHERE id = ? AND step = ? AND failure = ?", Transaction.Step.finished,
      id, Transaction.Step.failed, PurchaseError.receiptRejected)
  }
}

extension Transaction.Step: SQLValue {}
extension Transaction.Wait: SQLValue {}

extension Transaction {
  fileprivate init(_ row: Row) throws {
    self.init(
      id: try row.get("id", as: UUID.self), seller: try row.get("seller", as: String.self), user: try row.get("user_id", as: String.self),
      productID: try row.get("product", as: String.self), isOneTime: try row.get("one_time", as: Bool.self),
      price: Price(minorUnits: try row.get("minor_units", as: Int.self), currency: try row.get("currency", as: String.self)),
      purchasePath: try row.get("purchase_path", as: String.self), begun: try row.get("begun", as: Date.self))
    step = try row.get("step", as: Step.self)
    token = try row.get("token", as: String?.self).map(PaymentToken.init)
    receipt = try row.get("receipt", as: String?.self)
    failure = try row.get("failure", as: String?.self)
    wait = try row.get("wait", as: Wait?.self)
    sentence = try row.get("sentence", as: String?.self)
    url = try row.get("url", as: String?.self)
    isRevoked = try row.get("revoked", as: Bool.self)
  }
}
