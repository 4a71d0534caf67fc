import Foundation
import HTTPTransport
import Patience
import PublicationAPI
import Runtime
import SQLiteStorage
import Testing

@testable import PublicationServer

extension Publication {
  fileprivate var lists: ReadConnections? { get throws { (try content as? SQLiteContent)?.lists } }

  fileprivate func rows(of table: String, _ reader: Reader.ID) throws -> Int {
    let database = try #require(content as? SQLiteContent).database
    return try #require(
      try database.queryOne("SELECT count(*) FROM \(table) WHERE reader = ?", reader) { try $0.get(0, as: Int.self) })
  }

  /// Stores that many older posts, of which all but the oldest are read by some readers, as all others are.
  fileprivate func fill(_ count: Int, readBy readers: [String]) throws {
    let database = try #require(content as? SQLiteContent).database
    try database.execute(
      """
      WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?)
      INSERT INTO post (id, fan_club, title, byline, teaser, published, premium, digest, body)
        SELECT 'n' || i, 'odd', '', '', '', i, 0, x'', '' FROM n
      """, count)
    for email in readers {
      try database.execute(
        "INSERT INTO read_mark (reader, number) SELECT (SELECT id FROM reader WHERE email = ?), number FROM post WHERE id <> 'n1'", email)
    }
  }

  fileprivate func setBody(_ body: String, of post: Post.ID) throws {
    try #require(content as? SQLiteContent).database.execute("UPDATE post SET body = ? WHERE id = ?", body, post)
  }

  fileprivate func bookmarkAll(_ reader: Reader.ID) throws {
    try #require(content as? SQLiteContent).database.execute("INSERT INTO bookmark (reader, post) SELECT ?, id FROM post", reader)
  }

  fileprivate func identifiers(of names: [String]) async throws -> [Reader.ID] {
    var found: [Reader.ID] = []
    for name in names {
      let reader = try await readers.reader(email: "\(name)@example.org")
      found.append(try #require(reader).reader.id)
    }
    return found
  }

  fileprivate func unread(_ reader: Reader.ID, limit: Int) async throws -> [Post] {
    var query = PostQuery(limit: limit)
    query.isUnread = true
    let found = try await content.posts(query, for: reader)
    return try #require(found)
  }

  /// As the operator does.
  fileprivate func remove(_ email: String) async throws -> Response {
    let token = try newOperatorToken()
    return await handle(Request(.delete, APIPath.operatorReader(email).target, headers: ["Authorization": "Bearer \(token)"]))
  }
}

extension ReadConnections {
  /// Takes every connection, and has one more task wait for one. `body` is called with what lets go of them.
  fileprivate func suspended(_ body: (_ release: () -> Void) async throws -> Void) async throws {
    let gate = DispatchSemaphore(value: 0)
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<Self.most { group.addTask { try await self.run(for: "anybody") { _ in gate.wait() } } }
      group.addTask { try await self.run(for: "anybody") { _ in } }
      await until { waiting >= 1 }
      try await body { for _ in 0..<Self.most { gate.signal() } }
      try await group.waitForAll()
    }
  }
}

