import Foundation
import HTTPTransport
import Patience
import Synchronization
import TestSupport
import Testing

@testable import CurlTransport

@Suite struct NetworkTransportTests {
  private func transport(
    _ server: LoopbackServer, _ change: (inout NetworkTransport.Limits) -> Void = { _ in }
  ) throws -> NetworkTransport {
    var limits = NetworkTransport.Limits()
    change(&limits)
    return try NetworkTransport(origin: server.origin, limits: limits)
  }

  /// Waits until the server saw `count` requests, however long that takes.
  private func wait(_ server: LoopbackServer, for count: Int) async { await until { server.received.count >= count } }

  /// Servers that send much and then nothing hold memory until their time is over; a few of them would have all of it.
  @Test(.timeLimit(.minutes(1))) func whatStandsStillGivesItsMemoryUp() async throws {
    let part = Data(count: 300_000)
    let server = try LoopbackServer { request in
      request.target == "/whole"
        ? .answer(200, body: part) : .hang(after: Data("HTTP/1.1 200 x\r\nContent-Length: 400000\r\n\r\n".utf8) + part)
    }
    let transport = try transport(server) {
      ($0.total, $0.stall) = (.seconds(3600), .seconds(3600))
      ($0.bufferedBytes, $0.concurrent) = (700_000, 4)
    }
    try await withThrowingTaskGroup(of: Response.self) { group in
      for number in 1...3 { group.addTask { try await transport.send(Request(.get, "/\(number)")) } }
      await #expect(throws: TransportError.timedOut) { try await group.next() }
      // What arrives is not what gives way.
      for _ in 1...5 {
        let response = try await transport.send(Request(.get, "/whole"))
        #expect(response.body == part)
      }
      group.cancelAll()
    }
  }

  // MARK: Requests

  @Test(arguments: Request.Method.allCases) func methodHeadersAndBodyArrive(_ method: Request.Method) async throws {
    let server = try LoopbackServer { _ in .answer(201, fields: ["X-Twice: a", "x-twice: b", "X-Empty:"], body: Data("yes".utf8)) }
    let body = [.post, .put].contains(method) ? Data((0..<200_000).map { UInt8(truncatingIfNeeded: $0) }) : Data()
    var headers: Headers = ["X-One": "1 ä", "X-Nothing": "", "Authorization": "Bearer t"]
    if !body.isEmpty { headers.add("Content-Type", "application/json") }
    let response = try await transport(server).send(Request(method, "/a%20b?c=d&e", headers: headers, body: body))
    #expect(response.status == 201)
    #expect(response.body == (method == .head ? Data() : Data("yes".utf8)))
    #expect(response.headers.fields.filter { $0.name.lowercased() == "x-twice" }.map(\.value) == ["a", "b"])
    #expect(response.headers["x-empty"] == "")
    let seen = try #require(server.received.first)
    #expect(seen.method == method.rawValue)
    #expect(seen.target == "/a%20b?c=d&e")
    #expect(seen.body == body)
    #expect(seen.field("X-One") == "1 ä")
    #expect(seen.field("X-Nothing") == "")
    #expect(seen.field("Authorization") == "Bearer t")
    #expect(seen.field("Content-Type") == (body.isEmpty ? nil : "application/json"))
    #expect(seen.field("Expect") == nil)
    #expect(seen.field("User-Agent") == "Matinee")
  }

  @Test(arguments: [Request.Method.post, .put]) func emptyBodyHasALengthOfZero(_ method: Request.Method) async throws {
    let server = try LoopbackServer { _ in .answer(204) }
    #expect(try await transport(server).send(Request(method, "/")).status == 204)
    #expect(server.received.first?.field("Content-Length") == "0")
    #expect(server.received.first?.field("Transfer-Encoding") == nil)
  }

  @Test func everyStatusIsAnAnswer() async throws {
    let server = try LoopbackServer { .answer(Int($0.target.dropFirst()) ?? 0, body: Data("problem".utf8)) }
    let transport = try transport(server)
    for status in [200, 400, 401, 404, 500, 503] {
      #expect(try await transport.send(Request(.get, "/\(status)")).status == status)
    }
  }

