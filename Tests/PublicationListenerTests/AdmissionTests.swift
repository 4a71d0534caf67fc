import CurlTransport
import Foundation
import HTTPTransport
import Patience
import PublicationServer
import Runtime
import Synchronization
import TestSupport
import Testing

@testable import PublicationListener

/// Bodies larger than usual: decided by the head, before any of them is read.
@Suite struct AdmissionTests {
  private static let admission = Listener.Admission(
    limit: { $0.target.hasPrefix("/documents") ? 1 << 20 : $0.target == "/small" ? 4096 : 65_536 },
    decide: { $0.headers["Authorization"] == "yes" ? .body(limit: 1 << 20) : .refused(Response(401, body: Data("no".utf8))) })

  private func listener() throws -> Listener {
    try Listener(clock: ManualClock(), admission: Self.admission) { request in
      Response(200, body: Data("\(request.target) \(request.body.count)".utf8))
    }
  }

  @Test func whoMayAndWhoMayNot() async throws {
    let listener = try listener()
    let transport = try NetworkTransport(origin: listener.origin)
    func send(_ target: String, _ size: Int, _ headers: Headers = ["Authorization": "yes"]) async throws -> Response {
      try await transport.send(Request(.post, target, headers: headers, body: Data(count: size)))
    }
    for size in [0, 1, 65_536, 65_537, 1 << 20] {
      #expect(String(decoding: try await send("/documents", size).body, as: UTF8.self) == "/documents \(size)")
    }
    for (target, size) in [("/other", 65_536), ("/small", 4096)] { #expect(try await send(target, size).status == 200) }
    // A small one is read, and whoever answers says no.
    #expect(try await send("/documents", 100, [:]).status == 200)
    await listener.stop()
  }

  @Test func whatIsTooLargeIsRefusedByItsHeadAlone() async throws {
    let listener = try listener()
    for (target, length, fields, status) in [
      ("/documents", 200_000_000, "Authorization: yes\r\n", 413), ("/documents", (1 << 20) + 1, "Authorization: yes\r\n", 413),
      ("/documents", 200_000_000, "", 401), ("/other", 65_537, "Authorization: yes\r\n", 413),
      ("/small", 4097, "Authorization: yes\r\n", 413),
    ] {
      let client = try RawClient(port: listener.port)
      try await client.send("POST \(target) HTTP/1.1\r\nHost: x\r\n\(fields)Content-Length: \(length)\r\n\r\n")
      #expect(try await client.answer().status == status)
      #expect(try await client.isClosed())
    }
    await listener.stop()
  }

  /// Who sends the body all the same has the answer, and so has a proxy between.
  @Test(.timeLimit(.minutes(1)), arguments: [false, true].filter { !$0 || Nginx.program != nil })
  func aRefusalReachesWhoIsStillSending(behindNginx: Bool) async throws {
    let listener = try listener()
    let nginx = behindNginx ? try Nginx(before: listener.port, passesAll: false) : nil
    try await nginx?.listens()
    let body = String(repeating: "x", count: 10 << 20)
    for (method, target, fields, status) in [
      ("POST", "/documents", "", 401), ("POST", "/documents", "Authorization: yes\r\n", 413),
      ("POST", "/other", "Authorization: yes\r\n", 413), ("HEAD", "/other", "Authorization: yes\r\n", 413),
    ] {
      let client = try RawClient(port: nginx?.port ?? listener.port)
      try await client.send("\(method) \(target) HTTP/1.1\r\nHost: x\r\n\(fields)Content-Length: \(body.utf8.count)\r\n\r\n" + body)
      #expect(try await client.answer(bodiless: method == "HEAD").status == status)
    }
    await listener.stop()
  }

  /// By the configuration of the manual: who may not upload is refused while the body is still coming, so that it is stored nowhere.
  @Test(.enabled(if: Nginx.program != nil, "nginx is missing"), .timeLimit(.minutes(1)))
  func aProxyStoresNoBodyOfAStranger() async throws {
    let admission = Listener.Admission(
      limit: { $0.target.hasPrefix("/v1/imports/") ? 50_000_000 : 65_536 },
      decide: { $0.headers["Authorization"] == "yes" ? .body(limit: 50_000_000) : .refused(Response(401, body: Data("no".utf8))) })
    let listener = try Listener(clock: ManualClock(), admission: admission) { request in
      Response(200, body: Data("\(request.target) \(request.body.count)".utf8))
    }
    let nginx = try Nginx(ofTheManualBefore: listener.port)
    try await nginx.listens()
    for (method, target, length, fields, status) in [
      ("PUT", "/v1/imports/a", 50_000_000, "", 401), ("PUT", "/v1/imports/a", 60_000_000, "Authorization: yes\r\n", 413),
      ("POST", "/v1/session", 65_537, "", 413), ("POST", "/v1/importsandmore", 65_537, "Authorization: yes\r\n", 413),
    ] {
      let client = try RawClient(port: nginx.port)
      try await client.send("\(method) \(target) HTTP/1.1\r\nHost: x\r\n\(fields)Content-Length: \(length)\r\n\r\nsome")
      #expect(try await client.answer().status == status)
    }
    for (method, target, length) in [("PUT", "/v1/imports/a", 5_000_000), ("POST", "/v1/session", 65_536)] {
      let client = try RawClient(port: nginx.port)
      let body = String(repeating: "x", count: length)
      try await client.send(
        "\(method) \(target) HTTP/1.1\r\nHost: x\r\nAuthorization: yes\r\nContent-Length: \(length)\r\n\r\n" + body)
      #expect(try await client.answer().body == "\(target) \(length)")
    }
    await listener.stop()
  }

  /// It has no longer for that than for a body of the usual size.
  @Test(.timeLimit(.minutes(1))) func whoIsRefusedDoesNotSendForEver() async throws {
    let clock = ManualClock()
    let listener = try Listener(clock: clock, admission: Self.admission) { _ in Response(200) }
    let client = try RawClient(port: listener.port)
    try await client.send("POST /documents HTTP/1.1\r\nHost: x\r\nContent-Length: 1000000000\r\n\r\n")
    #expect(try await client.answer().status == 401)
    try await client.send("more")
    await clock.waitForSleepers(1)
    clock.advance(by: Listener.Limits().bodyTime + .seconds(2))
    await #expect(throws: RawClient.Failure.self) { while true { try await client.send("and more") } }
    await listener.stop()
  }

  @Test(.timeLimit(.minutes(1))) func aStopWaitsForNoBodyThatNobodyWants() async throws {
    let listener = try listener()
    let client = try RawClient(port: listener.port)
    try await client.send("POST /documents HTTP/1.1\r\nHost: x\r\nContent-Length: 1000000000\r\n\r\nsome")
    #expect(try await client.answer().status == 401)
    // The clock of its grace stands still.
    await listener.stop()
  }

  @Test func aBodyThatDoesNotSayItsLength() async throws {
    let listener = try listener()
    for (target, fields) in [("/documents", "Authorization: yes\r\n"), ("/documents", ""), ("/other", "")] {
      let client = try RawClient(port: listener.port)
      try await client.send("POST \(target) HTTP/1.1\r\nHost: x\r\n\(fields)Transfer-Encoding: chunked\r\n\r\n")
      #expect(try await client.answer().status == 411)
    }
    await listener.stop()
  }

  /// The sizes of the files without a name in a folder that this process has open.
  private static func nameless(in folder: String) -> [Int] {
    let files = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")) ?? []
    return files.compactMap { number in
      guard let target = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\(number)"),
        target.hasPrefix(folder + "/"), target.hasSuffix(" (deleted)")
      else { return nil }
      return (try? FileHandle(forReadingFrom: URL(fileURLWithPath: "/proc/self/fd/\(number)")).seekToEnd()).map(Int.init)
    }
  }

  private static func digest(_ data: Data) -> String { "\(data.count) \(data.reduce(UInt64(5381)) { $0 &* 33 &+ UInt64($1) })" }

  private func folder() throws -> String {
    let folder = NSTemporaryDirectory() + "matinee-uploads-\(UUID().uuidString)"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    return folder
  }

  @Test(.timeLimit(.minutes(1))) func aLargeBodyIsInAFileWhileItComes() async throws {
    let folder = try folder()
    defer { try? FileManager.default.removeItem(atPath: folder) }
    var limits = Listener.Limits()
    limits.uploads = folder
    let listener = try Listener(limits: limits, clock: ManualClock(), admission: Self.admission) { request in
      Response(200, body: Data(Self.digest(request.body).utf8))
    }
    let text = String(repeating: "0123456789abcdef", count: 50_000)
    let head = "POST /documents HTTP/1.1\r\nHost: x\r\nAuthorization: yes\r\nContent-Length: \(text.utf8.count)\r\n\r\n"
    var clients: [RawClient] = []
    for _ in 0..<20 {
      let client = try RawClient(port: listener.port)
      try await client.send(head + text.prefix(400_000))
      clients.append(client)
    }
    await until { Self.nameless(in: folder) == Array(repeating: 400_000, count: 20) }
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == [])
    for client in clients.prefix(3) {
      try await client.send(String(text.dropFirst(400_000)))
      #expect(try await client.answer().body == Self.digest(Data(text.utf8)))
    }
    // Who goes away half-way takes the file along.
    clients = []
    await until { Self.nameless(in: folder).isEmpty }
    await listener.stop()
  }

