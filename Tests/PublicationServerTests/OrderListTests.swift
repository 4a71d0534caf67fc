import Foundation
import HTTPTransport
import PublicationAPI
import SQLiteStorage
import Testing

@testable import PublicationServer

/// Lists of orders come in pages, and none is left out without a word.
@Suite struct OrderListTests {
  /// Orders of both readers, one after the other, the newest last.
  private func rig(_ count: Int, _ folder: TemporaryFolder) async throws -> Rig {
    let rig = try await Rig(folder: folder.path)
    let other = try Connection(path: folder.file("publication.sqlite"))
    try other.transaction {
      for number in 1...count {
        let state = number % 3 == 0 ? "declined" : "open"
        try other.execute(
          """
          INSERT INTO purchase (id, reader, product, kind, entitlement, total, currency, state, created, code)
          SELECT ?1, id, 'premium.monthly', 'subscription', 'premium', 490, 'EUR', ?2, 0, ?1 FROM reader WHERE email = ?3
          """, String(format: "00000000-0000-0000-0000-%012d", number), state, number % 10 == 0 ? "bo@example.org" : "ada@example.org")
      }
    }
    return rig
  }

  private func number(_ order: Order) -> Int? { Int(order.id.suffix(12)) }

  /// All pages, and how many there were.
  private func all(_ rig: Rig, _ target: String, _ token: String) async throws -> (orders: [Int], pages: Int) {
    var (found, pages, next): ([Int], Int, String?) = ([], 0, target)
    while let target = next {
      let response = await rig.send(.get, target, token: token)
      #expect(response.status == 200)
      found += try Wire.decode([Order].self, from: response.body).compactMap(number)
      next = response.headers.nextLink
      pages += 1
    }
    return (found, pages)
  }

  @Test func everyOrderIsOnAPage() async throws {
    let folder = try TemporaryFolder()
    let rig = try await rig(2345, folder)
    let (ada, bo) = (try await rig.signIn(), try await rig.signIn("bo"))
    let numbers = Array((1...2345).reversed())
    let theirs = try await all(rig, "/v1/orders", ada)
    #expect(theirs.orders == numbers.filter { $0 % 10 != 0 })
    #expect(theirs.pages == 5)
    #expect(try await all(rig, "/v1/orders?limit=100", bo).orders == numbers.filter { $0 % 10 == 0 })
    let token = try await rig.publication.newOperatorToken()
    let everybodys = try await all(rig, "/v1/operator/orders", token)
    #expect(everybodys.orders == numbers)
    #expect(everybodys.pages == 3)
    #expect(try await all(rig, "/v1/operator/orders?state=declined&limit=99", token).orders == numbers.filter { $0 % 3 == 0 })
    await rig.publication.close()
  }

  @Test(arguments: [499, 500, 501])
  func theLastPageNamesNoOther(count: Int) async throws {
    let folder = try TemporaryFolder()
    let rig = try await rig(count, folder)
    let token = try await rig.publication.newOperatorToken()
    var pages = 0
    var next: String? = "/v1/operator/orders?limit=100"
    while let target = next {
      let response = await rig.send(.get, target, token: token)
      pages += 1
      next = response.headers.nextLink
      #expect(try !Wire.decode([Order].self, from: response.body).isEmpty)
    }
    #expect(pages == (count + 99) / 100)
    await rig.publication.close()
  }

  @Test func aCursorOfAnotherListIsNone() async throws {
    let folder = try TemporaryFolder()
    let rig = try await rig(10, folder)
    let token = try await rig.signIn()
    let posts = try await rig.get("/v1/posts?limit=1", token, as: Page<Post>.self)
    #expect(await rig.send(.get, "/v1/orders?cursor=\(try #require(posts.next))", token: token).status == 400)
    #expect(await rig.send(.get, "/v1/orders?limit=0", token: token).status == 400)
    await rig.publication.close()
  }

  /// Whoever bought something for good long ago does not buy it again, however much they ordered since.
  @Test func whatIsOwnedIsFoundBehindManyOrders() async throws {
    let folder = try TemporaryFolder()
    let rig = try await Rig(folder: folder.path)
    let token = try await rig.signIn()
    _ = try await rig.buy("premium.lifetime", token)
    let other = try Connection(path: folder.file("publication.sqlite"))
    try other.transaction {
      for number in 1...600 {
        try other.execute(
          """
          INSERT INTO purchase (id, reader, product, kind, entitlement, total, currency, state, created, code)
          SELECT ?1, id, 'premium.monthly', 'subscription', 'premium', 490, 'EUR', 'open', 0, ?1 FROM reader WHERE email = 'ada@example.org'
          """, "order-\(number)")
      }
    }
    #expect(try await rig.begin(UUID(), "premium.lifetime", token).status == 409)
    await rig.publication.close()
  }

  @Test(arguments: [
    ("</v1/orders?cursor=a>; rel=\"next\"", "/v1/orders?cursor=a"), ("</a>; rel=prev, </b>; title=x; rel=next", "/b"),
    ("<https://example.org/>; rel=\"next\"", nil), ("<//example.org/>; rel=\"next\"", nil), ("</a>", nil), ("", nil), (";,<>", nil),
  ])
  func linksInHeads(field: String, expected: String?) {
    #expect(Headers(dictionaryLiteral: ("Link", field)).nextLink == expected)
  }

  @Test func theOperatorSeesWhoseAnOrderIs() async throws {
    let rig = try await Rig()
    let (ada, bo) = (try await rig.signIn(), try await rig.signIn("bo"))
    let orders = [
      try await rig.buy("passes.5", ada).id, try await rig.buy("premium.monthly", bo).id, try await rig.buy("passes.5", ada).id,
    ]
    func listed() async throws -> [ListedOrder] { try Wire.decode(from: try await rig.operate(.get, "orders").body) }
    #expect(try await listed().map(\.order.id) == orders.reversed())
    #expect(try await listed().map(\.reader) == ["ada@example.org", "bo@example.org", "ada@example.org"])
    #expect(try await listed().allSatisfy { $0.order.created == Rig.start })
    #expect(try await rig.operate(.delete, "readers/ada@example.org").status == 204)
    #expect(try await listed().map(\.reader) == [nil, "bo@example.org", nil])
  }
}
