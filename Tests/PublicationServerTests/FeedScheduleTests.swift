import Foundation
import HTTPTransport
import PublicationAPI
import Runtime
import Testing

@testable import PublicationServer

/// Asking feeds again. No time passes by itself: the clock is moved from one waking to the next.
@Suite struct FeedScheduleTests {
  private static let url = "https://example.org/feed"

  private struct House {
    let rig: Rig
    let web = FakeWeb()

    /// A publication with one feed, which was imported at the start.
    init(readersMayAdd: Bool = false) async throws {
      rig = try await Rig(posts: [])
      _ = try await rig.publication.importFeed(
        ParsedItemSample.feed([ParsedItemSample.item("Old", Rig.start, id: "Old")]), source: FeedScheduleTests.url)
      // In the middle of all chances: no spread.
      await rig.publication.fetchFeeds(from: web, readersMayAdd: readersMayAdd, random: FixedRandom(1 << 63))
      await rig.clock.waitForSleepers()
    }

    /// What the publication says went wrong: in the list of clubs, and of the club itself.
    func problems() async throws -> [String?] {
      let token = try await rig.signIn()
      let clubs = try await rig.get("/v1/fanclubs", token, as: Page<FanClub>.self).items
      let club = try #require(clubs.first { $0.posts > 0 })
      return [club.problem, try await rig.get("/v1/fanclubs/\(club.id)", token, as: FanClub.self).problem]
    }

    /// Lets time pass.
    func pass(_ seconds: Int) async {
      var left = Duration.seconds(seconds)
      while left > .zero {
        let due = rig.clock.nextDue ?? left
        let step = min(left, due)
        rig.clock.advance(by: step)
        left -= step
        if step == due { await rig.clock.waitForSleepers() }
      }
    }

    /// How long after now the feed is asked next, in seconds; `nil` for never.
    func next() async throws -> Int64? {
      try await rig.publication.nextDue().map { $0 - Int64(rig.clock.now.timeIntervalSince1970) }
    }

    func titles() async throws -> [String] {
      try await rig.get("/v1/posts?limit=100", rig.signIn(), as: Page<Post>.self).items.map(\.title)
    }
  }

  @Test func onlyWhatChangedIsFetched() async throws {
    let house = try await House()
    house.web.answer(
      Self.url,
      Response(
        200, headers: ["ETag": "\"1\"", "Last-Modified": "Mon, 01 Jan 2024 00:00:00 GMT"], body: Documents.rss("New", "Old")),
      Response(304), Response(304, headers: ["ETag": "\"2\""]), Response(304))
    await house.pass(3599)
    #expect(house.web.requests.isEmpty)
    await house.pass(1)
    #expect(house.web.requests.map { $0.headers["If-None-Match"] } == [nil])
    #expect(Set(try await house.titles()) == ["New", "Old"])
    #expect(try await house.next() == 3600)
    await house.pass(3 * 3600)
    #expect(house.web.requests.map { $0.headers["If-None-Match"] } == [nil, "\"1\"", "\"1\"", "\"2\""])
    #expect(house.web.requests.last?.headers["If-Modified-Since"] == "Mon, 01 Jan 2024 00:00:00 GMT")
    #expect(Set(try await house.titles()) == ["New", "Old"])
  }

  @Test(arguments: [(301, true), (308, true), (302, false), (303, false), (307, false)])
  func whatMovedForGoodIsAskedThere(status: Int, isForGood: Bool) async throws {
    let house = try await House()
    house.web.answer(Self.url, Response(status, headers: ["Location": "/new"]))
    house.web.answer("https://example.org/new", Response(200, body: Documents.rss("New")))
    await house.pass(3600)
    #expect(house.web.targets == [Self.url, "https://example.org/new"])
    house.web.forget()
    await house.pass(3600)
    #expect(house.web.targets == (isForGood ? [] : [Self.url]) + ["https://example.org/new"])
    #expect(Set(try await house.titles()) == ["New", "Old"])
  }

  @Test func aMoveForGoodBehindOneForNowIsForNow() async throws {
    let house = try await House()
    house.web.answer(Self.url, Response(302, headers: ["Location": "https://a.example/"]))
    house.web.answer("https://a.example/", Response(301, headers: ["Location": "https://b.example/"]))
    house.web.answer("https://b.example/", Response(200, body: Documents.rss("New")))
    await house.pass(3600)
    house.web.forget()
    await house.pass(3600)
    #expect(house.web.targets.first == Self.url)
  }

