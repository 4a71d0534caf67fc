import Foundation
import HTTPTransport
import PublicationAPI
import PublicationClient
import PublicationServer
import Runtime
import TestSupport
import Testing

/// The client against the publication's real router: both ends mean the same by every call.
@Suite struct ContractTests {
  private struct NoGateway: PaymentGateway {
    func charge(token: String, amount: Int, currency: String, key: String) async throws(GatewayError) -> String {
      throw .unavailable("no provider in this test")
    }
  }

  private let publication: Publication
  private let transport: InProcessTransport

  init() async throws {
    publication = try await Publication(folder: nil, gateway: NoGateway(), clock: ManualClock(), passwordCost: .none)
    let picture = PublicationContent.Picture(name: "a.png", type: "image/png", bytes: Data([1, 2, 3]))
    try await publication.install(
      PublicationContent(
        info: PublicationInfo(id: "pub", name: "Publication", tagline: "", defaultPaywallID: "premium"),
        fanClubs: [FanClub(id: "c1", name: "Alpha"), FanClub(id: "c2", name: "Beta")],
        posts: [.sample(1), .sample(2, premium: true), .sample(3, club: "c2")], pictures: [picture],
        products: [
          ProductRecord(
            id: "premium.monthly", kind: .subscription, name: "Monthly", detail: "", priceMinorUnits: 500, currency: "EUR", period: "P1M",
            entitlement: "premium")
        ], paywalls: [PaywallRecord(id: "premium", title: "All", text: "", benefits: [], productIDs: ["premium.monthly"])],
        accounts: [.init(email: "reader@example.org", name: "Reader", password: "open sesame")]))
    transport = InProcessTransport { [publication] in await publication.handle($0) }
  }

  private func client(token: String? = nil) -> APIClient { APIClient(transport: transport, token: { token }) }

  private func signedIn() async throws -> APIClient {
    client(token: try await client().signIn(Credentials(email: "reader@example.org", password: "open sesame")).accessToken)
  }

  @Test func whatAnyoneMayAsk() async throws {
    #expect(try await client().publication().name == "Publication")
    #expect(try await client().keys().keys.isEmpty == false)
    #expect(try await client().picture("/v1/pictures/a.png") == Data([1, 2, 3]))
  }

  @Test func aSessionBeginsAndEnds() async throws {
    await #expect {
      try await client().signIn(Credentials(email: "reader@example.org", password: "wrong"))
    } throws: {
      ($0 as? ClientError)?.code == .wrongCredentials
    }
    let signedIn = try await client().signIn(Credentials(email: "reader@example.org", password: "open sesame"))
    #expect(try await client().refresh(signedIn.refreshToken).reader == signedIn.reader)
    try await client().signOut(token: signedIn.accessToken)
    await #expect {
      try await client(token: signedIn.accessToken).posts()
    } throws: {
      ($0 as? ClientError)?.code == .sessionEnded
    }
  }

  @Test func sessionsAndThePassword() async throws {
    let (here, there) = (try await signedIn(), try await signedIn())
    let sessions = try await here.sessions()
    #expect(sessions.count == 2)
    let other = try #require(sessions.first { !$0.isCurrent })
    try await here.endSession(other.id)
    await #expect { try await there.posts() } throws: { ($0 as? ClientError)?.code == .sessionEnded }
    await #expect { try await here.endSession(other.id) } throws: { ($0 as? ClientError)?.isNotFound == true }
    #expect(try await here.sessions().map(\.isCurrent) == [true])
    let others = [try await signedIn(), try await signedIn()]
    #expect(try await here.endOtherSessions() == 2)
    for other in others { await #expect { try await other.posts() } throws: { ($0 as? ClientError)?.code == .sessionEnded } }
    await #expect {
      try await here.changePassword(PasswordChange(currentPassword: "a wrong one", newPassword: "a walk in the rain"))
    } throws: {
      ($0 as? ClientError)?.code == .wrongCredentials && ($0 as? ClientError)?.disposition == .refused
    }
    try await here.changePassword(PasswordChange(currentPassword: "open sesame", newPassword: "a walk in the rain"))
    await #expect { try await signedIn() } throws: { ($0 as? ClientError)?.code == .wrongCredentials }
    #expect(try await here.posts().items.count == 3)
  }

  @Test func postsPageByPage() async throws {
    let client = try await signedIn()
    let first = try await client.posts(limit: 2)
    #expect(first.items.map(\.id) == ["p1", "p2"])
    let second = try await client.posts(cursor: first.next, limit: 2)
    #expect(second.items.map(\.id) == ["p3"])
    #expect(second.next == nil)
    #expect(try await client.posts(PostFilter(fanClub: "c2")).items.map(\.id) == ["p3"])
    #expect(first.items.allSatisfy { $0.body == nil })
  }

  @Test func bodiesForThoseWhoMayRead() async throws {
    let client = try await signedIn()
    #expect(try await client.post("p1").body == "<p>Body</p>")
    #expect(try await client.post("p2").body == nil)
    for id in ["nobody", "a/b", "ä ö", "?", ".."] {
      await #expect {
        try await client.post(id)
      } throws: {
        ($0 as? ClientError)?.isNotFound == true
      }
    }
  }

  @Test func marksAreSetTakenAwayAndCountOnce() async throws {
    let client = try await signedIn()
    for _ in 0..<2 { #expect(try await client.setReaction("p1", .love).reactions == [.love: 1]) }
    #expect(try await client.setReaction("p1", nil).reactions == [:])
    #expect(try await client.setBookmark("p3", true).bookmarked)
    #expect(try await client.posts(PostFilter(bookmarked: true)).items.map(\.id) == ["p3"])
    #expect(try await client.setBookmark("p3", false).bookmarked == false)
    #expect(try await client.setFollow("c1", true).followers == 1)
    #expect(try await client.setFollow("c1", false).followers == 0)
  }

  @Test func fanClubs() async throws {
    let client = try await signedIn()
    #expect(try await client.fanClubs().items.map(\.id) == ["c1", "c2"])
    #expect(try await client.fanClub("c1").posts == 2)
  }

  @Test func whatIsSold() async throws {
    let client = try await signedIn()
    #expect(try await client.paywall("premium").productIDs == ["premium.monthly"])
    #expect(try await client.products(["premium.monthly", "unknown"]).map(\.id) == ["premium.monthly"])
    let id = UUID()
    #expect(try await client.beginOrder(id, product: "premium.monthly").state == .open)
    #expect(try await client.order(id).id == id.uuidString)
    #expect(try await client.orders().map(\.id) == [id.uuidString])
    #expect(try await client.entitlements().isEmpty)
    await #expect {
      try await client.charge(id, paymentToken: "tok")
    } throws: {
      ($0 as? ClientError)?.code == .paymentUnavailable
    }
  }
}
