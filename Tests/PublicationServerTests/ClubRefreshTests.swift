import Foundation
import HTTPTransport
import Patience
import PublicationAPI
import Runtime
import Testing

@testable import PublicationServer

/// Readers who want a club's feed fetched now: they get it, and neither its server nor its other readers pay for it.
@Suite struct ClubRefreshTests {
  private typealias House = ReaderHouse

  /// A house with one feed that was added, and its club.
  private func house(sharedFor moment: Duration = .seconds(60)) async throws -> (House, FanClub.ID) {
    let house = try await House(sharedFor: moment)
    house.web.answer(House.url, Response(200, headers: ["ETag": "\"1\""], body: Documents.rss("One")))
    let club = try #require(try await house.end(try await house.begin(House.url)).clubs.first)
    house.web.forget()
    await house.rig.clock.waitForSleepers()
    return (house, club)
  }

  private func feed(_ house: House, _ club: FanClub.ID) async throws -> StoredFeed {
    try #require(try await house.rig.publication.feed(club))
  }

  private func next(_ house: House) async throws -> Int64? {
    try await house.rig.publication.nextDue().map { $0 - Int64(house.rig.clock.now.timeIntervalSince1970) }
  }

  @Test func whoAsksJustAfterSomebodyGetsTheSame() async throws {
    let (house, club) = try await house()
    house.web.answer(House.url, Response(200, body: Documents.rss("One", "Two")))
    for token in [house.ada, house.bo, house.ada] {
      let done = try await house.end(await house.refresh(club, token))
      #expect((done.state, done.clubs) == (.done, [club]))
    }
    #expect(house.web.requests.count == 1)
    #expect(try await house.posts().count == 2)
    // It makes nobody a follower.
    #expect(try await house.clubs(house.bo).map(\.followed) == [false])
    house.rig.clock.advance(by: .seconds(59))
    _ = try await house.end(await house.refresh(club, house.bo))
    #expect(house.web.requests.count == 1)
    house.rig.clock.advance(by: .seconds(1))
    _ = try await house.end(await house.refresh(club, house.bo))
    #expect(house.web.requests.count == 2)
  }

