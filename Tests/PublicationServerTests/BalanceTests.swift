import Foundation
import HTTPTransport
import PublicationAPI
import Testing

@testable import PublicationServer

/// Passes: bought, credited once, spent once.
@Suite struct BalanceTests {
  private let gateway = CountingGateway()

  private static let posts: [Post] = (1...8).map { number in
    Post(
      id: "p\(number)", fanClubID: "odd", fanClubName: "", title: "Post \(number)", body: "<p>Body</p>",
      published: Rig.start.addingTimeInterval(TimeInterval(-number)), premium: number != 8)
  }

  private func rig(folder: String? = nil) async throws -> Rig { try await Rig(folder: folder, gateway: gateway, posts: Self.posts) }

  private func unlock(_ rig: Rig, _ post: String, _ token: String) async -> Response {
    await rig.send(.put, "/v1/posts/\(post)/unlock", token: token)
  }

  @Test func passesAreCreditedOncePerOrder() async throws {
    let rig = try await rig()
    let token = try await rig.signIn()
    #expect(try await rig.get("/v1/balances", token, as: [Balance].self).isEmpty)
    let id = UUID()
    let order = try await rig.buy("passes.5", token, id: id)
    #expect((order.state, order.credited) == (.paid, true))
    #expect(try await rig.passes(token) == 5)
    // Asked for again, with and without a restart in between, it stays one credit.
    for _ in 0..<3 { #expect(try await rig.charge(id, token).status == 200) }
    await rig.publication.resumeCharges()
    #expect(try await rig.passes(token) == 5)
    #expect(await gateway.charges == 1)
    // Another order is another five, and nobody else's.
    _ = try await rig.buy("passes.5", token)
    #expect(try await rig.passes(token) == 10)
    #expect(try await rig.passes(rig.signIn("bo")) == nil)
    let claims = try await rig.claims(order.receipt)
    #expect((claims.consumable, claims.amount, claims.exp) == (Balance.articlePass, 5, nil))
    // A balance is no access.
    #expect(try await rig.get("/v1/entitlements", token, as: [String].self).isEmpty)
    #expect(try await rig.get("/v1/posts/p1", token, as: Post.self).body == nil)
  }

  @Test func aChargeWhoseAnswerWasLostIsCreditedAfterTheNextStart() async throws {
    let folder = try TemporaryFolder()
    let rig = try await rig(folder: folder.path)
    let token = try await rig.signIn()
    let id = UUID()
    _ = try await rig.begin(id, "passes.5", token)
    await gateway.set(.lost)
    #expect(try await rig.charge(id, token).status == 503)
    #expect(try await rig.passes(token) == nil)
    await gateway.set(.up)
    let restarted = try await self.rig(folder: folder.path)
    for _ in 0..<2 { await restarted.publication.resumeCharges() }
    #expect(try await restarted.passes(token) == 5)
    #expect(try await restarted.charge(id, token).order.credited == true)
    #expect(try await restarted.passes(token) == 5)
  }

  @Test func aDoubleTapSpendsOne() async throws {
    let rig = try await rig()
    let token = try await rig.signIn()
    _ = try await rig.buy("passes.5", token)
    let answers = await withTaskGroup(of: Response.self) { group in
      for _ in 0..<4 { group.addTask { await unlock(rig, "p1", token) } }
      return await group.reduce(into: []) { $0.append($1) }
    }
    for answer in answers {
      #expect(answer.status == 200)
      let post = try answer.post
      #expect(post.unlocked)
      #expect(post.body == "<p>Body</p>")
    }
    #expect(try await rig.passes(token) == 4)
    // In every list, and for this reader alone.
    let list = try await rig.get("/v1/posts", token, as: Page<Post>.self).items
    #expect(list.filter(\.unlocked).map(\.id) == ["p1"])
    let other = try await rig.signIn("bo")
    #expect(try await rig.get("/v1/posts/p1", other, as: Post.self).unlocked == false)
    #expect(try await rig.get("/v1/posts/p1", other, as: Post.self).body == nil)
  }

  @Test func withoutAPassNothingOpens() async throws {
    let rig = try await rig()
    let token = try await rig.signIn()
    let none = await unlock(rig, "p1", token)
    #expect(none.status == 402)
    #expect(try none.problem.code == .noBalance)
    _ = try await rig.buy("passes.5", token)
    for number in 1...5 { #expect(await unlock(rig, "p\(number)", token).status == 200) }
    #expect(try await rig.passes(token) == 0)
    #expect(await unlock(rig, "p6", token).status == 402)
    // What is open stays open, and costs nothing.
    #expect(await unlock(rig, "p1", token).status == 200)
    #expect(await unlock(rig, "nowhere", token).status == 404)
    #expect(await rig.send(.put, "/v1/posts/p6/unlock").status == 401)
  }

  @Test func whatIsOpenAnywayCostsNoPass() async throws {
    let rig = try await rig()
    var token = try await rig.signIn()
    _ = try await rig.buy("passes.5", token)
    #expect(await unlock(rig, "p8", token).status == 200)
    _ = try await rig.buy("premium.monthly", token)
    let post = try await unlock(rig, "p1", token).post
    #expect(post.body != nil)
    #expect(post.unlocked == false)
    #expect(try await rig.passes(token) == 5)
    // A pass that was spent outlasts the subscription.
    rig.clock.advance(by: .seconds(40 * 86_400))
    #expect(await unlock(rig, "p1", token).status == 200)
    rig.clock.advance(by: .seconds(400 * 86_400))
    token = try await rig.signIn()
    #expect(try await rig.get("/v1/posts/p1", token, as: Post.self).body != nil)
    #expect(try await rig.passes(token) == 4)
  }

  @Test func aRefundTakesBackWhatItsPassesOpened() async throws {
    let rig = try await rig()
    let token = try await rig.signIn()
    let (first, second) = (try await rig.buy("passes.5", token), try await rig.buy("passes.5", token))
    for number in 1...6 { #expect(await unlock(rig, "p\(number)", token).status == 200) }
    #expect(try await rig.refund(first.id).status == 200)
    // Five were the first order's, the sixth the second's.
    #expect(try await rig.passes(token) == 4)
    #expect(try await rig.get("/v1/posts", token, as: Page<Post>.self).items.filter(\.unlocked).map(\.id) == ["p6"])
    #expect(try await rig.refund(second.id).status == 200)
    #expect(try await rig.passes(token) == 0)
    #expect(try await rig.get("/v1/posts/p6", token, as: Post.self).body == nil)
    // Nothing is owed: passes that are bought again are all there.
    _ = try await rig.buy("passes.5", token)
    #expect(try await rig.passes(token) == 5)
  }
}
