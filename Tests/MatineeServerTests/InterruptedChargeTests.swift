import CurlTransport
import Foundation
import HTTPTransport
import Patience
import PublicationAPI
import SQLiteStorage
import Testing

/// The server ends while the payment provider is being asked for a charge.
@Suite struct InterruptedChargeTests: ServerRig {
  let folder: Folder
  init() throws { folder = try Folder() }

  /// Begins an order.
  /// - Returns: the request that charges it.
  private func beginOrder(
    _ id: String, of product: String, _ transport: NetworkTransport, _ headers: Headers
  ) async throws -> Request {
    let begun = Request(.put, "/v1/orders/\(id)", headers: headers, body: try Wire.encode(OrderRequest(productID: product)))
    #expect(try await transport.send(begun).status == 201)
    return Request(
      .post, "/v1/orders/\(id)/charge", headers: headers, body: try Wire.encode(ChargeRequest(paymentToken: "tok_approved")))
  }

  @Test func aServerIsKilledBetweenChargeAndRecord() async throws {
    try await addUser()
    let delayed = try await RunningServer(folder: data, environment: ["MATINEE_LEDGER_DELAY_MS": "3000"])
    let transport = try NetworkTransport(origin: delayed.origin)
    let (id, headers) = (UUID().uuidString, try await authorization(transport))
    let charge = try await beginOrder(id, of: "premium.monthly", transport, headers)
    let lost = Task { try await transport.send(charge) }
    try await FileWatch(folder: data).wait(for: "ledger.jsonl", toHold: "\"ch_1\"")
    #expect(try await delayed.end(SIGKILL) == -SIGKILL)
    await #expect(throws: TransportError.self) { try await lost.value }

    let server = try await RunningServer(folder: data)
    let again = try await NetworkTransport(origin: server.origin).send(charge)
    #expect(again.status == 200)
    let order = try Wire.decode(Order.self, from: again.body)
    #expect(order.state == .paid)
    #expect(order.receipt != nil)
    #expect(try await server.end(SIGTERM) == 0)
    let ledger = try String(contentsOfFile: data + "/ledger.jsonl", encoding: .utf8).split(separator: "\n")
    #expect(ledger.allSatisfy { $0.contains("\"key\":\"\(id)\"") && $0.contains("\"charge\":\"ch_1\"") })
    #expect(ledger.count >= 2)
  }

