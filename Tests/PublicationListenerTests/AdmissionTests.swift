import CurlTransport
import Foundation
import HTTPTransport
import PublicationServer
import Runtime
import TestSupport
import Testing

@testable import PublicationListener

/// Bodies larger than usual: decided by the head, before any of them is read.
@Suite struct AdmissionTests {
  init() { _ = modulesAreSetUp }

  private static let admission = Listener.Admission(
    concerns: { $0.target.hasPrefix("/documents") },
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
    // A small one is read, and whoever answers says no.
    #expect(try await send("/documents", 100, [:]).status == 200)
    await listener.stop()
  }

  @Test func whatIsTooLargeIsRefusedByItsHeadAlone() async throws {
    let listener = try listener()
    for (target, length, fields, status) in [
      ("/documents", 200_000_000, "Authorization: yes\r\n", 413), ("/documents", (1 << 20) + 1, "Authorization: yes\r\n", 413),
      ("/documents", 200_000_000, "", 401), ("/other", 65_537, "Authorization: yes\r\n", 413),
    ] {
      let client = try RawClient(port: listener.port)
      try await client.send("POST \(target) HTTP/1.1\r\nHost: x\r\n\(fields)Content-Length: \(length)\r\n\r\n")
      #expect(try await client.answer().status == status)
      #expect(try await client.isClosed())
    }
    await listener.stop()
  }

  @Test func aBodyThatDoesNotSayItsLength() async throws {
    let listener = try listener()
    let chunk = "10000\r\n" + String(repeating: "a", count: 65_536) + "\r\n"
    for (target, fields, chunks, status) in [
      ("/documents", "Authorization: yes\r\n", 3, 200), ("/documents", "Authorization: yes\r\n", 17, 413), ("/documents", "", 0, 401),
      ("/other", "", 2, 413), ("/other", "", 1, 200),
    ] {
      let client = try RawClient(port: listener.port)
      try await client.send("POST \(target) HTTP/1.1\r\nHost: x\r\n\(fields)Transfer-Encoding: chunked\r\n\r\n")
      if status != 401 { try await client.send(String(repeating: chunk, count: chunks) + "0\r\n\r\n") }
      #expect(try await client.answer().status == status)
    }
    await listener.stop()
  }

  @Test func anUndecidedOneDoesNotKeepTheListenerFromStopping() async throws {
    let (clock, gate) = (ManualClock(), ManualClock())
    let listener = try Listener(
      clock: clock,
      admission: .init(concerns: { _ in true }) { _ in
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
