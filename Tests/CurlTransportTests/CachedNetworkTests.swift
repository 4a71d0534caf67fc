import Foundation
import HTTPTransport
import Patience
import Runtime
import TestSupport
import Testing

@testable import CurlTransport

/// What hostile and broken servers can do to kept answers over a real connection: nothing.
@Suite final class CachedNetworkTests {
  private let clock = ManualClock()
  private let folder = FileManager.default.temporaryDirectory.appendingPathComponent("answers-\(UUID().uuidString)")

  deinit { try? FileManager.default.removeItem(at: folder) }

  private func transport(_ server: LoopbackServer, _ change: (inout NetworkTransport.Limits) -> Void = { _ in }) throws -> CachingTransport
  {
    var limits = NetworkTransport.Limits()
    limits.body = 1 << 20
    change(&limits)
    let network = try NetworkTransport(origin: server.origin, limits: limits)
    return CachingTransport(network, folder: folder.path, limit: 1 << 22, largest: 1 << 20, clock: clock)
  }

  private var fileCount: Int { (try? FileManager.default.contentsOfDirectory(atPath: folder.path))?.count ?? 0 }

  private static let head = Data("HTTP/1.1 200 OK\r\nContent-Type: image/png\r\nCache-Control: max-age=60\r\n\r\n".utf8)

  @Test func aPictureIsAskedOnceThenConfirmed() async throws {
    let body = Data((0..<100_000).map { UInt8(truncatingIfNeeded: $0) })
    let server = try LoopbackServer { request in
      request.field("If-None-Match") == "\"1\""
        ? .answer(304, fields: ["ETag: \"1\""]) : .answer(200, fields: ["ETag: \"1\"", "Cache-Control: max-age=60"], body: body)
    }
    for pass in 1...2 {
      for _ in 0..<3 { #expect(try await transport(server).send(Request(.get, "/a")).body == body) }
      #expect(server.received.count == pass)
      clock.advance(by: .seconds(61))
    }
    #expect(server.received.last?.field("If-None-Match") == "\"1\"")
  }

  @Test func aBodyWithoutEndEndsAtTheLimit() async throws {
    let server = try LoopbackServer { _ in .flood(Data(repeating: 0x41, count: 65_536), after: Self.head) }
    let transport = try transport(server)
    await #expect(throws: TransportError.tooLarge(limit: 1 << 20)) { try await transport.send(Request(.get, "/a")) }
    #expect(fileCount == 0)
  }

  @Test func aBodyThatNeverComesEndsInTime() async throws {
    let server = try LoopbackServer { _ in .hang(after: Self.head + Data([1, 2, 3])) }
    let transport = try transport(server) { $0.total = .seconds(1) }
    await #expect(throws: TransportError.timedOut) { try await transport.send(Request(.get, "/a")) }
    #expect(fileCount == 0)
  }

  @Test func aServerThatSaysNoMoreIsGivenUpWithItsReader() async throws {
    let server = try LoopbackServer { _ in .hang(after: Self.head + Data([1, 2, 3])) }
    let transport = try transport(server)
    let task = Task { try await transport.send(Request(.get, "/a")) }
    await until { !server.received.isEmpty }
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(fileCount == 0)
  }

  @Test func whatWasCutOffIsNotKept() async throws {
    let server = try LoopbackServer { _ in .raw("HTTP/1.1 200 OK\r\nContent-Length: 100\r\nCache-Control: max-age=60\r\n\r\nonly this") }
    let transport = try transport(server)
    for _ in 0..<2 { await #expect(throws: TransportError.self) { try await transport.send(Request(.get, "/a")) } }
    #expect(server.received.count == 2)
    #expect(fileCount == 0)
  }

  @Test func aKeptPictureSurvivesItsServer() async throws {
    let body = Data(repeating: 3, count: 5000)
    var server: LoopbackServer? = try LoopbackServer { _ in .answer(200, fields: ["Cache-Control: max-age=60"], body: body) }
    let url = try #require(server?.origin) + "/a"
    let web = CachingTransport(
      try NetworkTransport(origin: nil), folder: folder.path, limit: 1 << 22, largest: 1 << 20, clock: clock)
    #expect(try await web.send(Request(.get, url)).body == body)
    server = nil
    clock.advance(by: .seconds(3600))
    #expect(try await web.send(Request(.get, url)).body == body)
  }
}
