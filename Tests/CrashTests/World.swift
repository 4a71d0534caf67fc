import CurlTransport
import Foundation
import HTTPTransport
import PublicationAPI
import PublicationServer
import PurchaseService
import Runtime
import SQLiteStorage

@testable import CrashProbe

/// A publication, its payment provider and one client at a time, each a process of its own, and the wire between them.
///
/// An actor on a thread of its own, which may wait for processes.
actor World {
  private nonisolated let executor = ThreadExecutor(name: "crash-world")
  nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  struct Reader {
    let id: String
    let token: String
  }

  let ledger: LedgerFile
  let events: AsyncStream<Event>
  let tell: @Sendable (Event) -> Void
  private let folder: String
  private let wire: Relay
  private let log: FileHandle
  private var readers: [Reader] = []
  private var server: ServerProcess?
  private var client: ClientProcess?
  private var clients = 0
  private var lock: Connection?
  private var bank: Task<Void, Never>?

  /// - Parameter readers: how many readers there are to be, each for one case.
  init(readers count: Int) async throws {
    folder = NSTemporaryDirectory() + "matinee-crash-\(UUID().uuidString)"
    let (events, continuation) = AsyncStream.makeStream(of: Event.self)
    self.events = events
    tell = { continuation.yield($0) }
    let publication = folder + "/publication"
    try FileManager.default.createDirectory(atPath: publication, withIntermediateDirectories: true)
    guard FileManager.default.createFile(atPath: folder + "/log", contents: nil), let log = FileHandle(forWritingAtPath: folder + "/log")
    else { throw CocoaError(.fileNoSuchFile) }
    self.log = log
    ledger = LedgerFile(path: publication + "/ledger.jsonl")
    wire = try Relay(tell: tell)
    readers = try await Self.found(publication, readers: count)
    try startServer()
  }

  /// Ends every process, and takes the folder away.
  func close() {
    bank?.cancel()
    killClient()
    ledger.letGo()
    ledger.stopWatching()
    server = nil
    ledger.killProcesses()
    lock = nil
    wire.lead(to: nil)
    wire.close()
    try? FileManager.default.removeItem(atPath: folder)
  }

  /// A publication that sells, and readers who are signed in.
  private static func found(_ folder: String, readers count: Int) async throws -> [Reader] {
    let clock = SystemClock()
    let gateway = LedgerGateway(program: LedgerGateway.besideThisProgram, file: folder + "/ledger.jsonl")
    let publication = try await Publication(folder: folder, gateway: gateway, clock: clock, passwordCost: .none)
    var content = try SampleContent.publication(openedAt: clock.now)
    (content.posts, content.pictures, content.accounts) = ([], [], [])
    try await publication.install(content)
    var readers: [Reader] = []
    for number in 0..<count {
      let credentials = Credentials(email: "reader\(number)@example.org", password: "open sesame")
      let reader = try await publication.addReader(email: credentials.email, name: "Reader", password: credentials.password)
      let answer = await publication.handle(Request(.post, "/v1/session", body: try Wire.encode(credentials)))
      readers.append(Reader(id: reader.id, token: try Wire.decode(SignedIn.self, from: answer.body).accessToken))
    }
    await publication.close()
    return readers
  }

  /// A reader who has nothing yet, for one case.
  func nextReader() -> Reader? { readers.popLast() }

  // MARK: The server

  private func startServer() throws {
    let started = try ServerProcess(folder: folder + "/publication", log: log.fileDescriptor)
    server = started
    wire.lead(to: started.port)
  }

  func killServer() {
    wire.lead(to: nil)
    server?.kill()
    server = nil
  }

  /// Starts it again if it is not there.
  func mendServer() throws { if server == nil { try startServer() } }

  /// What the server has of a reader, without the relay.
  func orders(of reader: Reader) async throws -> [Order] { try await ask("/v1/orders", reader) }

  /// How many article passes a reader has.
  func passes(of reader: Reader) async throws -> Int {
    let balances: [Balance] = try await ask("/v1/balances", reader)
    return balances.first { $0.type == Balance.articlePass }?.amount ?? 0
  }

  private func ask<Answer: Decodable>(_ path: String, _ reader: Reader) async throws -> Answer {
    let transport = try NetworkTransport(origin: "http://127.0.0.1:\(server?.port ?? 0)")
    let answer = try await transport.send(Request(.get, path, headers: ["Authorization": "Bearer \(reader.token)"]))
    return try Wire.decode(Answer.self, from: answer.body)
  }

  // MARK: The bank

  /// Says yes to what a reader's orders wait for, as often as it takes: over the wire, like the client. Tells when nothing waits any more.
  func askBank(about reader: Reader) {
    guard bank == nil else { return }
    bank = Task { [tell] in
      // A server that was killed is there again in a moment.
      while !Task.isCancelled, (try? await self.nothingWaits(for: reader)) != true {
        try? await SystemClock().sleep(for: .milliseconds(10))
      }
      self.bank = nil
      tell(.bankAnswered)
    }
  }

  private func nothingWaits(for reader: Reader) async throws -> Bool {
    // Without a page the reader has confirmed, or the client has yet to be told of one: it is for the client to go on.
    guard let order = try await orders(of: reader).first(where: { $0.state == .deferred || $0.actionURL != nil }) else { return true }
    let network = try NetworkTransport(origin: wire.origin)
    if let page = order.actionURL.flatMap(URL.init(string:)) {
      _ = try await network.send(Request(.post, page.path + "/approve"))
    } else {
      struct Access: Decodable { let token: String }
      let access = try Data(contentsOf: URL(fileURLWithPath: folder + "/publication/operator.json"))
      let token = try Wire.decode(Access.self, from: access).token
      _ = try await network.send(Request(.post, "/v1/operator/orders/\(order.id)/approve", headers: ["Authorization": "Bearer \(token)"]))
    }
    return false
  }

  /// Keeps the server from writing anything.
  func lockDatabase() throws {
    let connection = try Connection(path: folder + "/publication/publication.sqlite")
    try connection.execute("BEGIN IMMEDIATE")
    lock = connection
  }

  func unlockDatabase() throws { try lock?.execute("ROLLBACK") }

  /// The last connection would tidy the file up, which is for the server to do: close it when there is a server again.
  func closeLock() { lock = nil }

  /// What the server said of errors.
  var serverLog: String { (try? String(contentsOfFile: folder + "/log", encoding: .utf8)) ?? "" }

  // MARK: The client

  func startClient(_ mode: Errand.Mode, _ journey: Journey, stage: Errand.Stage, reader: Reader) throws -> Int {
    clients += 1
    let own = clientFolder(reader)
    try FileManager.default.createDirectory(atPath: own, withIntermediateDirectories: true)
    let errand = Errand(
      mode: mode, origin: wire.origin, folder: own, reader: reader.id, token: reader.token, product: journey.product,
      isSuspended: journey.passes == nil, decision: journey.decision, stage: stage)
    client = try ClientProcess(errand, number: clients, tell: tell)
    return clients
  }

  func killClient() {
    client?.kill()
    client = nil
  }

  func leaveClient() {
    client?.leave()
    client = nil
  }

  /// The step that the journal has of a reader's last purchase.
  func step(of reader: Reader) async throws -> Transaction.Step? {
    let journal = try await Journal(path: clientFolder(reader) + "/purchases.sqlite", clock: SystemClock())
    let step = try await journal.purchases(seller: Errand.seller, user: reader.id).first?.step
    await journal.close()
    return step
  }

  private func clientFolder(_ reader: Reader) -> String { "\(folder)/clients/\(reader.id)" }

  func hold() throws { try ledger.hold(tell: tell) }

  /// Whether the server has asked the provider; the file can also be opened by somebody else.
  var hasCalledLedger: Bool { server.map { ledger.isUsed(by: $0.identifier) } ?? false }

  func watchdog() -> Task<Void, Never> {
    Task { [tell] in
      do { try await SystemClock().sleep(for: .seconds(120)) } catch { return }
      tell(.late)
    }
  }
}

extension World {
  /// Plays one case with a reader of its own.
  func play(_ journey: Journey, _ blows: [Blow], isRehearsal: Bool = false, isSwitched: Bool = false) async -> Play.Outcome {
    guard let reader = nextReader() else { return Play.Outcome(problems: ["there is no reader left"]) }
    return await Play(journey, blows, reader: reader, isRehearsal: isRehearsal, isSwitched: isSwitched).run(in: self)
  }
}
