import Foundation
import PurchaseServiceTesting
import Runtime
import SQLiteStorage
import SignedReceipts
import Testing

@testable import PurchaseService

/// Journals of earlier versions.
@Suite(.timeLimit(.minutes(1))) struct JournalMigrationTests {
  @Test func whatAnEarlierVersionLeftBelongsToThePathThatThereWas() async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "matinee-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let path = folder.appending(path: "purchases.db").path
    let clock = ManualClock()
    let key = try SigningKey.generate(.es256)
    let keys = String(decoding: try JSONEncoder().encode([key.verificationKey.jwk]), as: UTF8.self)

    let database = try await Database(path: path, migrations: [Journal.migrations[0]], synchronous: .full)
    try await database.run { connection in
      try connection.execute(
        """
        INSERT INTO purchase (id, seller, user_id, product, one_time, minor_units, currency, path, begun, step, token)
        VALUES (?, 'store', 'ada', 'premium.monthly', 0, 490, 'EUR', 'device', 5.5, 'submitted', 'token')
        """, id(1))
      try connection.execute("INSERT INTO purchase_step (purchase, step, at) VALUES (?, 'begun', 5.5)", id(1))
      for (number, seller) in [(UInt8(2), "store"), (3, "elsewhere")] {
        try connection.execute(
          "INSERT INTO receipt (seller, user_id, id, token, stored) VALUES (?, 'ada', ?, 'receipt', 6)", seller, id(number))
      }
      try connection.execute("INSERT INTO trusted_keys (seller, issuer, keys, fetched) VALUES ('store', 'seller', ?, 7)", keys)
    }
    await database.close()

    let journal = try await Journal(path: path, clock: clock)
    let transaction = try #require(try await journal.unfinished(seller: "store").first)
    #expect(transaction.price == Price(minorUnits: 490, currency: "EUR"))
    #expect(transaction.state == .purchasing)
    #expect(transaction.begun == Date(timeIntervalSince1970: 5.5))
    #expect(try await journal.steps(of: id(1)) == [.begun])
    #expect(try await journal.receipts(seller: "store", purchasePath: "device", user: "ada") == ["receipt"])
    #expect(try await journal.receipts(seller: "store", purchasePath: "other", user: "ada").isEmpty)
    #expect(try await journal.receipts(seller: "elsewhere", purchasePath: "device", user: "ada").isEmpty)
    #expect(try await journal.lastReceipt() == 2, "numbers go on")
    let trusted = try await journal.trustedKeys(seller: "store", purchasePath: "device")
    #expect(trusted?.keys == TrustedKeys(issuer: "seller", keys: [key.verificationKey]))
    #expect(try await journal.trustedKeys(seller: "store", purchasePath: "other") == nil)
    #expect(try await journal.beginTime(seller: "store", purchasePath: "device").starts == 1)
    await journal.close()
  }
}
