import CurlTransport
import Foundation
import HTTPTransport
import PublicationAPI
import PublicationServer
import Runtime
import TestSupport
import Testing

/// The real program, as people and scripts run it.
@Suite struct ServerProcessTests {
  private let folder: Folder
  private var data: String { folder.file("data") }

  init() throws {
    _ = modulesAreSetUp
    folder = try Folder()
  }

  private static func rss(_ items: Int, title: String = "Feed") -> String {
    let items = (1...items).map { number in
      """
      <item><guid isPermaLink="false">\(number)</guid><title>Item \(number)</title><description>Text</description>\
      <pubDate>Mon, 0\(number) Jan 2024 10:00:00 GMT</pubDate></item>
      """
    }
    return "<?xml version=\"1.0\"?><rss version=\"2.0\"><channel><title>\(title)</title>\(items.joined())</channel></rss>"
  }

  private func signIn(_ transport: any Transport) async throws -> String {
    let response = try await transport.send(
      Request(.post, "/v1/session", body: try Wire.encode(Credentials(email: "ada@example.org", password: "open sesame"))))
    return try Wire.decode(SignedIn.self, from: response.body).token
  }

  private static let own = [
    "init", "--name", "The Reel", "--contact", "cancel@reel.example", "--currency", "CHF", "--monthly", "6", "--tax", "VAT 8.1",
  ]