  @Test func whatHTTPCannotSayIsRefusedBeforeItIsSent() async throws {
    let server = try LoopbackServer { _ in .answer(200) }
    let transport = try transport(server)
    let requests = [
      Request(.get, "/a b"), Request(.get, "/\r\nX: y"), Request(.get, "relative"), Request(.get, "ftp://127.0.0.1/x"),
      Request(.get, "file:///etc/hostname"), Request(.get, "http://"), Request(.get, "/", body: Data([1])),
      Request(.get, "/", headers: ["X": "a\r\nY: b"]), Request(.get, "/", headers: ["X Y": "a"]), Request(.get, "/", headers: ["": "a"]),
    ]
    for request in requests {
      let error = await #expect(throws: TransportError.self, "\(request)") { try await transport.send(request) }
      guard case .unsupported = error else {
        Issue.record("\(request): \(String(describing: error))")
        continue
      }
    }
    #expect(server.received.isEmpty)
  }

  @Test(arguments: ["", "example.org", "ftp://example.org", "https://", "https://example.org/path", "https://example.org?x", "https://a@b"])
  func whatIsNoOriginIsRefused(_ origin: String) {
    #expect(throws: TransportError.self) { try NetworkTransport(origin: origin) }
  }

  @Test func absoluteURLNeedsNoOrigin() async throws {
    let server = try LoopbackServer { _ in .text("yes") }
    let transport = try NetworkTransport(origin: nil)
    #expect(try await transport.send(Request(.get, server.origin + "/x")).body == Data("yes".utf8))
    await #expect(throws: TransportError.unsupported("/x needs a publication's address")) { try await transport.send(Request(.get, "/x")) }
  }

  @Test func authorizationStaysWithItsOrigin() async throws {
    let other = try LoopbackServer { _ in .text("") }
    let server = try LoopbackServer { _ in .text("") }
    let transport = try transport(server)
    for target in [other.origin + "/", "http://localhost:\(server.port)/", server.origin.uppercased() + "/", server.origin + "/", "/"] {
      _ = try await transport.send(Request(.get, target, headers: ["Authorization": "Bearer secret"]))
    }
    #expect(other.received.map { $0.field("Authorization") } == [nil])
    #expect(server.received.map { $0.field("Authorization") } == [nil, "Bearer secret", "Bearer secret", "Bearer secret"])
  }

  // MARK: Redirects

  @Test func redirectToAnotherHostDropsAuthorization() async throws {
    let other = try LoopbackServer { _ in .text("there") }
    let location = "Location: \(other.origin)/there"
    let server = try LoopbackServer { $0.target == "/away" ? .answer(302, fields: [location]) : .answer(302, fields: ["Location: /away"]) }
    let response = try await transport(server).send(Request(.get, "/", headers: ["Authorization": "Bearer secret"]))
    #expect(response.body == Data("there".utf8))
    #expect(response.headers["Location"] == nil)
    #expect(server.received.map { $0.field("Authorization") } == ["Bearer secret", "Bearer secret"])
    #expect(other.received.map { $0.field("Authorization") } == [nil])
  }

  @Test(arguments: [Request.Method.post, .put], [307, 308])
  func redirectKeepsMethodAndBody(_ method: Request.Method, _ status: Int) async throws {
    let server = try LoopbackServer { $0.target == "/" ? .answer(status, fields: ["Location: /x"]) : .text("done") }
    let body = Data(repeating: 7, count: 100_000)
    #expect(try await transport(server).send(Request(method, "/", body: body)).body == Data("done".utf8))
    #expect(server.received.map(\.method) == [method.rawValue, method.rawValue])
    #expect(server.received.map(\.body) == [body, body])
  }

  @Test(arguments: [Request.Method.post, .put, .delete]) func seeOtherIsLookedAt(_ method: Request.Method) async throws {
    let server = try LoopbackServer { $0.target == "/" ? .answer(303, fields: ["Location: /x"]) : .text("done") }
    let body = method == .delete ? Data() : Data([1, 2])
    #expect(try await transport(server).send(Request(method, "/", body: body)).body == Data("done".utf8))
    #expect(server.received.map(\.method) == [method.rawValue, "GET"])
    #expect(server.received.last?.body == Data())
  }

