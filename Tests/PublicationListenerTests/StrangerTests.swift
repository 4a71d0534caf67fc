import Foundation
import HTTPTransport
import Runtime
import TestSupport
import Testing

@testable import PublicationListener

/// Clients that hold places without getting on.
@Suite struct StrangerTests {
  /// Whoever asks for much and takes none of it does not fill the memory.
  @Test(.timeLimit(.minutes(1))) func answersThatNobodyTakesAreBounded() async throws {
    var limits = Listener.Limits()
    limits.unsent = EchoListener.large * 3 / 2
    let echo = try EchoListener(limits: limits)
    let (first, second) = (try RawClient(port: echo.listener.port), try RawClient(port: echo.listener.port))
    try await first.send("GET /large HTTP/1.1\r\nHost: x\r\n\r\n")
    #expect(try await first.receive(17) == 17)
    try await second.send("GET /large HTTP/1.1\r\nHost: x\r\n\r\n")
    #expect(try await second.answer().status == 503)
    // Small answers go on, and there is room again once the large one was taken.
    try await second.send("GET /small HTTP/1.1\r\nHost: x\r\n\r\n")
    #expect(try await second.answer().status == 200)
    #expect(try await first.receive(EchoListener.large) == EchoListener.large)
    try await first.send("GET /small HTTP/1.1\r\nHost: x\r\n\r\n")
    try await second.send("GET /large HTTP/1.1\r\nHost: x\r\n\r\n")
    #expect(try await second.receive(EchoListener.large) == EchoListener.large)
    await echo.listener.stop()
  }

  /// A client that drips its answer in does not keep others from theirs for as long as that takes.
  @Test(.timeLimit(.minutes(1))) func whoeverTakesALargeAnswerSlowlyGivesWay() async throws {
    var limits = Listener.Limits()
    limits.unsent = EchoListener.large * 3 / 2
    let echo = try EchoListener(limits: limits)
    let (first, second) = (try RawClient(port: echo.listener.port), try RawClient(port: echo.listener.port))
    try await first.send("GET /large HTTP/1.1\r\nHost: x\r\n\r\n")
    #expect(try await first.receive(EchoListener.large / 2) == EchoListener.large / 2)
    await echo.clock.waitForSleepers()
    echo.clock.advance(by: .seconds(10))
    // 1 MiB a second is quick enough.
    try await second.send("GET /large HTTP/1.1\r\nHost: x\r\n\r\n")
    #expect(try await second.answer().status == 503)
    await echo.clock.waitForSleepers()
    echo.clock.advance(by: .seconds(90))
    try await second.send("GET /large HTTP/1.1\r\nHost: x\r\n\r\n")
    #expect(try await second.receive(EchoListener.large) == EchoListener.large)
    #expect(try await first.receive(.max) < EchoListener.large / 2)
    await echo.listener.stop()
  }

  @Test(arguments: ["GET / HTTP/1.1\r\nHo", "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\na", ""])
  func headsAndBodiesHaveADeadline(begun: String) async throws {
    let echo = try EchoListener()
    let client = try RawClient(port: echo.listener.port)
    try await client.send(begun)
    try await everythingIsRead(by: echo)
    echo.clock.advance(by: .seconds(62))
    #expect(try await client.rest() == "")
    await echo.listener.stop()
  }

  /// Returns once the listener has read what was sent before. Of what it finds at a time it may read the later first: so it answers somebody
  /// who came later, and then somebody else.
  private func everythingIsRead(by echo: EchoListener) async throws {
    for _ in 1...2 {
      let other = try RawClient(port: echo.listener.port)
      try await other.send("GET /x HTTP/1.1\r\nHost: x\r\n\r\n")
      _ = try await other.answer()
    }
    await echo.clock.waitForSleepers()
  }

