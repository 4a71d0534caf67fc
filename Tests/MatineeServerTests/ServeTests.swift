import CurlTransport
import Foundation
import HTTPTransport
import PublicationAPI
import SQLiteStorage
import TestSupport
import Testing

/// What `serve` hands on to the listener and to the publication, by the real program.
@Suite struct ServeTests {
  private let folder: Folder
  private var data: String { folder.file("data") }

  init() throws {
    _ = modulesAreSetUp
    folder = try Folder()
  }

  private func addUser() async throws {
    try await Server.makeSample(data)
    let added = try await Server.run(["user", "add", "--data", data, "ada@example.org", "Ada"], input: "open sesame\n")
    #expect(added.status == 0)
  }

  private func attempt(_ server: RunningServer, _ password: String, from client: String? = nil) async throws -> Response {
    let credentials = try Wire.encode(Credentials(email: "ada@example.org", password: password))
    return try await NetworkTransport(origin: server.origin).send(
      Request(.post, "/v1/session", headers: client.map { ["X-Forwarded-For": $0] } ?? [:], body: credentials))
  }

  private func signIn(_ server: RunningServer) async throws -> Headers {
    let token = try Wire.decode(SignedIn.self, from: try await attempt(server, "open sesame").body).token
    return ["Authorization": "Bearer \(token)"]
  }

  @Test func guessesCountForTheClientOfANamedProxy() async throws {
    try await addUser()
    let server = try await RunningServer(folder: data, options: ["--trusted-proxy", "127.0.0.1"])
    for _ in 1...5 { #expect(try await attempt(server, "guess", from: "203.0.113.5").status == 401) }
    #expect(try await attempt(server, "open sesame", from: "203.0.113.5").status == 429)
    #expect(try await attempt(server, "open sesame", from: "203.0.113.6").status == 201)
    #expect(try await server.end(SIGTERM) == 0)
    #expect(try await server.errors == "")
  }

  @Test func aProxyThatIsNotNamedIsWarnedOfOnce() async throws {
    try await addUser()
    let server = try await RunningServer(folder: data)
    for _ in 1...6 { #expect(try await attempt(server, "guess", from: "203.0.113.5").status == 401) }
    #expect(try await attempt(server, "open sesame", from: "203.0.113.5").status == 201)
    #expect(try await server.end(SIGTERM) == 0)
    #expect(
      try await server.errors
        == "matinee-server: Requests are forwarded by a proxy at 127.0.0.1 that is not named, so nothing is limited for each of its clients, "
        + "not even guesses of passwords. Start with --trusted-proxy 127.0.0.1.\n")
  }

  /// The files of a process that have no name any more, and lie in a folder.
  private func nameless(of process: pid_t, in folder: String) -> [String] {
    let files = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/\(process)/fd")) ?? []
    return files.compactMap { try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/\(process)/fd/\($0)") }
      .filter { $0.hasPrefix(folder + "/") && $0.hasSuffix(" (deleted)") }
  }

  @Test(.timeLimit(.minutes(2))) func uploadsGoBelowTheDataFolder() async throws {
    try await addUser()
    let server = try await RunningServer(folder: data, options: ["--readers-add-feeds"])
    let token = try #require(try await signIn(server)["Authorization"])
    let client = try RawClient(port: server.port)
    try await client.send(
      "PUT /v1/imports/\(UUID()) HTTP/1.1\r\nHost: x\r\nAuthorization: \(token)\r\nContent-Type: application/octet-stream\r\n"
        + "Content-Length: 100000\r\n\r\nbegun")
    while !Task.isCancelled, nameless(of: server.process, in: data).isEmpty { await Task.yield() }
    #expect(nameless(of: server.process, in: data).count == 1)
    try await client.send(String(repeating: "x", count: 99_995))
    #expect(try await client.answer().status < 500)
    #expect(try await server.end(SIGTERM) == 0)
  }

  /// The first signal waits for a body that does not come, so that the status tells whether the second one was heard.
  @Test(.timeLimit(.minutes(2)), arguments: [SIGTERM, SIGINT]) func theSecondSignalEndsItAtOnce(second: Int32) async throws {
    try await addUser()
    let server = try await RunningServer(folder: data)
    let client = try RawClient(port: server.port)
    try await client.send("POST /v1/session HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n\r\nhalf")
    // Its answer says that the body before it has begun to be read.
    _ = try await NetworkTransport(origin: server.origin).send(Request(.get, "/v1/publication"))
    kill(server.process, SIGTERM)
    while !Task.isCancelled, FileManager.default.fileExists(atPath: data + "/operator.json") { await Task.yield() }
    #expect(try await server.end(second) == 1)
    withExtendedLifetime(client) {}
  }

  /// The provider answers after the grace is over: the charge goes on at the next start, as after a crash.
  @Test func aChargeThatOutlastsTheGraceGoesOnAtTheNextStart() async throws {
    try await addUser()
    let server = try await RunningServer(folder: data, environment: ["MATINEE_LEDGER_DELAY_MS": "20000"])
    let transport = try NetworkTransport(origin: server.origin)
    let (order, headers) = (UUID().uuidString, try await signIn(server))
    let begun = Request(.put, "/v1/orders/\(order)", headers: headers, body: try Wire.encode(OrderRequest(productID: "passes.5")))
    #expect(try await transport.send(begun).status == 201)
    let charge = Request(
      .post, "/v1/orders/\(order)/charge", headers: headers, body: try Wire.encode(ChargeRequest(paymentToken: "tok_approved")))
    async let charged = transport.send(charge)
    try await FileWatch(folder: data).wait(for: "ledger.jsonl", toHold: "\"ch_1\"")
    #expect(try await server.end(SIGTERM) == 0)
    let answer = try await charged
    #expect(answer.status == 503)
    #expect(try Wire.decode(Problem.self, from: answer.body).title == "The publication is being stopped. Try again in a moment.")

    let next = try await RunningServer(folder: data)
    let again = try await NetworkTransport(origin: next.origin).send(charge)
    #expect(again.status == 200)
    #expect(try Wire.decode(Order.self, from: again.body).state == .paid)
    #expect(try await next.end(SIGTERM) == 0)
    // The provider was asked again under the same key, and has charged once.
    let ledger = try String(contentsOfFile: data + "/ledger.jsonl", encoding: .utf8).split(separator: "\n")
    #expect(ledger.count >= 2)
    #expect(ledger.allSatisfy { $0.contains("\"key\":\"\(order)\"") && $0.contains("\"charge\":\"ch_1\"") })
  }
}