  /// The publication of an app: whoever refreshes twice means it.
  @Test func aReaderWhoIsAloneIsAlwaysObeyedAndAServerThatWantsToBeLeftAloneIsStillLeftAlone() async throws {
    let (house, club) = try await house(sharedFor: .zero)
    house.web.answer(House.url, Response(304), Response(500), Response(429, headers: ["Retry-After": "120"]))
    for state in [Import.State.done, .failed, .failed] { #expect(try await house.end(await house.refresh(club)).state == state) }
    #expect(house.web.requests.map { $0.headers["If-None-Match"] } == ["\"1\"", "\"1\"", "\"1\""])
    let failed = try await house.end(await house.refresh(club))
    #expect(failed.problem == "\(House.url): the server wants to be left alone. Try again in 2 minutes.")
    #expect(house.web.requests.count == 3)
  }

  @Test func whoAsksMeanwhileGetsTheSame() async throws {
    let (house, club) = try await house()
    house.web.holdBack(House.url)
    let begun = [await house.refresh(club), await house.refresh(club, house.bo), await house.refresh(club)]
    await house.web.hold.waitForSleepers()
    await house.rig.publication.waitForReaders(3, of: club)
    // One of them leaves; the others do not lose anything by that.
    let id = try Wire.decode(Import.self, from: begun[0].body).id
    let left = await house.rig.send(.delete, "/v1/imports/\(id)", token: house.ada)
    #expect(try Wire.decode(Import.self, from: left.body).state == .cancelled)
    house.web.hold.advance(by: .seconds(1))
    for response in begun[1...] { #expect(try await house.end(response).state == .done) }
    #expect(house.web.requests.count == 1)
  }

  @Test func aReadersFailureIsNotTheSchedules() async throws {
    let (house, club) = try await house()
    for answer in [Response(500), Response(410), Response(200, body: Data("<html>".utf8))] {
      house.web.answer(House.url, answer)
      house.web.forget()
      for _ in 0..<3 {
        let failed = try await house.end(await house.refresh(club))
        #expect(failed.state == .failed)
        #expect(failed.problem?.hasPrefix(House.url) == true, "\(failed.problem ?? "")")
      }
      #expect(house.web.requests.count == 1)
      #expect(try await feed(house, club).failures == 0)
      house.rig.clock.advance(by: .seconds(60))
    }
    #expect(try await next(house) == 3600 - 180)
    // The tag of the last version that could be read is still there.
    #expect(try await feed(house, club).version.etag == "\"1\"")
  }

  @Test func whoAsksAgainTooSoonIsToldWhenToAsk() async throws {
    let (house, club) = try await house()
    house.web.answer(House.url, Response(500))
    let problem = "\(House.url): the server answered with status 500."
    #expect(try await house.end(await house.refresh(club)).problem == problem)
    for (pause, left) in [(0, "a minute"), (20, "40 seconds"), (39, "a second")] {
      house.rig.clock.advance(by: .seconds(pause))
      let failed = try await house.end(await house.refresh(club, house.bo))
      #expect(failed.problem == "\(problem) That was just now. Try again in \(left).")
    }
    #expect(house.web.requests.count == 1)
    house.rig.clock.advance(by: .seconds(1))
    #expect(try await house.end(await house.refresh(club)).problem == problem)
    #expect(house.web.requests.count == 2)
  }

  @Test func aServerThatWantsToBeLeftAloneIs() async throws {
    let (house, club) = try await house()
    house.web.answer(House.url, Response(429, headers: ["Retry-After": "7200"]))
    #expect(try await house.end(await house.refresh(club)).problem == "\(House.url): the server answered with status 429.")
    house.web.answer(House.url, Response(200, body: Documents.rss("One", "Two")))
    for (pause, left) in [(60, "119 minutes"), (7080, "a minute")] {
      house.rig.clock.advance(by: .seconds(pause))
      await house.rig.clock.waitForSleepers()
      for token in [house.ada, house.bo] {
        let failed = try await house.end(await house.refresh(club, token))
        #expect(failed.problem == "\(House.url): the server wants to be left alone. Try again in \(left).")
      }
    }
    // Neither did the schedule ask, whose time had come long before.
    #expect(house.web.requests.count == 1)
    #expect(try await next(house) == 60)
    #expect(try await feed(house, club).failures == 0)
    house.rig.clock.advance(by: .seconds(60))
    await house.rig.clock.waitForSleepers()
    #expect(house.web.requests.count == 2)
    #expect(try await feed(house, club).quiet == nil)
    // What the schedule got just now is what a reader gets too.
    #expect(try await house.end(await house.refresh(club)).state == .done)
    #expect(house.web.requests.count == 2)
    #expect(try await house.posts().count == 2)
  }

  @Test func aListsFeedThatFailsStaysUnasked() async throws {
    let house = try await House()
    let club = try #require(try await house.end(await house.post(Documents.outline, name: "list.opml")).clubs.first)
    house.web.answer("https://one.example/feed", Response(503, headers: ["Retry-After": "600"]))
    #expect(try await house.end(await house.refresh(club)).state == .failed)
    #expect(try await next(house) == nil)
    #expect(try await feed(house, club).quiet != nil)
  }

  /// Its page says so, also after the sentence that whoever asked was told is gone from the screen.
  @Test func whatWentWrongIsKnownUntilItWorks() async throws {
    let (house, club) = try await house()
    let problems = { try await house.clubs(house.ada).map(\.problem) }
    house.web.answer(House.url, Response(500), Response(200, body: Documents.rss("Two")))
    let failed = try await house.end(await house.refresh(club))
    #expect(failed.problem == "\(House.url): the server answered with status 500.")
    #expect(try await problems() == [failed.problem])
    _ = try await house.end(await house.refresh(club))
    #expect(try await problems() == [failed.problem], "nothing was asked")
    house.rig.clock.advance(by: .seconds(60))
    #expect(try await house.end(await house.refresh(club)).state == .done)
    #expect(try await problems() == [nil])
  }
}

extension Publication {
  fileprivate func feed(_ club: FanClub.ID) async throws -> StoredFeed? { try await feedRepository.feed(of: club) }
  fileprivate func nextDue() async throws -> Int64? { try await feedRepository.nextDue() }

  /// Returns once that many wait for a club's feed.
  fileprivate nonisolated func waitForReaders(_ count: Int, of club: FanClub.ID) async {
    await until { refreshes.waiting(for: club) >= count }
  }
}
