import Foundation
import HTTPTransport
import Patience
import PublicationAPI
import Runtime
import Testing

@testable import PublicationServer

/// Readers who want a club's feed fetched now: they get it, and neither its server nor its other readers pay for it.
@Suite struct ClubRefreshTests {
  /// A publication with one feed that was added, and its club.
  private func readers(sharedFor moment: Duration = .seconds(60)) async throws -> (FeedReadersRig, FanClub.ID) {
    let readers = try await FeedReadersRig(sharedFor: moment)
    readers.web.answer(FeedReadersRig.url, Response(200, headers: ["ETag": "\"1\""], body: Documents.rss("One")))
    let club = try #require(try await readers.end(try await readers.begin(FeedReadersRig.url)).clubs.first)
    readers.web.forget()
    await readers.rig.clock.waitForSleepers()
    return (readers, club)
  }

  private func feed(_ readers: FeedReadersRig, _ club: FanClub.ID) async throws -> StoredFeed {
    try #require(try await readers.rig.publication.feed(club))
  }

  private func next(_ readers: FeedReadersRig) async throws -> Int64? {
    try await readers.rig.publication.nextDue().map { $0 - Int64(readers.rig.clock.now.timeIntervalSince1970) }
  }

  @Test func whoAsksJustAfterSomebodyGetsTheSame() async throws {
    let (readers, club) = try await readers()
    readers.web.answer(FeedReadersRig.url, Response(200, body: Documents.rss("One", "Two")))
    for token in [readers.ada, readers.bo, readers.ada] {
      let done = try await readers.end(await readers.refresh(club, token))
      #expect((done.state, done.clubs) == (.done, [club]))
    }
    #expect(readers.web.requests.count == 1)
    #expect(try await readers.posts().count == 2)
    // It makes nobody a follower.
    #expect(try await readers.clubs(readers.bo).map(\.followed) == [false])
    readers.rig.clock.advance(by: .seconds(59))
    _ = try await readers.end(await readers.refresh(club, readers.bo))
    #expect(readers.web.requests.count == 1)
    readers.rig.clock.advance(by: .seconds(1))
    _ = try await readers.end(await readers.refresh(club, readers.bo))
    #expect(readers.web.requests.count == 2)
  }

