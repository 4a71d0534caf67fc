import CurlTransport
import Foundation
import HTTPTransport
import PublicationAPI
import PublicationClient
import PublicationServer
import Runtime
import TestSupport
import Testing

// Swift Testing has a type of this name too.
import struct PublicationAPI.Comment

/// Reading, saying, searching and adding feeds, over a real port.
@Suite struct ServedContentTests {
  @Test func whatDidNotChangeIsNotSentAgain() async throws {
    let served = try await ServedPublication()
    let client = served.client()
    guard case .changed(let page, let tag?) = try await client.posts(limit: 3, ifNoneMatch: nil) else { return #expect(Bool(false)) }
    #expect(try await client.posts(limit: 3, ifNoneMatch: tag) == .unchanged)
    let id = try #require(page.items.first).id
    guard case .changed(_, let postTag?) = try await client.post(id, ifNoneMatch: nil) else { return #expect(Bool(false)) }
    #expect(try await client.post(id, ifNoneMatch: postTag) == .unchanged)
    #expect(try await client.setReaction(id, .wow).reaction == .wow)
    guard case .changed(let post, _) = try await client.post(id, ifNoneMatch: postTag) else { return #expect(Bool(false)) }
    #expect(post.reaction == .wow)
    #expect(try await client.posts(limit: 3, ifNoneMatch: tag) != .unchanged)
    guard case .changed(_, let clubsTag?) = try await client.fanClubs(ifNoneMatch: nil) else { return #expect(Bool(false)) }
    #expect(try await client.fanClubs(ifNoneMatch: clubsTag) == .unchanged)
    await served.listener.stop()
  }

  @Test func comments() async throws {
    let served = try await ServedPublication()
    let client = served.client()
    let post = try #require(try await client.posts().items.first { !$0.premium })
    let id = UUID()
    for _ in 0..<2 { #expect(try await client.putComment(id, on: post.id, text: "Grüße, “all”\n🎉").text == "Grüße, “all”\n🎉") }
    let page = try await client.comments(of: post.id)
    #expect(page.items.map(\.id) == [id.uuidString])
    guard case .changed(_, let tag?) = try await client.comments(of: post.id, ifNoneMatch: nil) else { return #expect(Bool(false)) }
    #expect(try await client.comments(of: post.id, ifNoneMatch: tag) == .unchanged)
    try await client.deleteComment(id.uuidString, on: post.id)
    guard case .changed(let left, _) = try await client.comments(of: post.id, ifNoneMatch: tag) else { return #expect(Bool(false)) }
    #expect(left.items.isEmpty)
    await served.listener.stop()
  }

  @Test func readMarksAndSearch() async throws {
    let served = try await ServedPublication()
    let client = served.client()
    let all = try await client.posts(limit: 100).items
    let first = try #require(all.first)
    #expect(try await client.setRead(first.id, true).read)
    #expect(try await client.posts(PostFilter(unread: true), limit: 100).items.count == all.count - 1)
    try await client.markRead(until: all[3].published, in: [all[3].fanClubID])
    let meant = all.filter { $0.published <= all[3].published && $0.fanClubID == all[3].fanClubID }
    #expect(try await Set(client.posts(PostFilter(unread: true), limit: 100).items.map(\.id)).isDisjoint(with: meant.map(\.id)))
    let word = try #require(first.title.split(separator: " ").max { $0.count < $1.count })
    #expect(try await client.search(String(word.dropLast(1))).items.contains { $0.id == first.id })
    #expect(try await client.search("\"").items.isEmpty)
    await served.listener.stop()
  }

  @Test func aListOfFeedsOfThousandsAndAnImportThatIsCancelled() async throws {
    let served = try await ServedPublication()
    // Whatever is asked for never comes.
    let web = EndlessWeb()
    await served.publication.fetchFeeds(from: web, readersMayAdd: true)
    let client = served.client()
    #expect(try await client.publication().canAddFeeds)
    let outlines = (0..<2000).map { "<outline text=\"Club \($0)\" type=\"rss\" xmlUrl=\"https://example.org/\($0)\"/>" }.joined()
    let document = Data("<opml version=\"2.0\"><head><title>Many</title></head><body>\(outlines)</body></opml>".utf8)
    #expect(document.count > 65_536)
    var list = try await client.beginImport(of: document, named: "Ünïcode list.opml", as: UUID())
    while list.state == .running { list = try await client.progress(of: list.id) }
    #expect((list.state, list.clubs.count) == (.done, 2000))
    let fetched = try await client.beginImport(of: "https://example.org/7", as: UUID())
    await web.clock.waitForSleepers()
    #expect(try await client.cancelImport(fetched.id).state == .cancelled)
    #expect(try await client.progress(of: fetched.id).state == .cancelled)
    #expect(web.clock.sleeperCount == 0)
    await #expect {
      _ = try await client.beginImport(of: Data(count: Import.documentLimit + 1), named: "large.xml", as: UUID())
    } throws: {
      ($0 as? ClientError)?.sentence == "large.xml, byte 50000000: the document has more than 50 MB, and so much is not read."
    }
    await #expect {
      _ = try await APIClient(transport: served.network, token: { "wrong" }).beginImport(of: document, named: "a", as: UUID())
    } throws: {
      ($0 as? ClientError)?.code == .sessionEnded
    }
    await served.publication.close()
    await served.listener.stop()
  }
}

/// Answers nothing until it is cancelled.
private final class EndlessWeb: Transport {
  let clock = ManualClock()

  func send(_ request: Request) async throws -> Response {
    try await clock.sleep(for: .seconds(1))
    throw TransportError.timedOut
  }
}
