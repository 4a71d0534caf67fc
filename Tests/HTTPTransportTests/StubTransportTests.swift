import Foundation
import HTTPTransport
import Runtime
import Synchronization
import Testing

@Suite struct StubTransportTests {
  /// A folder that tests save into.
  private final class Folder: Sendable {
    private let saved = Mutex<[String: (data: Data, number: Int)]>([:])
    func save(_ name: String, _ text: String?) {
      saved.withLock { saved in
        let number = (saved[name]?.number ?? 0) + 1
        saved[name] = text.map { (Data($0.utf8), number) }
      }
    }
    var files: StubAnswerFiles {
      StubAnswerFiles { path in
        guard let data = self.saved.withLock({ $0[path]?.data }) else {
          throw CocoaError(.fileReadNoSuchFile, userInfo: [NSUnderlyingErrorKey: POSIXError(.ENOENT)])
        }
        return data
      } stamp: { path in
        self.saved.withLock { $0[path].map { "\($0.number)" } }
      }
    }
  }

  private let folder = Folder()
  private let clock = ManualClock()
  private let backend = InProcessTransport { Response(299, body: Data($0.target.utf8)) }

  private func transport(_ rules: String) throws -> StubTransport {
    folder.save("dir/stub.json", "{\"rules\": [\(rules)]}")
    return try StubTransport(backend, file: "dir/stub.json", clock: clock, files: folder.files)
  }

  private func statuses(_ transport: StubTransport, _ requests: Request...) async throws -> [Int] {
    var statuses: [Int] = []
    for request in requests { statuses.append(try await transport.send(request).status) }
    return statuses
  }

