import Foundation
import HTTPTransport
import PublicationAPI
import TestSupport
import Testing

@testable import PublicationClient

// Swift Testing has a type of this name too.
import struct PublicationAPI.Comment

/// What each call sends: method, target, body, token.
@Suite struct CallTests {
  private let uuid = UUID(uuidString: "11111111-2222-3333-4444-555555555555")!

  /// Sends one call and compares what went out, and that what came back is the answer.
  private func expect<Answer: Codable & Equatable>(
    _ method: Request.Method, _ target: String, body: String = "", token: String? = "secret", answer: Answer, status: Int = 200,
    sourceLocation: SourceLocation = #_sourceLocation, _ call: (APIClient) async throws -> Answer
  ) async throws {
    let canned = try Canned(answer, status: status)
    let result = try await call(canned.client())
    #expect(result == answer, sourceLocation: sourceLocation)
    let request = try #require(canned.requests.first, sourceLocation: sourceLocation)
    #expect(canned.requests.count == 1, sourceLocation: sourceLocation)
    #expect(request.method == method, sourceLocation: sourceLocation)
    #expect(request.target == target, sourceLocation: sourceLocation)
    #expect(String(decoding: request.body, as: UTF8.self) == body, sourceLocation: sourceLocation)
    #expect(request.headers["Content-Type"] == (body.isEmpty ? nil : "application/json"), sourceLocation: sourceLocation)
    #expect(request.headers["Authorization"] == token.map { "Bearer \($0)" }, sourceLocation: sourceLocation)
  }

  @Test func whatNeedsNoToken() async throws {
    let info = PublicationInfo(id: "x", name: "X", tagline: "", defaultPaywallID: "premium")
    try await expect(.get, "/v1/publication", token: nil, answer: info) { try await $0.publication() }
    try await expect(.get, "/v1/keys", token: nil, answer: KeySet(keys: [])) { try await $0.keys() }
  }

  @Test func posts() async throws {
    let page = Page(items: [Post.sample()], next: "abc")
    try await expect(.get, "/v1/posts", answer: page) { try await $0.posts() }
    try await expect(.get, "/v1/posts?fanclub=c1&cursor=a%2Bb%3D%26&limit=5", answer: page) {
      try await $0.posts(PostFilter(fanClub: "c1"), cursor: "a+b=&", limit: 5)
    }
    try await expect(.get, "/v1/posts?bookmarked=true", answer: page) { try await $0.posts(PostFilter(bookmarked: true)) }
    try await expect(.get, "/v1/posts?followed=true&unread=true", answer: page) {
      try await $0.posts(PostFilter(followed: true, unread: true))
    }
    let post = Post.sample(body: "<p>Text</p>")
    try await expect(.get, "/v1/posts/p1", answer: post) { try await $0.post("p1") }
  }

  @Test func ordersOfAllPages() async throws {
    let orders = (1...5).map { number in
      Order(
        id: "\(number)", productID: "premium.monthly", state: .open, created: Date(timeIntervalSince1970: 1_700_000_000),
        totalMinorUnits: 490, currency: "EUR")
    }
    let canned = Canned { request in
      let start = Int(request.query("cursor") ?? "0") ?? 0
      let end = min(start + 2, orders.count)
      var response = Response(200, body: try Wire.encode(Array(orders[start..<end])))
      if end < orders.count { response.headers["Link"] = "</v1/orders?cursor=\(end)>; rel=\"next\"" }
      return response
    }
    #expect(try await canned.client().orders() == orders)
    #expect(canned.requests.map(\.target) == ["/v1/orders", "/v1/orders?cursor=2", "/v1/orders?cursor=4"])
    // One that leads in circles ends all the same.
    let circle = Canned { _ in
      Response(200, headers: ["Link": "</v1/orders?cursor=1>; rel=\"next\""], body: try Wire.encode(orders))
    }
    #expect(try await circle.client().orders() == orders)
    let endless = Canned { _ in
      Response(200, headers: ["Link": "</v1/orders?cursor=\(UUID())>; rel=\"next\""], body: try Wire.encode(orders))
    }
    #expect(try await endless.client().orders() == orders)
    #expect(endless.requests.count == 6)
  }

