import FeedFormats
import Foundation
import HTTPTransport
import PublicationAPI
import Runtime
import Testing

@testable import PublicationServer

/// Feeds that readers add.
@Suite struct ReaderImportTests {
  private static let url = FeedReadersRig.url

  @Test func anAddressBecomesAClubThatItsReaderFollows() async throws {
    let readers = try await FeedReadersRig()
    #expect(try await readers.rig.get("/v1/publication", nil, as: PublicationInfo.self).canAddFeeds)
    readers.web.answer(Self.url, Response(200, headers: ["ETag": "\"1\""], body: Documents.rss("One", "Two")))
    let done = try await readers.end(try await readers.begin("  example.org/feed "))
    #expect((done.state, done.title, done.problem) == (.done, "A feed", nil))
    #expect((done.step, done.done, done.total) == (.storing, 2, 2))
    let club = try #require(try await readers.clubs().first)
    #expect(done.clubs == [club.id])
    #expect((club.name, club.posts, club.followed, club.fetched) == ("A feed", 2, true, true))
    #expect(club.feed == Self.url)
    #expect(try await readers.clubs(readers.bo).map(\.followed) == [false])
    #expect(try await readers.posts().map(\.title) == ["One", "Two"])
    // Again adds nothing twice.
    readers.web.answer(Self.url, Response(200, body: Documents.rss("One", "Two", "Three")))
    #expect(try await readers.end(try await readers.begin(Self.url)).clubs == [club.id])
    #expect(try await readers.posts().count == 3)
    #expect(readers.web.requests.allSatisfy { $0.headers["If-None-Match"] == nil })
  }

  @Test func aFeedThatMovedIsTheOneItWas() async throws {
    let readers = try await FeedReadersRig()
    readers.web.answer("http://example.org/feed", Response(301, headers: ["Location": Self.url]))
    readers.web.answer(Self.url, Response(200, body: Documents.rss("One")))
    let first = try await readers.end(try await readers.begin("http://example.org/feed"))
    for url in ["http://example.org/feed", Self.url] {
      #expect(try await readers.end(try await readers.begin(url)).clubs == first.clubs)
    }
    #expect(try await readers.clubs().map(\.feed) == [Self.url])
    #expect(try await readers.posts().count == 1)
  }

  /// Whoever adds a feed gets that one, and no club that another reader redirects there, with what that brought before.
  @Test(arguments: ["refresh", "schedule", "import"]) func aReadersFeedDoesNotMoveToAnothers(by way: String) async throws {
    let readers = try await FeedReadersRig()
    let others = "https://news.example/feed"
    readers.web.answer(Self.url, Response(200, body: Documents.rss("Pay here")))
    readers.web.answer(others, Response(200, headers: ["ETag": "\"1\""], body: Documents.rss("News")))
    let own = try #require(try await readers.end(try await readers.begin(Self.url)).clubs.first)
    readers.web.answer(Self.url, Response(308, headers: ["Location": others]))
    for _ in 0..<2 {
      readers.rig.clock.advance(by: .seconds(way == "schedule" ? 3600 : 60))
      await readers.rig.clock.waitForSleepers()
      switch way {
      case "refresh": #expect(try await readers.end(await readers.refresh(own)).state == .done)
      case "import": #expect(try await readers.end(try await readers.begin(Self.url)).clubs == [own])
      default: break
      }
    }
    #expect(readers.web.targets.count { $0 == others } == 2)
    let added = try await readers.end(try await readers.begin(others, readers.bo))
    #expect(added.clubs.count == 1 && added.clubs != [own])
    #expect(try await readers.clubs(readers.bo).first { $0.id == added.clubs.first }?.posts == 1)
  }

  @Test(arguments: [
    "", "file:///etc/passwd", "ftp://example.org/feed", "javascript:alert(1)", "https://", "https://ada:secret@example.org/feed",
    "https:///feed", "https://example.org/" + String(repeating: "a", count: 2000), "a b c",
  ])
  func whatIsNoAddress(text: String) async throws {
    let readers = try await FeedReadersRig()
    let response = try await readers.begin(text)
    #expect(response.status == 400)
    #expect(try response.problem.title.hasSuffix("is no http or https address."))
    #expect(readers.web.requests.isEmpty)
  }