  /// A second more for each 64 KiB that it may have.
  @Test(.timeLimit(.minutes(1))) func aLargeBodyHasMoreTime() async throws {
    let folder = try folder()
    defer { try? FileManager.default.removeItem(atPath: folder) }
    var limits = Listener.Limits()
    limits.uploads = folder
    limits.idle = .seconds(600)
    let clock = ManualClock()
    let listener = try Listener(limits: limits, clock: clock, admission: Self.admission) { request in
      Response(200, body: Data("\(request.body.count)".utf8))
    }
    let (whole, half) = (try RawClient(port: listener.port), try RawClient(port: listener.port))
    for client in [whole, half] {
      try await client.send("POST /documents HTTP/1.1\r\nHost: x\r\nAuthorization: yes\r\nContent-Length: 70000\r\n\r\na")
    }
    await until { Self.nameless(in: folder) == [1, 1] }
    await clock.waitForSleepers()
    clock.advance(by: .seconds(60 + 16))
    await clock.waitForSleepers()
    try await whole.send(String(repeating: "a", count: 69_999))
    #expect(try await whole.answer().body == "70000")
    clock.advance(by: .seconds(1))
    #expect(try await half.rest() == "")
    await listener.stop()
  }

  @Test func aUsualBodyNeedsNoFile() async throws {
    var limits = Listener.Limits()
    limits.uploads = "/nowhere"
    let notices = Mutex<[Listener.Notice]>([])
    let listener = try Listener(
      limits: limits, clock: ManualClock(), admission: Self.admission, notify: { notice in notices.withLock { $0.append(notice) } }
    ) { request in Response(200, body: Data("\(request.body.count)".utf8)) }
    let transport = try NetworkTransport(origin: listener.origin)
    for (size, status) in [(65_536, 200), (65_537, 507), (65_537, 507)] {
      let answer = try await transport.send(
        Request(.post, "/documents", headers: ["Authorization": "yes"], body: Data(count: size)))
      #expect(answer.status == status)
    }
    #expect(notices.withLock { $0 } == [.noRoom(folder: "/nowhere")], "once, until one finds room")
    await listener.stop()
  }

