import Foundation
import HTTPTransport
import Patience
import PublicationAPI
import Runtime
import SQLiteStorage
import Synchronization
import Testing

@testable import PublicationServer

/// No request of one reader is another's wait for long, and who stops a publication need not wait for what takes long.
@Suite struct DeadlineTests {
  /// A clock whose time goes on by so much whenever somebody looks at it, once it was told so; and that can hold up whoever looks.
  private final class OddClock: AppClock {
    private struct State {
      var uptime = Duration.zero
      var step = Duration.zero
      var usual: pthread_t?
      var isSuspended = false
      var suspended: pthread_t?
    }

    private let state = Mutex(State())
    private let gate = DispatchSemaphore(value: 0)
    private let arrived = AsyncStream.makeStream(of: Void.self)
    var now: Date { Rig.start }
    var boot: String { "boot" }
    func sleep(for duration: Duration) async throws { try await ContinuousClock().sleep(for: .seconds(1_000_000)) }

    var uptime: Duration {
      let isSuspended = state.withLock { state in
        state.uptime += state.step
        if !state.isSuspended { state.usual = pthread_self() }
        guard state.isSuspended, state.usual != pthread_self() else { return false }
        if state.suspended == nil { state.suspended = pthread_self() }
        return state.suspended == pthread_self()
      }
      if isSuspended {
        arrived.continuation.yield()
        gate.wait()
        gate.signal()
      }
      return state.withLock { $0.uptime }
    }

    func leap(_ step: Duration) { state.withLock { $0.step = step } }
    /// The first thread that looks and has not looked so far has to wait.
    func holdAnother() { state.withLock { $0.isSuspended = true } }
    func somebodyIsSuspended() async { for await _ in arrived.stream { return } }
    func release() {
      state.withLock { $0.isSuspended = false }
      gate.signal()
    }
  }

  private func publication(_ clock: OddClock, folder: String? = nil, posts: Int) async throws -> Publication {
    let publication = try await Publication(
      folder: folder, gateway: CountingGateway(), clock: clock, identifiers: SequentialIdentifiers(), passwordCost: .none)
    var content = Rig.content
    content.posts = (1...posts).map { number in
      Post(
        id: "n\(number)", fanClubID: "odd", fanClubName: "", title: "Title \(number)", body: "<p>common</p>",
        published: Rig.start.addingTimeInterval(-Double(number)))
    }
    try await publication.install(content)
    return publication
  }

  private func send(_ publication: Publication, _ target: String, _ token: String?) async -> Response {
    await publication.handle(Request(.get, target, headers: token.map { ["Authorization": "Bearer \($0)"] } ?? [:]))
  }

  private func signIn(_ publication: Publication, _ name: String) async throws -> String {
    let credentials = try Wire.encode(Credentials(email: "\(name)@example.org", password: Rig.password))
    return try Wire.decode(SignedIn.self, from: await publication.handle(Request(.post, "/v1/session", body: credentials)).body).accessToken
  }

  @Test(arguments: ["/v1/posts?limit=100", "/v1/search?q=common", "/v1/posts?unread=true&limit=100"], [true, false])
  func aRequestThatTakesTooLongIsAnsweredWith503(target: String, isInMemory: Bool) async throws {
    let (clock, folder) = (OddClock(), try TemporaryFolder())
    let publication = try await publication(clock, folder: isInMemory ? nil : folder.path, posts: 1000)
    let token = try await signIn(publication, "ada")
    #expect(await send(publication, target, token).status == 200)
    clock.leap(.seconds(11))
    let response = await send(publication, target, token)
    #expect(response.status == 503)
    #expect(try response.problem.code == .deadlineExceeded)
    #expect(try response.problem.title == "This took the publication too long. Try again in a moment.")
    clock.leap(.zero)
    #expect(await send(publication, target, token).status == 200)
    await publication.close()
  }

  /// A change that meets the deadline is undone as a whole.
  @Test func whatTookTooLongChangedNothing() async throws {
    let clock = OddClock()
    let publication = try await publication(clock, posts: 3000)
    let token = try await signIn(publication, "ada")
    let body = try Wire.encode(ReadRequest(until: Rig.start))
    func markRead() async -> Int {
      await publication.handle(Request(.put, "/v1/posts/read", headers: ["Authorization": "Bearer \(token)"], body: body)).status
    }
    func unread() async throws -> Int? {
      try Wire.decode(FanClub.self, from: await send(publication, "/v1/fanclubs/odd", token).body).unread
    }
    clock.leap(.seconds(11))
    #expect(await markRead() == 503)
    clock.leap(.zero)
    #expect(try await unread() == 3000)
    #expect(await markRead() == 204)
    #expect(try await unread() == 0)
  }

  /// A deadline is no end for an import: what is stored may take its time.
  @Test func importsHaveNoDeadline() async throws {
    let clock = OddClock()
    let publication = try await publication(clock, posts: 1)
    clock.leap(.seconds(11))
    let items = (1...300).map { ParsedItemSample.item("Item \($0)", Rig.start, id: "\($0)") }
    let report = try await publication.importFeed(ParsedItemSample.feed(items), source: "https://example.org/feed")
    #expect(report.added == 300)
  }