  @Test func anAnswerHasADeadlineThoughItAdvances() async throws {
    let echo = try EchoListener()
    let reader = try RawClient(port: echo.listener.port)
    try await reader.send("GET /large HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
    // A minute, and a second for each 64 KiB.
    for seconds in [30, 30 + EchoListener.large >> 16, 1] {
      #expect(try await reader.receive(1 << 20) == 1 << 20)
      await echo.clock.waitForSleepers()
      echo.clock.advance(by: .seconds(seconds))
    }
    await echo.clock.waitForSleepers()
    #expect(try await reader.receive(.max) < EchoListener.large - 3 << 20)
    await echo.listener.stop()
  }

  /// What somebody is doing for a client is cancelled once the client is gone, such as hashing a password.
  @Test(.timeLimit(.minutes(1))) func nothingIsDoneForWhoeverLeft() async throws {
    let (requested, hasAsked) = AsyncStream.makeStream(of: Void.self)
    let (cancelled, wasCancelled) = AsyncStream.makeStream(of: Void.self)
    let (clock, never) = (ManualClock(), ManualClock())
    let listener = try Listener(clock: clock) { _ in
      await withTaskCancellationHandler {
        hasAsked.yield()
        try? await never.sleep(for: .seconds(1))
      } onCancel: {
        wasCancelled.yield()
      }
      return Response(200)
    }
    var client: RawClient? = try RawClient(port: listener.port)
    try await client?.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n")
    var first = requested.makeAsyncIterator()
    #expect(await first.next() != nil)
    client = nil
    await clock.waitForSleepers()
    clock.advance(by: .seconds(1))
    var end = cancelled.makeAsyncIterator()
    #expect(await end.next() != nil)
    await listener.stop()
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

  /// Begins bodies that do not go on, until all of them were read.
  private func drip(_ count: Int, _ echo: EchoListener) async throws -> [RawClient] {
    var dripping: [RawClient] = []
    for number in 0..<count {
      let client = try RawClient(port: echo.listener.port)
      try await client.send("POST /\(number) HTTP/1.1\r\nHost: x\r\nContent-Length: 65000\r\n\r\nxx")
      dripping.append(client)
    }
    let last = try RawClient(port: echo.listener.port)
    try await last.send("GET /last HTTP/1.1\r\nHost: x\r\n\r\n")
    #expect(try await last.answer().body == "GET /last 0")
    return dripping
  }

  @Test func aHeadThatIsOnItsWayOutlastsBodiesThatStoppedBefore() async throws {
    var limits = Listener.Limits()
    limits.connections = 40
    let echo = try EchoListener(limits: limits)
    let before = try await drip(60, echo)
    echo.clock.advance(by: .seconds(1))
    let client = try RawClient(port: echo.listener.port)
    try await client.send("GET /slow HTTP/1.1\r\nHost: x\r\n")
    echo.clock.advance(by: .milliseconds(300))
    let after = try await drip(20, echo)
    try await client.send("\r\n")
    #expect(try await client.answer().body == "GET /slow 0")
    withExtendedLifetime((before, after)) {}
    async let stopped: Void = echo.listener.stop()
    await echo.waitUntilStopping()
    echo.clock.advance(by: .seconds(10))
    await stopped
  }

  @Test func anAnswerThatAdvancesIsSentToItsEnd() async throws {
    var limits = Listener.Limits()
    limits.connections = 40
    let echo = try EchoListener(limits: limits)
    let reader = try RawClient(port: echo.listener.port)
    try await reader.send("GET /large HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
    for _ in 1...3 {
      #expect(try await reader.receive(4 << 20) == 4 << 20)
      await echo.clock.waitForSleepers()
      echo.clock.advance(by: .seconds(2))
    }
    let dripping = try await drip(80, echo)
    #expect(try await reader.receive(.max) > EchoListener.large - 12 << 20)
    withExtendedLifetime(dripping) {}
    async let stopped: Void = echo.listener.stop()
    await echo.waitUntilStopping()
    echo.clock.advance(by: .seconds(10))
    await stopped
  }
}
