import CurlTransport
import Foundation
import HTTPTransport
import Patience
import PublicationAPI
import TestSupport
import Testing

/// What `serve` hands on to the listener and to the publication, by the real program.
@Suite struct ServeTests: ServerRig {
  let folder: Folder
  init() throws { folder = try Folder() }

  private func attempt(_ server: RunningServer, _ password: String, from client: String? = nil) async throws -> Response {
    let credentials = try Wire.encode(Credentials(email: "ada@example.org", password: password))
    return try await NetworkTransport(origin: server.origin).send(
      Request(.post, "/v1/session", headers: client.map { ["X-Forwarded-For": $0] } ?? [:], body: credentials))
  }

  @Test func helpVersionAndMistakes() async throws {
    let help = try await Server.run(["--help"])
    #expect(help.status == 0)
    #expect(help.output.hasPrefix("usage: matinee-server init"))
    let version = try await Server.run(["--version"])
    let told = try #require(version.output.wholeMatch(of: /matinee-server (.*)\n/), "\(version.output)").1
    #expect(told.wholeMatch(of: Checkout.version) != nil, "\(told)")
    let mistake = try await Server.run(["serve", "--port", "x"])
    #expect(
      mistake
        == Server.Outcome(
          status: 2, output: "", errors: "matinee-server: --port takes a number from 0 to 65535, not “x”. See matinee-server --help.\n"))
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
    let token = try await signIn(NetworkTransport(origin: server.origin))
    let client = try RawClient(port: server.port)
    try await client.send(
      "PUT /v1/imports/\(UUID()) HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer \(token)\r\nContent-Type: application/octet-stream\r\n"
        + "Content-Length: 100000\r\n\r\nbegun")
    await until { !nameless(of: server.process, in: data).isEmpty }
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
    await until { !FileManager.default.fileExists(atPath: data + "/operator.json") }
    #expect(try await server.end(second) == 1)
    withExtendedLifetime(client) {}
  }
}
