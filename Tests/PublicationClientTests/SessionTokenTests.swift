import Foundation
import HTTPTransport
import Patience
import PublicationAPI
import PublicationClient
import PublicationServer
import Runtime
import SessionService
import Synchronization
import TestSupport
import Testing

/// A client and a session that share their tokens, as the app wires them, over a real publication.
@MainActor @Suite final class SessionTokenTests {
  private struct NoGateway: PaymentGateway {
    func charge(token: String, amount: Int, currency: String, key: String) async throws(GatewayError) -> String {
      throw .unavailable("no provider in this test")
    }
  }

  /// The way to the publication, which can lose answers.
  private final class Line: Transport {
    let publication: Publication
    private let state = Mutex<(requests: [Request], lost: Int)>(([], 0))

    init(_ publication: Publication) { self.publication = publication }

    /// Method and path of what was sent, in order.
    var requests: [String] { state.withLock { $0.requests.map { "\($0.method.rawValue) \($0.path)" } } }
    var tokens: [String?] { state.withLock { $0.requests.map { $0.headers["Authorization"] } } }
    func forget() { state.withLock { $0.requests = [] } }
    func loseAnswers(_ count: Int) { state.withLock { $0.lost = count } }

    func send(_ request: Request) async throws -> Response {
      state.withLock { $0.requests.append(request) }
      let response = await publication.handle(request)
      let isLost = state.withLock { state in
        guard request.path == "/v1/session/refresh", state.lost > 0 else { return false }
        state.lost -= 1
        return true
      }
      if isLost { throw TransportError.cutShort("the answer is lost") }
      return response
    }
  }

  /// A keyring that stops taking anything new.
  private final class FullStore: TokenStore {
    let memory = MemoryTokenStore()
    let isFull = Mutex(false)

    func load() async throws(TokenStoreError) -> StoredSession? { memory.load() }
    func save(_ session: StoredSession) async throws(TokenStoreError) {
      if isFull.withLock({ $0 }) { throw .failed("full") }
      memory.save(session)
    }
    func clear() async throws(TokenStoreError) { memory.clear() }
  }

  private let clock = ManualClock()
  private let line: Line
  private let store = FullStore()

  init() async throws {
    let publication = try await Publication(folder: nil, gateway: NoGateway(), clock: clock, passwordCost: .none)
    try await publication.install(
      PublicationContent(
        info: PublicationInfo(id: "pub", name: "Publication", tagline: "", defaultPaywallID: "premium"),
        fanClubs: [FanClub(id: "c1", name: "Alpha")], posts: [.sample(1)],
        accounts: [
          .init(email: "a@example.org", name: "A", password: "open sesame"),
          .init(email: "b@example.org", name: "B", password: "open sesame"),
        ]))
    line = Line(publication)
  }

  /// A start of the app over what the one before kept.
  private func start() -> (client: APIClient, session: Session) {
    let tokens = TokenBox()
    let client = APIClient(transport: line, tokens: tokens, clock: clock)
    return (client, Session(auth: PublicationAuthProvider(client), store: store, tokens: tokens, effects: Effects()))
  }

  private func signedIn() async throws -> (client: APIClient, session: Session) {
    let (client, session) = start()
    try await session.signIn(email: "a@example.org", password: Secret("open sesame"))
    await session.finish()
    line.forget()
    return (client, session)
  }

  private func anHourPasses() { clock.advance(by: .seconds(61 * 60)) }

  @Test func requestsCarryTheTokenOfNowAndNoneAfterSigningOut() async throws {
    let (client, session) = try await signedIn()
    _ = try await client.posts()
    await session.signOut()
    await session.finish()
    _ = try? await client.posts()
    try await session.signIn(email: "b@example.org", password: Secret("open sesame"))
    _ = try await client.posts()
    #expect(line.requests == ["GET /v1/posts", "DELETE /v1/session", "GET /v1/posts", "POST /v1/session", "GET /v1/posts"])
    let tokens = line.tokens
    #expect(tokens[2] == nil && tokens[3] == nil)
    #expect(Set([tokens[0], tokens[4]].compactMap(\.self)).count == 2)
  }

  @Test func afterAnHourARequestIsSentAgainWithTheNextToken() async throws {
    let (client, session) = try await signedIn()
    anHourPasses()
    #expect(try await client.posts().items.count == 1)
    #expect(line.requests == ["GET /v1/posts", "POST /v1/session/refresh", "GET /v1/posts"])
    await session.finish()
    #expect(session.state == .signedIn(try #require(session.state.user), .persisted))
    line.forget()
    _ = try await client.posts()
    #expect(line.requests == ["GET /v1/posts"])
  }