  /// The publication of an app: whoever refreshes twice means it.
  @Test func aReaderWhoIsAloneIsAlwaysObeyedAndAServerThatWantsToBeLeftAloneIsStillLeftAlone() async throws {
    let (readers, club) = try await readers(sharedFor: .zero)
    readers.web.answer(FeedReadersRig.url, Response(304), Response(500), Response(429, headers: ["Retry-After": "120"]))
    for state in [Import.State.done, .failed, .failed] { #expect(try await readers.end(await readers.refresh(club)).state == state) }
    #expect(readers.web.requests.map { $0.headers["If-None-Match"] } == ["\"1\"", "\"1\"", "\"1\""])
    let failed = try await readers.end(await readers.refresh(club))
    #expect(failed.problem == "\(FeedReadersRig.url): the server wants to be left alone. Try again in 2 minutes.")
    #expect(readers.web.requests.count == 3)
  }

  @Test func whoAsksMeanwhileGetsTheSame() async throws {
    let (readers, club) = try await readers()
    readers.web.holdBack(FeedReadersRig.url)
    let begun = [await readers.refresh(club), await readers.refresh(club, readers.bo), await readers.refresh(club)]
    await readers.web.hold.waitForSleepers()
    await readers.rig.publication.waitForReaders(3, of: club)
    // One of them leaves; the others do not lose anything by that.
    let id = try Wire.decode(Import.self, from: begun[0].body).id
    let left = await readers.rig.send(.delete, "/v1/imports/\(id)", token: readers.ada)
    #expect(try Wire.decode(Import.self, from: left.body).state == .cancelled)
    readers.web.hold.advance(by: .seconds(1))
    for response in begun[1...] { #expect(try await readers.end(response).state == .done) }
    #expect(readers.web.requests.count == 1)
  }

  @Test func aReadersFailureIsNotTheSchedules() async throws {
    let (readers, club) = try await readers()
    for answer in [Response(500), Response(410), Response(200, body: Data("<html>".utf8))] {
      readers.web.answer(FeedReadersRig.url, answer)
      readers.web.forget()
      for _ in 0..<3 {
        let failed = try await readers.end(await readers.refresh(club))
        #expect(failed.state == .failed)
        #expect(failed.problem?.hasPrefix(FeedReadersRig.url) == true, "\(failed.problem ?? "")")
      }
      #expect(readers.web.requests.count == 1)
      #expect(try await feed(readers, club).failures == 0)
      readers.rig.clock.advance(by: .seconds(60))
    }
    #expect(try await next(readers) == 3600 - 180)
    // The tag of the last version that could be read is still there.
    #expect(try await feed(readers, club).version.etag == "\"1\"")
  }

  @Test func whoAsksAgainTooSoonIsToldWhenToAsk() async throws {
    let (readers, club) = try await readers()
    readers.web.answer(FeedReadersRig.url, Response(500))
    let problem = "\(FeedReadersRig.url): the server answered with status 500."
    #expect(try await readers.end(await readers.refresh(club)).problem == problem)
    for (pause, left) in [(0, "a minute"), (20, "40 seconds"), (39, "a second")] {
      readers.rig.clock.advance(by: .seconds(pause))
      let failed = try await readers.end(await readers.refresh(club, readers.bo))
      #expect(failed.problem == "\(problem) That was just now. Try again in \(left).")
    }
    #expect(readers.web.requests.count == 1)
    readers.rig.clock.advance(by: .seconds(1))
    #expect(try await readers.end(await readers.refresh(club)).problem == problem)
    #expect(readers.web.requests.count == 2)
  }

  @Test func aServerThatWantsToBeLeftAloneIs() async throws {
    let (readers, club) = try await readers()
    readers.web.answer(FeedReadersRig.url, Response(429, headers: ["Retry-After": "7200"]))
    #expect(try await readers.end(await readers.refresh(club)).problem == "\(FeedReadersRig.url): the server answered with status 429.")
    readers.web.answer(FeedReadersRig.url, Response(200, body: Documents.rss("One", "Two")))
    for (pause, left) in [(60, "119 minutes"), (7080, "a minute")] {
      readers.rig.clock.advance(by: .seconds(pause))
      await readers.rig.clock.waitForSleepers()
      for token in [readers.ada, readers.bo] {
        let failed = try await readers.end(await readers.refresh(club, token))
        #expect(failed.problem == "\(FeedReadersRig.url): the server wants to be left alone. Try again in \(left).")
      }
    }
    // Neither did the schedule ask, whose time had come long before.
    #expect(readers.web.requests.count == 1)
    #expect(try await next(readers) == 60)
    #expect(try await feed(readers, club).failures == 0)
    readers.rig.clock.advance(by: .seconds(60))
    await readers.rig.clock.waitForSleepers()
    #expect(readers.web.requests.count == 2)
    #expect(try await feed(readers, club).quiet == nil)
    // What the schedule got just now is what a reader gets too.
    #expect(try await readers.end(await readers.refresh(club)).state == .done)
    #expect(readers.web.requests.count == 2)
    #expect(try await readers.posts().count == 2)
  }

  @Test func aListsFeedThatFailsStaysUnasked() async throws {
    let readers = try await FeedReadersRig()
    let club = try #require(try await readers.end(await readers.post(Documents.outline, name: "list.opml")).clubs.first)
    readers.web.answer("https://one.example/feed", Response(503, headers: ["Retry-After": "600"]))
    #expect(try await readers.end(await readers.refresh(club)).state == .failed)
    #expect(try await next(readers) == nil)
    #expect(try await feed(readers, club).quiet != nil)
  }

  /// Its page says so, also after the sentence that whoever asked was told is gone from the screen.
  @Test func whatWentWrongIsKnownUntilItWorks() async throws {
    let (readers, club) = try await readers()
    let problems = { try await readers.clubs(readers.ada).map(\.problem) }
    readers.web.answer(FeedReadersRig.url, Response(500), Response(200, body: Documents.rss("Two")))
    let failed = try await readers.end(await readers.refresh(club))
    #expect(failed.problem == "\(FeedReadersRig.url): the server answered with status 500.")
    #expect(try await problems() == [failed.problem])
    _ = try await readers.end(await readers.refresh(club))
    #expect(try await problems() == [failed.problem], "nothing was asked")
    readers.rig.clock.advance(by: .seconds(60))
    #expect(try await readers.end(await readers.refresh(club)).state == .done)
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