  @Test func redirectsEnd() async throws {
    let server = try LoopbackServer { _ in .answer(302, fields: ["Location: /"]) }
    let error = await #expect(throws: TransportError.self) { try await transport(server) { $0.redirects = 3 }.send(Request(.get, "/")) }
    guard case .cutShort = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(server.received.count == 4)
  }

  @Test func redirectLeavesTheWebForNobody() async throws {
    let server = try LoopbackServer { _ in .answer(302, fields: ["Location: file:///etc/hostname"]) }
    let error = await #expect(throws: TransportError.self) { try await transport(server).send(Request(.get, "/")) }
    guard case .cutShort = error else {
      Issue.record("\(String(describing: error))")
      return
    }
  }

  // MARK: Failures

  @Test func nobodyListens() async throws {
    let transport = try NetworkTransport(origin: "http://127.0.0.1:\(try LoopbackServer.freePort())")
    let error = await #expect(throws: TransportError.self) { try await transport.send(Request(.get, "/")) }
    guard case .unreachable(let reason, .refused) = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(reason.contains("127.0.0.1"))
  }

  @Test func unknownHostIsUnreachable() async throws {
    // RFC 6761: never resolves.
    let transport = try NetworkTransport(origin: nil)
    let error = await #expect(throws: TransportError.self) { try await transport.send(Request(.get, "http://nowhere.invalid/")) }
    guard case .unreachable(_, .unknownName) = error else {
      Issue.record("\(String(describing: error))")
      return
    }
  }

  @Test(arguments: [
    LoopbackServer.Reply.reset(), .reset(after: Data("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nab".utf8)),
    .raw("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nab"), .raw(""), .raw("hello"), .raw("HTTP/1.1 200 OK\r\nContent-"),
    .raw("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nab"),
    .raw("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\nab\r\n0\r\n\r\n"),
    .raw("HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 4\r\n\r\nnope"),
  ]) func answerThatEndsOrLiesIsCutShort(_ reply: LoopbackServer.Reply) async throws {
    let server = try LoopbackServer { _ in reply }
    let error = await #expect(throws: TransportError.self) { try await transport(server).send(Request(.get, "/")) }
    guard case .cutShort = error else {
      Issue.record("\(String(describing: error))")
      return
    }
  }