  @Test(.timeLimit(.minutes(10))) func aSearchIsNoOtherRequestsWait() async throws {
    let (clock, folder) = (OddClock(), try TemporaryFolder())
    let publication = try await publication(clock, folder: folder.path, posts: 1000)
    let (ada, bo) = (try await signIn(publication, "ada"), try await signIn(publication, "bo"))
    // Whatever is to be taken up is.
    while try await Wire.decode(Page<SearchHit>.self, from: send(publication, "/v1/search?q=1000", ada).body).items.isEmpty {}
    _ = await send(publication, "/v1/posts", ada)
    clock.holdAnother()
    let search = Task { await send(publication, "/v1/search?q=common", ada) }
    await clock.somebodyIsSuspended()
    #expect(await send(publication, "/v1/posts?limit=100", bo).status == 200)
    #expect(await send(publication, "/v1/fanclubs", bo).status == 200)
    clock.release()
    let found = await search.value
    #expect(try Wire.decode(Page<SearchHit>.self, from: found.body).items.count == 20)
    await publication.close()
  }

  /// Of many searches of a reader one is made at a time, and while it takes long another reader's is made beside it.
  @Test(.timeLimit(.minutes(10))) func oneReadersSearchIsNotAnothersWait() async throws {
    let (clock, folder) = (OddClock(), try TemporaryFolder())
    let publication = try await publication(clock, folder: folder.path, posts: 1000)
    // Who has two sessions has no more turns.
    let (ada, elsewhere, bo) = (
      try await signIn(publication, "ada"), try await signIn(publication, "ada"), try await signIn(publication, "bo")
    )
    while try await Wire.decode(Page<SearchHit>.self, from: send(publication, "/v1/search?q=1000", ada).body).items.isEmpty {}
    let reader = try Wire.decode(Reader.self, from: await send(publication, "/v1/session", ada).body).id
    clock.holdAnother()
    let searches = [ada, elsewhere].flatMap { token -> [Task<Int, Never>] in
      (1...20).map { _ in Task { await send(publication, "/v1/search?q=common", token).status } }
    }
    await clock.somebodyIsSuspended()
    await until { publication.searchTurns.count(reader) >= RequestTurns.most }
    try await withTaskCancellationHandler {
      for _ in 1...3 {
        let found = try Wire.decode(Page<SearchHit>.self, from: await send(publication, "/v1/search?q=common", bo).body)
        #expect(found.items.count == 20)
      }
    } onCancel: {
      // Out of time.
      clock.release()
    }
    #expect(publication.searchTurns.count(reader) == RequestTurns.most)
    clock.release()
    for search in searches { #expect(await search.value == 200) }
    #expect(publication.searchTurns.count(reader) == 0)
  }

  enum End: CaseIterable { case ofThePublication, ofItsClient }

  /// A search that is under way ends when the publication is stopped, or when nobody waits for it any more.
  @Test(arguments: End.allCases) func aSearchEndsInItsMiddle(_ end: End) async throws {
    let (clock, folder) = (OddClock(), try TemporaryFolder())
    let publication = try await publication(clock, folder: folder.path, posts: 1000)
    let ada = try await signIn(publication, "ada")
    while try await Wire.decode(Page<SearchHit>.self, from: send(publication, "/v1/search?q=1000", ada).body).items.isEmpty {}
    _ = await send(publication, "/v1/posts", ada)
    clock.holdAnother()
    let search = Task { await send(publication, "/v1/search?q=common", ada) }
    await clock.somebodyIsSuspended()
    switch end {
    case .ofThePublication: publication.endLongWork()
    case .ofItsClient: search.cancel()
    }
    clock.release()
    let response = await search.value
    #expect(response.status == 503)
    #expect(try response.problem.title == "Nobody waits for this any more.")
    await publication.close()
  }

  /// At whatever point it is ended, an import leaves nothing behind.
  @Test func anImportEndsInItsMiddle() throws {
    let database = try Connection(path: ":memory:")
    try database.migrate(Schema.migrations)
    let items = (1...500).map { ParsedItemSample.item("Item \($0)", Rig.start, id: "\($0)", body: "<p>\($0)</p>") }
    let origin = FeedOrigin(source: "https://example.org/feed", name: "feed", version: FeedVersion(url: "https://example.org/feed"))
    let feed = try ImportedFeed(ParsedItemSample.feed(items), origin, now: Rig.start, nil)
    var ended = 0
    for looks in 0... {
      let left = Mutex(looks)
      let content = SQLiteContent(
        database: database,
        isStopping: {
          left.withLock { left in
            left -= 1
            return left < 0
          }
        })
      do {
        let report = try content.store(feed, 0..<500, version: (FeedVersion(url: "https://example.org/feed"), next: 0), nil)
        #expect(report.added == 500)
        break
      } catch is CancellationError {
        ended += 1
      }
      for table in ["post", "fan_club", "feed", "search_queue"] {
        #expect(try database.queryOne("SELECT count(*) FROM \(table)") { try $0.get(0, as: Int.self) } == 0, "\(looks), \(table)")
      }
    }
    #expect(ended > 3, "it was ended at \(ended) points")
  }

  /// A cancel is heard although no item is stored meanwhile.
  @Test func aCancelIsHeardInAStatement() throws {
    let database = try Connection(path: ":memory:")
    try database.migrate(Schema.migrations)
    let job = ImportJob("1", reader: "ada", session: nil, follows: false)
    let content = SQLiteContent(database: database)
    #expect(throws: CancellationError.self) {
      try content.longWork(job) {
        job.cancel()
        try database.script("WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n")
      }
    }
  }

  @Test func whoStopsAPublicationThatIsUpgradedFindsItAsItWas() async throws {
    let folder = try TemporaryFolder()
    let path = folder.file("publication.sqlite")
    try Connection(path: path).migrate(Array(Schema.migrations.prefix(3)))
    let opening = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      return try await Publication(folder: folder.path, gateway: CountingGateway(), clock: ManualClock(now: Rig.start))
    }
    await #expect(throws: CancellationError.self) { try await opening.value }
    #expect(try Connection(path: path).schemaVersion() == 3)
  }
}