  @Test func whatIsNotAnsweredFallsThrough() async throws {
    let transport = try transport(#"{"method": "GET", "path": "/v1/a", "status": 404}"#)
    #expect(try await statuses(transport, Request(.get, "/v1/a?x=1"), Request(.post, "/v1/a"), Request(.get, "/v1/ab")) == [404, 299, 299])
    #expect(transport.state.answered.map(\.request) == ["GET /v1/a?x=1"])
  }

  @Test(arguments: [
    ("/v1/*", "/v1/a", true), ("/v1/*", "/v1/a/b", false), ("/v1/*/b", "/v1/a/b", true), ("/v1/*/b", "/v1//b", true),
    ("/v1/**", "/v1/a/b", true), ("/**/b", "/v1/a/b", true), ("/v1/p*.json", "/v1/posts.json", true), ("/v1/p*.json", "/v1/posts", false),
    ("/v1/a", "/v1/a/", false), ("/**", "/", true), ("/*", "/", true), ("/**a**b", "/xaxxb", true), ("/**a**b", "/xbxxa", false),
  ])
  func patterns(pattern: String, path: String, fits: Bool) {
    #expect(StubAnswers.StubRule(nil, pattern, answers: []).matches(Request(.get, path)) == fits)
  }

  @Test func bodiesAndHeaders() async throws {
    folder.save("dir/b.json", "[1]")
    folder.save("/x.html", "<p>")
    let transport = try transport(
      #"""
      {"path": "/json", "body": {"a" : [1,2]}}, {"path": "/text", "body": "Hi"}, {"path": "/file", "bodyFile": "b.json"},
      {"path": "/html", "bodyFile": "/x.html", "headers": {"content-type": "text/html", "X-A": "1"}}, {"path": "/none", "status": 204}
      """#)
    func answer(_ path: String) async throws -> [String?] {
      let response = try await transport.send(Request(.get, path))
      return [String(decoding: response.body, as: UTF8.self), response.headers["Content-Type"]]
    }
    #expect(try await answer("/json") == ["{\"a\" : [1,2]}", "application/json"])
    #expect(try await answer("/text") == ["Hi", "text/plain; charset=utf-8"])
    #expect(try await answer("/file") == ["[1]", "application/json"])
    #expect(try await answer("/html") == ["<p>", "text/html"])
    #expect(try await answer("/none") == ["", nil])
    #expect(try await transport.send(Request(.get, "/html")).headers["x-a"] == "1")
  }

  @Test(arguments: [
    ("", [500, 501, 501, 501]), (#", "after": "first""#, [500, 501, 500, 501]), (#", "after": "pass""#, [500, 501, 299, 299]),
  ])
  func sequences(after: String, expected: [Int]) async throws {
    let transport = try transport(#"{"path": "/a", "sequence": [{"status": 500}, {"status": 501}]\#(after)}"#)
    let request = Request(.get, "/a")
    #expect(try await statuses(transport, request, request, request, request) == expected)
  }

  @Test func aDelayWaitsOnTheClock() async throws {
    let transport = try transport(#"{"path": "/a", "delay": 2.5}"#)
    // The transport itself looks at the file once a second.
    await clock.waitForSleepers()
    let task = Task { try await transport.send(Request(.get, "/a")) }
    await clock.waitForSleepers(2)
    clock.advance(by: .milliseconds(2500))
    #expect(try await task.value.status == 200)
  }

  @Test func aSaveCountsAtTheNextRequest() async throws {
    let transport = try transport(#"{"path": "/a", "sequence": [{"status": 500}, {"status": 501}]}"#)
    #expect(try await statuses(transport, Request(.get, "/a")) == [500])
    folder.save("dir/stub.json", #"{"rules": [{"path": "/b", "status": 502}]}"#)
    #expect(try await statuses(transport, Request(.get, "/a"), Request(.get, "/b")) == [299, 502])
  }

  @Test func savedBodiesCountToo() async throws {
    folder.save("dir/b", "old")
    let transport = try transport(#"{"path": "/a", "bodyFile": "b"}"#)
    folder.save("dir/b", "new")
    #expect(try await transport.send(Request(.get, "/a")).body == Data("new".utf8))
  }

  @Test func theFileIsLookedAtOnceASecond() async throws {
    let transport = try transport(#"{"path": "/a"}"#)
    var states = transport.stateStream().makeAsyncIterator()
    #expect(await states.next()?.rules.map(\.path) == ["/a"])
    folder.save("dir/stub.json", #"{"rules": [{"path": "/b"}]}"#)
    await clock.waitForSleepers()
    clock.advance(by: .seconds(1))
    #expect(await states.next()?.rules.map(\.path) == ["/b"])
  }

  @Test func aBadSaveKeepsTheRulesAndSaysWhere() async throws {
    let transport = try transport(#"{"path": "/a", "status": 404}"#)
    folder.save("dir/stub.json", "{\"rules\": [\n  {\"path\": \"/a\", \"staus\": 1}\n]}")
    #expect(try await statuses(transport, Request(.get, "/a")) == [404])
    #expect(transport.state.failure?.description == "dir/stub.json, line 2, column 18: there is no “staus” here; did you mean “status”?")
    folder.save("dir/stub.json", nil)
    await transport.reload()
    #expect(transport.state.failure?.description == "dir/stub.json cannot be read: No such file or directory")
    folder.save("dir/stub.json", #"{"rules": [{"path": "/a", "bodyFile": "late"}]}"#)
    await transport.reload()
    #expect(transport.state.failure?.problem == "“late” cannot be read: No such file or directory")
    folder.save("dir/late", "here")
    await transport.reload()
    #expect(transport.state.failure == nil)
    #expect(try await transport.send(Request(.get, "/a")).body == Data("here".utf8))
  }

  @Test func aPanelSeesWhatWasAnsweredAndByWhichLine() async throws {
    let transport = try transport("{\"path\": \"/a\"},\n{\"path\": \"/b\", \"status\": 404}")
    var states = transport.stateStream().makeAsyncIterator()
    #expect(await states.next()?.answered == [])
    _ = try await transport.send(Request(.put, "/b?c"))
    let answered = await states.next()?.answered
    #expect(answered?.map(\.request) == ["PUT /b?c"])
    #expect(answered?.map(\.status) == [404])
    #expect(answered?.map(\.line) == [2])
  }

  @Test(arguments: [
    ("", "line 1, column 1: expected a value, found the end of the file"), ("{}", "line 1, column 1: “rules” is missing"),
    ("{\"rules\": [{}]}", "line 1, column 12: “path” is missing"),
    ("{\"rules\": [{\"path\": \"a\"}]}", "line 1, column 21: expected a path that begins with “/”, found “a”"),
    (
      "{\"rules\": [{\"path\": \"/\", \"method\": \"GTE\"}]}",
      "line 1, column 36: expected one of “GET”, “POST”, “PUT”, “DELETE”, “HEAD”, found “GTE”; did you mean “GET”?"
    ), ("{\"rules\": [{\"path\": \"/\", \"status\": 99}]}", "line 1, column 36: expected a status from 100 to 599, found 99"),
    ("{\"rules\": [{\"path\": \"/\", \"delay\": -1}]}", "line 1, column 35: expected seconds from 0 to 86400, found -1.0"),
    ("{\"rules\": [{\"path\": \"/\", \"sequence\": []}]}", "line 1, column 38: expected at least one answer"),
    (
      "{\"rules\": [{\"path\": \"/\", \"sequence\": [{}], \"status\": 200}]}",
      "line 1, column 44: there is no “status” here; there can be “after”, “method”, “path”, “sequence”"
    ), ("{\"rules\": [{\"path\": \"/\", \"body\": 1, \"bodyFile\": \"a\"}]}", "line 1, column 49: “bodyFile” does not go with “body”"),
    ("{\"rules\": [{\"path\": \"/\", \"bodyFile\": \"a\"}]}", "line 1, column 38: “a” cannot be read: No such file or directory"),
    ("{\"rules\": [{\"path\": \"/\", \"headers\": {\"A\": 1}}]}", "line 1, column 43: expected text, found 1"),
  ])
  func aBadFileIsRefusedAtTheStart(text: String, message: String) {
    folder.save("f.json", text)
    let failure = #expect(throws: LocatedJSON.Failure.self) {
      try StubTransport(backend, file: "f.json", clock: clock, files: folder.files)
    }
    #expect(failure?.description == "f.json, " + message)
  }

  /// There is no line to name in what was never read.
  @Test func aFolderIsNoFile() {
    let folder = FileManager.default.temporaryDirectory.path
    let failure = #expect(throws: LocatedJSON.Failure.self) { try StubTransport(backend, file: folder, clock: clock) }
    #expect(failure?.description == "\(folder) cannot be read: Is a directory")
  }

  @Test func whatIsNoUTF8IsNamedByItsPlace() throws {
    let path = FileManager.default.temporaryDirectory.appending(path: "matinee-latin-\(UUID().uuidString).json").path
    defer { try? FileManager.default.removeItem(atPath: path) }
    // “é” in ISO 8859-1.
    try (Data("{\"rules\": [\n  {\"path\": \"/caf".utf8) + [0xE9] + Data("\"}]}".utf8)).write(to: URL(fileURLWithPath: path))
    let failure = #expect(throws: LocatedJSON.Failure.self) { try StubTransport(backend, file: path, clock: clock) }
    #expect(failure?.description == "\(path), line 2, column 17: expected UTF-8, found byte 233")
  }

  @Test func realFilesAreReadAgainWhenSaved() async throws {
    let path = FileManager.default.temporaryDirectory.appending(path: "matinee-answers-\(UUID().uuidString).json").path
    defer { try? FileManager.default.removeItem(atPath: path) }
    #expect(throws: LocatedJSON.Failure.self) { try StubTransport(backend, file: path, clock: clock) }
    try Data(#"{"rules": [{"path": "/a"}]}"#.utf8).write(to: URL(fileURLWithPath: path))
    let transport = try StubTransport(backend, file: path, clock: clock)
    #expect(try await statuses(transport, Request(.get, "/a")) == [200])
    try Data(#"{"rules": [{"path": "/a", "status": 404}]}"#.utf8).write(to: URL(fileURLWithPath: path), options: .atomic)
    #expect(try await statuses(transport, Request(.get, "/a")) == [404])
  }
}
