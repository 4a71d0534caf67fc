import CurlTransport
import Foundation
import HTTPTransport
import PublicationAPI
import PublicationServer
import Runtime
import Testing

/// `matinee-server init`, and what is served of what it made.
@Suite struct InitTests: ServerRig {
  let folder: Folder
  init() throws { folder = try Folder() }

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
    let headers = try await authorization(transport)
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
    let headers = try await authorization(transport)
    let clubs = try await transport.send(Request(.get, "/v1/fanclubs", headers: headers))
    #expect(try Wire.decode(Page<FanClub>.self, from: clubs.body).items.count == (withPosts ? 3 : 0))
    #expect(try await server.end(SIGTERM) == 0)
  }
}