  @Test func actions() async throws {
    let post = Post.sample()
    try await expect(.put, "/v1/posts/p1/reaction", body: #"{"kind":"like"}"#, answer: post) { try await $0.setReaction("p1", .like) }
    try await expect(.delete, "/v1/posts/p1/reaction", answer: post) { try await $0.setReaction("p1", nil) }
    try await expect(.put, "/v1/posts/p1/bookmark", answer: post) { try await $0.setBookmark("p1", true) }
    try await expect(.delete, "/v1/posts/p1/bookmark", answer: post) { try await $0.setBookmark("p1", false) }
    try await expect(.put, "/v1/posts/p1/read", answer: post) { try await $0.setRead("p1", true) }
    try await expect(.delete, "/v1/posts/p1/read", answer: post) { try await $0.setRead("p1", false) }
    let nothing = try Canned(post, status: 204)
    try await nothing.client().markRead(until: Date(timeIntervalSince1970: 1_700_000_000), in: ["c1"])
    #expect(nothing.requests.map(\.method) == [.put])
    #expect(nothing.requests.map(\.target) == ["/v1/posts/read"])
    #expect(nothing.requests.map { String(decoding: $0.body, as: UTF8.self) } == [#"{"clubs":["c1"],"until":"2023-11-14T22:13:20Z"}"#])
    let club = FanClub(id: "c1", name: "Club")
    try await expect(.put, "/v1/fanclubs/c1/follow", answer: club) { try await $0.setFollow("c1", true) }
    try await expect(.delete, "/v1/fanclubs/c1/follow", answer: club) { try await $0.setFollow("c1", false) }
  }

  @Test func fanClubs() async throws {
    let club = FanClub(id: "c1", name: "Club")
    try await expect(.get, "/v1/fanclubs", answer: Page(items: [club])) { try await $0.fanClubs() }
    try await expect(.get, "/v1/fanclubs?cursor=2", answer: Page(items: [club])) { try await $0.fanClubs(cursor: "2") }
    try await expect(.get, "/v1/fanclubs/c1", answer: club) { try await $0.fanClub("c1") }
    let nothing = try Canned("", status: 204)
    try await nothing.client().removeFanClub("c1")
    #expect(nothing.requests.map { "\($0.method.rawValue) \($0.target)" } == ["DELETE /v1/fanclubs/c1"])
  }

  @Test func comments() async throws {
    let comment = Comment(
      id: uuid.uuidString, postID: "p1", author: "Ada", isMine: true, text: "Well said", posted: Date(timeIntervalSince1970: 1_700_000_000))
    try await expect(.get, "/v1/posts/p1/comments", answer: Page(items: [comment])) { try await $0.comments(of: "p1") }
    let path = "/v1/posts/p1/comments/11111111-2222-3333-4444-555555555555"
    try await expect(.put, path, body: #"{"text":"Well said"}"#, answer: comment, status: 201) {
      try await $0.putComment(uuid, on: "p1", text: "Well said")
    }
    let canned = try Canned("", status: 204)
    try await canned.client().deleteComment(comment.id, on: "p1")
    #expect(canned.requests.map(\.target) == [path])
  }

  @Test func search() async throws {
    let hit = SearchHit(post: .sample(), title: "\u{E000}One\u{E001}", excerpt: "")
    try await expect(.get, "/v1/search?q=a%22%20OR%20%2A&cursor=n", answer: SearchResults(items: [hit])) {
      try await $0.search("a\" OR *", cursor: "n")
    }
    #expect(hit.title.first == SearchHit.markStart)
    #expect(hit.title.last == SearchHit.markEnd)
  }

  @Test func imports() async throws {
    let running = Import(id: "i1")
    let id = UUID(uuidString: "AAAAAAAA-1111-4222-8333-555555555555") ?? UUID()
    try await expect(.put, "/v1/imports/\(id)", body: #"{"url":"https://example.org/feed"}"#, answer: running, status: 202) {
      try await $0.beginImport(of: "https://example.org/feed", as: id)
    }
    try await expect(.get, "/v1/imports/i1", answer: running) { try await $0.progress(of: "i1") }
    try await expect(.delete, "/v1/imports/i1", answer: running) { try await $0.cancelImport("i1") }
    try await expect(.post, "/v1/fanclubs/c1/refresh", answer: running, status: 202) { try await $0.refreshFanClub("c1") }
    let canned = try Canned(running, status: 202)
    #expect(try await canned.client().beginImport(of: Data("<rss/>".utf8), named: "a b.xml", as: id) == running)
    #expect(canned.requests.first?.target == "/v1/imports/\(id)?name=a%20b.xml")
    #expect(canned.requests.first?.headers["Content-Type"] == "application/octet-stream")
    #expect(canned.requests.first?.body == Data("<rss/>".utf8))
  }

  @Test func onlyWhatChanged() async throws {
    let page = Page(items: [Post.sample()])
    let first = try Canned(page)
    #expect(try await first.client().posts(ifNoneMatch: nil) == .changed(page, etag: nil))
    #expect(first.requests.first?.headers["If-None-Match"] == nil)
    let again = try Canned("", status: 304)
    #expect(try await again.client().posts(PostFilter(unread: true), ifNoneMatch: "\"a\"") == .unchanged)
    #expect(again.requests.first?.headers["If-None-Match"] == "\"a\"")
    // Unasked, 304 is no answer.
    await #expect(throws: ClientError.self) { try await again.client().posts() }
  }

  @Test func commerce() async throws {
    let paywall = PaywallRecord(id: "premium", title: "T", text: "", benefits: [], productIDs: ["a"])
    try await expect(.get, "/v1/paywalls/premium", answer: paywall) { try await $0.paywall("premium") }
    try await expect(.get, "/v1/products?ids=a%2Cb", answer: [ProductRecord]()) { try await $0.products(["a", "b"]) }
    let order = Order(
      id: uuid.uuidString, productID: "a", state: .open, created: Date(timeIntervalSince1970: 1_700_000_000), totalMinorUnits: 500,
      currency: "EUR")
    let path = "/v1/orders/11111111-2222-3333-4444-555555555555"
    try await expect(.put, path, body: #"{"productID":"a"}"#, answer: order, status: 201) {
      try await $0.beginOrder(uuid, product: "a")
    }
    try await expect(.post, path + "/charge", body: #"{"paymentToken":"tok"}"#, answer: order) {
      try await $0.charge(uuid, paymentToken: "tok")
    }
    try await expect(.get, path, answer: order) { try await $0.order(uuid) }
    // A publication of before pages were there names none.
    try await expect(.get, "/v1/orders", answer: [order]) { try await $0.orders() }
    try await expect(.get, "/v1/entitlements", answer: ["a.b.c"]) { try await $0.entitlements() }
  }

  @Test func session() async throws {
    let reader = Reader(id: "r", email: "a@b.example", name: "A")
    try await expect(
      .post, "/v1/session", body: #"{"email":"a@b.example","password":"p"}"#, token: nil,
      answer: SignedIn(accessToken: "t", refreshToken: "r-t", reader: reader),
      status: 201
    ) { try await $0.signIn(Credentials(email: "a@b.example", password: "p")) }
    try await expect(
      .post, "/v1/session/refresh", body: #"{"refreshToken":"r-t"}"#, token: nil,
      answer: SignedIn(accessToken: "t2", refreshToken: "r-t2", reader: reader), status: 201
    ) { try await $0.refresh("r-t") }
    let canned = Canned { _ in Response(204) }
    try await canned.client().signOut(token: "other")
    #expect(canned.requests.map(\.method) == [.delete])
    #expect(canned.requests.first?.headers["Authorization"] == "Bearer other")
  }

  @Test func picturesGoWithoutToken() async throws {
    let canned = Canned { _ in Response(200, headers: ["Content-Type": "image/png"], body: Data([1, 2, 3])) }
    #expect(try await canned.client().picture("/v1/pictures/a%20b.png") == Data([1, 2, 3]))
    #expect(canned.requests.first?.target == "/v1/pictures/a%20b.png")
    #expect(canned.requests.first?.headers["Authorization"] == nil)
  }

  @Test func aPictureHasALargestSize() async throws {
    let canned = { bytes in Canned { _ in Response(200, headers: ["Content-Type": "image/png"], body: Data(count: bytes)) }.client() }
    #expect(try await canned(APIClient.largestPicture).picture("/a.png").count == APIClient.largestPicture)
    await #expect { try await canned(APIClient.largestPicture + 1).picture("/a.png") } throws: {
      if case ClientError.unacceptable(.tooLarge(limit: APIClient.largestPicture)) = $0 { true } else { false }
    }
  }