  @Test(arguments: [
    ("feed://example.org/feed", "https://example.org/feed"), ("feed:https://example.org/feed", "https://example.org/feed"),
    ("HTTPS://example.org/feed#top", "https://example.org/feed"), ("example.org", "https://example.org"),
    ("https://example.org/ä", "https://example.org/%C3%A4"), ("http://[::1]:8080/x?y=1", "http://[::1]:8080/x?y=1"),
    ("127.0.0.1:8077/x.xml", "http://127.0.0.1:8077/x.xml"), ("localhost:8077/x", "http://localhost:8077/x"),
    ("feed://192.168.1.4/x", "http://192.168.1.4/x"), ("[::1]:8080", "http://[::1]:8080"), ("nas.local/feed", "http://nas.local/feed"),
    ("172.32.0.1", "https://172.32.0.1"), ("10.example.org/x", "https://10.example.org/x"), ("fc.example.org", "https://fc.example.org"),
    ("https://127.0.0.1/x", "https://127.0.0.1/x"),
  ])
  func addressesAsPeopleTypeThem(text: String, expected: String) { #expect(FeedAddress.typed(text) == expected) }

  @Test(arguments: [("%E2%80%AEfeed.xml%07", "feed.xml"), ("%E2%80%8B", "document"), ("", "document")])
  func aFeedWithoutANameIsCalledByWhatIsSeenOfItsFiles(name: String, club: String) async throws {
    let readers = try await FeedReadersRig()
    let document = Data("<rss version=\"2.0\"><channel><item><title>One</title></item></channel></rss>".utf8)
    _ = try await readers.end(await readers.post(document, name: name))
    #expect(try await readers.clubs().map(\.name) == [club])
  }

  /// A document that cannot be imported: what is there, and what the reader is told.
  static let broken: [(answer: Response, sentence: String)] = [
    (Response(404), "https://example.org/feed: the server answered with status 404."),
    (Response(410), "https://example.org/feed: the server says that this feed is gone for good."),
    (Response(302, headers: ["Location": "file:///etc/passwd"]), "the server redirects to what is no http or https address."),
    (Response(302), "the server redirects to what is no http or https address."),
    (Response(307, headers: ["Location": url]), "the server redirects without end."),
    (Response(200), "the document is empty."),
    (Response(200, body: Documents.rss("One").dropLast(20)), "https://example.org/feed, line 1, column "),
    (Response(200, body: Data(flood.utf8)), "the document was refused"),
  ]

  private static let flood = "<rss><channel><title \((0..<600).map { "a\($0)=''" }.joined(separator: " "))>One</title></channel></rss>"

  @Test(arguments: broken) func whatCannotBeImportedLeavesNothing(answer: Response, sentence: String) async throws {
    let readers = try await FeedReadersRig()
    readers.web.answer(Self.url, answer)
    let failed = try await readers.end(try await readers.begin(Self.url))
    #expect(failed.state == .failed)
    #expect(failed.problem?.contains(sentence) == true, "\(failed.problem ?? "")")
    #expect(failed.clubs.isEmpty)
    #expect(try await readers.clubs().isEmpty)
    #expect(try await readers.posts().isEmpty)
  }

  @Test func whatCannotBeFetched() async throws {
    let readers = try await FeedReadersRig()
    for (error, sentence) in [
      (TransportError.unreachable("no such host"), ": the feed's server cannot be reached. Check your connection and try again."),
      (.unreachable("curl says so", .unknownName), "its name was not found."), (.unreachable("curl says so", .refused), "nothing answers"),
      (.insecure("curl says so", .expired), "a certificate that has expired"), (.timedOut, "takes too long to answer"),
      (.tooLarge(limit: 50_000_000), "\(Self.url), byte 50000000: the document has more than 50 MB, and so much is not read."),
    ] {
      readers.web.answer(Self.url, error)
      let failed = try await readers.end(try await readers.begin(Self.url))
      #expect((failed.state, failed.step) == (.failed, .fetching))
      #expect(failed.problem?.contains(sentence) == true, "\(failed.problem ?? "")")
      #expect(failed.problem?.contains("\(error)") != true, "what the system says is for the log")
    }
  }

  @Test func documents() async throws {
    let readers = try await FeedReadersRig()
    let json = #"{"version":"https://jsonfeed.org/version/1.1","title":"J","items":[{"id":"1","content_text":"Hello"}]}"#
    #expect(try await readers.end(await readers.post(Documents.rss("One"))).state == .done)
    #expect(try await readers.end(await readers.post(Data(json.utf8), name: "feed.json")).title == "J")
    // Another feed in a file of the same name.
    #expect(try await readers.end(await readers.post(Documents.rss("Two", home: "https://other.example/", name: "Other"))).state == .done)
    #expect(try await readers.end(await readers.post(Documents.rss("One", "Three"))).state == .done)
    #expect(Set(try await readers.clubs().map(\.name)) == ["A feed", "J", "Other"])
    #expect(try await readers.posts().count == 4)
    #expect(try await readers.clubs().allSatisfy { $0.feed == nil })
    let failed = try await readers.end(await readers.post(Data("nothing".utf8), name: "notes.txt"))
    #expect(failed.problem?.hasPrefix("notes.txt, line 1") == true, "\(failed.problem ?? "")")
    #expect(await readers.post(Data()).status == 400)
    let large = await readers.post(Data(count: Import.documentLimit + 1))
    #expect(large.status == 413)
    #expect(try large.problem.code == .tooLarge)
    // No other request may be so large.
    #expect(await readers.rig.send(.put, "/v1/posts/p01/read", token: readers.ada, body: Data(count: 65_537)).status == 413)
  }

  @Test func whoUploadsAFileLikeAnotherReadersWritesNothingOfTheirs() async throws {
    let readers = try await FeedReadersRig()
    let ours = try await readers.end(await readers.post(Documents.rss("One")))
    let theirs = try await readers.end(await readers.post(Documents.rss("One", "Spoiled"), readers.bo))
    #expect(ours.clubs.count == 1 && theirs.clubs.count == 1 && ours.clubs != theirs.clubs)
    #expect(try await readers.clubs().filter(\.followed).map(\.posts) == [1])
    #expect(try await readers.clubs(readers.bo).filter(\.followed).map(\.posts) == [2])
  }

  @Test func aListOfFeedsMakesClubsThatAreFetchedWhenAskedFor() async throws {
    let readers = try await FeedReadersRig()
    let done = try await readers.end(await readers.post(Documents.outline, name: "list.opml"))
    #expect((done.state, done.title, done.clubs.count) == (.done, "My feeds", 2))
    #expect(readers.web.requests.isEmpty)
    let clubs = try await readers.clubs()
    #expect(clubs.map(\.name) == ["One", "Two"])
    #expect(clubs.map(\.fetched) == [false, false])
    #expect(clubs.map(\.followed) == [true, true])
    let one = clubs[0]
    readers.web.answer("https://one.example/feed", Response(200, body: Documents.rss("A", "B", name: "Number one")))
    // Any reader may ask for what the publication took on.
    let response = await readers.rig.send(.post, "/v1/fanclubs/\(one.id)/refresh", token: readers.ada)
    #expect(try Wire.decode(Import.self, from: response.body).title == "One", "whoever waits sees for what")
    #expect(try await readers.end(response).clubs == [one.id])
    let fetched = try await readers.rig.get("/v1/fanclubs/\(one.id)", readers.bo, as: FanClub.self)
    #expect((fetched.name, fetched.posts, fetched.fetched) == ("Number one", 2, true))
    // The same list again changes nothing.
    #expect(try await readers.end(await readers.post(Documents.outline, name: "list.opml")).clubs == done.clubs)
    #expect(try await readers.clubs().map(\.fetched) == [true, false])
    let two = await readers.rig.send(.post, "/v1/fanclubs/\(clubs[1].id)/refresh", token: readers.ada)
    #expect(
      try await readers.end(two).problem
        == "https://two.example/feed: the feed's server cannot be reached. Check your connection and try again.")
    #expect(await readers.rig.send(.post, "/v1/fanclubs/nobody/refresh", token: readers.ada).status == 404)
    let own = await readers.rig.send(.post, "/v1/fanclubs/odd/refresh", token: readers.ada)
    #expect(try own.problem.code == .notOffered)
  }

