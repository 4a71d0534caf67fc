import Foundation
import HTTPTransport
import Patience
import PublicationAPI
import Runtime
import Synchronization
import Testing

@testable import PublicationServer

extension Publication {
  /// Lets the database grow no more, or again.
  fileprivate func setRoom(_ hasRoom: Bool) throws {
    let database = try #require(content as? SQLiteContent).database
    try database.script("PRAGMA max_page_count = \(hasRoom ? 1_000_000 : 1)")
  }

  /// Leaves room for so many pages of 4 KiB.
  fileprivate func setRoom(pages: Int) throws {
    let database = try #require(content as? SQLiteContent).database
    let count = try #require(try database.queryOne("PRAGMA page_count") { try $0.get(0, as: Int.self) })
    try database.script("PRAGMA max_page_count = \(count + pages)")
  }
}

/// The disk is full: one sentence, nothing half-done, and everything goes on once there is room.
@Suite(.timeLimit(.minutes(10))) struct FullDiskTests {
  @Test(arguments: [true, false]) func nothingIsLost(isInMemory: Bool) async throws {
    let (folder, gateway) = (try TemporaryFolder(), CountingGateway())
    let told = Mutex<[String]>([])
    let rig = try await Rig(folder: isInMemory ? nil : folder.path, gateway: gateway) { line in told.withLock { $0.append(line) } }
    let token = try await rig.signIn()
    func comment() async throws -> Response {
      let body = try Wire.encode(CommentRequest(text: String(repeating: "é", count: 4000)))
      return await rig.send(.put, "/v1/posts/p01/comments/\(UUID())", token: token, body: body)
    }
    func comments() async throws -> Int {
      try await rig.get("/v1/posts/p01/comments?limit=100", token, as: Page<PublicationAPI.Comment>.self).items.count
    }
    let order = UUID()
    #expect(try await rig.begin(order, "premium.monthly", token).status == 201)
    try await rig.publication.setRoom(false)
    var written = 0
    var refused = try await comment()
    while refused.status == 201, written < 100 {
      written += 1
      refused = try await comment()
    }
    #expect(refused.status == 507)
    #expect(try refused.problem.title == "The publication has no room left, and nothing of this was stored. Try again later.")
    let place = isInMemory ? "The publication’s memory" : "The disk of \(folder.path)"
    #expect(told.withLock { $0 } == ["PUT /v1/posts/*/comments/*: \(place) is full, and nothing of this was stored."])
    #expect(try await comments() == written)
    // What is taken up already is found.
    #expect(await rig.send(.get, "/v1/search?q=post", token: token).status == 200)
    var orders = 0
    var charged = try await rig.charge(order, token)
    // A small row may find room in a page.
    while charged.status == 200, orders < 200 {
      orders += 1
      let next = UUID()
      guard try await rig.begin(next, "passes.5", token).status == 201 else { break }
      charged = try await rig.charge(next, token)
    }
    try await rig.publication.setRoom(true)
    #expect(try await rig.charge(order, token).status == 200)
    #expect(try await comment().status == 201)
    #expect(try await comments() == written + 1)
    await rig.publication.resumeCharges()
    let paid = try await rig.get("/v1/orders", token, as: [Order].self).filter { $0.state == .paid }
    #expect(await gateway.charges == paid.count)
    #expect(told.withLock { $0 }.allSatisfy { $0.contains("\(place) is full") })
    await rig.publication.close()
  }

  /// What nobody asked for is logged as well: there is no answer that could tell it.
  @Test func theLogTellsOfFeedsThatFoundNoRoom() async throws {
    let folder = try TemporaryFolder()
    let told = Mutex<[String]>([])
    let rig = try await Rig(folder: folder.path, posts: []) { line in told.withLock { $0.append(line) } }
    let (web, url) = (FakeWeb(), "https://example.org/feed")
    _ = try await rig.publication.importFeed(ParsedItemSample.feed([]), source: url)
    web.answer(url, Response(200, body: Self.feed(500)))
    try await rig.publication.setRoom(pages: 20)
    await rig.publication.fetchFeeds(from: web, readersMayAdd: false, random: FixedRandom(1 << 63))
    await rig.clock.waitForSleepers()
    rig.clock.advance(by: .seconds(3600))
    await until { !told.withLock(\.isEmpty) }
    await rig.clock.waitForSleepers()
    #expect(told.withLock { $0.first } == "imports: The disk of \(folder.path) is full, and nothing of this was stored.")
    try await rig.publication.setRoom(true)
    await rig.publication.close()
  }

  private static func feed(_ count: Int) -> Data {
    let text = String(repeating: "word ", count: 800)
    let items = (0..<count).map { "<item><guid>\($0)</guid><title>\($0)</title><description>\(text)</description></item>" }
    return Data("<rss version=\"2.0\"><channel><title>F</title>\(items.joined())</channel></rss>".utf8)
  }

  /// Of a feed that was there before nothing is taken back.
  @Test(arguments: [true, false]) func anImportSaysWhatStays(isKnown: Bool) async throws {
    let folder = try TemporaryFolder()
    let rig = try await Rig(folder: folder.path, posts: [])
    let web = FakeWeb()
    let url = "https://example.org/feed"
    let told = Mutex<[String]>([])
    func run() async -> Int32 {
      let importer = ImportCommand(
        publication: rig.publication, web: web, json: false, output: { line in told.withLock { $0 = [line] } },
        progress: { line in told.withLock { $0 = [line] } })
      return await importer.run([url])
    }
    if isKnown {
      web.answer(url, Response(200, body: Self.feed(1)))
      #expect(await run() == 0)
    }
    web.answer(url, Response(200, body: Self.feed(500)))
    try await rig.publication.setRoom(pages: 300)
    #expect(await run() == 1)
    let rest =
      isKnown
      ? "What was stored stays: 199 of its 500 items. Import it again to have all of it." : "Nothing new of it was stored. Import it again."
    #expect(told.withLock { $0 } == ["\(url): the disk is full. \(rest)"])
    try await rig.publication.setRoom(true)
    #expect(await run() == 0)
    let (before, new) = isKnown ? (200, 300) : (0, 500)
    #expect(told.withLock { $0 } == ["\(url): 500 items, \(new) added, 0 updated, \(before) unchanged"])
    await rig.publication.close()
  }
}
