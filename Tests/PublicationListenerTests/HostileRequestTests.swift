import Foundation
import HTTPTransport
import TestSupport
import Testing

@testable import PublicationListener

/// Requests that could be read in two ways, that are too large, or that are none.
@Suite struct HostileRequestTests {
  @Test(arguments: [
    ("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", 400),
    ("POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n0\r\n\r\n", 400),
    ("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nabcdef", 400),
    ("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nContent-Length: 5\r\n\r\nabcde", 400),
    ("GET / HTTP/1.1\r\nHost: x\r\ncontent-length: 0\r\nCONTENT-LENGTH: 0\r\n\r\n", 400),
    ("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: -5\r\n\r\nabcde", 400),
    ("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 5, 5\r\n\r\nabcde", 400),
    ("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: +5\r\n\r\nabcde", 400),
    ("POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n1\na\n0\n\n", 411),
    ("POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: Chunked\r\n\r\n1;a\nb\r\n0\r\n\r\n", 411),
    ("POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n", 411),
    ("POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nffffffffffffffff\r\n", 411),
    ("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 9223372036854775808\r\n\r\nabcde", 413),
    ("POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n", 501),
    ("POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: identity\r\n\r\n", 501),
    ("POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", 400),
    ("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: abc\r\n\r\nabcde", 400),
    ("POST / HTTP/1.1\r\nHost: x\r\nContent-Length:\r\n\r\nabcde", 400),
    ("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 0x5\r\n\r\nabcde", 400),
    ("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 99999999999999999999\r\n\r\nabcde", 413),
    ("GET /a%00b HTTP/1.1\r\nHost: x\r\n\r\n", 400), ("GET * HTTP/1.1\r\nHost: x\r\n\r\n", 400),
    ("GET x HTTP/1.1\r\nHost: x\r\n\r\n", 400),
    ("GET /\u{1}x HTTP/1.1\r\nHost: x\r\n\r\n", 400), ("GET / HTTP/1.1\r\n\r\n", 400),
    ("GET / HTTP/1.1\r\nHost: x\r\nHost: y\r\n\r\n", 400), ("GET /a b HTTP/1.1\r\nHost: x\r\n\r\n", 400),
    ("POST / HTTP/1.1\r\nHost: x\r\nContent-Length : 5\r\n\r\nabcde", 400),
    ("GET / HTTP/1.1\r\nHost: x\r\nX\u{e9}: 1\r\n\r\n", 400), ("GET / HTTP/1.1\r\nHost: x\r\nX: a\u{1}b\r\n\r\n", 400),
    ("POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding : chunked\r\n\r\n0\r\n\r\n", 400),
    ("POST / HTTP/1.1\r\nHost: x\r\n:\r\nContent-Length: 5\r\n\r\nabcde", 400),
    ("POST / HTTP/1.1\r\nHost: x\r\nX: a\r\n b\r\nContent-Length: 5\r\n\r\nabcde", 400),
    ("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 5\0 0\r\n\r\nabcde", 400),
    ("GET / HTTP/1.1\r\nHost: x\r\nX: a\0b\r\n\r\n", 400),
    ("GET / HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer a\r\nAuthorization: Bearer b\r\n\r\n", 400),
    ("POST / HTTP/1.0\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", 400),
    // The library refuses these by itself, and says so in its log alone.
    ("GET /\r\n\r\n", 400), ("GET \r\n\r\n", 400), ("GET / FTP/1.1\r\nHost: x\r\n\r\n", 400),
    ("GET / HTTP/1.1 \r\nHost: x\r\n\r\n", 400), ("GET / HTTP/1.1\r\nHost: x\r\nGARBAGE\r\n\r\n", 400),
    ("GET / HTTP/2.0\r\n\r\n", 505), ("GET / HTTP/0.9\r\n\r\n", 505), ("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 505),
    ("GET / HTTP/1.1\r\nHost: x\r\n" + String(repeating: "a:b\r\n", count: 1000) + "\r\n", 431),
  ])
  func refusedBeforeAnybodyIsAsked(request: String, status: Int) async throws {
    let echo = try EchoListener()
    let client = try RawClient(port: echo.listener.port)
    try await client.send(request + "GET /smuggled HTTP/1.1\r\nHost: x\r\n\r\n")
    let answer = try await client.answer()
    #expect(answer.status == status)
    #expect(answer.fields["content-type"] == "application/problem+json")
    // One answer, of which nothing is left.
    #expect(try await client.rest() == "")
    #expect(echo.requests.isEmpty)
    await echo.listener.stop()
  }

  /// Requests that the library refuses by itself, without saying on which connection.
  static let unreadable = [
    ("GET /\r\n\r\n", 400), ("GET / HTTP/1.1\r\nHost: x\r\nGARBAGE\r\n\r\n", 400), ("GET / HTTP/2.0\r\n\r\n", 505),
  ]

  /// Connections that wait, send a body or have an answer made are not what the library refuses.
  @Test(arguments: unreadable, ["", "POST /first HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\nab"])
  func refusedAmongOthers(refused: (request: String, status: Int), first: String) async throws {
    let echo = try EchoListener()
    let (idle, silent, body) = (
      try RawClient(port: echo.listener.port), try RawClient(port: echo.listener.port), try RawClient(port: echo.listener.port)
    )
    try await idle.send("GET /idle HTTP/1.1\r\nHost: x\r\n\r\n")
    #expect(try await idle.answer().body == "GET /idle 0")
    try await body.send("POST /body HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\nabc")
    let client = try RawClient(port: echo.listener.port)
    try await client.send(first + refused.request)
    if !first.isEmpty { #expect(try await client.answer().body == "POST /first 2") }
    let answer = try await client.answer()
    #expect((answer.status, answer.fields["content-type"]) == (refused.status, "application/problem+json"))
    #expect(try await client.rest() == "")
    try await body.send("de")
    #expect(try await body.answer().body == "POST /body 5")
    for other in [idle, silent] {
      try await other.send("GET /other HTTP/1.1\r\nHost: x\r\n\r\n")
      #expect(try await other.answer().body == "GET /other 0")
    }
    await echo.listener.stop()
  }

  /// Where it may be one of several, the library's own answer stays, and nobody else is refused.
  @Test(arguments: unreadable, ["GET /sl", "GET /slow HTTP/1.1\r\nHo"])
  func refusedBesideAHeadOnItsWay(refused: (request: String, status: Int), beginning: String) async throws {
    let echo = try EchoListener()
    let slow = try RawClient(port: echo.listener.port)
    try await slow.send(beginning)
    let other = try RawClient(port: echo.listener.port)
    try await other.send("GET /other HTTP/1.1\r\nHost: x\r\n\r\n")
    #expect(try await other.answer().body == "GET /other 0")
    // A version is refused as soon as the request line came.
    let isKnown = refused.status == 505 && beginning.contains("\r\n")
    for _ in 1...2 {
      let client = try RawClient(port: echo.listener.port)
      try await client.send(refused.request)
      let answer = try await client.answer()
      #expect(answer.status == refused.status)
      #expect((answer.fields["content-type"] == "application/problem+json") == isKnown)
      #expect(try await client.rest() == "")
    }
    try await slow.send(String("GET /slow HTTP/1.1\r\nHost: x\r\n\r\n".dropFirst(beginning.count)))
    #expect(try await slow.answer().body == "GET /slow 0")
    await echo.listener.stop()
  }

  /// The library closes its connection without a word.
  @Test func aLineWithoutASpaceHasNoAnswer() async throws {
    let echo = try EchoListener()
    let client = try RawClient(port: echo.listener.port)
    try await client.send("GARBAGE\r\n\r\nGET /smuggled HTTP/1.1\r\nHost: x\r\n\r\n")
    #expect(try await client.rest() == "")
    #expect(echo.requests.isEmpty)
    await echo.listener.stop()
  }

  @Test(arguments: [
    "GET /a HTTP/1.1\r\nHost: x\r\n\r\n", "GET /a HTTP/1.1\r\nHost:x\r\nX-Empty:\r\nX:   spaced\r\n\r\n",
    "GET /a HTTP/1.1\r\nHost: x\r\nCookie: a=b; c=d\r\nAccept: */*\r\n\r\n",
    "GET http://example.org/a HTTP/1.1\r\nHost: example.org\r\n\r\n",
  ])
  func aPlainHeadKeepsItsConnection(request: String) async throws {
    let echo = try EchoListener()
    let client = try RawClient(port: echo.listener.port)
    for _ in 1...2 {
      try await client.send(request)
      #expect(try await client.answer().body == "GET /a 0")
    }
    await echo.listener.stop()
  }

  /// libmicrohttpd would make a record of each, in the memory that it has for the head.
  @Test(arguments: ["a", "a=b", "a=%20&b"], [500, 3000]) func manyParameters(parameter: String, count: Int) async throws {
    let echo = try EchoListener()
    let client = try RawClient(port: echo.listener.port)
    let target = "/a?" + Array(repeating: parameter, count: count).joined(separator: "&")
    for _ in 1...2 {
      try await client.send("GET \(target) HTTP/1.1\r\nHost: x\r\n\r\n")
      #expect(try await client.answer().body == "GET \(target) 0")
    }
    await echo.listener.stop()
  }

  @Test func tooManyCookies() async throws {
    let echo = try EchoListener()
    let client = try RawClient(port: echo.listener.port)
    let cookies = (1...3000).map { "a\($0)=b" }.joined(separator: "; ")
    try await client.send("GET /a HTTP/1.1\r\nHost: x\r\nCookie: \(cookies)\r\n\r\n")
    let answer = try await client.answer()
    #expect([400, 431].contains(answer.status))
    #expect(answer.fields["content-type"] == "application/problem+json")
    #expect(try await client.rest() == "")
    await echo.listener.stop()
  }

  @Test func bodiesUpToTheLimit() async throws {
    var limits = Listener.Limits()
    limits.body = 100
    let echo = try EchoListener(limits: limits)
    let client = try RawClient(port: echo.listener.port)
    try await client.send("POST /a HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n" + String(repeating: "a", count: 100))
    #expect(try await client.answer().body == "POST /a 100")
    let announced = try RawClient(port: echo.listener.port)
    try await announced.send("POST /d HTTP/1.1\r\nHost: x\r\nContent-Length: 101\r\nExpect: 100-continue\r\n\r\n")
    #expect(try await announced.answer().status == 413)
    #expect(try await announced.isClosed())
    let absurd = try RawClient(port: echo.listener.port)
    try await absurd.send("POST /e HTTP/1.1\r\nHost: x\r\nContent-Length: 99999999999999999999999\r\n\r\n")
    let told = try await absurd.answer()
    #expect(told.status == 413)
    #expect(told.body.contains("The body is longer than any that is read."))
    #expect(echo.requests.map(\.target) == ["/a"])
    await echo.listener.stop()
  }

  /// Also one that never ends.
  @Test func aBodyComesWithItsLength() async throws {
    let echo = try EchoListener()
    let client = try RawClient(port: echo.listener.port)
    try await client.send("POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n")
    let answer = try await client.answer()
    #expect(answer.status == 411)
    #expect(answer.body.contains("A body comes with its length: “Content-Length” is missing."))
    #expect(try await client.isClosed())
    let chunk = "3E8\r\n" + String(repeating: "a", count: 1000) + "\r\n"
    await #expect(throws: RawClient.Failure.self) { for _ in 0..<10_000 { try await client.send(chunk) } }
    #expect(echo.requests.isEmpty)
    await echo.listener.stop()
  }

  @Test func aClientThatAsksFirstIsToldToGoOn() async throws {
    let echo = try EchoListener()
    let client = try RawClient(port: echo.listener.port)
    try await client.send("POST /x HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\nExpect: 100-continue\r\n\r\n")
    #expect(try await client.answer().status == 100)
    try await client.send("ab")
    #expect(try await client.answer().body == "POST /x 2")
    await echo.listener.stop()
  }

  /// By the listener itself, and by what the library says of a head that it has no room for.
  @Test(arguments: [
    ("GET /", 40_000, 414), ("GET /", 1_000_000, 414), ("GET / HTTP/1.1\r\nHost: x\r\nX: ", 40_000, 431),
    ("GET / HTTP/1.1\r\nHost: x\r\nX: ", 1_000_000, 431),
  ])
  func aHeadThatIsTooLarge(beginning: String, length: Int, status: Int) async throws {
    let echo = try EchoListener()
    let other = try RawClient(port: echo.listener.port)
    try await other.send("GET /other HTTP/1.1\r\nHost: x\r\nX: " + String(repeating: "a", count: 20_000))
    let client = try RawClient(port: echo.listener.port)
    try await client.send("GET /first HTTP/1.1\r\nHost: x\r\n\r\n")
    #expect(try await client.answer().body == "GET /first 0")
    // The connection may be closed before everything was sent.
    let end = status == 414 ? " HTTP/1.1\r\nHost: x\r\n\r\n" : "\r\n\r\n"
    try? await client.send(beginning + String(repeating: "a", count: length) + end)
    let answer = try await client.answer()
    #expect(answer.status == status)
    #expect(answer.fields["content-type"] == "application/problem+json")
    #expect(try await client.rest() == "")
    // Nobody else is refused.
    try await other.send("\r\n\r\n")
    #expect(try await other.answer().body == "GET /other 0")
    #expect(echo.requests.map(\.target) == ["/first", "/other"])
    await echo.listener.stop()
  }

  @Test func aHeadAtTheLimit() async throws {
    let echo = try EchoListener()
    let (beginning, end) = ("GET /a HTTP/1.1\r\nHost: x\r\nX: ", "\r\n\r\n")
    func answer(to request: String) async throws -> Int {
      let client = try RawClient(port: echo.listener.port)
      try await client.send(request)
      return try await client.answer().status
    }
    let room = Listener.Limits().head - beginning.utf8.count - end.utf8.count
    #expect(try await answer(to: beginning + String(repeating: "a", count: room) + end) == 200)
    #expect(try await answer(to: beginning + String(repeating: "a", count: room + 1) + end) == 431)
    await echo.listener.stop()
  }

  @Test func methodsThatNobodyKnows() async throws {
    let echo = try EchoListener()
    for method in ["PATCH", "OPTIONS", "TRACE", "CONNECT", "BREW", "get"] {
      let client = try RawClient(port: echo.listener.port)
      try await client.send("\(method) / HTTP/1.1\r\nHost: x\r\n\r\n")
      let answer = try await client.answer()
      #expect(answer.status == 405, "\(method)")
      #expect(answer.fields["allow"] == "GET")
    }
    #expect(echo.requests.isEmpty)
    await echo.listener.stop()
  }
}
