import Foundation
import HTTPTransport
import Patience
import Runtime
import Synchronization
import Testing

@Suite final class CachingTransportTests {
  /// Answers as it is told, logs what it was asked, and waits on a clock when it is slow.
  private final class Backend: Transport {
    struct State {
      var requested: [Request] = []
      var isSlow = false
      var answer: @Sendable (Request) throws -> Response = { _ in Response(404) }
    }
    let state = Mutex(State())
    let gate = ManualClock()
    var requested: [Request] { state.withLock { $0.requested } }
    func answer(_ answer: @escaping @Sendable (Request) throws -> Response) { state.withLock { $0.answer = answer } }
    func send(_ request: Request) async throws -> Response {
      let (answer, isSlow) = state.withLock { state in
        state.requested.append(request)
        return (state.answer, state.isSlow)
      }
      if isSlow { try await gate.sleep(for: .seconds(1)) }
      return try answer(request)
    }
  }

  private let backend = Backend()
  private let clock = ManualClock()
  private let folder = FileManager.default.temporaryDirectory.appendingPathComponent("answers-\(UUID().uuidString)")

  deinit { try? FileManager.default.removeItem(at: folder) }

  private func transport(limit: Int = 1 << 20, largest: Int = 1 << 18, folder: URL? = nil) -> CachingTransport {
    CachingTransport(backend, folder: (folder ?? self.folder).path, limit: limit, largest: largest, clock: clock)
  }

  private static func picture(_ size: Int = 100, _ headers: Headers = ["Cache-Control": "max-age=60"], byte: UInt8 = 7) -> Response {
    Response(200, headers: headers, body: Data(repeating: byte, count: size))
  }

