import Foundation
import HTTPTransport
import PublicationAPI
import Runtime
import SQLiteStorage
import SignedReceipts
import Testing

@testable import PublicationServer

/// The files of a publication: one that is missing or somebody else's is told, and never replaced in silence.
@Suite struct OwnFilesTests {
  private let folder: TemporaryFolder
  private var database: String { folder.file("publication.sqlite") }
  private var key: String { folder.file("receipts.pem") }

  init() throws { folder = try TemporaryFolder() }

  private func open(needsKey: Bool = true) async throws -> Publication {
    try await Publication(
      folder: folder.path, gateway: CountingGateway(), clock: ManualClock(now: Rig.start), needsKey: needsKey, passwordCost: .none)
  }

  private func bytes(_ path: String) -> Data? { FileManager.default.contents(atPath: path) }

  private func files() throws -> [String] { try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted() }

  @Test func aNewFolderGetsBoth() async throws {
    let publication = try await open()
    await publication.close()
    #expect(try files() == ["publication.sqlite", "receipts.pem"])
  }

  // MARK: The database

  @Test func anEmptyFileIsRefusedAndLeftAsItIs() async throws {
    #expect(FileManager.default.createFile(atPath: database, contents: Data()))
    for needsKey in [true, false] {
      await #expect(throws: Publication.Failure.emptyDatabase(path: database)) { try await open(needsKey: needsKey) }
    }
    #expect(bytes(database) == Data())
    #expect(try files() == ["publication.sqlite"])
  }

  @Test func whatIsNoDatabaseIsRefusedAndLeftAsItIs() async throws {
    let text = Data(String(repeating: "Dear diary. ", count: 1000).utf8)
    #expect(FileManager.default.createFile(atPath: database, contents: text))
    await #expect(throws: Publication.Failure.foreignDatabase(path: database)) { try await open() }
    #expect(bytes(database) == text)
    #expect(try files() == ["publication.sqlite"])
  }

  @Test func aFolderInItsPlaceIsRefusedAndLeftAsItIs() async throws {
    try FileManager.default.createDirectory(atPath: database, withIntermediateDirectories: false)
    let failure = Publication.Failure.unusable(path: database, reason: "it is a folder, and the publication’s database is a file")
    await #expect(throws: failure) { try await open() }
    #expect(try files() == ["publication.sqlite"])
  }

