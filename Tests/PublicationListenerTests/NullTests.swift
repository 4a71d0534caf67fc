import Foundation
import HTTPTransport
import Runtime
import TestSupport
import Testing

@testable import PublicationListener

/// What libmicrohttpd answers with NULL, and what it is given as NULL.
@Suite struct NullTests {
  @Test func aDaemonThatTheLibraryDoesNotMakeLeavesNothingBehind() {
    // What cannot be waited on, and so is no socket to listen on. The library closes it.
    let descriptor = open("/dev/null", O_RDONLY | O_CLOEXEC)
    #expect(descriptor >= 0)
    weak var left: Daemon?
    do {
      let daemon = Daemon(
        limits: Listener.Limits(), clock: ManualClock(), unknownMethod: { _ in Response(501) }, admission: nil,
        notify: { _ in }, handler: { _ in Response(200) })
      left = daemon
      let isStarted = daemon.start(descriptor)
      #expect(!isStarted)
    }
    #expect(left == nil)
  }

  @Test func anAnswerOfNothingAndAFieldOfNothing() async throws {
    let listener = try Listener(clock: ManualClock()) { request in
      Response(200, headers: ["X-Told": "told \(request.headers["X-Empty"] ?? "none")"])
    }
    let client = try RawClient(port: listener.port)
    for field in ["X-Empty:", "X-Empty: "] {
      try await client.send("GET / HTTP/1.1\r\nHost: x\r\n\(field)\r\n\r\n")
      let answer = try await client.answer()
      #expect(answer.status == 200)
      #expect(answer.fields["x-told"] == "told")
      #expect(answer.body.isEmpty)
    }
    await listener.stop()
  }
}
