import Foundation
import Runtime
import Testing

@Suite struct ChildProcessTests {
  private let executor = ThreadExecutor(name: "waiting")

  private func output(_ program: String, _ arguments: [String], environment: [String: String]? = nil) async throws -> String {
    let (output, child) = (Pipe(), Pipe())
    try child.fileHandleForWriting.close()
    let process = try ChildProcess(
      program, arguments, environment: environment, input: child.fileHandleForReading.fileDescriptor,
      output: output.fileHandleForWriting.fileDescriptor)
    try output.fileHandleForWriting.close()
    return try await executor.run {
      let text = output.fileHandleForReading.readDataToEndOfFile()
      _ = process.wait()
      return String(decoding: text, as: UTF8.self)
    }
  }

  private func ending(_ process: ChildProcess) async throws -> ChildProcess.Ending { try await executor.run { process.wait() } }

  @Test func howItEnds() async throws {
    #expect(try await ending(ChildProcess("/bin/sh", ["-c", "exit 7"])) == .exit(7))
    #expect(try await ending(ChildProcess("/bin/sh", ["-c", "kill -KILL $$"])) == .signal(SIGKILL))
    let waiting = try ChildProcess("/bin/sleep", ["60"])
    #expect(waiting.hasEnded == false)
    waiting.signal(SIGTERM)
    #expect(try await ending(waiting) == .signal(SIGTERM))
    #expect(waiting.hasEnded)
    waiting.signal(SIGKILL)
    #expect(try await ending(waiting) == .signal(SIGTERM))
  }

  @Test func aProgramThatIsNotThere() {
    #expect {
      try ChildProcess("/nothing/here", [])
    } throws: {
      ($0 as? ChildProcess.Failure)?.description == "/nothing/here cannot be started: No such file or directory"
    }
  }

  @Test func wordsAndEnvironmentArriveAsTheyAre() async throws {
    #expect(try await output("/bin/echo", ["a b", "$HOME", "ä"]) == "a b $HOME ä\n")
    #expect(try await output("/usr/bin/env", [], environment: ["A": "1=2"]) == "A=1=2\n")
  }

  @Test func nothingElseIsInherited() async throws {
    let pipes = (0..<5).map { _ in Pipe() }
    for pipe in pipes {
      // Open across an exec, as Foundation's own sockets are.
      for handle in [pipe.fileHandleForReading, pipe.fileHandleForWriting] { _ = fcntl(handle.fileDescriptor, F_SETFD, 0) }
    }
    let suspended = try await output("/bin/sh", ["-c", "ls /proc/self/fd"])
    // 3 is the folder that ls itself reads.
    #expect(suspended == "0\n1\n2\n3\n")
  }

  @Test func manyAtOnceAreEachWaitedFor() async throws {
    try await withThrowingTaskGroup(of: Void.self) { group in
      for status in Int32(0)..<40 {
        group.addTask {
          let executor = ThreadExecutor(name: "one")
          let process = try ChildProcess("/bin/sh", ["-c", "exit \(status)"])
          #expect(try await executor.run { process.wait() } == .exit(status))
        }
      }
      try await group.waitForAll()
    }
  }
}