  /// Says when it was given back.
  private final class Places: Sendable {
    let count = Mutex(0)
    func take() -> UploadPlace {
      count.withLock { $0 += 1 }
      return UploadPlace { self.count.withLock { $0 -= 1 } }
    }
  }

  @Test(.timeLimit(.minutes(1))) func aPlaceIsHeldUntilTheRequestEnds() async throws {
    let places = Places()
    let listener = try Listener(
      clock: ManualClock(), admission: .init(limit: { _ in 1 << 20 }, decide: { _ in .body(limit: 1 << 20, place: places.take()) })
    ) { _ in Response(200, body: Data("\(places.count.withLock { $0 })".utf8)) }
    let head = "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 70000\r\n\r\n"
    let whole = try RawClient(port: listener.port)
    var half: RawClient? = try RawClient(port: listener.port)
    for client in [whole, half] { try await client?.send(head) }
    await until { places.count.withLock { $0 } == 2 }
    try await whole.send(String(repeating: "a", count: 70_000))
    #expect(try await whole.answer().body == "2")
    await until { places.count.withLock { $0 } == 1 }
    half = nil
    await until { places.count.withLock { $0 } == 0 }
    await listener.stop()
  }

  @Test func anUndecidedOneDoesNotKeepTheListenerFromStopping() async throws {
    let (clock, gate) = (ManualClock(), ManualClock())
    let listener = try Listener(
      clock: clock,
      admission: .init(limit: { _ in 1 << 20 }) { _ in
        try? await gate.sleep(for: .seconds(1))
        return .body(limit: 1 << 20)
      }
    ) { _ in Response(200) }
    let client = try RawClient(port: listener.port)
    try await client.send("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 100000\r\n\r\n")
    await gate.waitForSleepers()
    async let stopped: Void = listener.stop()
    // The sweep of the connections is the first that sleeps, the stop the second.
    await clock.waitForSleepers(2)
    clock.advance(by: .seconds(10))
    #expect(try await client.answer().status == 503)
    await stopped
  }
}