  @Test func countsOfAList() async throws {
    let readers = try await FeedReadersRig()
    guard case .outline(let outline) = try FeedParser.document(Documents.outline, source: "list") else { return #expect(Bool(false)) }
    for added in [2, 0] {
      let report = try await readers.rig.publication.importOutline(outline)
      #expect((report.items, report.added, report.unchanged) == (4, added, 2 - added))
    }
  }

  @Test func onlyWhereReadersMay() async throws {
    let readers = try await FeedReadersRig(readersMayAdd: false)
    _ = try await readers.rig.publication.importFeed(ParsedItemSample.feed([]), source: Self.url)
    #expect(try await readers.clubs().map(\.feed) == [nil])
    #expect(try await readers.rig.get("/v1/publication", nil, as: PublicationInfo.self).canAddFeeds == false)
    for response in [try await readers.begin(Self.url), await readers.post(Documents.rss("One"))] {
      #expect(response.status == 404)
      #expect(try response.problem.code == .notOffered)
    }
    #expect(readers.web.requests.isEmpty)
    #expect(await readers.rig.send(.put, "/v1/imports/\(UUID())").status == 401)
    let plain = try await Rig(posts: [])
    let token = try await plain.signIn()
    #expect(try await plain.get("/v1/publication", nil, as: PublicationInfo.self).canAddFeeds == false)
    #expect(await plain.send(.put, "/v1/imports/\(UUID())", token: token, body: Data("{}".utf8)).status == 404)
    #expect(await plain.send(.post, "/v1/fanclubs/odd/refresh", token: token).status == 404)
  }

  @Test func toBeginTheSameImportAgainBeginsNothing() async throws {
    let readers = try await FeedReadersRig()
    let path = "/v1/imports/\(UUID())?name=feed.xml"
    let bytes: Headers = ["Content-Type": "application/octet-stream"]
    let first = await readers.rig.send(.put, path, token: readers.ada, headers: bytes, body: Documents.rss("One"))
    let ended = try await readers.end(first)
    let again = await readers.rig.send(.put, path.lowercased(), token: readers.ada, headers: bytes, body: Documents.rss("Two"))
    #expect(again.status == 200)
    #expect(try Wire.decode(Import.self, from: again.body) == ended)
    #expect(try await readers.clubs().count == 1)
    let bad = await readers.rig.send(.put, "/v1/imports/one", token: readers.ada, headers: bytes, body: Documents.rss("One"))
    #expect(bad.status == 400)
    #expect(try bad.problem.title == "The identifier of an import is a UUID.")
  }

  // MARK: Cancelling

  @Test func aCancelStopsTheFetching() async throws {
    let readers = try await FeedReadersRig()
    readers.web.answer(Self.url, Response(200, body: Documents.rss("One")))
    readers.web.holdBack(Self.url)
    let begun = try Wire.decode(Import.self, from: try await readers.begin(Self.url).body)
    await readers.web.hold.waitForSleepers()
    let running = try await readers.rig.get("/v1/imports/\(begun.id)", readers.ada, as: Import.self)
    #expect((running.state, running.step) == (.running, .fetching))
    // It is nobody else's to see or to stop.
    for method in [Request.Method.get, .delete] {
      #expect(await readers.rig.send(method, "/v1/imports/\(begun.id)", token: readers.bo).status == 404)
      #expect(await readers.rig.send(method, "/v1/imports/\(begun.id)").status == 401)
    }
    for _ in 0..<2 {
      let cancelled = await readers.rig.send(.delete, "/v1/imports/\(begun.id)", token: readers.ada)
      #expect(try Wire.decode(Import.self, from: cancelled.body).state == .cancelled)
    }
    #expect(readers.web.hold.sleeperCount == 0)
    #expect(try await readers.clubs().isEmpty)
  }

  @Test func aCancelInTheMiddleLeavesNothing() async throws {
    let readers = try await FeedReadersRig()
    let items = (0..<50).map { ParsedItemSample.item("Item \($0)", Rig.start, id: "\($0)") }
    let feed = ParsedItemSample.feed(items)
    let origin = FeedOrigin(source: Self.url, name: Self.url, version: FeedVersion(url: Self.url))
    let job = ImportJob("i", reader: "r", session: nil, follows: false)
    let read = try ImportedFeed(feed, origin, now: Rig.start, nil)
    job.cancel()
    await #expect(throws: CancellationError.self) { try await readers.rig.publication.store(feed, as: origin, job) }
    await #expect(throws: CancellationError.self) { try await readers.rig.publication.store(read, origin, job) }
    #expect(job.report.step == .storing)
    #expect(try await readers.clubs().isEmpty)
    #expect(try await readers.posts().isEmpty)
    #expect(try await readers.rig.publication.importFeed(feed, source: Self.url).added == 50)
  }

  @Test func aCancelAtAnyMomentIsWholeOrNothing() async throws {
    let readers = try await FeedReadersRig()
    let titles = (0..<400).map { "<item><guid>\($0)</guid><title>Item \($0)</title></item>" }.joined()
    let document = Data("<rss version=\"2.0\"><channel><title>Many</title>\(titles)</channel></rss>".utf8)
    let begun = try Wire.decode(Import.self, from: await readers.post(document).body)
    // Wherever it is by now.
    let response = await readers.rig.send(.delete, "/v1/imports/\(begun.id)", token: readers.ada)
    let ended = try Wire.decode(Import.self, from: response.body)
    let clubs = try await readers.clubs()
    switch ended.state {
    case .cancelled: #expect(clubs.isEmpty)
    case .done: #expect(clubs.map(\.posts) == [400])
    case .running, .failed: Issue.record("\(ended)")
    }
  }

  private static func many(_ count: Int) -> Data {
    let titles = (0..<count).map { "<item><guid>\($0)</guid><title>Item \($0)</title></item>" }.joined()
    return Data("<rss version=\"2.0\"><channel><title>Many</title>\(titles)</channel></rss>".utf8)
  }

  private static func list(_ count: Int) -> Data {
    let feeds = (0..<count).map { "<outline text='Feed \($0)' xmlUrl='https://f\($0).example/'/>" }.joined()
    return Data("<opml version='2.0'><body>\(feeds)</body></opml>".utf8)
  }

  /// How much of an import others see, answer by answer, until it is over.
  private func seen(_ readers: FeedReadersRig, while id: Import.ID, _ count: () async throws -> Int) async throws -> Set<Int> {
    var counts: Set<Int> = []
    while try await readers.rig.get("/v1/imports/\(id)", readers.ada, as: Import.self).state == .running {
      counts.insert(try await count())
    }
    return counts
  }

  @Test func othersHaveTheirTurnWhileAFeedIsStored() async throws {
    let readers = try await FeedReadersRig()
    let begun = try Wire.decode(Import.self, from: await readers.post(Self.many(2000)).body)
    let counts = try await seen(readers, while: begun.id) { try await readers.clubs(readers.bo).first?.posts ?? 0 }
    #expect(counts.contains { $0 > 0 && $0 < 2000 }, "\(counts)")
    let ended = try await readers.rig.get("/v1/imports/\(begun.id)", readers.ada, as: Import.self)
    #expect((ended.state, ended.done, ended.total) == (.done, 2000, 2000))
    #expect(try await readers.clubs().map(\.posts) == [2000])
  }

  @Test func othersHaveTheirTurnWhileAListIsStored() async throws {
    let readers = try await FeedReadersRig()
    let begun = try Wire.decode(Import.self, from: await readers.post(Self.list(2000), name: "list.opml").body)
    let counts = try await seen(readers, while: begun.id) {
      // Not their number of a page, but how far it is when another reader was answered.
      _ = try await readers.rig.get("/v1/session", readers.bo, as: Reader.self)
      return try await readers.rig.get("/v1/imports/\(begun.id)", readers.ada, as: Import.self).done
    }
    #expect(counts.contains { $0 > 0 && $0 < 2000 }, "\(counts)")
    let ended = try await readers.rig.get("/v1/imports/\(begun.id)", readers.ada, as: Import.self)
    #expect((ended.state, ended.done, ended.clubs.count) == (.done, 2000, 2000))
  }

  @Test(arguments: [true, false]) func aCancelBetweenTwoPartsLeavesNothing(isList: Bool) async throws {
    let readers = try await FeedReadersRig()
    let document = isList ? Self.list(4000) : Self.many(4000)
    let begun = try Wire.decode(Import.self, from: await readers.post(document).body)
    while try await readers.clubs().isEmpty {
      guard try await readers.rig.get("/v1/imports/\(begun.id)", readers.ada, as: Import.self).state == .running else { break }
    }
    let response = await readers.rig.send(.delete, "/v1/imports/\(begun.id)", token: readers.ada)
    #expect(try Wire.decode(Import.self, from: response.body).state == .cancelled)
    #expect(try await readers.clubs().isEmpty)
    #expect(try await readers.posts().isEmpty)
  }

  @Test func moreThanIsTakenOnAtOnce() async throws {
    let readers = try await FeedReadersRig()
    for (document, sentence) in [
      (Self.many(20_001), "feed.xml has more than 20000 items, and so many are not read."),
      (Self.list(10_001), "feed.xml has more than 10000 feeds, and so many are not added at once."),
    ] {
      let failed = try await readers.end(await readers.post(document))
      #expect((failed.state, failed.problem) == (.failed, sentence))
    }
    #expect(try await readers.clubs().isEmpty)
  }

  @Test func someAtATime() async throws {
    let readers = try await FeedReadersRig()
    readers.web.holdBack(Self.url)
    for _ in 0..<3 { #expect(try await readers.begin(Self.url).status == 202) }
    #expect(try await readers.begin(Self.url).status == 429)
    #expect(try await readers.begin(Self.url, readers.bo).status == 202)
    await readers.web.hold.waitForSleepers(4)
    // Closing ends them all.
    await readers.rig.publication.close()
    #expect(readers.web.hold.sleeperCount == 0)
  }

  /// Documents count from their heads on, whether their bodies ever come or not.
  @Test func someDocumentsAtATime() async throws {
    let readers = try await FeedReadersRig()
    func admit(_ id: UUID = UUID(), _ token: String? = nil) async -> Publication.Admission {
      let head = Request(.put, "/v1/imports/\(id)?name=a.xml", headers: ["Authorization": "Bearer \(token ?? readers.ada)"])
      #expect(readers.rig.publication.bodyLimit(head) == Import.documentLimit)
      return await readers.rig.publication.admit(head)
    }
    func place(_ admission: Publication.Admission) -> UploadPlace? {
      guard case .body(Import.documentLimit, let place) = admission else { return nil }
      return place
    }
    func status(_ admission: Publication.Admission) -> Int? {
      guard case .refused(let response) = admission else { return nil }
      return response.status
    }
    let id = UUID()
    var places = [place(await admit(id)), place(await admit(id)), place(await admit())]
    #expect(places.allSatisfy { $0 != nil })
    // The same document again and again is no way round it, and neither is an address.
    #expect(status(await admit(id)) == 429)
    #expect(status(await admit()) == 429)
    #expect(try await readers.begin(Self.url).status == 429)
    #expect(place(await admit(UUID(), readers.bo)) != nil, "another reader’s are their own")
    // The document that came takes the place of its upload.
    let document = Documents.rss("One")
    let begun = await readers.rig.send(
      .put, "/v1/imports/\(id)?name=a.xml", token: readers.ada, headers: ["Content-Type": "application/octet-stream"], body: document)
    #expect(begun.status == 202)
    _ = try await readers.end(begun)
    #expect(status(await admit()) == 429)
    places[0] = nil
    places[0] = place(await admit())
    #expect(places[0] != nil)
    #expect(status(await admit()) == 429)
    places = []
    readers.web.holdBack(Self.url)
    for _ in 0..<3 { #expect(try await readers.begin(Self.url).status == 202) }
    #expect(status(await admit()) == 429)
    await readers.web.hold.waitForSleepers(3)
    await readers.rig.publication.close()
  }

  @Test func aDocumentWhoseAnswerWasLostIsAdmittedAgain() async throws {
    let readers = try await FeedReadersRig()
    readers.web.holdBack(Self.url)
    var ids: [UUID] = []
    for _ in 0..<3 {
      let begun = try Wire.decode(Import.self, from: try await readers.begin(Self.url).body)
      ids.append(try #require(UUID(uuidString: begun.id)))
    }
    let head = Request(.put, "/v1/imports/\(ids[0])", headers: ["Authorization": "Bearer \(readers.ada)"])
    guard case .body = await readers.rig.publication.admit(head) else {
      Issue.record("not admitted")
      return
    }
    let again = await readers.rig.send(.put, "/v1/imports/\(ids[0])", token: readers.ada, body: Data("x".utf8))
    #expect(again.status == 200)
    await readers.web.hold.waitForSleepers(3)
    await readers.rig.publication.close()
  }
}
