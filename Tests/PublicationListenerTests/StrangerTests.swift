import Foundation
import HTTPTransport
import Testing

@testable import PublicationListener

/// Clients that hold places without getting on.
@Suite struct StrangerTests {
  @Test(arguments: ["GET / HTTP/1.1\r\nHo", "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\na", ""])
  func headsAndBodiesHaveADeadline(begun: String) async throws {
    let echo = try EchoListener()
    let client = try RawClient(port: echo.listener.port)
    try await client.send(begun)
    // The listener has read it once it answers somebody who came later.
    let other = try RawClient(port: echo.listener.port)
    try await other.send("GET /x HTTP/1.1\r\nHost: x\r\n\r\n")
    _ = try await other.answer()
    await echo.clock.waitForSleepers()
    echo.clock.advance(by: .seconds(62))
    #expect(try await client.rest() == "")
    await echo.listener.stop()
  }

  @Test func whoeverLeftTakesNoPlace() async throws {
    var limits = Listener.Limits()
    limits.connections = 5
    let echo = try EchoListener(limits: limits)
    echo.hold()
    do {
      let first = try RawClient(port: echo.listener.port)
      let second = try RawClient(port: echo.listener.port)
      try await first.send("GET /1 HTTP/1.1\r\nHost: x\r\n\r\n")
      try await second.send("GET /2 HTTP/1.1\r\nHost: x\r\n\r\n")
      await echo.waitForRequests(2)
    }
    // Both are gone, and nobody answered them.
    await echo.clock.waitForSleepers()
    echo.clock.advance(by: .seconds(1))
    for number in 3...5 {
      let client = try RawClient(port: echo.listener.port)
      try await client.send("GET /\(number) HTTP/1.1\r\nHost: x\r\n\r\n")
      await echo.waitForRequests(number)
      await echo.clock.waitForSleepers()
      echo.clock.advance(by: .seconds(1))
    }
    echo.release()
    await echo.listener.stop()
  }

  @Test func drippingClientsShutNobodyOut() async throws {
    var limits = Listener.Limits()
    limits.connections = 8
    let echo = try EchoListener(limits: limits)
    var dripping: [RawClient] = []
    for number in 0..<20 {
      let client = try RawClient(port: echo.listener.port)
      try await client.send("POST /\(number) HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\na")
      dripping.append(client)
    }
    let client = try RawClient(port: echo.listener.port)
    try await client.send("GET /in HTTP/1.1\r\nHost: x\r\n\r\n")
    #expect(try await client.answer().body == "GET /in 0")
    async let stopped: Void = echo.listener.stop()
    await echo.waitUntilStopping()
    // What drips is not waited for any longer.
    echo.clock.advance(by: .seconds(10))
    await stopped
  }

  @Test(
    arguments: [
      ("203.0.113.5", [], "203.0.113.5"), ("127.0.0.1", [], nil), ("127.0.0.1", ["203.0.113.9"], nil),
      ("192.0.2.1", ["203.0.113.9"], "203.0.113.9"), ("192.0.2.1", ["10.0.0.1, 203.0.113.9"], "203.0.113.9"),
      ("192.0.2.1", ["198.51.100.1, 203.0.113.9", "192.0.2.2"], "203.0.113.9"), ("192.0.2.1", [], "192.0.2.1"),
      ("203.0.113.5", ["198.51.100.1"], "203.0.113.5"), ("::1", [], nil), ("192.0.2.1", [""], "192.0.2.1"),
    ] as [(String, [String], String?)])
  func onlyNamedProxiesAreBelieved(peer: String, forwarded: [String], client: String?) {
    #expect(ClientAddress.choose(peer: peer, forwarded: forwarded, trusting: ["192.0.2.1", "192.0.2.2"]) == client)
  }
}
