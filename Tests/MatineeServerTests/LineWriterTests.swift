import CurlTransport
import Foundation
import HTTPTransport
import Runtime
import TestSupport
import Testing

@testable import MatineeServer

/// A standard error that nobody reads, or that is closed.
@Suite struct LineWriterTests: ServerRig {
  let folder: Folder
  init() throws { folder = try Folder() }

  /// Fills a pipe, so that whoever writes to it next waits.
  /// - Returns: how much is in it.
  private func fill(_ pipe: Pipe) -> Int {
    let descriptor = pipe.fileHandleForWriting.fileDescriptor
    let flags = fcntl(descriptor, F_GETFL)
    _ = fcntl(descriptor, F_SETFL, flags | O_NONBLOCK)
    defer { _ = fcntl(descriptor, F_SETFL, flags) }
    let part = [UInt8](repeating: UInt8(ascii: "."), count: 4096)
    var count = 0
    while case let written = write(descriptor, part, part.count), written > 0 { count += written }
    return count
  }

  @Test func whatDoesNotFitIsCounted() throws {
    let pipe = Pipe()
    let filled = fill(pipe)
    let writer = LineWriter(pipe.fileHandleForWriting.fileDescriptor, room: 20)
    for number in 1...5 { writer.write("line \(number)") }
    let expected = "line 1\nline 2\n3 lines were left out here, since nobody read them in time.\n"
    let read = pipe.fileHandleForReading.readData(ofLength: filled + expected.utf8.count)
    #expect(String(decoding: read.dropFirst(filled), as: UTF8.self) == expected)
    writer.finish(within: .seconds(60))
    writer.write("line 6")
    #expect(String(decoding: pipe.fileHandleForReading.readData(ofLength: 7), as: UTF8.self) == "line 6\n")
    withExtendedLifetime(pipe) {}
  }

  @Test func whoeverEndsDoesNotWaitForAReader() {
    let pipe = Pipe()
    _ = fill(pipe)
    let writer = LineWriter(pipe.fileHandleForWriting.fileDescriptor)
    writer.write("line")
    writer.finish(within: .milliseconds(1))
    // The thread that waits for a reader ends with one.
    #expect(!pipe.fileHandleForReading.availableData.isEmpty)
    writer.finish(within: .seconds(60))
    withExtendedLifetime(pipe) {}
  }

  enum Reader: CaseIterable { case gone, asleep }

  /// The request makes the server say something: see ``ServeTests/aProxyThatIsNotNamedIsWarnedOfOnce()``.
  @Test(.timeLimit(.minutes(2)), arguments: Reader.allCases) func aServerGoesOnWhenNobodyReadsWhatItSays(reader: Reader) async throws {
    try await addUser()
    let errors = Pipe()
    if reader == .asleep { _ = fill(errors) } else { try errors.fileHandleForReading.close() }
    let server = try await RunningServer(folder: data, unread: errors)
    let transport = try NetworkTransport(origin: server.origin)
    for _ in 1...3 {
      let response = try await transport.send(Request(.get, "/v1/publication", headers: ["X-Forwarded-For": "203.0.113.5"]))
      #expect(response.status == 200)
    }
    #expect(try await server.end(SIGTERM) == 0)
    withExtendedLifetime(errors) {}
  }
}
