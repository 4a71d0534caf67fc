import Foundation
import TestSupport
import Testing

@testable import PublicationListener

/// Where a request ends, by the listener alone and by nginx before it: whoever sends one gets one answer, and nobody gets another's.
@Suite struct FramingTests {
  struct Case: Sendable, CustomTestStringConvertible {
    var name: String
    var request: String
    /// The answer of the listener alone.
    var alone: Int
    /// Through an nginx that leaves invalid fields out, and through one that passes them on.
    var behind: (leavingOut: Int, passing: Int)
    var testDescription: String { name }
  }

  private static let hidden = "GET /smuggled HTTP/1.1\r\nHost: x\r\n\r\n"

  private static func post(_ fields: String) -> String { "POST /a HTTP/1.1\r\nHost: x\r\n\(fields)\r\n\(hidden)" }

  static let cases = [
    Case(name: "a plain request", request: "GET /a HTTP/1.1\r\nHost: x\r\n\r\n", alone: 200, behind: (200, 200)),
    Case(name: "an absolute target", request: "GET http://x/a HTTP/1.1\r\nHost: x\r\n\r\n", alone: 200, behind: (200, 200)),
    Case(
      name: "an absolute target without a path", request: "GET http://x HTTP/1.1\r\nHost: x\r\n\r\n", alone: 200, behind: (200, 200)),
    Case(name: "an empty name before the length", request: post(":\r\nContent-Length: 35\r\n"), alone: 400, behind: (400, 400)),
    Case(name: "an empty name with a value", request: post(": a\r\nContent-Length: 35\r\n"), alone: 400, behind: (400, 400)),
    Case(name: "an empty name behind the length", request: post("Content-Length: 35\r\n:\r\n"), alone: 400, behind: (400, 400)),
    Case(name: "an empty name and no body", request: post(":\r\n"), alone: 400, behind: (400, 400)),
    Case(name: "a folded field", request: post("X: a\r\n b\r\nContent-Length: 35\r\n"), alone: 400, behind: (400, 400)),
    Case(name: "a length in a fold", request: post("X: a\r\n Content-Length: 35\r\n"), alone: 400, behind: (400, 400)),
    Case(name: "a folded encoding", request: post("Transfer-Encoding:\r\n chunked\r\n"), alone: 400, behind: (400, 400)),
    Case(name: "a NUL in a value", request: post("X: a\0b\r\nContent-Length: 35\r\n"), alone: 400, behind: (400, 400)),
    Case(name: "a NUL in a name", request: post("X\0: a\r\nContent-Length: 35\r\n"), alone: 400, behind: (400, 400)),
    Case(name: "a name with a bracket", request: post("X(y): a\r\nContent-Length: 35\r\n"), alone: 400, behind: (200, 400)),
    Case(name: "a name with a space", request: post("Content-Length : 35\r\nContent-Length: 35\r\n"), alone: 400, behind: (400, 400)),
    Case(name: "a NUL in a length", request: post("Content-Length: 0\u{0}35\r\n"), alone: 400, behind: (400, 400)),
    Case(name: "a NUL behind a length", request: post("Content-Length: 35\0\r\n"), alone: 400, behind: (400, 400)),
    Case(name: "a length that is a word", request: post("Content-Length: all\r\n"), alone: 400, behind: (400, 400)),
    Case(name: "a length below nothing", request: post("Content-Length: -35\r\n"), alone: 400, behind: (400, 400)),
    Case(name: "a length with a sign", request: post("Content-Length: +35\r\n"), alone: 400, behind: (400, 400)),
    Case(name: "a length in hexadecimal", request: post("Content-Length: 0x23\r\n"), alone: 400, behind: (400, 400)),
    Case(name: "two lengths in one", request: post("Content-Length: 0, 35\r\n"), alone: 400, behind: (400, 400)),
    Case(name: "no length", request: post("Content-Length:\r\n"), alone: 400, behind: (400, 400)),
    Case(name: "a length beyond all", request: post("Content-Length: 99999999999999999999\r\n"), alone: 413, behind: (400, 400)),
    Case(name: "a long field", request: post("X: \(letters(40_000))\r\nContent-Length: 35\r\n"), alone: 431, behind: (431, 431)),
    Case(name: "a longer field", request: post("X: \(letters(100_000))\r\nContent-Length: 35\r\n"), alone: 431, behind: (431, 431)),
    Case(name: "a long target", request: "GET /\(letters(40_000)) HTTP/1.1\r\nHost: x\r\n\r\n", alone: 414, behind: (414, 414)),
    Case(name: "a longer target", request: "GET /\(letters(100_000)) HTTP/1.1\r\nHost: x\r\n\r\n", alone: 414, behind: (414, 414)),
  ]

  private static func letters(_ count: Int) -> String { String(repeating: "a", count: count) }

  @Test(arguments: cases) func alone(_ some: Case) async throws {
    let echo = try EchoListener()
    try await play(some, expecting: some.alone, at: echo.listener.port, echo)
    await echo.listener.stop()
  }

  @Test(.enabled(if: Nginx.program != nil, "nginx is missing"), .timeLimit(.minutes(1)), arguments: cases, [false, true])
  func behindNginx(_ some: Case, passesAll: Bool) async throws {
    let echo = try EchoListener()
    let nginx = try Nginx(before: echo.listener.port, passesAll: passesAll)
    try await nginx.listens()
    try await play(some, expecting: passesAll ? some.behind.passing : some.behind.leavingOut, at: nginx.port, echo)
    await echo.listener.stop()
  }

  private func play(_ some: Case, expecting status: Int, at port: Int, _ echo: EchoListener) async throws {
    let client = try RawClient(port: port)
    try await client.send(some.request)
    let answer = try await client.answer()
    #expect(answer.status == status)
    // Whatever is not nginx's own page is ours.
    let isNginx = port != echo.listener.port && answer.body.contains("<center>nginx")
    #expect(isNginx || answer.fields["content-type"] == (status == 200 ? "text/plain" : "application/problem+json"))
    // What is left of a connection that stays open is nothing: the next answer on it is to the next request.
    try? await client.send("GET /next HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
    let rest = try await client.rest()
    // Whoever refuses a head cannot say where its request ends, and closes. nginx knows where one ends that only the listener refuses.
    if status != 200, isNginx || port == echo.listener.port {
      #expect(rest == "", "it stays open, and answers")
    } else {
      #expect(rest.isEmpty || (rest.hasPrefix("HTTP/1.1 200") && rest.hasSuffix("GET /next 0")), "\(rest)")
    }
    #expect(rest.components(separatedBy: "HTTP/1.").count <= 2, "\(rest)")
    #expect(!echo.requests.contains { $0.target == "/smuggled" })
    // Nor is there anything left between nginx and the listener for somebody else.
    let other = try RawClient(port: port)
    for path in ["/one", "/two"] {
      try await other.send("GET \(path) HTTP/1.1\r\nHost: x\r\n\r\n")
      #expect(try await other.answer().body == "GET \(path) 0")
    }
  }
}
