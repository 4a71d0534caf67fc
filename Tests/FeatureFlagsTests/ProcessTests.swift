import FeatureFlags
import Foundation
import Runtime
import Testing

/// Crashes of real processes.
@MainActor @Suite struct ProcessTests {
  /// A program that runs a session, from the moment at which its marker is on the disk.
  private final class Program: Sendable {
    struct NotRunning: Error { let said: String }

    private let child: ChildProcess
    private let input = Pipe()
    private let executor = ThreadExecutor(name: "flags-probe")

    init(_ file: String) async throws {
      let output = Pipe()
      child = try ChildProcess(
        Self.path, [file], input: input.fileHandleForReading.fileDescriptor, output: output.fileHandleForWriting.fileDescriptor)
      try output.fileHandleForWriting.close()
      let said = try await executor.run {
        var said = Data()
        while said.last != UInt8(ascii: "\n") {
          let byte = output.fileHandleForReading.readData(ofLength: 1)
          if byte.isEmpty { break }
          said += byte
        }
        return String(decoding: said, as: UTF8.self)
      }
      guard said == "running\n" else { throw NotRunning(said: said) }
    }

    deinit {
      child.signal(SIGKILL)
      _ = child.wait()
    }

    func kill() async throws -> ChildProcess.Ending {
      child.signal(SIGKILL)
      return try await executor.run { [child] in child.wait() }
    }

    func quit() async throws -> ChildProcess.Ending {
      try input.fileHandleForWriting.close()
      return try await executor.run { [child] in child.wait() }
    }

    /// Built beside the tests.
    private static let path = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent()
      .appending(path: "FlagsProbe").path
  }

  /// What the next start finds.
  private func taken(_ file: String) async throws -> [String] {
    let server = Server()
    let run = try Run(server, path: file)
    await run.start("reader")
    await run.quit()
    return server.taken("reader")
  }

  @Test func aKilledProcessCountsAndOneThatQuitDoesNot() async throws {
    let (killed, quit) = (try Folder(), try Folder())
    let (first, second) = (try await Program(killed.file), try await Program(quit.file))
    #expect(try await first.kill() == .signal(SIGKILL))
    // The other still runs, over a folder of its own, and is none of this one's crashes.
    #expect(try await taken(killed.file) == ["exposed new=on", "crashed new=on"])
    #expect(try await second.quit() == .exit(0))
    #expect(try await taken(quit.file) == ["exposed new=on"])
  }
}
