import FeedFormats
import Foundation
import HTTPTransport
import Patience
import PublicationAPI
import Runtime
import SQLiteStorage
import Testing

@testable import PublicationServer

/// Lists of thousands of feeds, and imports while the publication's thread has much to do.
@Suite struct ListImportTests {
  private static func outline(_ count: Int) -> FeedDocument {
    .outline(.init(title: "Many", outlines: (0..<count).map { .init(title: "Feed \($0)", feedURL: "https://e.example/\($0)") }))
  }

  private static let origin = FeedOrigin(source: "many.opml", name: "many.opml")

  /// A list of n feeds looks n times whether a feed is there: once through all of them each time would be n².
  @Test func aFeedIsFoundByAnIndex() async throws {
    let database = try Connection(path: ":memory:")
    try database.migrate(Schema.migrations)
    #expect(SQLiteFeeds.lookups.count == 2)
    for lookup in SQLiteFeeds.lookups {
      let plan = try database.query("EXPLAIN QUERY PLAN \(lookup)", "https://e.example/") { try $0.get(3, as: String.self) }
      #expect(!plan.isEmpty && plan.allSatisfy { $0.hasPrefix("SEARCH") }, "\(plan)")
    }
  }

  @Test func allOfAListIsFollowedByWhoeverAddsIt() async throws {
    let readers = try await FeedReadersRig()
    let reader = try await readers.rig.get("/v1/session", readers.ada, as: Reader.self).id
    let known = try await readers.rig.publication.store(Self.outline(10), as: Self.origin, nil)
    #expect(try await readers.clubs().map(\.followed) == Array(repeating: false, count: 10))
    let job = ImportJob("i", reader: reader, session: nil, follows: true)
    let stored = try await readers.rig.publication.store(Self.outline(30), as: Self.origin, job)
    #expect((stored.clubs.count, stored.report.added) == (30, 20))
    #expect(stored.clubs.starts(with: known.clubs))
    #expect((job.report.step, job.report.done, job.report.total) == (.storing, 30, 30))
    #expect(try await readers.clubs().allSatisfy(\.followed))
    #expect(try await readers.clubs(readers.bo).allSatisfy { !$0.followed && $0.followers == 1 })
  }

  /// However far it is when it is cancelled: all clubs are there and followed, or none is there.
  @Test func aCancelWhileAListIsStored() async throws {
    let readers = try await FeedReadersRig()
    let reader = try await readers.rig.get("/v1/session", readers.ada, as: Reader.self).id
    let job = ImportJob("i", reader: reader, session: nil, follows: true)
    let storing = Task { try await readers.rig.publication.store(Self.outline(1000), as: Self.origin, job) }
    // Its progress is seen from other threads while it is stored; where this one comes too late, it was stored whole.
    await until { job.report.done >= 1 }
    job.cancel()
    let result = await storing.result
    let clubs = try await readers.rig.publication.countClubs()
    switch result {
    case .success: #expect(clubs == (1000, 1000))
    case .failure(let error):
      #expect(error is CancellationError)
      #expect(clubs == (0, 0))
    }
  }

  /// A report of ten thousand clubs is encoded once, and given in turn: whoever asks on many connections waits for themselves.
  @Test func theReportOfAListIsEncodedOnce() async throws {
    let readers = try await FeedReadersRig()
    let begun = await readers.post(Documents.outline, name: "list.opml")
    let id = try Wire.decode(Import.self, from: begun.body).id
    let report = try await readers.end(begun)
    #expect(report.state == .done && report.clubs.count == 2)
    let reader = try await readers.rig.get("/v1/session", readers.ada, as: Reader.self).id
    let publication = readers.rig.publication
    let job = try #require(publication.imports.job(id, of: reader))
    #expect(try Wire.decode(Import.self, from: job.answer().body) == report)
    let request = Request(.get, "/v1/imports/\(id)", headers: ["Authorization": "Bearer \(readers.ada)"])
    #expect(publication.imports.overtake(request, publication.sessions, at: readers.rig.clock.unixTime) == nil)
    let answer = await publication.handle(request)
    #expect(try answer.body == job.answer().body)
  }

  /// What is refused at once costs nobody a look at what there is.
  @Test func anAddressIsJudgedFirst() async throws {
    let readers = try await FeedReadersRig()
    for _ in 1...100 { #expect(try await readers.begin("ftp://example.org/x").status == 400) }
    #expect(try await readers.begin(FeedReadersRig.url).status == 202, "none of them counted")
  }

  @Test func progressIsToldWhileThePublicationIsBusy() async throws {
    let readers = try await FeedReadersRig()
    readers.web.holdBack(FeedReadersRig.url)
    let id = try Wire.decode(Import.self, from: try await readers.begin(FeedReadersRig.url).body).id
    await readers.web.hold.waitForSleepers()
    let looks = try await readers.rig.publication.busy {
      var looks: [Import?] = []
      for _ in 0..<3 {
        let response = await readers.rig.send(.get, "/v1/imports/\(id)", token: readers.ada)
        looks.append(try? Wire.decode(from: response.body))
      }
      return looks
    }
    #expect(looks?.map { $0?.step } == [.fetching, .fetching, .fetching])
    // It is still nobody else's, and nobody's after signing out.
    #expect(await readers.rig.send(.get, "/v1/imports/\(id)", token: readers.bo).status == 404)
    #expect(await readers.rig.send(.get, "/v1/imports/x/\(id)", token: readers.ada).status == 404)
    #expect(await readers.rig.send(.delete, "/v1/session", token: readers.ada).status == 204)
    #expect(await readers.rig.send(.get, "/v1/imports/\(id)", token: readers.ada).status == 401)
    await readers.rig.publication.close()
    #expect(readers.web.hold.sleeperCount == 0)
  }
}

extension Publication {
  /// Runs `body` while the publication's thread does something else.
  /// - Returns: what it returns; `nil` when it did not end before the thread was free again.
  fileprivate nonisolated func busy<Value: Sendable>(_ body: () async throws -> Value) async throws -> Value? {
    let (begun, tell) = AsyncStream<Void>.makeStream()
    let end = DispatchSemaphore(value: 0)
    async let wasEnded = stand(tell, end)
    for await _ in begun { break }
    let value = try await body()
    end.signal()
    return await wasEnded ? value : nil
  }

  private func stand(_ begun: AsyncStream<Void>.Continuation, _ end: DispatchSemaphore) -> Bool {
    begun.yield()
    return end.wait(timeout: .now() + 30) == .success
  }

  /// How many clubs came from feeds, and how many of them are followed.
  fileprivate func countClubs() async throws -> (all: Int, followed: Int) {
    var (all, followed, after) = (0, 0, NamePosition?.none)
    let reader = try await readers.reader(email: "ada@example.org")?.reader.id ?? ""
    while true {
      let page = try await content.fanClubs(after: after, limit: 500, for: reader)
      all += page.count { $0.club.id.hasPrefix("f") }
      followed += page.count { $0.club.followed }
      guard page.count == 500 else { return (all, followed) }
      after = page.last?.position
    }
  }
}