  @Test func howeverManyWereRefusedThereIsOneRefresh() async throws {
    let (client, session) = try await signedIn()
    anHourPasses()
    let counts = try await withThrowingTaskGroup(of: Int.self) { group in
      for _ in 0..<20 { group.addTask { try await client.posts().items.count } }
      var counts: [Int] = []
      for try await count in group { counts.append(count) }
      return counts
    }
    #expect(counts == Array(repeating: 1, count: 20))
    #expect(line.requests.filter { $0.hasSuffix("refresh") }.count == 1)
    #expect(session.state.user != nil)
  }

  @Test func aLostAnswerSignsNobodyOut() async throws {
    let (client, session) = try await signedIn()
    anHourPasses()
    line.loseAnswers(3)
    for _ in 0..<3 {
      let error = await #expect(throws: ClientError.self) { try await client.posts() }
      #expect(error?.isOffline == true, "and not that the session has ended")
      #expect(session.state == .unverified(try #require(session.state.user), .persisted))
    }
    #expect(try await client.posts().items.count == 1)
    #expect(session.state == .signedIn(try #require(session.state.user), .persisted))
  }

  /// The app is killed when it has the answer and has not stored it, three hours in a row.
  @Test func whoIsKilledBeforeTheTokenIsStoredIsNotSignedOut() async throws {
    _ = try await signedIn()
    store.isFull.withLock { $0 = true }
    for _ in 0..<3 {
      anHourPasses()
      let (client, session) = start()
      await session.restore()
      #expect(session.state == .signedIn(try #require(session.state.user), .persisted))
      #expect(try await client.posts().items.count == 1)
    }
  }

  /// The keyring takes nothing new for a day, and the next start has what it took last.
  @Test func aStoreThatTakesNothingNewSignsNobodyOut() async throws {
    let (client, session) = try await signedIn()
    store.isFull.withLock { $0 = true }
    for _ in 0..<24 {
      anHourPasses()
      #expect(try await client.posts().items.count == 1)
      await session.finish()
    }
    let (_, next) = start()
    await next.restore()
    #expect(next.state == .signedIn(try #require(next.state.user), .persisted))
    // And when it takes something again, that is what counts.
    store.isFull.withLock { $0 = false }
    anHourPasses()
    await next.check()
    await next.finish()
    let (_, last) = start()
    await last.restore()
    #expect(last.state == .signedIn(try #require(last.state.user), .persisted))
  }

  @Test func aThiefEndsTheSessionAndTheReaderIsToldWhy() async throws {
    let (client, session) = try await signedIn()
    let stolen = try #require(store.memory.stored).token
    for _ in 0..<2 {
      anHourPasses()
      _ = try await client.posts()
      await session.finish()
    }
    let thief = PublicationAuthProvider(APIClient(transport: line, token: { nil }))
    await #expect(throws: AuthError.reused) { try await thief.refresh(stolen) }
    let error = await #expect(throws: ClientError.self) { try await client.posts() }
    #expect(error?.sentence == AuthError.reused.sentence)
    #expect(session.state == .signedOut(.reused))
    await session.finish()
    #expect(store.memory.stored == nil)
  }

  /// Such as a payment: an hour is nothing to it, and another reader's session is not its own.
  @Test func whatBelongsToOneReaderGoesOnInTheirSessionAndInNoOther() async throws {
    let (client, session) = try await signedIn()
    let payment = try #require(client.pinned())
    anHourPasses()
    #expect(try await payment.posts().items.count == 1)
    await session.signOut()
    try await session.signIn(email: "b@example.org", password: Secret("open sesame"))
    await session.finish()
    line.forget()
    let error = await #expect(throws: ClientError.self) { try await payment.posts() }
    #expect(error?.disposition == .sessionEnded)
    #expect(line.requests.isEmpty)
    #expect(client.pinned() != nil && session.state.user?.email == "b@example.org")
  }

  /// Whoever is in when the answer comes, a request is repeated for nobody else.
  @Test func aRequestThatWasRefusedIsNotSentForTheNextReader() async throws {
    let (client, session) = try await signedIn()
    anHourPasses()
    let late = Task { try await client.posts() }
    await until { !line.requests.isEmpty }
    await session.signOut()
    try await session.signIn(email: "b@example.org", password: Secret("open sesame"))
    let result = await late.result
    let sent = Set(line.tokens.compactMap(\.self))
    if case .success = result { #expect(line.requests.contains("POST /v1/session/refresh"), "\(line.requests)") }
    #expect(!sent.isEmpty)
    _ = try await client.posts()
    #expect(!sent.contains(try #require(line.tokens.last ?? nil)), "the next reader's token went along with nothing of the first")
  }

  @Test func withoutANetworkAtTheStartARequestGetsItsTokenLater() async throws {
    _ = try await signedIn()
    anHourPasses()
    let (client, session) = start()
    line.loseAnswers(1)
    await session.restore()
    #expect(session.state == .unverified(try #require(session.state.user), .persisted))
    line.forget()
    #expect(try await client.posts().items.count == 1)
    #expect(line.requests == ["POST /v1/session/refresh", "GET /v1/posts"])
    #expect(session.state == .signedIn(try #require(session.state.user), .persisted))
  }
}
