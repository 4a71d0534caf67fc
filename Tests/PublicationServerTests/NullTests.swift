import Foundation
import Runtime
import SQLiteStorage
import SignedReceipts
import Testing

@testable import FeedFormats
@testable import PublicationServer

/// C takes bytes as a place and a count, and no bytes have no place: whatever comes from outside may hand NULL to the functions behind these.
@Suite struct NullTests {
  private let none = Data()

  @Test func nothingIsNoFeed() {
    for contentType in [nil, "application/rss+xml; charset=utf-16", "text/html", ""] {
      #expect(throws: FeedError.self) { try FeedParser.document(none, source: "", contentType: contentType) }
    }
  }

  @Test func nothingIsNoSignature() throws {
    for algorithm in [SignatureAlgorithm.es256, .edDSA] {
      let key = try SigningKey.generate(algorithm)
      let isValid = try key.verificationKey.isValid(none, for: none)
      #expect(!isValid)
      let signature = try key.signature(for: none)
      let isSigned = try key.verificationKey.isValid(signature, for: none)
      #expect(isSigned)
      #expect(throws: KeyError.self) { try SigningKey(raw: none, algorithm: algorithm) }
      for token in ["", ".", "..", "...", "e30..", ".e30."] {
        #expect(throws: JWSError.self) { try JWS.verify(token, keys: [key.verificationKey]) }
      }
    }
    #expect(throws: KeyError.self) { try SigningKey(pem: "") }
    for (kty, curve) in [("EC", "P-256"), ("OKP", "Ed25519")] {
      let jwk = VerificationKey.JWK(kty: kty, crv: curve, kid: "", alg: kty == "EC" ? "ES256" : "EdDSA", x: "", y: "")
      #expect(throws: KeyError.self) { try VerificationKey(jwk: jwk) }
    }
  }

  @Test func nothingHasADigestAndAHashLikeAllElse() throws {
    let digest = try Digest.sha256(none)
    #expect(digest.prefix(4) == Data([0xe3, 0xb0, 0xc4, 0x42]))
    let hash = try PasswordHash(of: "", cost: .none)
    let matches = (nothing: try hash.matches(""), blank: try hash.matches(" "))
    #expect(matches == (true, false))
  }

  @Test func aColumnOfNothingIsNoText() async throws {
    let file = FileManager.default.temporaryDirectory.appending(path: "null-\(UUID().uuidString)").path
    defer { for end in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: file + end) } }
    let database = try await Database(path: file, migrations: [Migration(version: 1, sql: "CREATE TABLE a (x, y BLOB NOT NULL)")])
    try await database.run { connection in
      try connection.prepared("INSERT INTO a VALUES (NULL, ?)") { statement in
        try statement.runBound(bytes: UnsafeRawBufferPointer(start: nil, count: 0), at: 0)
      }
      try connection.prepared("SELECT count(*) FROM a WHERE ? = ''") { statement in
        try statement.firstBound(text: UnsafeBufferPointer(start: nil, count: 0), at: 0) { #expect($0.integer(0) == 1) }
      }
      _ = try connection.query("SELECT x, y FROM a") { row in
        #expect(throws: SQLiteError.self) { try row.get(0, as: String.self) }
        #expect(throws: SQLiteError.self) { try row.withBytes(0) { $0.count } }
        let (text, count) = (try row.get(0, as: String?.self), try row.withBytes(1) { $0.count })
        #expect(text == nil)
        #expect(count == 0)
        #expect(row.integer(0) == 0)
      }
    }
    await database.close()
  }
}
