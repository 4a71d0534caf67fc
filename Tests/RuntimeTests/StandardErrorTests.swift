import Foundation
import Testing

@testable import Runtime

/// A log that nobody reads stops no program.
@Suite(.timeLimit(.minutes(1))) struct StandardErrorTests {
  @Test func aLineIsWrittenWhole() throws {
    let pipe = Pipe()
    let line = String(repeating: "a", count: 10_000)
    StandardError.write(line + "\n", to: pipe.fileHandleForWriting.fileDescriptor)
    try pipe.fileHandleForWriting.close()
    #expect(try pipe.fileHandleForReading.readToEnd() == Data("\(line)\n".utf8))
  }

  @Test func aFullPipeIsNotWaitedFor() throws {
    let pipe = Pipe()
    let descriptor = pipe.fileHandleForWriting.fileDescriptor
    let line = String(repeating: "a", count: 100_000)
    StandardError.write(line, to: descriptor)
    StandardError.write(line, to: descriptor)
    try pipe.fileHandleForWriting.close()
    let read = try #require(try pipe.fileHandleForReading.readToEnd())
    #expect(read.count >= 4096)
    #expect(read.count < 100_000)
  }

  @Test func aClosedPipeEndsNothing() async {
    await #expect(processExitsWith: .success) {
      signal(SIGPIPE, SIG_IGN)
      let pipe = Pipe()
      try pipe.fileHandleForReading.close()
      StandardError.write("lost", to: pipe.fileHandleForWriting.fileDescriptor)
    }
  }
}