  private var files: [URL] {
    ((try? FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)) ?? []).sorted { $0.path < $1.path }
  }

  @Test func aFreshAnswerIsGivenAgainAlsoAfterARestart() async throws {
    backend.answer { _ in Self.picture() }
    #expect(try await transport().send(Request(.get, "/a")) == Self.picture())
    #expect(try await transport().send(Request(.get, "/a")) == Self.picture())
    #expect(backend.requested.count == 1)
    let mode = try FileManager.default.attributesOfItem(atPath: folder.path)[.posixPermissions] as? Int
    #expect(mode == 0o700)
    clock.advance(by: .seconds(61))
    _ = try await transport().send(Request(.get, "/a"))
    #expect(backend.requested.count == 2)
  }

  @Test func aStaleAnswerIsConfirmedByItsTagOrDate() async throws {
    backend.answer { request in
      request.headers["If-None-Match"] == "\"1\"" && request.headers["If-Modified-Since"] == "Mon, 06 Nov 2023 08:49:37 GMT"
        ? Response(304, headers: ["Cache-Control": "max-age=600", "Content-Length": "0"])
        : Self.picture(100, ["ETag": "\"1\"", "Last-Modified": "Mon, 06 Nov 2023 08:49:37 GMT", "Cache-Control": "no-cache"])
    }
    let transport = transport()
    let first = try await transport.send(Request(.get, "/a"))
    let second = try await transport.send(Request(.get, "/a"))
    #expect(second.body == first.body)
    #expect(second.status == 200)
    #expect(second.headers["Content-Length"] == nil)
    #expect(backend.requested.count == 2)
    // The confirmation said that it is good for longer.
    clock.advance(by: .seconds(599))
    #expect(try await self.transport().send(Request(.get, "/a")).body == first.body)
    #expect(backend.requested.count == 2)
  }

  @Test func anAnswerThatChangedTakesThePlaceOfTheOld() async throws {
    backend.answer { _ in Self.picture(100, ["ETag": "\"1\"", "Cache-Control": "max-age=0"]) }
    let transport = transport()
    _ = try await transport.send(Request(.get, "/a"))
    backend.answer { _ in Self.picture(50, byte: 9) }
    #expect(try await transport.send(Request(.get, "/a")) == Self.picture(50, byte: 9))
    #expect(try await transport.send(Request(.get, "/a")) == Self.picture(50, byte: 9))
    #expect(backend.requested.count == 2)
    #expect(files.count == 1)
  }

  @Test(arguments: [TransportError.unreachable("no network"), .timedOut, .cutShort("reset"), .tooLarge(limit: 1)])
  func withoutAnAnswerTheKeptOneServesAtAnyAge(_ error: TransportError) async throws {
    backend.answer { _ in Self.picture() }
    _ = try await transport().send(Request(.get, "/a"))
    clock.advance(by: .seconds(86_400 * 400))
    backend.answer { _ in throw error }
    #expect(try await transport().send(Request(.get, "/a")) == Self.picture())
    backend.answer { _ in Response(503) }
    #expect(try await transport().send(Request(.get, "/a")) == Self.picture())
    await #expect(throws: error) {
      self.backend.answer { _ in throw error }
      _ = try await self.transport().send(Request(.get, "/b"))
    }
    // Gone is gone.
    backend.answer { _ in Response(404) }
    #expect(try await transport().send(Request(.get, "/a")).status == 404)
    #expect(files.isEmpty)
  }

  @Test(arguments: [
    Response(404), Response(500), Response(301), Response(206, body: Data([1])), picture(100, ["Cache-Control": "private, No-Store"]),
    picture(100, ["Vary": "*"]), picture((1 << 18) + 1), picture(100, ["Content-Type": "text/html"]),
    picture(100, ["Content-Type": "application/json"]),
  ])
  func whatIsNotToBeKeptIsNot(_ response: Response) async throws {
    backend.answer { _ in response }
    let transport = transport()
    for _ in 0..<2 { #expect(try await transport.send(Request(.get, "/a", headers: ["Accept": "image/*"])) == response) }
    #expect(backend.requested.count == 2)
    #expect(files.isEmpty)
  }

  @Test func anotherKindOfRequestPasses() async throws {
    backend.answer { _ in Self.picture() }
    let transport = transport()
    let requests = [
      Request(.post, "/a"), Request(.head, "/a"), Request(.get, "/a", headers: ["Authorization": "Bearer x"]),
      Request(.get, "/a", headers: ["Range": "bytes=0-1"]), Request(.get, "/a", headers: ["If-None-Match": "\"x\""]),
    ]
    for request in requests + requests { _ = try await transport.send(request) }
    #expect(backend.requested == requests + requests)
    #expect(files.isEmpty)
  }

  @Test func whatSeveralAskForIsAskedOnceAndGivenUpWhenNobodyWaits() async throws {
    backend.answer { _ in Self.picture() }
    backend.state.withLock { $0.isSlow = true }
    let transport = transport()
    let asking = (0..<10).map { _ in Task { try await transport.send(Request(.get, "/a")) } }
    await backend.gate.waitForSleepers()
    for task in asking.dropFirst() { task.cancel() }
    for task in asking.dropFirst() { await #expect(throws: CancellationError.self) { try await task.value } }
    backend.gate.advance(by: .seconds(1))
    #expect(try await asking[0].value == Self.picture())
    #expect(backend.requested.count == 1)

    let abandoned = Task { try await transport.send(Request(.get, "/b")) }
    await backend.gate.waitForSleepers()
    abandoned.cancel()
    await #expect(throws: CancellationError.self) { try await abandoned.value }
    await until { backend.gate.sleeperCount == 0 }
    #expect(files.count == 1)
  }

  @Test func filesThatAreDamagedAreAnswersThatAreNotThere() async throws {
    backend.answer { _ in Self.picture(300) }
    _ = try await transport().send(Request(.get, "/a"))
    let file = try #require(files.first)
    let whole = try Data(contentsOf: file)
    var damaged: [Data] = [0, 1, 7, 8, 31, 32, 33, whole.count / 2, whole.count - 1].map { whole.prefix($0) }
    damaged += [whole + [0], Data(repeating: 0xFF, count: whole.count), Data(repeating: 0, count: 4096)]
    for place in stride(from: 0, to: whole.count, by: 29) {
      var flipped = whole
      flipped[place] ^= 0x10
      damaged.append(flipped)
    }
    // Lengths that overflow.
    var lying = whole
    lying.replaceSubrange(8..<24, with: Data(repeating: 0xFF, count: 16))
    damaged.append(lying)
    for (number, data) in damaged.enumerated() {
      try data.write(to: file)
      #expect(try await transport().send(Request(.get, "/a")) == Self.picture(300))
      #expect(backend.requested.count == number + 2, "\(data.count) bytes")
      #expect(try Data(contentsOf: file) == whole)
    }
  }

  @Test func anothersAnswerUnderTheSameNameIsNotGiven() async throws {
    backend.answer { Self.picture(100, byte: $0.target == "/a" ? 1 : 2) }
    _ = try await transport().send(Request(.get, "/a"))
    let first = try #require(files.first)
    _ = try await transport().send(Request(.get, "/b"))
    let second = try #require(files.first { $0 != first })
    try Data(contentsOf: second).write(to: first)
    #expect(try await transport().send(Request(.get, "/a")).body.first == 1)
    #expect(backend.requested.count == 3)
  }

  @Test func theLeastRecentlyUsedGoFirstAlsoAfterARestart() async throws {
    backend.answer { _ in Self.picture(3000) }
    for name in ["a", "b", "c"] {
      _ = try await transport(limit: 12_000).send(Request(.get, "/\(name)"))
      clock.advance(by: .seconds(2))
    }
    // Used again: it is younger than the other two from now on.
    _ = try await transport(limit: 12_000).send(Request(.get, "/a"))
    clock.advance(by: .seconds(2))
    _ = try await transport(limit: 12_000).send(Request(.get, "/d"))
    #expect(files.count == 3)
    let before = backend.requested.count
    for name in ["a", "c", "d"] { _ = try await transport(limit: 12_000).send(Request(.get, "/\(name)")) }
    #expect(backend.requested.count == before)
    // A smaller limit takes effect with the next start.
    _ = try await transport(limit: 4000).send(Request(.get, "/d"))
    #expect(files.count == 1)
    #expect(backend.requested.count == before)
  }

  @Test func aFolderThatCannotBeUsedDoesNoHarm() async throws {
    backend.answer { _ in Self.picture() }
    try Data().write(to: folder)
    let blocked = transport(folder: folder.appendingPathComponent("below"))
    for _ in 0..<2 { #expect(try await blocked.send(Request(.get, "/a")) == Self.picture()) }
    #expect(backend.requested.count == 2)
  }

  @Test func whatElseIsInTheFolderStaysAndHalfWrittenFilesGo() async throws {
    try FileManager.default.createDirectory(at: folder.appendingPathComponent("0000000000000000.answer"), withIntermediateDirectories: true)
    let other = folder.appendingPathComponent("notes.txt")
    let old = folder.appendingPathComponent("0123456789abcdef.answer.77.part")
    let young = folder.appendingPathComponent("0123456789abcdef.answer.78.part")
    for (url, age) in [(other, 90_000.0), (old, 7200), (young, 60)] {
      try Data("x".utf8).write(to: url)
      try FileManager.default.setAttributes([.modificationDate: clock.now.addingTimeInterval(-age)], ofItemAtPath: url.path)
    }
    backend.answer { _ in Self.picture() }
    _ = try await transport().send(Request(.get, "/a"))
    #expect([other, old, young].map { FileManager.default.fileExists(atPath: $0.path) } == [true, false, true])
    #expect(files.count == 4)
  }

  @Test func aClockThatWasSetBackProvesNothing() async throws {
    backend.answer { _ in Self.picture() }
    _ = try await transport().send(Request(.get, "/a"))
    clock.setNow(clock.now.addingTimeInterval(-3600))
    _ = try await transport().send(Request(.get, "/a"))
    #expect(backend.requested.count == 2)
  }

  // MARK: Size and limit

  @Test func itSaysWhatIsKeptAndRemovesIt() async throws {
    backend.answer { _ in Self.picture(1000) }
    let first = transport()
    #expect(await first.size() == 0)
    for path in ["/a", "/b"] { _ = try await first.send(Request(.get, path)) }
    let size = await first.size()
    #expect((2000...3000).contains(size))
    // What an earlier start kept counts too.
    let transport = transport()
    #expect(await transport.size() == size)
    try Data("note".utf8).write(to: folder.appendingPathComponent("other.txt"))
    await transport.clear()
    #expect(await transport.size() == 0)
    #expect(files.map(\.lastPathComponent) == ["other.txt"])
    _ = try await transport.send(Request(.get, "/a"))
    #expect(await transport.size() > 1000, "it goes on")
  }

  @Test func anotherLimitHoldsAtOnce() async throws {
    backend.answer { _ in Self.picture(1000) }
    let transport = transport()
    for path in ["/a", "/b", "/c"] { _ = try await transport.send(Request(.get, path)) }
    await transport.setLimit(2500)
    #expect(await transport.size() <= 2500)
    #expect((1...2).contains(files.count))
    await transport.setLimit(1 << 20)
    for path in ["/d", "/e", "/f"] { _ = try await transport.send(Request(.get, path)) }
    #expect(files.count > 3)
  }

  /// A limit that is set before anything was looked at loses nothing that it has room for.
  @Test func aHigherLimitFromTheBeginningLosesNothing() async throws {
    backend.answer { _ in Self.picture(1000) }
    let first = transport()
    for path in ["/a", "/b", "/c"] { _ = try await first.send(Request(.get, path)) }
    let second = transport(limit: 1500)
    await second.setLimit(1 << 20)
    #expect(await second.size() > 3000)
    #expect(files.count == 3)
  }
}
