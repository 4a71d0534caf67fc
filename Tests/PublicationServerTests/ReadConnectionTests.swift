import Foundation
import Patience
import Runtime
import SQLiteStorage
import Synchronization
import Testing

@testable import PublicationServer

/// Who gets a connection to search with, and when.
@Suite struct ReadConnectionTests {
  private let folder: TemporaryFolder
  private let connections: ReadConnections
  private let clock = ManualClock()

  init() throws {
    folder = try TemporaryFolder()
    let path = folder.file("publication.sqlite")
    try Connection(path: path).migrate(Schema.migrations)
    connections = ReadConnections(path, clock: clock)
  }

  /// What came, in its order, and a gate that holds whoever is told to wait.
  private final class Record: Sendable {
    let gate = DispatchSemaphore(value: 0)
    private let names = Mutex<[String]>([])
    var all: [String] { names.withLock { $0 } }
    func add(_ name: String) { names.withLock { $0.append(name) } }
  }

  @Test(.timeLimit(.minutes(10))) func whoComesWhileAllAreBusyWaitsInOrder() async throws {
    let record = Record()
    try await withThrowingTaskGroup(of: Void.self) { [connections] group in
      for number in 1...ReadConnections.most {
        group.addTask {
          try await connections.run(for: "ada") { _ in
            record.add("busy")
            record.gate.wait()
          }
        }
        await until { record.all.count >= number }
      }
      for number in 1...5 {
        group.addTask { try await connections.run(for: "ada") { _ in record.add("\(number)") } }
        await until { connections.waiting >= number }
      }
      // One of them is enough for those who wait, while the other goes on.
      record.gate.signal()
      await until { record.all.count >= ReadConnections.most + 5 }
      #expect(record.all.suffix(5) == ["1", "2", "3", "4", "5"])
      #expect(connections.waiting == 0)
      record.gate.signal()
      try await group.waitForAll()
    }
  }

  /// Three seconds of each of ten accounts would be a quarter of a minute for whoever comes after them. What one used counts for ten times as
  /// long.
  @Test(
    .timeLimit(.minutes(10)),
    arguments: [
      (0, ["other", "ada", "greedy", "greedy"]), (29, ["other", "ada", "greedy", "greedy"]), (30, ["greedy", "greedy", "other", "ada"]),
    ])
  func whoUsedThemTheLeastGoesFirst(secondsLater: Int, expected: [String]) async throws {
    let record = Record()
    let (first, second) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    try await withThrowingTaskGroup(of: Void.self) { [connections, clock] group in
      func read(_ reader: String, _ gate: DispatchSemaphore? = nil) {
        group.addTask {
          try await connections.run(for: reader) { _ in
            record.add(reader)
            gate?.wait()
          }
        }
      }
      read("greedy", first)
      await until { record.all.count == 1 }
      clock.advance(by: .seconds(3))
      first.signal()
      try await group.next()
      clock.advance(by: .seconds(secondsLater))
      for (number, gate) in [first, second].enumerated() {
        read("another", gate)
        await until { record.all.count == 2 + number }
      }
      for (number, reader) in ["greedy", "greedy", "other", "ada"].enumerated() {
        read(reader)
        await until { connections.waiting == number + 1 }
      }
      first.signal()
      await until { record.all.count == 7 }
      #expect(record.all.suffix(4) == expected)
      second.signal()
      try await group.waitForAll()
    }
  }

  /// Otherwise two readers have both always.
  @Test func whoUsedThemALotMayReadForLess() async throws {
    #expect(connections.share(of: "ada", in: .seconds(3)) == .seconds(3))
    for used in [2, 2] {
      try await connections.run(for: "ada") { [clock] _ in clock.advance(by: .seconds(used)) }
      #expect(connections.share(of: "other", in: .seconds(3)) == .seconds(3))
    }
    #expect(connections.share(of: "ada", in: .seconds(3)) == .milliseconds(300))
    clock.advance(by: .seconds(28))
    #expect(connections.share(of: "ada", in: .seconds(3)) == .seconds(2))
    clock.advance(by: .seconds(28))
    #expect(connections.share(of: "ada", in: .seconds(3)) == .seconds(3))
  }

  @Test func whatFailsGivesItsConnectionBack() async throws {
    for _ in 0...ReadConnections.most {
      await #expect(throws: CancellationError.self) { try await connections.run(for: "ada") { _ in throw CancellationError() } }
    }
    #expect(try await connections.run(for: "ada") { try $0.queryOne("SELECT count(*) FROM post") { try $0.get(0, as: Int.self) } } == 0)
  }

  @Test func nobodySearchesOnceTheyAreClosed() async throws {
    try await connections.run(for: "ada") { _ in }
    await connections.close()
    await #expect(throws: Publication.Failure.closed) { try await connections.run(for: "ada") { _ in } }
  }
}
