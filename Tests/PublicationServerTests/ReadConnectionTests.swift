import Foundation
import Patience
import SQLiteStorage
import Synchronization
import Testing

@testable import PublicationServer

/// Who gets a connection to search with, and when.
@Suite struct ReadConnectionTests {
  private let folder: TemporaryFolder
  private let connections: ReadConnections

  init() throws {
    folder = try TemporaryFolder()
    let path = folder.file("publication.sqlite")
    try Connection(path: path).migrate(Schema.migrations)
    connections = ReadConnections(path)
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
          try await connections.run { _ in
            record.add("busy")
            record.gate.wait()
          }
        }
        await until { record.all.count >= number }
      }
      for number in 1...5 {
        group.addTask { try await connections.run { _ in record.add("\(number)") } }
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

  @Test func whatFailsGivesItsConnectionBack() async throws {
    for _ in 0...ReadConnections.most {
      await #expect(throws: CancellationError.self) { try await connections.run { _ in throw CancellationError() } }
    }
    #expect(try await connections.run { try $0.queryOne("SELECT count(*) FROM post") { try $0.get(0, as: Int.self) } } == 0)
  }

  @Test func nobodySearchesOnceTheyAreClosed() async throws {
    try await connections.run { _ in }
    await connections.close()
    await #expect(throws: Publication.Failure.closed) { try await connections.run { _ in } }
  }
}
