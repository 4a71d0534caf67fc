import Foundation
import PublicationServer
import SQLiteStorage
import TestSupport
import Testing

/// `matinee-server order list`, with more orders than a page has.
@Suite struct OrderCommandTests {
  private let folder: Folder
  private var data: String { folder.file("data") }

  init() async throws {
    _ = modulesAreSetUp
    folder = try Folder()
    try await Server.makeSample(folder.file("data"))
  }

  private func order(_ number: Int) -> String { String(format: "00000000-0000-0000-0000-%012d", number) }

  @Test func everyOrderIsListedWhileItIsServedAndWhileItIsNot() async throws {
    do {
      let database = try Connection(path: data + "/" + Publication.databaseName)
      try database.transaction {
        try database.execute("INSERT INTO reader (id, email, name, password) VALUES ('r', 'ada@example.org', 'Ada', '')")
        for number in 1...1001 {
          try database.execute(
            """
            INSERT INTO purchase (id, reader, product, kind, entitlement, total, currency, state, created, code)
            VALUES (?1, 'r', 'premium.monthly', 'subscription', 'premium', 490, 'EUR', ?2, 0, ?1)
            """, order(number), number == 1 ? "declined" : "open")
        }
      }
    }
    /// Newest first.
    func listed(_ more: String...) async throws -> [String] {
      let list = try await Server.run(["order", "list", "--data", data] + more)
      #expect((list.status, list.errors) == (0, ""))
      return list.output.split(separator: "\n").map { String($0.split(separator: "\t")[1]) }
    }
    let all = (1...1001).reversed().map(order)
    #expect(try await listed() == all)
    #expect(try await listed("--state", "open") == all.dropLast())
    let server = try await RunningServer(folder: data)
    #expect(try await listed() == all)
    #expect(try await listed("--state", "declined") == [order(1)])
    #expect(try await server.end(SIGTERM) == 0)
  }
}