  @Test(arguments: ["", "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nab"]) func serverThatHangsTimesOut(_ start: String) async throws {
    let server = try LoopbackServer { _ in .hang(after: Data(start.utf8)) }
    await #expect(throws: TransportError.timedOut) {
      try await transport(server) { $0.total = .milliseconds(100) }.send(Request(.get, "/"))
    }
  }

  @Test func answerThatStallsTimesOut() async throws {
    let server = try LoopbackServer { _ in .hang() }
    await #expect(throws: TransportError.timedOut) { try await transport(server) { $0.stall = .seconds(1) }.send(Request(.get, "/")) }
  }

  @Test func plainAnswerToAnEncryptedQuestionIsInsecure() async throws {
    let server = try LoopbackServer(greeting: Data("HTTP/1.1 400 Bad Request\r\n\r\n".utf8)) { _ in .text("") }
    let transport = try NetworkTransport(origin: "https://127.0.0.1:\(server.port)")
    let error = await #expect(throws: TransportError.self) { try await transport.send(Request(.get, "/")) }
    guard case .insecure = error else {
      Issue.record("\(String(describing: error))")
      return
    }
  }

  // MARK: Bodies

  /// "hello hello hello", compressed.
  private static let gzip = Data(base64Encoded: "H4sIAAAAAAACA8tIzcnJV8hAkACAiPnlEQAAAA==") ?? Data()
  /// "x" ten thousand times, compressed to 45 bytes.
  private static let bomb = Data(base64Encoded: "H4sIAAAAAAACA+3BAQ0AAADCoNqPbw43oAAAAAAAAAAAAODfAKOkVQ0QJwAA") ?? Data()

  @Test func contentEncodingIsUndone() async throws {
    let server = try LoopbackServer { _ in .answer(200, fields: ["Content-Encoding: gzip"], body: Self.gzip) }
    let response = try await transport(server).send(Request(.get, "/"))
    #expect(response.body == Data("hello hello hello".utf8))
    #expect(response.headers["Content-Encoding"] == nil)
    #expect(response.headers["Content-Length"] == nil)
    #expect(server.received.first?.field("Accept-Encoding") == "gzip")
  }

  /// Some servers name what is not encoded so.
  @Test(arguments: ["identity", "none"]) func whatIsNotEncodedIsRead(name: String) async throws {
    let server = try LoopbackServer { _ in .answer(200, fields: ["Content-Encoding: \(name)"], body: Data("plain".utf8)) }
    #expect(try await transport(server).send(Request(.get, "/")).body == Data("plain".utf8))
  }

  /// Several codings, one within the other, or one with a large window, keep memory and processor busy without a byte of an answer.
  @Test(arguments: [
    "Content-Encoding: gzip, gzip", "Content-Encoding: gzip\r\nContent-Encoding: gzip", "Content-Encoding: zstd", "Content-Encoding: br",
    "content-encoding:deflate", "Transfer-Encoding: gzip, chunked", "Content-Encoding:\u{301},gzip,gzip", "Content-Encoding :gzip, gzip",
    "Content-Encoding: gzip\r\nHTTP/x: 1\r\nContent-Encoding: gzip", "Content-Encoding: zip",
  ])
  func otherCodingsAreRefused(field: String) async throws {
    let server = try LoopbackServer { request in
      request.target == "/plain" ? .text("plain") : .answer(200, fields: [field], body: Self.gzip)
    }
    let transport = try transport(server)
    do {
      let response = try await transport.send(Request(.get, "/"))
      Issue.record("\(response)")
    } catch TransportError.unreadable(let reason) {
      #expect(reason.utf8.starts(with: "the answer is encoded as ".utf8) && reason.hasSuffix(", and only gzip is read"), "\(reason)")
    }
    #expect(try await transport.send(Request(.get, "/plain")).body == Data("plain".utf8))
  }

  /// An answer may have one header after the other.
  @Test func headersAreLimited() async throws {
    let long = "X-Long: " + String(repeating: "a", count: 50_000) + "\r\n"
    let server = try LoopbackServer { request in
      switch request.target {
      case "/interim":
        .raw(String(repeating: "HTTP/1.1 103 Early Hints\r\n\(long)\r\n", count: 20) + "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
      case "/long": .raw("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\(long)\r\nok")
      default: .raw("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\(String(repeating: long, count: 5))\(long)\r\n")
      }
    }
    let transport = try transport(server)
    for target in ["/", "/interim"] {
      await #expect(throws: TransportError.unreadable("the header has more than 256 KB")) {
        try await transport.send(Request(.get, target))
      }
    }
    #expect(try await transport.send(Request(.get, "/long")).body == Data("ok".utf8))
  }

  @Test func bodyCapCountsWhatIsDecodedAndWhatIsAnnounced() async throws {
    let server = try LoopbackServer { request in
      switch request.target {
      case "/bomb": .answer(200, fields: ["Content-Encoding: gzip"], body: Self.bomb)
      case "/announced": .raw("HTTP/1.1 200 OK\r\nContent-Length: 101\r\n\r\n")
      case "/endless": .raw("HTTP/1.1 200 OK\r\n\r\n" + String(repeating: "x", count: 101))
      default: .text(String(repeating: "x", count: 100))
      }
    }
    let transport = try transport(server) { $0.body = 100 }
    for target in ["/announced", "/endless", "/bomb"] {
      await #expect(throws: TransportError.tooLarge(limit: 100)) { try await transport.send(Request(.get, target)) }
    }
    #expect(try await transport.send(Request(.get, "/fits")).body.count == 100)
  }

  /// libcurl limits the fields of one header, and not those behind a body.
  @Test(arguments: ["2\r\nab\r\n", ""]) func fieldsBehindTheBodyAreLeftOutAndLimited(body: String) async throws {
    let server = try LoopbackServer { request in
      let trailers = (0..<(request.target == "/many" ? 20_000 : 10)).map { "X-\($0): trailer\r\n" }.joined()
      return .raw("HTTP/1.1 200 OK\r\nX-Field: header\r\nTransfer-Encoding: chunked\r\n\r\n\(body)0\r\n\(trailers)\r\n")
    }
    let transport = try transport(server)
    let response = try await transport.send(Request(.get, "/few"))
    #expect(response.headers["X-Field"] == "header")
    #expect(response.headers["X-3"] == nil)
    #expect(response.body.count == (body.isEmpty ? 0 : 2))
    await #expect(throws: TransportError.self) { try await transport.send(Request(.get, "/many")) }
  }

  // MARK: Many at a time

  @Test func twoHundredAtATime() async throws {
    // Nobody is answered before everybody has asked.
    let everybody = Barrier(200)
    let server = try LoopbackServer { request in
      everybody.wait()
      return .text(request.target)
    }
    let transport = try transport(server) { $0.concurrent = 200 }
    let answers = try await withThrowingTaskGroup(of: (Int, Data).self) { group in
      for number in 0..<200 { group.addTask { (number, try await transport.send(Request(.get, "/\(number)")).body) } }
      return try await group.reduce(into: [Int: Data]()) { $0[$1.0] = $1.1 }
    }
    #expect(answers.count == 200)
    for (number, body) in answers { #expect(body == Data("/\(number)".utf8)) }
  }

  @Test func moreThanTheSlotsWaitTheirTurn() async throws {
    let most = Mutex((now: 0, ever: 0))
    let server = try LoopbackServer { request in
      most.withLock {
        $0.now += 1
        $0.ever = max($0.ever, $0.now)
      }
      defer { most.withLock { $0.now -= 1 } }
      return .text(request.target)
    }
    let transport = try transport(server) { $0.concurrent = 3 }
    try await withThrowingTaskGroup { group in
      for number in 0..<60 { group.addTask { _ = try await transport.send(Request(.get, "/\(number)")) } }
      try await group.waitForAll()
    }
    #expect(server.received.count == 60)
    #expect(most.withLock { $0.ever } <= 3)
  }

  /// A server may act on a request, and the connection on which it came be gone before the answer. What a caller does not know to have happened
  /// must not be tried again for them.
  @Test(arguments: [Request.Method.put, .post]) func whatHasABodyIsSentOnce(_ method: Request.Method) async throws {
    let server = try LoopbackServer { $0.method == "GET" ? .text("") : .bytes(Data()) }
    let transport = try transport(server)
    for _ in 1...3 { _ = try await transport.send(Request(.get, "/")) }
    await #expect(throws: TransportError.self) { try await transport.send(Request(method, "/password", body: Data("new".utf8))) }
    #expect(server.received.count { $0.target == "/password" } == 1)
  }

  // MARK: Cancelling

  @Test func cancelledTaskEndsAtOnceAndFreesItsSlot() async throws {
    let server = try LoopbackServer { $0.target == "/hang" ? .hang() : .text("next") }
    let transport = try transport(server) { $0.concurrent = 1 }
    let hanging = Task { try await transport.send(Request(.get, "/hang")) }
    await wait(server, for: 1)
    let behind = Task { try await transport.send(Request(.get, "/behind")) }
    let next = Task { try await transport.send(Request(.get, "/next")) }
    behind.cancel()
    hanging.cancel()
    await #expect(throws: CancellationError.self) { try await hanging.value }
    await #expect(throws: CancellationError.self) { try await behind.value }
    #expect(try await next.value.body == Data("next".utf8))
    #expect(!server.received.contains { $0.target == "/behind" })
  }

  @Test func taskCancelledBeforeItStartsNeverRuns() async throws {
    let server = try LoopbackServer { _ in .text("") }
    let transport = try transport(server)
    let task = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      return try await transport.send(Request(.get, "/"))
    }
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(server.received.isEmpty)
  }
}

/// Lets nobody pass before `count` wait.
private final class Barrier: Sendable {
  private let condition = NSCondition()
  private let left: Mutex<Int>

  init(_ count: Int) { left = Mutex(count) }

  func wait() {
    condition.lock()
    defer { condition.unlock() }
    left.withLock { $0 -= 1 }
    if left.withLock({ $0 == 0 }) { condition.broadcast() }
    while left.withLock({ $0 > 0 }) { condition.wait() }
  }
}