  @Test func whoDoesNotAnswerIsLeftAloneLongerAndLonger() async throws {
    let house = try await House()
    house.web.answer(Self.url, Response(500))
    await house.pass(3600)
    var pauses: [Int64?] = []
    for _ in 0..<11 {
      let pause = try await house.next()
      pauses.append(pause)
      await house.pass(Int(pause ?? 0))
    }
    #expect(pauses == [300, 600, 1200, 2400, 4800, 9600, 19200, 38400, 76800, 86400, 86400])
    // A document that is no feed is no answer either; what was there stays.
    house.web.answer(Self.url, Response(200, headers: ["ETag": "\"x\""], body: Data("<html>".utf8)))
    await house.pass(86_400)
    #expect(try await house.next() == 86_400)
    #expect(try await house.titles() == ["Old"])
    house.web.answer(Self.url, Response(200, body: Documents.rss("New")))
    await house.pass(86_400)
    #expect(house.web.requests.last?.headers["If-None-Match"] == nil)
    #expect(try await house.next() == 3600)
    house.web.answer(Self.url, .timedOut)
    await house.pass(3600)
    #expect(try await house.next() == 300)
  }

  @Test func readersWhoMayAddFeedsAreToldWhyOneCannotBeRead() async throws {
    let house = try await House(readersMayAdd: true)
    #expect(try await house.problems() == [nil, nil])
    house.web.answer(
      Self.url, Response(500), Response(200, body: Data("<html>".utf8)),
      Response(200, headers: ["ETag": "\"1\""], body: Documents.rss("New")),
      Response(410), Response(304))
    await house.pass(3600)
    let sentence = "\(Self.url): the server answered with status 500."
    #expect(try await house.problems() == [sentence, sentence])
    await house.pass(300)
    #expect(try await house.problems().allSatisfy { $0?.hasPrefix(Self.url) == true && $0 != sentence })
    await house.pass(600)
    #expect(try await house.problems() == [nil, nil])
    await house.pass(3600)
    #expect(try await house.problems().allSatisfy { $0 == "\(Self.url): the server says that this feed is gone for good." })
  }

  @Test func otherReadersAreNotTold() async throws {
    let house = try await House()
    house.web.answer(Self.url, Response(500))
    await house.pass(3600)
    #expect(try await house.next() == 300)
    #expect(try await house.problems() == [nil, nil])
  }

  @Test func whatAServerAsksForIsHonoured() async throws {
    let house = try await House()
    house.web.answer(
      Self.url, Response(429, headers: ["Retry-After": "7200"]), Response(503, headers: ["Retry-After": "10"]),
      Response(
        503, headers: ["Retry-After": "Mon, 01 Jan 2024 05:00:00 GMT", "Date": "Mon, 01 Jan 2024 03:00:00 GMT"]),
      // Without a date of its own: five hours by the publication's clock.
      Response(503, headers: ["Retry-After": "Mon, 01 Jan 2024 10:10:00 GMT"]))
    await house.pass(3600)
    #expect(try await house.next() == 7200)
    await house.pass(7199)
    #expect(house.web.requests.count == 1)
    await house.pass(1)
    // Sooner than by our own rule is not asked for.
    #expect(try await house.next() == 600)
    await house.pass(600)
    #expect(try await house.next() == 7200)
    await house.pass(7200)
    #expect(try await house.next() == 5 * 3600)
  }

  @Test(
    arguments: [
      ("max-age=7200", nil, 7200), ("max-age=60", nil, 3600), ("max-age=7200, no-cache", nil, 3600), ("max-age=x", nil, 3600),
      ("max-age=99999999999999999999999", nil, 86_400), ("max-age=-5", "180", 10_800), (nil, "180", 10_800), (nil, "5", 3600),
      ("max-age=7200", "180", 10_800), (nil, "9223372036854775807", 86_400), (nil, "-9223372036854775808", 3600), (nil, "soon", 3600),
    ] as [(String?, String?, Int64)])
  func whatStaysTheSameByItsOwnAccountIsAskedLater(maxAge: String?, ttl: String?, pause: Int64) async throws {
    let house = try await House()
    var headers: Headers = ["ETag": "\"1\""]
    headers["Cache-Control"] = maxAge
    let about = ttl.map { "<ttl> \($0) </ttl>" } ?? ""
    let document = Data("<rss version=\"2.0\"><channel><title>F</title>\(about)<item><guid>1</guid></item></channel></rss>".utf8)
    house.web.answer(Self.url, Response(200, headers: headers, body: document), Response(304, headers: headers), Response(304))
    await house.pass(3600)
    #expect(try await house.next() == pause)
    await house.pass(Int(pause))
    #expect(house.web.requests.count == 2)
    #expect(try await house.next() == pause)
    await house.pass(Int(pause))
    // What the document says stays true until there is another.
    #expect(try await house.next() == (ttl == nil ? 3600 : max(3600, ttl == "180" ? 10_800 : pause)))
  }

