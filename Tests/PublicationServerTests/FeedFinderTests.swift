import Foundation
import HTTPTransport
import PublicationAPI
import Testing

@testable import PublicationServer

/// Feeds that are found by the address of a web page.
@Suite struct FeedFinderTests {
  private static let page = "https://example.org"

  private func page(_ feeds: String..., title: String = "Feed") -> Response {
    let links = feeds.map { "<link rel=\"alternate\" type=\"application/rss+xml\" title=\"\(title)\" href=\"\($0)\">" }.joined()
    let text = "<!DOCTYPE html><html><head><title>A page</title>\(links)</head><body></body></html>"
    return Response(200, headers: ["Content-Type": "text/html"], body: Data(text.utf8))
  }

  @Test func theFeedOfAPageIsTheOneThatIsAdded() async throws {
    let readers = try await FeedReadersRig()
    readers.web.answer(Self.page, page("/feed"))
    readers.web.answer(FeedReadersRig.url, Response(200, body: Documents.rss("One")))
    let done = try await readers.end(try await readers.begin("example.org"))
    #expect((done.state, done.title, done.problem, done.choices) == (.done, "A feed", nil, nil))
    #expect(readers.web.targets == [Self.page, FeedReadersRig.url])
    // It is the one that its own address leads to.
    #expect(try await readers.end(try await readers.begin(FeedReadersRig.url)).clubs == done.clubs)
    #expect(try await readers.clubs().map(\.followed) == [true])
  }

  @Test func itsAddressBelongsToWhereThePageIsInTheEnd() async throws {
    let readers = try await FeedReadersRig()
    readers.web.answer(Self.page, Response(302, headers: ["Location": "https://www.example.org/blog/"]))
    readers.web.answer("https://www.example.org/blog/", page("feed"))
    readers.web.answer("https://www.example.org/blog/feed", Response(200, body: Documents.rss("One")))
    #expect(try await readers.end(try await readers.begin(Self.page)).state == .done)
  }

  @Test func ofSeveralTheReaderChooses() async throws {
    let readers = try await FeedReadersRig()
    readers.web.answer(Self.page, page("/feed", "https://other.example/feed"))
    let requested = try await readers.end(try await readers.begin(Self.page))
    #expect(requested.state == .failed)
    #expect(requested.choices?.map(\.url) == ["https://example.org/feed", "https://other.example/feed"])
    #expect(requested.choices?.map(\.title) == ["Feed", "Feed"])
    #expect(
      requested.problem == "https://example.org: this web page names several feeds: https://example.org/feed, https://other.example/feed.")
    #expect(readers.web.targets == [Self.page])
    #expect(try await readers.clubs().isEmpty)
  }

  @Test func namesOfAnyLengthAreShownInShort() async throws {
    let readers = try await FeedReadersRig()
    let (long, short) = (String(repeating: "a", count: 100_000), String(repeating: "a", count: 399) + "…")
    readers.web.answer(Self.page, page("/feed", "/other", title: long))
    #expect(try await readers.end(try await readers.begin(Self.page)).choices?.map(\.title) == [short, short])
    let feed = Data("<rss version=\"2.0\"><channel><title>\(long)</title></channel></rss>".utf8)
    readers.web.answer(FeedReadersRig.url, Response(200, body: feed))
    #expect(try await readers.end(try await readers.begin(FeedReadersRig.url)).title == short)
    #expect(try await readers.clubs().map(\.name) == [short])
  }

  @Test func aPageWithoutFeedsIsOneClearSentence() async throws {
    let readers = try await FeedReadersRig()
    let addresses = ["", "javascript:alert(1)", "file:///etc/passwd", "https://ada:secret@example.org/feed"]
    for answer in [page()] + addresses.map({ page($0) }) {
      readers.web.answer(Self.page, answer)
      let failed = try await readers.end(try await readers.begin(Self.page))
      #expect(failed.problem == "https://example.org: this is not a feed: it is a web page that names no feed.")
      #expect(failed.choices == nil)
    }
    #expect(Set(readers.web.targets) == [Self.page])
  }

  @Test func pagesThatNameOneAnotherLeadToAnEnd() async throws {
    let readers = try await FeedReadersRig()
    readers.web.answer(Self.page, page("/feed"))
    readers.web.answer(FeedReadersRig.url, page("https://example.org"))
    let failed = try await readers.end(try await readers.begin(Self.page))
    #expect(failed.problem == "https://example.org/feed, line 1, column 1: this is not a feed: it is a web page.")
    readers.web.forget()
    readers.web.answer(Self.page, page("https://example.org"))
    #expect(try await readers.end(try await readers.begin(Self.page)).state == .failed)
    #expect(readers.web.targets == [Self.page, Self.page])
  }

  @Test func whatIsWrongWithTheFeedIsSaidOfTheFeed() async throws {
    let readers = try await FeedReadersRig()
    readers.web.answer(Self.page, page("/feed"))
    readers.web.answer(FeedReadersRig.url, Response(404))
    let failed = try await readers.end(try await readers.begin(Self.page))
    #expect(failed.problem == "https://example.org/feed: the server answered with status 404.")
    // A broken feed is one, whatever its server calls it.
    readers.web.answer(
      FeedReadersRig.url, Response(200, headers: ["Content-Type": "text/html"], body: Documents.rss("One").dropLast(20)))
    #expect(
      try await readers.end(try await readers.begin(FeedReadersRig.url)).problem?.hasPrefix("https://example.org/feed, line 1") == true)
  }

  @Test func aPageThatBeginsOtherwise() async throws {
    let readers = try await FeedReadersRig()
    readers.web.answer(FeedReadersRig.url, Response(200, body: Documents.rss("One")))
    let link = "<link rel=alternate type=application/rss+xml href=/feed>"
    for text in [
      "<head>\(link)</head>", "Hello \(link)", "<!-- c --><!DOCTYPE html><html>\(link)</html>",
      "<?xml version='1.0'?><html xmlns='http://www.w3.org/1999/xhtml'><head>\(link)</head></html>",
    ] {
      readers.web.answer(Self.page, Response(200, headers: ["Content-Type": "text/html; charset=utf-8"], body: Data(text.utf8)))
      #expect(try await readers.end(try await readers.begin(Self.page)).state == .done, "\(text)")
    }
  }

  /// A schedule asks what was chosen, and nothing else.
  @Test func aFeedThatBecameAPageLeadsNowhereElse() async throws {
    let readers = try await FeedReadersRig()
    readers.web.answer(FeedReadersRig.url, Response(200, body: Documents.rss("One")))
    let club = try #require(try await readers.end(try await readers.begin(FeedReadersRig.url)).clubs.first)
    readers.web.answer(FeedReadersRig.url, page("https://other.example/feed"))
    readers.web.forget()
    let failed = try await readers.end(await readers.refresh(club))
    #expect(failed.problem == "https://example.org/feed, line 1, column 1: this is not a feed: it is a web page.")
    #expect(readers.web.targets == [FeedReadersRig.url])
  }
}
