import Foundation
import HTTPTransport
import TestSupport
import Testing

@testable import PublicationListener

/// Stopping: nobody who was let in is sent away without an answer.
@Suite struct StopTests {
  // Tests beside these listen on 127.0.0.1 and may be given the port that was freed here: nobody else listens on this address.
  private let address = "127.0.0.2"

  @Test func answersUnderWayAreWaitedFor() async throws {
    let echo = try EchoListener(address: address)
    let (busy, idle) = (try RawClient(port: echo.listener.port, to: address), try RawClient(port: echo.listener.port, to: address))
    try await idle.send("GET /idle HTTP/1.1\r\nHost: x\r\n\r\n")
    #expect(try await idle.answer().status == 200)
    echo.hold()
    try await busy.send("GET /busy HTTP/1.1\r\nHost: x\r\n\r\n")
    await echo.waitForRequests(2)
    async let stopped: Void = echo.listener.stop()
    // Whatever throws below: the test would wait for the stop for ever.
    defer { echo.release() }
    await echo.waitUntilStopping()
    #expect(throws: RawClient.Failure.self) { try RawClient(port: echo.listener.port, to: address) }
    echo.release()
    let answer = try await busy.answer()
    #expect(answer.body == "GET /busy 0")
    #expect(answer.fields["connection"] == "close")
    await stopped
    #expect(try await busy.isClosed())
    #expect(try await idle.isClosed())
  }

  @Test func notForEver() async throws {
    let echo = try EchoListener()
    echo.hold()
    let (busy, slow) = (try RawClient(port: echo.listener.port), try RawClient(port: echo.listener.port))
    try await slow.send("POST /slow HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\nabc")
    try await busy.send("GET /busy HTTP/1.1\r\nHost: x\r\n\r\n")
    await echo.waitForRequests(1)
    async let stopped: Void = echo.listener.stop()
    await echo.waitUntilStopping()
    echo.clock.advance(by: .seconds(10))
    let answer = try await busy.answer()
    #expect((answer.status, answer.fields["content-type"]) == (503, "application/problem+json"))
    #expect(answer.body.contains("The publication is being stopped."))
    await stopped
    #expect(try await busy.isClosed())
    #expect(try await slow.isClosed())
    // The handler ends after everything else: its answer goes nowhere.
    echo.release()
  }

  /// Between two requests of a connection nothing is under way, and the next one comes while the listener is being stopped: it must not put the
  /// connection to sleep, or libmicrohttpd ends the process.
  @Test func aRequestThatFollowsTheLastAnswerIsTooLate() async throws {
    let echo = try EchoListener()
    let client = try RawClient(port: echo.listener.port)
    try await client.send("GET /large HTTP/1.1\r\nHost: x\r\n\r\nGET /late HTTP/1.1\r\nHost: x\r\n\r\n")
    // Its head was made before the stop, so that it does not end the connection.
    let head = try await client.answer(bodiless: true)
    #expect(head.fields["connection"]?.lowercased() != "close")
    echo.hold()
    async let stopped: Void = echo.listener.stop()
    await echo.waitUntilStopping()
    let length = try #require(head.fields["content-length"].flatMap { Int($0) })
    #expect(try await client.receive(length) == length)
    await stopped
    #expect(echo.requests.map(\.target) == ["/large"])
    echo.release()
  }

  @Test func twiceIsOnce() async throws {
    let echo = try EchoListener(address: address)
    async let first: Void = echo.listener.stop()
    async let second: Void = echo.listener.stop()
    _ = await (first, second)
    await echo.listener.stop()
    #expect(throws: RawClient.Failure.self) { try RawClient(port: echo.listener.port, to: address) }
  }

  @Test func aForgottenListenerStopsToo() async throws {
    var echo: EchoListener? = try EchoListener()
    let client = try RawClient(port: try #require(echo?.listener.port))
    try await client.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n")
    #expect(try await client.answer().status == 200)
    echo = nil
    #expect(try await client.isClosed())
  }
}
