import CurlTransport
import Foundation
import HTTPTransport
import PublicationAPI
import PublicationServer
import SQLiteStorage
import Testing

/// `matinee-server order` and `key`, whether the publication is being served or nobody has it open.
@Suite struct OrderCommandTests: ServerRig {
  let folder: Folder
  init() throws { folder = try Folder() }

  private func order(_ number: Int) -> String { String(format: "00000000-0000-0000-0000-%012d", number) }

  @Test func everyOrderIsListedWhileItIsServedAndWhileItIsNot() async throws {
    try await Server.makeSample(data)
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

  @Test func theOperatorReachesTheServerThatRuns() async throws {
    try await addUser()
    let server = try await RunningServer(folder: data)
    let transport = try NetworkTransport(origin: server.origin)
    let headers = try await authorization(transport)
    let id = UUID().uuidString
    func order() async throws -> Order {
      try Wire.decode(from: try await transport.send(Request(.get, "/v1/orders/\(id)", headers: headers)).body)
    }
    _ = try await transport.send(
      Request(.put, "/v1/orders/\(id)", headers: headers, body: try Wire.encode(OrderRequest(productID: "passes.5"))))
    let charge = Request(
      .post, "/v1/orders/\(id)/charge", headers: headers, body: try Wire.encode(ChargeRequest(paymentToken: "tok_deferred")))
    #expect(try await transport.send(charge).status == 202)
    let number = try #require(try await order().number)
    let attributes = try FileManager.default.attributesOfItem(atPath: data + "/operator.json")
    #expect(attributes[.posixPermissions] as? Int == 0o600)

    let listed = try await Server.run(["order", "list", "--state", "deferred", "--data", data])
    let begun = try await order().created.formatted(.iso8601)
    #expect(
      listed
        == Server.Outcome(
          status: 0, output: "\(number)\t\(id)\tdeferred\tpasses.5\t350 EUR\t\(begun)\tada@example.org\n", errors: ""))
    let json = try await Server.run(["order", "list", "--json", "--data", data])
    let line = try Wire.decode(ListedOrder.self, from: Data(json.output.utf8))
    #expect((line.order.id, line.order.state, line.reader) == (id, .deferred, "ada@example.org"))
    let approved = try await Server.run(["order", "approve", "--data", data, number])
    #expect(approved == Server.Outcome(status: 0, output: "Order \(number) is paid.\n", errors: ""))
    #expect(try await order().state == .paid)
    let again = try await Server.run(["order", "decline", "--data", data, id])
    #expect(again.status == 1)
    #expect(again.errors == "matinee-server: This order is paid, and waits for no approval.\n")
    let rotated = try await Server.run(["key", "rotate", "--algorithm", "eddsa", "--data", data])
    #expect(rotated.output.wholeMatch(of: /Receipts are signed with \S+ \(EdDSA\) from now on.\n/) != nil)
    let keys = try Wire.decode(KeySet.self, from: try await transport.send(Request(.get, "/v1/keys")).body)
    #expect(keys.keys.map(\.alg) == ["EdDSA", "ES256"])
    #expect(try await server.end(SIGTERM) == 0)
    #expect(!FileManager.default.fileExists(atPath: data + "/operator.json"))

    // The same without a server.
    let refunded = try await Server.run(["order", "refund", "--reason", "So sorry.", "--data", data, number])
    #expect(refunded == Server.Outcome(status: 0, output: "Order \(number) is refunded.\n", errors: ""))
    let unknown = try await Server.run(["order", "refund", "--data", data, "AAAA-AAAA"])
    #expect(unknown == Server.Outcome(status: 1, output: "", errors: "matinee-server: There is no order “AAAA-AAAA”.\n"))
    let restarted = try await RunningServer(folder: data)
    let late = try await NetworkTransport(origin: restarted.origin).send(Request(.get, "/v1/orders/\(id)", headers: headers))
    #expect(try Wire.decode(Order.self, from: late.body).refundReason == "So sorry.")
    #expect(try await restarted.end(SIGTERM) == 0)
    let ledger = try String(contentsOfFile: data + "/ledger.jsonl", encoding: .utf8).split(separator: "\n")
    #expect(ledger.count { $0.contains("\"result\":\"charged\"") } == 1)
    #expect(ledger.count { $0.contains("\"result\":\"refunded\"") } == 1)
  }
}