  @Test(arguments: ["info", "receipt_key"]) func aDamagedSettingIsNamed(name: String) async throws {
    let publication = try await open()
    try await publication.install(Rig.content)
    await publication.close()
    do {
      let connection = try Connection(path: database)
      #expect(try connection.execute("UPDATE setting SET value = '{}' WHERE name = ?", name) == 1)
    }
    await #expect(throws: Publication.Failure.damagedSetting(name: name)) {
      let publication = try await open()
      defer { Task { await publication.close() } }
      _ = try await publication.name
    }
  }

  @Test(arguments: [0, 3]) func anotherProgramsDatabaseIsRefusedAndLeftAsItIs(version: Int) async throws {
    do {
      let other = try Connection(path: database)
      try other.script("PRAGMA journal_mode = DELETE; CREATE TABLE setting (a); CREATE TABLE diary (b); PRAGMA user_version = \(version)")
    }
    let before = bytes(database)
    await #expect(throws: Publication.Failure.foreignDatabase(path: database)) { try await open() }
    #expect(bytes(database) == before)
    #expect(try files() == ["publication.sqlite"])
  }

  /// A process that was killed has not moved its log into the file yet.
  @Test func aDatabaseWhoseWordsAreInItsLogIsKnown() async throws {
    let copy = try TemporaryFolder()
    let rig = try await Rig(folder: folder.path)
    for name in try files() { try FileManager.default.copyItem(atPath: folder.file(name), toPath: copy.file(name)) }
    #expect(FileManager.default.fileExists(atPath: copy.file("publication.sqlite-wal")))
    let again = try await Rig(folder: copy.path)
    #expect(try await again.signIn().isEmpty == false)
    await rig.publication.close()
  }

  /// A copy that ended too early. It would sell what it cannot deliver, and with the log beside it SQLite makes it look whole.
  @Test(arguments: [true, false]) func aDatabaseThatWasCutIsRefusedAndLeftAsItIs(hasLog: Bool) async throws {
    let copy = try TemporaryFolder()
    let rig = try await Rig(folder: folder.path)
    for name in try files() where hasLog || !name.contains(".sqlite-") {
      try FileManager.default.copyItem(atPath: folder.file(name), toPath: copy.file(name))
    }
    await rig.publication.close()
    let whole = try #require(bytes(copy.file("publication.sqlite")))
    let cut = whole.prefix(whole.count / 2)
    try cut.write(to: URL(fileURLWithPath: copy.file("publication.sqlite")))
    let before = try FileManager.default.contentsOfDirectory(atPath: copy.path).filter { $0 != "publication.sqlite-shm" }.sorted()
    #expect(before.contains("publication.sqlite-wal") == hasLog)
    await #expect {
      _ = try await Rig(folder: copy.path)
    } throws: { error in
      let error = error as? SQLiteError
      return error?.isCorruption == true && error?.message == "it ends after \(cut.count) of \(whole.count) bytes"
    }
    #expect(bytes(copy.file("publication.sqlite")) == cut)
    let after = try FileManager.default.contentsOfDirectory(atPath: copy.path).filter { $0 != "publication.sqlite-shm" }.sorted()
    #expect(after == before)
  }

  @Test func aStartThatWasKilledBeginsAnew() async throws {
    for name in ["publication.sqlite.partial", "publication.sqlite-wal"] {
      #expect(FileManager.default.createFile(atPath: folder.file(name), contents: Data("half a page".utf8)))
    }
    let publication = try await open()
    #expect(try await publication.install(Rig.content))
    await publication.close()
    #expect(try files() == ["publication.sqlite", "receipts.pem"])
  }

  // MARK: The key

  @Test func aMissingKeyIsToldAndAnotherOneTakesItsPlaceOnlyWhenAsked() async throws {
    let rig = try await Rig(folder: folder.path)
    let token = try await rig.signIn()
    let old = try #require(try await rig.buy("premium.lifetime", token).receipt)
    await rig.publication.close()
    try FileManager.default.removeItem(atPath: key)
    await #expect(throws: Publication.Failure.missingKey(path: key)) { try await open() }
    #expect(!FileManager.default.fileExists(atPath: key))
    #expect(
      Publication.Failure.missingKey(path: key).description
        == "The key that receipts are signed with is missing: put \(key) back, or sign with a new one from now on by “matinee-server key "
        + "rotate --data \(folder.path)”.")

    let keyless = try await open(needsKey: false)
    #expect(!FileManager.default.fileExists(atPath: key))
    let operatorToken = try await keyless.newOperatorToken()
    let rotated = await keyless.handle(
      Request(
        .post, "/v1/operator/keys", headers: ["Authorization": "Bearer \(operatorToken)"],
        body: try Wire.encode(KeyRequest(algorithm: "eddsa"))))
    #expect(rotated.status == 201)
    await keyless.close()

    let again = try await Rig(folder: folder.path)
    #expect(try await again.get("/v1/keys", nil, as: KeySet.self).keys.map(\.alg) == ["EdDSA", "ES256"])
    // What the lost one signed is still good.
    #expect(try await again.claims(old).product == "premium.lifetime")
    let verified = try await again.send(
      .post, "/v1/receipts/verify", token: token, body: Wire.encode(ReceiptRequest(receipt: old)))
    #expect(verified.status == 200)
  }

  @Test(arguments: ["", "-----BEGIN PRIVATE KEY-----\nnone\n-----END PRIVATE KEY-----\n", "\u{0}\u{FFFD}"])
  func aBrokenKeyIsToldAndAnotherOneTakesItsPlaceOnlyWhenAsked(text: String) async throws {
    #expect(FileManager.default.createFile(atPath: key, contents: Data(text.utf8)))
    // Where there is no publication yet it is somebody's mistake, too.
    for needsKey in [true, false] {
      await #expect(throws: Publication.Failure.brokenKey(path: key)) { try await open(needsKey: needsKey) }
    }
    try FileManager.default.removeItem(atPath: key)
    await (try await open()).close()
    #expect(FileManager.default.createFile(atPath: key, contents: Data(text.utf8)))
    await #expect(throws: Publication.Failure.brokenKey(path: key)) { try await open() }
    let keyless = try await open(needsKey: false)
    #expect(bytes(key) == Data(text.utf8))
    let token = try await keyless.newOperatorToken()
    let body = try Wire.encode(KeyRequest(algorithm: "es256"))
    let rotated = await keyless.handle(Request(.post, "/v1/operator/keys", headers: ["Authorization": "Bearer \(token)"], body: body))
    #expect(rotated.status == 201)
    await keyless.close()
    await (try await open()).close()
  }

  @Test func whatCannotBeReadIsNamed() async throws {
    try FileManager.default.createDirectory(atPath: key, withIntermediateDirectories: false)
    await #expect(throws: Publication.Failure.unusable(path: key, reason: "Is a directory")) { try await open() }
    #expect(try files() == ["receipts.pem"])
  }

  @Test func aKeyThatIsBackIsTheSame() async throws {
    let rig = try await Rig(folder: folder.path)
    let kids = try await rig.get("/v1/keys", nil, as: KeySet.self).keys.map(\.kid)
    await rig.publication.close()
    let stored = bytes(key)
    try FileManager.default.removeItem(atPath: key)
    await #expect(throws: Publication.Failure.missingKey(path: key)) { try await open() }
    #expect(FileManager.default.createFile(atPath: key, contents: stored))
    let again = try await Rig(folder: folder.path)
    #expect(try await again.get("/v1/keys", nil, as: KeySet.self).keys.map(\.kid) == kids)
  }

  @Test func anotherKeyInItsPlaceLeavesWhatWasSignedGood() async throws {
    let rig = try await Rig(folder: folder.path)
    let token = try await rig.signIn()
    let old = try #require(try await rig.buy("premium.lifetime", token).receipt)
    await rig.publication.close()
    try folder.makeKey()
    let again = try await Rig(folder: folder.path)
    #expect(try await again.get("/v1/keys", nil, as: KeySet.self).keys.count == 2)
    #expect(try await again.claims(old).product == "premium.lifetime")
  }

  /// An earlier version wrote down no key in use, and signed with one all the same.
  @Test(arguments: [true, false]) func theKeyOfAnEarlierVersion(hasSold: Bool) async throws {
    let rig = try await Rig(folder: folder.path)
    if hasSold { _ = try await rig.buy("premium.monthly", rig.signIn()) }
    await rig.publication.close()
    do { try Connection(path: database).script("DELETE FROM setting WHERE name = 'receipt_key'") }
    try FileManager.default.removeItem(atPath: key)
    if hasSold {
      await #expect(throws: Publication.Failure.missingKey(path: key)) { try await open() }
    } else {
      await (try await open()).close()
      #expect(FileManager.default.fileExists(atPath: key))
    }
  }
}