  @Test func whatIsGoneIsNotAskedForAgain() async throws {
    let house = try await House()
    house.web.answer(Self.url, Response(410))
    await house.pass(3600)
    #expect(try await house.next() == nil)
    await house.pass(30 * 86_400)
    #expect(house.web.requests.count == 1)
    #expect(try await house.titles() == ["Old"])
    // Unless a reader does, and it is there after all.
    house.web.answer(Self.url, Response(200, body: Documents.rss("Back")))
    let token = try await house.rig.signIn()
    let clubs = try await house.rig.get("/v1/fanclubs", token, as: Page<FanClub>.self).items
    let club = try #require(clubs.first { $0.posts > 0 })
    let begun = await house.rig.send(.post, "/v1/fanclubs/\(club.id)/refresh", token: token)
    let reader = try await house.rig.get("/v1/session", token, as: Reader.self).id
    await house.rig.publication.imports.job(try Wire.decode(Import.self, from: begun.body).id, of: reader)?.ended()
    #expect(try await house.next() == 3600)
  }

  @Test func feedsOfOneMomentAreSpread() {
    func service(_ bits: UInt64) -> FeedService {
      let clock = ManualClock(now: Date(timeIntervalSince1970: 0))
      return FeedService(
        fetcher: FeedFetcher(web: FakeWeb(), clock: clock, reader: FeedReader()), readersMayAdd: false, moment: .zero, clock: clock,
        random: FixedRandom(bits))
    }
    let feed = FeedVersion(url: "")
    #expect(service(0).next(feed) == 3240)
    #expect(service(.max).next(feed) == 3959)
    #expect(service(0).next(afterFailures: 1, quiet: nil) == 270)
    #expect(service(.max).next(afterFailures: 99, quiet: 1) == 95_039)
  }

  @Test func whatNoReaderAskedForIsNotFetched() async throws {
    let house = try await House()
    _ = try await house.rig.publication.importOutline(
      .init(title: "", outlines: [.init(title: "One", feedURL: "https://one.example/feed")]))
    house.web.answer(Self.url, Response(304))
    await house.pass(86_400)
    #expect(house.web.targets.allSatisfy { $0 == Self.url })
  }

  @Test func itEndsWithThePublication() async throws {
    let house = try await House()
    house.web.answer(Self.url, Response(200, body: Documents.rss("New")))
    house.web.holdBack(Self.url)
    house.rig.clock.advance(by: .seconds(1800))
    await house.rig.clock.waitForSleepers()
    house.rig.clock.advance(by: .seconds(1800))
    await house.web.hold.waitForSleepers()
    await house.rig.publication.close()
    #expect(house.rig.clock.sleeperCount == 0)
    #expect(house.web.hold.sleeperCount == 0)
  }

  @Test func itGoesOnAfterANewStart() async throws {
    let folder = try TemporaryFolder()
    let rig = try await Rig(folder: folder.path, posts: [])
    _ = try await rig.publication.importFeed(ParsedItemSample.feed([]), source: Self.url)
    await rig.publication.close()
    let clock = ManualClock(now: Rig.start.addingTimeInterval(86_400))
    let again = try await Rig(folder: folder.path, clock: clock, posts: [])
    let web = FakeWeb()
    web.answer(Self.url, Response(200, body: Documents.rss("New")))
    await again.publication.fetchFeeds(from: web, readersMayAdd: false)
    // What was due meanwhile is asked for at once.
    await clock.waitForSleepers()
    #expect(web.targets == [Self.url])
    #expect(try await again.get("/v1/posts", again.signIn(), as: Page<Post>.self).items.map(\.title) == ["New"])
  }
}

extension Publication {
  fileprivate func nextDue() async throws -> Int64? { try await feedRepository.nextDue() }
}