  /// Makes a publication of their own.
  private func makeOwn() async throws {
    let made = try await Server.run(Self.own + ["--data", data])
    #expect(
      made
        == Server.Outcome(
          status: 0, output: "The publication is in \(data). Next: matinee-server user add, import and serve.\n", errors: ""))
  }

  private func addUser() async throws {
    if !FileManager.default.fileExists(atPath: data) { try await Server.makeSample(data) }
    let added = try await Server.run(["user", "add", "--data", data, "ada@example.org", "Ada"], input: "open sesame\n")
    #expect(added == Server.Outcome(status: 0, output: "Added ada@example.org.\n", errors: ""))
  }

  @Test func helpVersionAndMistakes() async throws {
    let help = try await Server.run(["--help"])
    #expect(help.status == 0)
    #expect(help.output.hasPrefix("usage: matinee-server init"))
    let version = try await Server.run(["--version"])
    let told = try #require(version.output.wholeMatch(of: /matinee-server (.*)\n/), "\(version.output)").1
    #expect(told.wholeMatch(of: Checkout.version) != nil, "\(told)")
    let mistake = try await Server.run(["serve", "--port", "x"])
    #expect(
      mistake
        == Server.Outcome(
          status: 2, output: "", errors: "matinee-server: “x” is no port: it is a number from 0 to 65535. See matinee-server --help.\n"))
  }

  @Test func theSampleIsServedWithoutItsAccount() async throws {
    try await Server.makeSample(data)
    let server = try await RunningServer(folder: data)
    let transport = try NetworkTransport(origin: server.origin)
    let info = try Wire.decode(PublicationInfo.self, from: try await transport.send(Request(.get, "/v1/publication")).body)
    #expect(info.name == "The Interval")
    #expect(info.sampleAccount == nil)
    #expect(try await server.end(SIGTERM) == 0)
  }

  @Test func aPublicationOfOnesOwnHasNothingOfTheSample() async throws {
    try await makeOwn()
    try await addUser()
    let feed = try folder.write("feed.xml", Self.rss(1))
    #expect(try await Server.run(["import", "--data", data, feed]).status == 0)
    let server = try await RunningServer(folder: data)
    let transport = try NetworkTransport(origin: server.origin)
    let headers: Headers = ["Authorization": "Bearer \(try await signIn(transport))"]
    func get<Value: Decodable>(_ path: String, as type: Value.Type) async throws -> Value {
      try Wire.decode(from: try await transport.send(Request(.get, path, headers: headers)).body)
    }
    let info = try await get("/v1/publication", as: PublicationInfo.self)
    #expect((info.name, info.tagline, info.sampleAccount) == ("The Reel", "", nil))
    #expect(info.cancelling == "Write to cancel@reel.example from the address of your account, and nothing more is charged.")
    #expect(UUID(uuidString: info.id) != nil)
    #expect(try await get("/v1/fanclubs", as: Page<FanClub>.self).items.map(\.name) == ["Feed"])
    let paywall = try await get("/v1/paywalls/\(info.defaultPaywallID)", as: PaywallRecord.self)
    #expect(paywall.title == "Read everything in The Reel")
    #expect(paywall.productIDs == ["premium.monthly"])
    let sample = "premium.monthly,premium.yearly,premium.lifetime,passes.5"
    let products = try await get("/v1/products?ids=\(sample)&currency=EUR", as: [ProductRecord].self)
    #expect(products.map(\.id) == ["premium.monthly"])
    #expect(products.map(\.priceMinorUnits) == [600])
    #expect(products.map(\.currency) == ["CHF"])
    #expect(products.first?.tax == Tax(name: "VAT", basisPoints: 810, minorUnits: 45))
    #expect(try await server.end(SIGTERM) == 0)
  }

  @Test func withoutInitNothingIsServed() async throws {
    let feed = try folder.write("feed.xml", Self.rss(1))
    for arguments in [
      ["serve", "--port", "0"], ["import", feed], ["user", "add", "a@b.example", "A"], ["order", "list"], ["flag", "list"],
      ["key", "rotate"],
    ] {
      let refused = try await Server.run(arguments + ["--data", data], input: "pw\n")
      #expect(
        refused
          == Server.Outcome(
            status: 1, output: "",
            errors: "matinee-server: There is no publication in \(data) yet: make yours with “matinee-server init”, or try the sample with "
              + "“matinee-server init --sample”.\n"))
    }
    #expect(!FileManager.default.fileExists(atPath: data))
  }

  @Test func initWithoutATerminalNamesWhatIsMissing() async throws {
    let bare = try await Server.run(["init", "--data", data, "--currency", "EUR"], input: "The Reel\n")
    #expect(
      bare
        == Server.Outcome(
          status: 2, output: "",
          errors: "matinee-server: init needs --name, --contact and a price (--monthly, --yearly, --lifetime, --passes). "
            + "See matinee-server --help.\n"))
    #expect(!FileManager.default.fileExists(atPath: data + "/publication.sqlite"))
    try await makeOwn()
  }

  @Test func initLeavesAPublicationAsItIs() async throws {
    try await makeOwn()
    for arguments in [Self.own, ["init", "--sample"]] {
      let again = try await Server.run(arguments + ["--data", data])
      #expect(
        again
          == Server.Outcome(
            status: 1, output: "", errors: "matinee-server: There is a publication in \(data) already, “The Reel”; it was left as it is.\n")
      )
    }
  }

  /// What an earlier version served from an empty folder, and what it imported into: both are the sample by name.
  @Test(arguments: [true, false]) func aFolderOfAnEarlierVersionIsServedAsBefore(withPosts: Bool) async throws {
    try FileManager.default.createDirectory(atPath: data, withIntermediateDirectories: true)
    let earlier = try await Publication(
      folder: data, gateway: LedgerGateway(program: "/nowhere", file: data + "/ledger.jsonl"), clock: SystemClock(),
      offersSampleAccount: false, passwordCost: .none)
    var content = try SampleContent.publication(openedAt: SystemClock().now)
    if !withPosts { (content.fanClubs, content.posts, content.pictures) = ([], [], []) }
    try await earlier.install(content)
    await earlier.close()
    try await addUser()
    let server = try await RunningServer(folder: data)
    let transport = try NetworkTransport(origin: server.origin)
    let info = try Wire.decode(PublicationInfo.self, from: try await transport.send(Request(.get, "/v1/publication")).body)
    #expect((info.id, info.name) == ("the-interval", "The Interval"))
    let headers: Headers = ["Authorization": "Bearer \(try await signIn(transport))"]
    let clubs = try await transport.send(Request(.get, "/v1/fanclubs", headers: headers))
    #expect(try Wire.decode(Page<FanClub>.self, from: clubs.body).items.count == (withPosts ? 3 : 0))
    #expect(try await server.end(SIGTERM) == 0)
  }

  @Test func oneProcessOwnsAFolder() async throws {
    try await Server.makeSample(data)
    let server = try await RunningServer(folder: data)
    for arguments in [["serve", "--port", "0"], ["import", "x"], ["init", "--sample"]] {
      let second = try await Server.run([arguments[0]] + ["--data", data] + arguments.dropFirst(), input: "pw\n")
      #expect(
        second == Server.Outcome(status: 1, output: "", errors: "matinee-server: \(data) is in use by another running program.\n"))
    }
    #expect(try await server.end(SIGINT) == 0)
    let again = try await RunningServer(folder: data)
    #expect(try await again.end(SIGTERM) == 0)
  }

  @Test func readersAreAddedOnce() async throws {
    try await addUser()
    let twice = try await Server.run(["user", "add", "--data", data, "ada@example.org", "Ada"], input: "x\n")
    #expect(twice.status == 1)
    #expect(twice.errors == "matinee-server: There is a reader with the address ada@example.org already.\n")
    let silent = try await Server.run(["user", "add", "--data", data, "bo@example.org", "Bo"])
    #expect(silent.errors == "matinee-server: There is no password on the standard input.\n")
    #expect(silent.status == 1)
    let server = try await RunningServer(folder: data)
    #expect(try await signIn(NetworkTransport(origin: server.origin)).isEmpty == false)
    #expect(try await server.end(SIGTERM) == 0)
  }

  @Test func whatIsNoTextIsRefused() async throws {
    try await makeOwn()
    for (bytes, sentence) in [
      (
        Data([0x70, 0xFF, 0x77, 0x0A]),
        "The password on the standard input is not UTF-8, so nobody could type it elsewhere; nothing was changed."
      ),
      (Data("p\u{0}w\n".utf8), "A password has no NUL character."), (Data("\r\n".utf8), "There is no password on the standard input."),
    ] {
      let refused = try await Server.run(["user", "add", "--data", data, "ada@example.org", "Ada"], bytes: bytes)
      #expect(refused == Server.Outcome(status: 1, output: "", errors: "matinee-server: \(sentence)\n"))
    }
    // A word of the command, which only a shell can write.
    let shell = try await Program([
      "sh", "-c", "printf 'pw' | '\(Server.program)' user add --data '\(data)' ada@example.org \"$(printf 'A\\377')\"",
    ]).run()
    #expect(shell.status == 2)
    #expect(shell.output == "matinee-server: A word of the command is not UTF-8. See matinee-server --help.\n")
    try await addUser()
  }

  @Test func readersAreAddedWhileItServes() async throws {
    try await makeOwn()
    let server = try await RunningServer(folder: data)
    try await addUser()
    #expect(try await signIn(NetworkTransport(origin: server.origin)).isEmpty == false)
    let twice = try await Server.run(["user", "add", "--data", data, "ada@example.org", "Ada"], input: "x\n")
    #expect(
      twice
        == Server.Outcome(
          status: 1, output: "", errors: "matinee-server: There is a reader with the address ada@example.org already.\n"))
    #expect(try await server.end(SIGTERM) == 0)
  }

  @Test(arguments: [true, false]) func readersAreLookedAfter(whileItServes: Bool) async throws {
    try await makeOwn()
    try await addUser()
    let first = try await RunningServer(folder: data)
    var headers: Headers = ["Authorization": "Bearer \(try await signIn(NetworkTransport(origin: first.origin)))"]
    var server: RunningServer? = first
    func stopped() async throws {
      if !whileItServes, let running = server { #expect(try await running.end(SIGTERM) == 0) }
    }
    func status() async throws -> Int {
      if !whileItServes { server = try await RunningServer(folder: data) }
      let transport = try NetworkTransport(origin: try #require(server).origin)
      return try await transport.send(Request(.get, "/v1/session", headers: headers)).status
    }
    func user(_ words: String..., input: String = "") async throws -> Server.Outcome {
      try await Server.run(["user", "--data", data] + words, input: input)
    }
    try await stopped()
    #expect(
      try await user("sign-out", "Ada@example.org")
        == Server.Outcome(status: 0, output: "Ada@example.org is signed out everywhere (1 session).\n", errors: ""))
    #expect(try await status() == 401)
    headers = ["Authorization": "Bearer \(try await signIn(NetworkTransport(origin: try #require(server).origin)))"]
    try await stopped()
    #expect(
      try await user("password", "ada@example.org", input: "other\n")
        == Server.Outcome(status: 0, output: "ada@example.org has a new password, and is signed out everywhere.\n", errors: ""))
    #expect(try await status() == 401)
    try await stopped()
    #expect(try await user("remove", "ada@example.org") == Server.Outcome(status: 0, output: "Removed ada@example.org.\n", errors: ""))
    for words in [["remove"], ["sign-out"], ["password"]] {
      let unknown = try await Server.run(["user", "--data", data] + words + ["ada@example.org"], input: "x\n")
      #expect(
        unknown
          == Server.Outcome(status: 1, output: "", errors: "matinee-server: There is no reader with the address ada@example.org.\n"))
    }
    if whileItServes { #expect(try await first.end(SIGTERM) == 0) }
  }

  @Test func aMissingKeyEndsServeWithOneSentence() async throws {
    try await makeOwn()
    let key = data + "/receipts.pem"
    try FileManager.default.removeItem(atPath: key)
    let refused = try await Server.run(["serve", "--port", "0", "--data", data])
    #expect(
      refused
        == Server.Outcome(
          status: 1, output: "",
          errors:
            "matinee-server: The key that receipts are signed with is missing: put \(key) back, or sign with a new one from now on by "
            + "“matinee-server key rotate --data \(data)”.\n"))
    #expect(!FileManager.default.fileExists(atPath: key))
    #expect(try await Server.run(["key", "rotate", "--data", data]).status == 0)
    let server = try await RunningServer(folder: data)
    #expect(try await server.end(SIGTERM) == 0)
  }

  @Test func aFolderThatCannotBeUsedIsNotCalledEmpty() async throws {
    let file = try folder.write("file", "")
    let refused = try await Server.run(["order", "list", "--data", file + "/data"])
    #expect(
      refused == Server.Outcome(status: 1, output: "", errors: "matinee-server: \(file)/data cannot be used: Not a directory.\n"))
  }

  /// A server that was killed leaves it behind, with the address of whoever listens there by now.
  @Test func anEarlierServersAddressIsForgotten() async throws {
    try await makeOwn()
    let server = try await RunningServer(folder: data)
    #expect(try await server.end(SIGKILL) == -SIGKILL)
    #expect(FileManager.default.fileExists(atPath: data + "/operator.json"))
    #expect(try await Server.run(["order", "list", "--data", data]) == Server.Outcome(status: 0, output: "", errors: ""))
    #expect(!FileManager.default.fileExists(atPath: data + "/operator.json"))
  }

  @Test func anEmptyDatabaseIsRefusedByEveryCommand() async throws {
    try FileManager.default.createDirectory(atPath: data, withIntermediateDirectories: true)
    #expect(FileManager.default.createFile(atPath: data + "/publication.sqlite", contents: Data()))
    for arguments in [["serve", "--port", "0"], ["init", "--sample"], ["order", "list"]] {
      let refused = try await Server.run(arguments + ["--data", data])
      #expect(
        refused
          == Server.Outcome(
            status: 1, output: "",
            errors: "matinee-server: \(data)/publication.sqlite is empty and was left as it is: put a backup of the publication in its "
              + "place, or use another folder.\n"))
    }
    #expect(FileManager.default.contents(atPath: data + "/publication.sqlite") == Data())
  }

  @Test func feedsAreImportedAndBadOnesNamed() async throws {
    try await makeOwn()
    let good = try folder.write("good.txt", Self.rss(3))
    let broken = try folder.write("broken.xml", "<rss version=\"2.0\"><channel><title>x</title>\n<item><title>lost</tit")
    let page = try folder.write("page.xml", "<!doctype html><html><body>Hello</body></html>")
    let outcome = try await Server.run(["import", "--data", data, "--json", broken, good, page, "nowhere.xml"])
    #expect(outcome.status == 1)
    let line = try JSONSerialization.jsonObject(with: Data(outcome.output.utf8)) as? NSDictionary
    #expect(line == ["source": good, "items": 3, "added": 3, "updated": 0, "unchanged": 0])
    let errors = outcome.errors.split(separator: "\n").filter { !$0.hasPrefix("[") }
    #expect(errors.count == 3)
    #expect(errors[0].hasPrefix("\(broken), line 2"))
    #expect(errors[1].hasPrefix(page))
    #expect(errors[2].hasPrefix("nowhere.xml"))

    let again = try await Server.run(["import", "--data", data, good])
    #expect(again.status == 0)
    #expect(again.output == "\(good): 3 items, 0 added, 0 updated, 3 unchanged\n")

    try await addUser()
    let server = try await RunningServer(folder: data)
    let transport = try NetworkTransport(origin: server.origin)
    let clubs = try await transport.send(
      Request(.get, "/v1/fanclubs", headers: ["Authorization": "Bearer \(try await signIn(transport))"]))
    // Nothing of the broken ones, and nothing of the sample.
    #expect(try Wire.decode(Page<FanClub>.self, from: clubs.body).items.map(\.name) == ["Feed"])
    #expect(try await server.end(SIGTERM) == 0)
  }

  @Test func aServerIsKilledBetweenChargeAndRecord() async throws {
    try await addUser()
    let delayed = try await RunningServer(folder: data, environment: ["MATINEE_LEDGER_DELAY_MS": "3000"])
    let transport = try NetworkTransport(origin: delayed.origin)
    let id = UUID().uuidString
    let headers: Headers = ["Authorization": "Bearer \(try await signIn(transport))"]
    let begun = try await transport.send(
      Request(.put, "/v1/orders/\(id)", headers: headers, body: try Wire.encode(OrderRequest(productID: "premium.monthly"))))
    #expect(begun.status == 201)
    let charge = Request(
      .post, "/v1/orders/\(id)/charge", headers: headers, body: try Wire.encode(ChargeRequest(paymentToken: "tok_approved")))
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
    let headers: Headers = ["Authorization": "Bearer \(try await signIn(transport))"]
    let begun = Request(.put, "/v1/orders/\(order)", headers: headers, body: try Wire.encode(OrderRequest(productID: "passes.5")))
    #expect(try await transport.send(begun).status == 201)
    let charge = Request(
      .post, "/v1/orders/\(order)/charge", headers: headers, body: try Wire.encode(ChargeRequest(paymentToken: "tok_approved")))
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

  /// Orders in the sequence that a start asks about them in, each waiting for an approval.
  private func deferredOrders(_ count: Int) async throws -> [String] {
    let server = try await RunningServer(folder: data)
    let transport = try NetworkTransport(origin: server.origin)
    let headers: Headers = ["Authorization": "Bearer \(try await signIn(transport))"]
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
  }

  private func ledger() throws -> [LedgerEntry] {
    let text = try String(contentsOfFile: data + "/ledger.jsonl", encoding: .utf8)
    return try text.split(separator: "\n").map { try JSONDecoder().decode(LedgerEntry.self, from: Data($0.utf8)) }
  }

  @Test func theOperatorReachesTheServerThatRuns() async throws {
    try await addUser()
    let server = try await RunningServer(folder: data)
    let transport = try NetworkTransport(origin: server.origin)
    let headers: Headers = ["Authorization": "Bearer \(try await signIn(transport))"]
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
    #expect(listed == Server.Outcome(status: 0, output: "\(number)\t\(id)\tdeferred\tpasses.5\t350 EUR\n", errors: ""))
    let approved = try await Server.run(["order", "approve", "--data", data, number])
    #expect(approved == Server.Outcome(status: 0, output: "Order \(number) is paid.\n", errors: ""))
    #expect(try await order().state == .paid)
    let again = try await Server.run(["order", "decline", "--data", data, id])
    #expect(again.status == 1)
    #expect(again.errors == "matinee-server: This order is paid, and waits for nobody.\n")
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
    #expect(unknown == Server.Outcome(status: 1, output: "", errors: "matinee-server: There is no such order.\n"))
    let restarted = try await RunningServer(folder: data)
    let late = try await NetworkTransport(origin: restarted.origin).send(Request(.get, "/v1/orders/\(id)", headers: headers))
    #expect(try Wire.decode(Order.self, from: late.body).refundReason == "So sorry.")
    #expect(try await restarted.end(SIGTERM) == 0)
    let ledger = try String(contentsOfFile: data + "/ledger.jsonl", encoding: .utf8).split(separator: "\n")
    #expect(ledger.count { $0.contains("\"result\":\"charged\"") } == 1)
    #expect(ledger.count { $0.contains("\"result\":\"refunded\"") } == 1)
  }

  @Test func aFolderThatIsOpenToOthersIsNoMore() async throws {
    try FileManager.default.createDirectory(atPath: data, withIntermediateDirectories: true)
    func permissions() throws -> Int? { try FileManager.default.attributesOfItem(atPath: data)[.posixPermissions] as? Int }
    #expect(chmod(data, 0o777) == 0)
    try await makeOwn()
    #expect(try permissions() == 0o700)
    #expect(chmod(data, 0o777) == 0)
    let server = try await RunningServer(folder: data)
    #expect(try permissions() == 0o700)
    #expect(try await server.end(SIGTERM) == 0)
  }

  @Test func anOwnDataFolderIsUsedWhenNoneIsGiven() async throws {
    let outcome = try await Server.run(["init", "--sample"], environment: ["XDG_DATA_HOME": folder.file("xdg"), "HOME": folder.path])
    #expect(outcome.status == 0)
    #expect(FileManager.default.fileExists(atPath: folder.file("xdg/matinee/server/publication.sqlite")))
  }
}