/// What one reader does, and what others notice of it; and what is under way for a reader who is removed.
@Suite(.timeLimit(.minutes(10))) struct FairnessTests {
  /// Which may have to look at a million posts that were read.
  @Test func nobodyElseWaitsForAListOfUnreadPosts() async throws {
    let folder = try TemporaryFolder()
    let rig = try await Rig(folder: folder.path)
    let token = try await rig.signIn()
    let reader = try await rig.get("/v1/session", token, as: Reader.self).id
    let lists = try #require(try await rig.publication.lists)
    try await lists.suspended { release async throws in
      async let first = rig.send(.get, "/v1/posts?unread=true", token: token)
      async let second = rig.send(.get, "/v1/posts?unread=true&limit=1", token: token)
      await until { rig.publication.listTurns.count(reader) >= 2 }
      await until { lists.waiting >= 2 }
      #expect(try await rig.get("/v1/posts", token, as: Page<Post>.self).items.count == 20)
      #expect(try await rig.get("/v1/session", token, as: Reader.self).id == reader)
      #expect(lists.waiting == 2, "the second list waits for the first")
      release()
      #expect(try Wire.decode(Page<Post>.self, from: await first.body).items.count == 20)
      #expect(try Wire.decode(Page<Post>.self, from: await second.body).items.count == 1)
    }
    await rig.publication.close()
  }

  /// Both connections are shared a part at a time: two readers with lists that take long hold up a third one for a part of each.
  @Test func longListsOfUnreadPostsTakeTurnsWithShortOnes() async throws {
    let folder = try TemporaryFolder()
    let rig = try await Rig(folder: folder.path)
    try await rig.publication.fill(100_000, readBy: ["ada@example.org", "bo@example.org"])
    let lists = try #require(try await rig.publication.lists)
    let readers = try await rig.publication.identifiers(of: ["ada", "bo", "sample"])
    let (ended, end) = AsyncStream.makeStream(of: Reader.ID.self)
    try await lists.suspended { release async throws in
      try await withThrowingTaskGroup(of: Void.self) { group in
        for (index, reader) in readers.enumerated() {
          group.addTask {
            let found = try await rig.publication.unread(reader, limit: 1)
            #expect(found.count == 1)
            end.yield(reader)
          }
          await until { lists.waiting >= index + 2 }
        }
        release()
        try await group.waitForAll()
      }
    }
    #expect(await ended.first { _ in true } == readers.last)
    await rig.publication.close()
  }

  /// To find the newest of many bookmarks takes as long as there are bookmarks.
  @Test func nobodyElseWaitsForAListOfManyBookmarks() async throws {
    let folder = try TemporaryFolder()
    let rig = try await Rig(folder: folder.path)
    let token = try await rig.signIn()
    let reader = try await rig.get("/v1/session", token, as: Reader.self).id
    try await rig.publication.fill(3000, readBy: [])
    try await rig.publication.bookmarkAll(reader)
    try await expectOthersServed(while: "bookmarked=true", limit: 100, rig, token, reader)
  }

  /// However few there are: to find the newest of what a reader follows or bookmarked takes longer than to find the newest of all.
  @Test(arguments: ["followed=true", "bookmarked=true", "followed=true&bookmarked=true", "followed=true&unread=true"])
  func nobodyElseWaitsForAListOfAReadersOwn(filter: String) async throws {
    let folder = try TemporaryFolder()
    let rig = try await Rig(folder: folder.path)
    let token = try await rig.signIn()
    let reader = try await rig.get("/v1/session", token, as: Reader.self).id
    for club in ["odd", "even"] { #expect(await rig.send(.put, "/v1/fanclubs/\(club)/follow", token: token).status == 200) }
    try await rig.publication.bookmarkAll(reader)
    try await expectOthersServed(while: filter, rig, token, reader)
  }

  /// Two lists of a reader are read one after the other, and meanwhile the plain one is served.
  private func expectOthersServed(
    while filter: String, limit: Int = 20, _ rig: Rig, _ token: String, _ reader: Reader.ID
  ) async throws {
    let lists = try #require(try await rig.publication.lists)
    try await lists.suspended { release async throws in
      async let first = rig.send(.get, "/v1/posts?\(filter)&limit=\(limit)", token: token)
      async let second = rig.send(.get, "/v1/posts?\(filter)&fanclub=even", token: token)
      await until { rig.publication.listTurns.count(reader) >= 2 }
      await until { lists.waiting >= 2 }
      #expect(try await rig.get("/v1/posts", token, as: Page<Post>.self).items.count == 20)
      #expect(lists.waiting == 2, "the second list waits for the first")
      release()
      #expect(try Wire.decode(Page<Post>.self, from: await first.body).items.count == limit)
      #expect(try Wire.decode(Page<Post>.self, from: await second.body).items.count == 12)
    }
    await rig.publication.close()
  }

  /// A body of fifty megabytes is read, and written as JSON, for one request of a reader at a time: more of them would fill the memory.
  @Test func longAnswersOfAReaderAreMadeOneAfterTheOther() async throws {
    let rig = try await Rig()
    let token = try await rig.signIn()
    let reader = try await rig.get("/v1/session", token, as: Reader.self).id
    try await rig.publication.setBody(String(repeating: "long ", count: 500_000), of: "p01")
    let gate = DispatchSemaphore(value: 0)
    let (begun, begin) = AsyncStream.makeStream(of: Void.self)
    rig.publication.writer.post {
      begin.yield()
      gate.wait()
    }
    for await _ in begun { break }
    async let answers = withTaskGroup(of: Int.self, returning: [Int].self) { group in
      for _ in 0..<6 { group.addTask { await rig.send(.get, "/v1/posts/p01", token: token).body.count } }
      return await group.reduce(into: []) { $0.append($1) }
    }
    await until { rig.publication.longTurns.count(reader) >= 6 }
    // What is short goes on meanwhile.
    for _ in 0..<50 { #expect(try await rig.get("/v1/posts", token, as: Page<Post>.self).items.count == 20) }
    // Those that wait have not read anything yet.
    try await rig.publication.setBody("short", of: "p01")
    gate.signal()
    #expect(await answers.count { $0 > 1 << 20 } == 1)
    await rig.publication.close()
  }

  /// The same of different readers: those that wait hold none of the body.
  @Test func largeAnswersOfReadersAreReadOneAfterTheOther() async throws {
    let rig = try await Rig()
    let tokens = [try await rig.signIn("ada"), try await rig.signIn("bo")]
    try await rig.publication.setBody(String(repeating: "long ", count: 500_000), of: "p01")
    let gate = DispatchSemaphore(value: 0)
    let (begun, begin) = AsyncStream.makeStream(of: Void.self)
    rig.publication.writer.post {
      begin.yield()
      gate.wait()
    }
    for await _ in begun { break }
    async let answers = withTaskGroup(of: Int.self, returning: [Int].self) { group in
      for token in tokens { group.addTask { await rig.send(.get, "/v1/posts/p01", token: token).body.count } }
      return await group.reduce(into: []) { $0.append($1) }
    }
    await until { rig.publication.largeTurns.count("") >= 2 }
    try await rig.publication.setBody("short", of: "p01")
    gate.signal()
    #expect(await answers.count { $0 > 1 << 20 } <= 1)
    await rig.publication.close()
  }

  /// Charges of a reader are made one after the other. None of those that wait is begun for somebody who is gone.
  @Test func aRemovedReaderIsNotCharged() async throws {
    let gateway = CountingGateway()
    let rig = try await Rig(gateway: gateway)
    let token = try await rig.signIn()
    let reader = try await rig.get("/v1/session", token, as: Reader.self).id
    let order = UUID()
    #expect(try await rig.begin(order, "passes.5", token).status == 201)
    let turns = rig.publication.chargeTurns
    let (suspended, goOn) = AsyncStream.makeStream(of: Void.self)
    async let earlier: Void = turns.take(reader) { for await _ in suspended { break } }
    await until { turns.count(reader) >= 1 }
    async let charge = rig.charge(order, token)
    await until { turns.count(reader) >= 2 }
    #expect(try await rig.publication.remove("ada@example.org").status == 204)
    goOn.yield()
    try await earlier
    let refused = try await charge
    #expect((refused.status, try refused.problem.code) == (401, .sessionEnded))
    #expect(await gateway.calls.isEmpty)
  }

  /// The other way round: what is begun is seen in the step that removes.
  @Test func aReaderWhoIsBeingChargedIsNotRemoved() async throws {
    let gateway = CountingGateway()
    let rig = try await Rig(gateway: gateway)
    let token = try await rig.signIn()
    await gateway.set(.suspended)
    let order = UUID()
    #expect(try await rig.begin(order, "passes.5", token).status == 201)
    async let charge = rig.charge(order, token)
    await gateway.waitForCalls(1)
    let reader = try await rig.get("/v1/session", token, as: Reader.self)
    await #expect(throws: Problem.self) { try await rig.publication.removeRow(of: reader.id) }
    #expect(try await rig.publication.remove("ada@example.org").status == 409)
    await gateway.set(.up)
    #expect(try await charge.status == 200)
    #expect(try await rig.publication.remove("ada@example.org").status == 204)
  }

  @Test func aRemovedReaderKeepsNoMarks() async throws {
    let rig = try await Rig()
    let token = try await rig.signIn()
    let reader = try await rig.get("/v1/session", token, as: Reader.self).id
    let turns = rig.publication.readAllTurns
    let (suspended, goOn) = AsyncStream.makeStream(of: Void.self)
    async let earlier: Void = turns.take(reader) { for await _ in suspended { break } }
    await until { turns.count(reader) >= 1 }
    let body = try Wire.encode(ReadRequest(id: nil, until: .distantFuture, clubs: nil))
    async let marked = rig.send(.put, "/v1/posts/read", token: token, headers: ["Content-Type": "application/json"], body: body)
    await until { turns.count(reader) >= 2 }
    #expect(try await rig.publication.remove("ada@example.org").status == 204)
    goOn.yield()
    try await earlier
    _ = await marked
    await rig.publication.sweeping?.value
    for table in ["read_mark", "read_count"] { #expect(try await rig.publication.rows(of: table, reader) == 0) }
  }

  /// A place for each reader: feeds that drip keep only their own reader's waiting.
  @Test func slowFeedsOfAReaderKeepNobodyElsesWaiting() async throws {
    let readers = try await FeedReadersRig()
    let slow = (1...6).map { "https://slow.example/\($0)" }
    for url in slow + [FeedReadersRig.url] {
      readers.web.answer(url, Response(200, body: Documents.rss("One", home: url, name: url)))
      #expect(try await readers.end(try await readers.begin(url, url == FeedReadersRig.url ? readers.bo : readers.ada)).state == .done)
    }
    await readers.rig.clock.waitForSleepers()
    readers.web.forget()
    for url in slow { readers.web.holdBack(url) }
    readers.rig.clock.advance(by: .seconds(3600))
    await until { readers.web.targets.contains(FeedReadersRig.url) }
    #expect(readers.web.targets.count { slow.contains($0) } == 1)
    // The next of hers is begun when that one is done, and all are in the end.
    for number in 1...slow.count {
      await readers.web.hold.waitForSleepers()
      #expect(readers.web.targets.count { slow.contains($0) } == number)
      readers.web.hold.advance(by: .seconds(1))
    }
    await readers.rig.clock.waitForSleepers()
    #expect(Set(readers.web.targets) == Set(slow + [FeedReadersRig.url]))
  }

  /// A feed that takes long has one of the few places for some seconds only.
  @Test func slowFeedsLeaveTheirPlacesToOthers() async throws {
    let readers = try await FeedReadersRig()
    let slow = (1...4).map { "https://slow.example/\($0)" }
    for url in slow + [FeedReadersRig.url] {
      readers.web.answer(url, Response(200, body: Documents.rss("One", home: url, name: url)))
      #expect(try await readers.end(try await readers.begin(url)).state == .done)
    }
    try await readers.rig.publication.giveFeedsAway(slow, lastOf: FeedReadersRig.url)
    await readers.rig.clock.waitForSleepers()
    readers.web.forget()
    for url in slow { readers.web.holdBack(url) }
    readers.rig.clock.advance(by: .seconds(3600))
    await readers.web.hold.waitForSleepers(4)
    #expect(Set(readers.web.targets) == Set(slow))
    await readers.rig.clock.waitForSleepers()
    readers.rig.clock.advance(by: .seconds(5))
    await until { readers.web.targets.contains(FeedReadersRig.url) }
    readers.web.hold.advance(by: .seconds(1))
    await readers.rig.clock.waitForSleepers()
    #expect(readers.web.targets.count == 5)
  }

  /// Another feed of theirs comes when others have had seven times as long.
  @Test func aReaderWhoseFeedTookLongWaits() async throws {
    let readers = try await FeedReadersRig()
    let feeds = (1...2).map { "https://slow.example/\($0)" }
    for url in feeds {
      readers.web.answer(url, Response(200, body: Documents.rss("One", home: url, name: url)))
      #expect(try await readers.end(try await readers.begin(url)).state == .done)
    }
    await readers.rig.clock.waitForSleepers()
    readers.web.forget()
    for url in feeds { readers.web.holdBack(url) }
    readers.rig.clock.advance(by: .seconds(3600))
    await readers.web.hold.waitForSleepers()
    readers.rig.clock.advance(by: .seconds(50))
    readers.web.hold.advance(by: .seconds(1))
    for _ in 0..<7 {
      await readers.rig.clock.waitForSleepers()
      #expect(readers.web.targets.count == 1)
      readers.rig.clock.advance(by: .seconds(50))
    }
    await readers.web.hold.waitForSleepers()
    #expect(Set(readers.web.targets) == Set(feeds))
    readers.web.hold.advance(by: .seconds(1))
    await readers.rig.clock.waitForSleepers()
  }

  /// Bo asks for one of Ada's, whose server is slow. That took none of the schedule's places.
  @Test func aFeedThatTookLongOnRequestHoldsUpNoneOfItsReader() async throws {
    let readers = try await FeedReadersRig()
    let feeds = (1...2).map { "https://slow.example/\($0)" }
    var clubs: [FanClub.ID] = []
    for url in feeds {
      readers.web.answer(url, Response(200, body: Documents.rss("One", home: url, name: url)))
      clubs += try await readers.end(try await readers.begin(url)).clubs
    }
    await readers.rig.clock.waitForSleepers()
    readers.web.forget()
    readers.rig.clock.advance(by: .seconds(3540))
    await readers.rig.clock.waitForSleepers()
    readers.web.holdBack(feeds[0])
    let asked = await readers.refresh(clubs[0], readers.bo)
    await readers.web.hold.waitForSleepers()
    readers.rig.clock.advance(by: .seconds(50))
    readers.web.hold.advance(by: .seconds(1))
    #expect(try await readers.end(asked).state == .done)
    readers.rig.clock.advance(by: .seconds(10))
    await readers.rig.clock.waitForSleepers()
    #expect(readers.web.targets == feeds)
  }

  @Test func aFeedThatTakesLongIsAskedLessOften() async throws {
    let readers = try await FeedReadersRig()
    readers.web.answer(FeedReadersRig.url, Response(200, body: Documents.rss("One")))
    #expect(try await readers.end(try await readers.begin(FeedReadersRig.url)).state == .done)
    await readers.rig.clock.waitForSleepers()
    readers.web.holdBack(FeedReadersRig.url)
    readers.rig.clock.advance(by: .seconds(3600))
    await readers.web.hold.waitForSleepers()
    readers.rig.clock.advance(by: .seconds(50))
    readers.web.hold.advance(by: .seconds(1))
    await readers.rig.clock.waitForSleepers()
    #expect(try await readers.rig.publication.secondsUntilDue() == 360 * 50)
  }

  @Test func importsOfOneReaderMakeNobodyElsesVanish() async throws {
    let desk = ImportDesk()
    func end(of reader: Reader.ID) async throws -> Import.ID {
      let job = ImportJob(UUID().uuidString, reader: reader, session: nil, follows: false)
      try desk.take(job)
      job.run { _ in [] }
      await job.ended()
      return job.report.id
    }
    let (ada, first) = (try await end(of: "ada"), try await end(of: "bo"))
    var last = first
    for _ in 0..<100 { last = try await end(of: "bo") }
    #expect(desk.job(ada, of: "ada") != nil)
    #expect(desk.job(first, of: "bo") == nil)
    #expect(desk.job(last, of: "bo") != nil)
  }

  /// To compare texts takes time by the square of the marks of a letter.
  @Test func aLetterWithMarksWithoutEndIsRefused() async throws {
    let rig = try await Rig()
    let marks = String(repeating: "\u{301}", count: 300) + String(repeating: "\u{323}", count: 300)
    let refused = await rig.send(.post, "/v1/session", body: Data("{\"email\": \"a\", \"password\": \"b\", \"x\(marks)\": 1}".utf8))
    #expect(refused.status == 400)
    #expect(
      try refused.problem.title.hasPrefix("The body is no JSON: a letter of this text has more marks than any language needs at line 1"))
    let encoded = APIPath.encoded("x" + marks)
    let request = Request(.get, "/v1/posts?\(encoded)=\(encoded)", headers: ["If-None-Match": "x\(marks)"])
    let texts = request.query.flatMap { [$0.name, $0.value] } + [request.headers["If-None-Match"] ?? ""]
    #expect(texts.map(\.unicodeScalars.count) == [31, 31, 31])
    // In a path no more of them are decoded than a name has room for.
    let name = APIPath.encoded("x" + String(repeating: "\u{301}", count: 70) + String(repeating: "\u{323}", count: 70))
    #expect(try Router.publication.find(Request(.get, "/v1/posts/\(name)")).call.parameter.unicodeScalars.count == 31)
    #expect(throws: Problem.self) { try Router.publication.find(Request(.get, "/v1/posts/\(encoded)")) }
  }

  /// Addresses are stored as texts are.
  @Test func addressesCountAsTextsDo() async throws {
    let readers = try await FeedReadersRig()
    let reader = try await readers.rig.get("/v1/session", readers.ada, as: Reader.self).id
    let url = "https://example.org/" + String(repeating: "long/", count: 200)
    let document = """
      {"version": "https://jsonfeed.org/version/1", "items": [{"id": "1", "url": "\(url)", "attachments": [{"url": "\(url)a"}]}]}
      """
    #expect(try await readers.end(await readers.post(Data(document.utf8))).state == .done)
    #expect(readers.rig.publication.importLimits.bytes(of: reader) >= 2 * url.utf8.count)
  }
}

extension Publication {
  fileprivate func removeRow(of reader: Reader.ID) async throws { try await readers.remove(reader, password: hasher.placeholder, at: now) }
  /// Has each of some feeds be a reader's own, and another one come last.
  fileprivate func giveFeedsAway(_ urls: [String], lastOf other: String) throws {
    let database = try #require(content as? SQLiteContent).database
    for (index, url) in urls.enumerated() {
      let reader = "r\(index)"
      try database.execute("INSERT INTO reader (id, email, name, password) VALUES (?1, ?1, ?1, '')", reader)
      try database.execute("UPDATE fan_club SET added_by = ? WHERE source = ?", reader, url)
    }
    try database.execute("UPDATE feed SET next = next + 1 WHERE url = ?", other)
  }
  fileprivate func secondsUntilDue() async throws -> Int64? { try await feedRepository.nextDue().map { $0 - now } }
}