  @Test(arguments: ["file:///etc/passwd", "javascript:alert(1)", "", "v1/pictures/x", "/a b", "/a\r\nX: y"])
  func aPictureIsAPathOrAWebAddress(path: String) async {
    let canned = Canned { _ in Response(200) }
    await #expect { try await canned.client().picture(path) } throws: { if case ClientError.unacceptable = $0 { true } else { false } }
    #expect(canned.requests.isEmpty)
  }

  @Test(arguments: [
    ("a/b", "/v1/posts/a%2Fb"), ("a?b#c", "/v1/posts/a%3Fb%23c"), ("ä 1", "/v1/posts/%C3%A4%201"), ("%2e%2e", "/v1/posts/%252e%252e"),
    ("a&b=c", "/v1/posts/a%26b%3Dc"), ("\r\n", "/v1/posts/%0D%0A"), ("..a", "/v1/posts/..a"),
  ])
  func oddIDsAreOneComponent(id: String, target: String) async throws {
    let post = Post(id: id, fanClubID: "c1", fanClubName: "Club", title: "Title", published: Date(timeIntervalSince1970: 0))
    try await expect(.get, target, answer: post) { try await $0.post(id) }
  }

  @Test(arguments: ["", ".", ".."]) func whatNoPathCanHoldIsNotFoundAndNotAsked(id: String) async {
    let canned = Canned { _ in Response(200) }
    await #expect { try await canned.client().post(id) } throws: { ($0 as? ClientError)?.isNotFound == true }
    #expect(canned.requests.isEmpty)
  }
}

@MainActor @Suite struct IsolationTests {
  /// Notes where it was decoded.
  private struct Probe: Decodable, Sendable {
    let wasOnMainThread: Bool
    init(from decoder: any Decoder) throws { wasOnMainThread = Thread.isMainThread }
  }

  @Test func answersAreDecodedOffTheMainThread() async throws {
    let client = Canned { _ in Response(200, body: Data("{}".utf8)) }.client()
    let probe: Probe = try await client.call(.get, ["v1", "probe"])
    #expect(!probe.wasOnMainThread)
  }
}
