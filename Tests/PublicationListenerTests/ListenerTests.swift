import CurlTransport
import Foundation
import HTTPTransport
import PublicationServer
import Runtime
import TestSupport
import Testing

@testable import PublicationListener

/// The listener as clients that behave see it.
@Suite struct ListenerTests {
  @Test func aPublicationOverTheNetwork() async throws {
    struct NoGateway: PaymentGateway {
      func charge(token: String, amount: Int, currency: String, key: String) async throws(GatewayError) -> String { throw .unavailable("") }
    }
    let clock = ManualClock()
    let publication = try await Publication(folder: nil, gateway: NoGateway(), clock: clock, passwordCost: .none)
    let sample = try SampleContent.publication(openedAt: clock.now)
    try await publication.install(sample)
    let listener = try Listener(publication, port: 0, clock: clock)
    let transport = try NetworkTransport(origin: listener.origin)
    for target in ["/v1/publication", "/v1/keys", sample.posts[0].picture ?? "", "/v1/posts", "/nothing", "/v1/posts/%E2%82%AC?a=b%20c"] {
      let direct = await publication.handle(Request(.get, target))
      let network = try await transport.send(Request(.get, target))
      #expect(network.status == direct.status)
      #expect(network.body == direct.body)
      for field in direct.headers.fields { #expect(network.headers[field.name] == field.value) }
    }
    let client = try RawClient(port: listener.port)
    try await client.send("PATCH /v1/session HTTP/1.1\r\nHost: x\r\n\r\n")
    let patched = try await client.answer()
    #expect(patched.status == 405)
    #expect(patched.fields["allow"] == "DELETE, GET, HEAD, POST")
    // By its head alone.
    let large = try RawClient(port: listener.port)
    try await large.send("POST /v1/session HTTP/1.1\r\nHost: x\r\nContent-Length: 4097\r\n\r\n")
    let refused = try await large.answer()
    #expect((refused.status, refused.fields["content-type"]) == (413, "application/problem+json"))
    await listener.stop()
  }

  /// RFC 9110, 8.6: a 304 tells the length that the 200 would have, or none.
  @Test(arguments: ["GET", "HEAD"]) func whatIsStillTheSameHasTheLengthThatItHad(method: String) async throws {
    let listener = try Listener(clock: ManualClock()) { request in
      var headers: Headers = ["ETag": "\"1\""]
      guard request.headers["If-None-Match"] != nil else { return Response(200, headers: headers, body: Data(count: 1234)) }
      if request.target == "/known" { headers["Content-Length"] = "1234" }
      return Response(304, headers: headers)
    }
    let client = try RawClient(port: listener.port)
    for _ in 1...2 {
      try await client.send("\(method) /known HTTP/1.1\r\nHost: x\r\nIf-None-Match: \"1\"\r\n\r\n")
      let same = try await client.answer(bodiless: true)
      #expect((same.status, same.fields["content-length"], same.fields["transfer-encoding"]) == (304, "1234", nil))
      // The connection goes on behind it.
      try await client.send("\(method) /known HTTP/1.1\r\nHost: x\r\n\r\n")
      let whole = try await client.answer(bodiless: method == "HEAD")
      #expect((whole.status, whole.fields["content-length"]) == (200, "1234"))
    }
    await listener.stop()
  }

  @Test func targetMethodAndBodyArriveAsTheyWere() async throws {
    let echo = try EchoListener()
    let transport = try NetworkTransport(origin: echo.listener.origin)
    let targets = ["/a%2Fb/%E2%82%AC?x=%26&y=+&z", "/?", "/a?b?c", "/%"]
    for target in targets { #expect(try await transport.send(Request(.get, target)).status == 200) }
    #expect(echo.requests.map(\.target) == targets)
    for method in [Request.Method.put, .post] {
      let response = try await transport.send(
        Request(method, "/x", headers: ["X-One": "1", "Authorization": "Bearer ä"], body: Data(repeating: 7, count: 5000)))
      #expect(String(decoding: response.body, as: UTF8.self) == "\(method.rawValue) /x 5000")
    }
    let last = try #require(echo.requests.last)
    #expect(last.headers["x-one"] == "1")
    #expect(last.headers["Authorization"] == "Bearer ä")
    await echo.listener.stop()
  }

  @Test func headAnswersWithTheLengthAlone() async throws {
    let echo = try EchoListener()
    let client = try RawClient(port: echo.listener.port)
    try await client.send("HEAD /x HTTP/1.1\r\nHost: x\r\n\r\nGET /y HTTP/1.1\r\nHost: x\r\n\r\n")
    let head = try await client.answer(bodiless: true)
    #expect((head.status, head.fields["content-length"]) == (200, "\("GET /x 0".utf8.count)"))
    #expect(try await client.answer().body == "GET /y 0")
    await echo.listener.stop()
  }

  @Test func manyAtOnce() async throws {
    let echo = try EchoListener()
    let transport = try NetworkTransport(origin: echo.listener.origin)
    let bodies = try await withThrowingTaskGroup(of: String.self) { group in
      for number in 0..<200 {
        group.addTask {
          String(decoding: try await transport.send(Request(.put, "/\(number)", body: Data(count: number))).body, as: UTF8.self)
        }
      }
      return try await group.reduce(into: Set<String>()) { $0.insert($1) }
    }
    #expect(bodies == Set((0..<200).map { "PUT /\($0) \($0)" }))
    await echo.listener.stop()
  }

  @Test func connectionsAreKeptAndRequestsMayComeTogether() async throws {
    let echo = try EchoListener()
    let client = try RawClient(port: echo.listener.port)
    try await client.send(String(repeating: "POST /p HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\nab", count: 3))
    for _ in 0..<3 { #expect(try await client.answer().body == "POST /p 2") }
    try await client.send("GET /x HTTP/1.0\r\n\r\n")
    #expect(try await client.answer().status == 200)
    #expect(try await client.isClosed())
    await echo.listener.stop()
  }

  /// HTTP/1.0 has no such field, and the configuration of the manual puts the publication's name in its place.
  @Test(.enabled(if: Nginx.program != nil, "nginx is missing"), .timeLimit(.minutes(1)))
  func aRequestWithoutAHostIsAnsweredBehindAProxyToo() async throws {
    let echo = try EchoListener()
    let nginx = try Nginx(ofTheManualBefore: echo.listener.port)
    try await nginx.listens()
    let client = try RawClient(port: nginx.port)
    try await client.send("GET /x HTTP/1.0\r\n\r\n")
    #expect(try await client.answer().status == 200)
    #expect(echo.requests.map { $0.headers["Host"] } == ["read.example.org"])
    await echo.listener.stop()
  }

  @Test func aClientThatGoesAwayHarmsNobody() async throws {
    let echo = try EchoListener()
    echo.hold()
    var client: RawClient? = try RawClient(port: echo.listener.port)
    try await client?.send("GET /gone HTTP/1.1\r\nHost: x\r\n\r\n")
    await echo.waitForRequests(1)
    client = nil
    let half = try RawClient(port: echo.listener.port)
    try await half.send("POST /half HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\nabc")
    echo.release()
    let other = try RawClient(port: echo.listener.port)
    try await other.send("GET /here HTTP/1.1\r\nHost: x\r\n\r\n")
    #expect(try await other.answer().body == "GET /here 0")
    #expect(echo.requests.map(\.target) == ["/gone", "/here"])
    async let stopped: Void = echo.listener.stop()
    await echo.waitUntilStopping()
    echo.clock.advance(by: .seconds(10))
    await stopped
  }

  @Test func portsAndAddresses() async throws {
    let echo = try EchoListener()
    #expect(echo.listener.port > 0)
    #expect(echo.listener.origin == "http://127.0.0.1:\(echo.listener.port)")
    let taken = Listener.Failure.inUse(address: "127.0.0.1", port: echo.listener.port)
    #expect(throws: taken) { try Listener(port: echo.listener.port, clock: echo.clock) { _ in Response(200) } }
    #expect(taken.description == "Port \(echo.listener.port) of 127.0.0.1 is in use by another program.")
    for address in ["nowhere", "", "1.2.3", "256.1.1.1"] {
      #expect(throws: Listener.Failure.badAddress(address)) { try Listener(address: address, clock: echo.clock) { _ in Response(200) } }
    }
    #expect(throws: Listener.Failure.badAddress("port 65536")) { try Listener(port: 65536, clock: echo.clock) { _ in Response(200) } }
    await echo.listener.stop()
  }

  @Test func aPortIsFreeAgainOnceItsListenerHasStopped() async throws {
    // An address of its own: on the usual one another test's connection may take the port in between.
    let (address, clock) = ("127.0.0.77", ManualClock())
    let first = try Listener(address: address, clock: clock) { _ in Response(200) }
    #expect(try await NetworkTransport(origin: first.origin).send(Request(.get, "/")).status == 200)
    await first.stop()
    let again = try Listener(address: address, port: first.port, clock: clock) { _ in Response(204) }
    #expect(again.port == first.port)
    #expect(try await NetworkTransport(origin: again.origin).send(Request(.get, "/")).status == 204)
    await again.stop()
  }
}