  /// Charges that wait for an approval are asked about again at each start; the next start goes on where this one was told to stop.
  @Test func aServerThatResumesChargesIsStopped() async throws {
    try await addUser()
    let orders = try await deferredOrders(3)
    // Longer than the grace: it ends while the ledger keeps the answer back about the first one.
    let slow = try await RunningServer(folder: data, environment: ["MATINEE_LEDGER_DELAY_MS": "20000"])
    try await FileWatch(folder: data).wait(for: "ledger.jsonl", toHold: "\"call\":4")
    #expect(try await slow.end(SIGTERM) == 0)
    #expect(try ledgerIsBusy())
    #expect(try ledger().map(\.key) == orders + [orders[0]])

    // Within the grace: the one that is under way is waited for, and none is begun any more.
    let patient = try await RunningServer(folder: data, environment: ["MATINEE_LEDGER_DELAY_MS": "2000"])
    try await FileWatch(folder: data).wait(for: "ledger.jsonl", toHold: "\"call\":5")
    #expect(try await patient.end(SIGTERM) == 0)
    #expect(try await patient.errors == "")
    #expect(try ledger().map(\.key) == orders + [orders[0], orders[0]])

    let server = try await RunningServer(folder: data)
    try await FileWatch(folder: data).wait(for: "ledger.jsonl", toHold: "\"call\":8")
    for order in orders { #expect(try await Server.run(["order", "approve", "--data", data, order]).status == 0) }
    #expect(try await server.end(SIGTERM) == 0)
    let entries = try ledger()
    #expect(entries.map(\.key) == orders + [orders[0], orders[0]] + orders + orders)
    #expect(entries.filter { $0.result == "charged" }.map(\.key) == orders)
  }

  /// A charge that a reader waits for while the server is stopped.
  @Test func aChargeUnderWayIsWrittenDownBeforeTheEnd() async throws {
    try await addUser()
    let server = try await RunningServer(folder: data, environment: ["MATINEE_LEDGER_DELAY_MS": "2000"])
    let transport = try NetworkTransport(origin: server.origin)
    let order = UUID().uuidString
    let headers = try await authorization(transport)
    let charge = try await beginOrder(order, of: "passes.5", transport, headers)
    async let charged = transport.send(charge)
    try await FileWatch(folder: data).wait(for: "ledger.jsonl", toHold: "\"ch_1\"")
    #expect(try await server.end(SIGTERM) == 0)
    #expect(try await charged.status == 200)
    #expect(try await server.errors == "")
    let listed = try await Server.run(["order", "list", "--state", "paid", "--data", data])
    #expect(listed.output.contains(order))
    // Nothing was left open that the next start would ask about again.
    let again = try await RunningServer(folder: data)
    #expect(try await NetworkTransport(origin: again.origin).send(charge).status == 200)
    #expect(try await again.end(SIGTERM) == 0)
    #expect(try ledger().map(\.key) == [order])
  }

  /// The provider answers after the grace is over: the charge goes on at the next start, as after a crash.
  @Test func aChargeThatOutlastsTheGraceGoesOnAtTheNextStart() async throws {
    try await addUser()
    let server = try await RunningServer(folder: data, environment: ["MATINEE_LEDGER_DELAY_MS": "20000"])
    let transport = try NetworkTransport(origin: server.origin)
    let (order, headers) = (UUID().uuidString, try await authorization(transport))
    let charge = try await beginOrder(order, of: "passes.5", transport, headers)
    async let charged = transport.send(charge)
    try await FileWatch(folder: data).wait(for: "ledger.jsonl", toHold: "\"ch_1\"")
    #expect(try await server.end(SIGTERM) == 0)
    let answer = try await charged
    #expect(answer.status == 503)
    #expect(try Wire.decode(Problem.self, from: answer.body).title == "The publication is being stopped. Try again in a moment.")

    let next = try await RunningServer(folder: data)
    let again = try await NetworkTransport(origin: next.origin).send(charge)
    #expect(again.status == 200)
    #expect(try Wire.decode(Order.self, from: again.body).state == .paid)
    #expect(try await next.end(SIGTERM) == 0)
    // The provider was asked again under the same key, and has charged once.
    let ledger = try String(contentsOfFile: data + "/ledger.jsonl", encoding: .utf8).split(separator: "\n")
    #expect(ledger.count >= 2)
    #expect(ledger.allSatisfy { $0.contains("\"key\":\"\(order)\"") && $0.contains("\"charge\":\"ch_1\"") })
  }

  /// The provider takes one after the other, so that the last ones have not reached it when the grace is over.
  @Test(.timeLimit(.minutes(2))) func chargesOfManyReadersThatOutlastTheGraceGoOnAtTheNextStart() async throws {
    try await addUser()
    let others = (1...5).map { "reader\($0)@example.org" }
    for email in others {
      #expect(try await Server.run(["user", "add", "--data", data, email, "Reader"], input: "open sesame\n").status == 0)
    }
    let server = try await RunningServer(folder: data, environment: ["MATINEE_LEDGER_DELAY_MS": "5000"])
    let transport = try NetworkTransport(origin: server.origin)
    var charges: [(order: String, request: Request)] = []
    for email in ["ada@example.org"] + others {
      let order = UUID().uuidString
      let headers = try await authorization(of: email, transport)
      charges.append((order, try await beginOrder(order, of: "passes.5", transport, headers)))
    }
    let answers = charges.map { charge in
      let request = charge.request
      return Task { try await transport.send(request) }
    }
    do {
      let database = try Connection(path: data + "/publication.sqlite")
      try await until { try database.queryOne("SELECT count(*) FROM attempt") { try $0.get(0, as: Int.self) } == charges.count }
    }
    try await FileWatch(folder: data).wait(for: "ledger.jsonl", toHold: "\"ch_1\"")
    #expect(try await server.end(SIGTERM) == 0)
    // Every five seconds there is another one: with the fifth systemd would have killed the server.
    #expect(try ledger().count <= 4)
    var statuses: [Int] = []
    for answer in answers { statuses.append(try await answer.value.status) }
    #expect(statuses.allSatisfy([200, 503].contains) && statuses.contains(503), "\(statuses)")

    let next = try await RunningServer(folder: data)
    let again = try NetworkTransport(origin: next.origin)
    for charge in charges {
      let answer = try await again.send(charge.request)
      #expect(answer.status == 200)
      #expect(try Wire.decode(Order.self, from: answer.body).state == .paid)
    }
    #expect(try await next.end(SIGTERM) == 0)
    let entries = try ledger()
    #expect(entries.allSatisfy { $0.result == "charged" })
    #expect(Set(entries.map(\.key)) == Set(charges.map(\.order)))
    // However often the provider was asked about an order, it has charged once.
    #expect(Set(entries.map { "\($0.key) \($0.charge ?? "")" }).count == charges.count)
    #expect(Set(entries.map(\.charge)).count == charges.count)
  }

  private func authorization(of email: String, _ transport: NetworkTransport) async throws -> Headers {
    let credentials = try Wire.encode(Credentials(email: email, password: "open sesame"))
    let response = try await transport.send(Request(.post, "/v1/session", body: credentials))
    return ["Authorization": "Bearer \(try Wire.decode(SignedIn.self, from: response.body).accessToken)"]
  }

  /// Orders in the sequence that a start asks about them in, each waiting for an approval.
  private func deferredOrders(_ count: Int) async throws -> [String] {
    let server = try await RunningServer(folder: data)
    let transport = try NetworkTransport(origin: server.origin)
    let headers = try await authorization(transport)
    let orders = (1...count).map { _ in UUID().uuidString }.sorted()
    for order in orders {
      _ = try await transport.send(
        Request(.put, "/v1/orders/\(order)", headers: headers, body: try Wire.encode(OrderRequest(productID: "passes.5"))))
      let charged = try await transport.send(
        Request(
          .post, "/v1/orders/\(order)/charge", headers: headers, body: try Wire.encode(ChargeRequest(paymentToken: "tok_deferred"))))
      #expect(charged.status == 202)
    }
    #expect(try await server.end(SIGTERM) == 0)
    return orders
  }

  /// Whether a ledger has its file locked.
  private func ledgerIsBusy() throws -> Bool {
    let file = open(data + "/ledger.jsonl", O_RDONLY)
    defer { close(file) }
    return flock(file, LOCK_SH | LOCK_NB) != 0
  }

  private struct LedgerEntry: Decodable {
    let key: String
    let result: String
    let charge: String?
  }

  private func ledger() throws -> [LedgerEntry] {
    let text = try String(contentsOfFile: data + "/ledger.jsonl", encoding: .utf8)
    return try text.split(separator: "\n").map { try JSONDecoder().decode(LedgerEntry.self, from: Data($0.utf8)) }
  }
}
