import Foundation
import HTTPTransport
import PublicationAPI
import PublicationServer
import Testing

/// `GET /v1/operator/readers`: who reads, and until when.
@Suite struct ReaderListTests {
  private func listed(_ rig: Rig, _ query: String = "") async throws -> [ListedReader] {
    var (found, next): ([ListedReader], String?) = ([], "/v1/operator/readers" + query)
    let token = try await rig.publication.newOperatorToken()
    while let target = next {
      let response = await rig.send(.get, target, token: token)
      #expect(response.status == 200)
      found += try Wire.decode([ListedReader].self, from: response.body)
      next = response.headers.nextLink
    }
    return found
  }

  @Test func accessIsWhatRunsLongest() async throws {
    let rig = try await Rig()
    let (ada, bo) = (try await rig.signIn(), try await rig.signIn("bo"))
    _ = try await rig.buy("premium.yearly", ada)
    _ = try await rig.buy("premium.monthly", ada)
    _ = try await rig.buy("passes.5", bo)
    let readers = try await listed(rig)
    #expect(readers.map(\.email) == ["ada@example.org", "bo@example.org", "sample@example.org"])
    #expect(readers.map(\.name) == ["Ada", "Bo", "Sample"])
    // A month behind a year: 2025-02-01.
    let end = Date(timeIntervalSince1970: 1_738_368_000)
    #expect(readers.map(\.access) == [[.init(entitlement: "premium", productID: "premium.monthly", until: end)], [], []])
    let forGood = try await rig.buy("premium.lifetime", ada)
    #expect(try await listed(rig)[0].access == [.init(entitlement: "premium", productID: "premium.lifetime", until: nil)])
    #expect(try await rig.refund(forGood.id).status == 200)
    #expect(try await listed(rig)[0].access.map(\.until) == [end])
    rig.clock.setNow(end)
    #expect(try await listed(rig)[0].access == [])
  }

  @Test func everyReaderIsOnAPageAndNoRemovedOne() async throws {
    let rig = try await Rig()
    for number in 1...20 { try await rig.publication.addReader(email: "r\(number)@example.org", name: "R", password: "open sesame") }
    #expect(try await rig.operate(.delete, "readers/r7@example.org").status == 204)
    let all = try await listed(rig).map(\.email)
    #expect(all.count == 22)
    #expect(all == all.sorted())
    #expect(!all.contains { $0.hasPrefix("r7@") || $0.hasPrefix("removed") })
    for limit in [1, 5, 11, 22] { #expect(try await listed(rig, "?limit=\(limit)").map(\.email) == all) }
  }

  @Test func nobodyElseSeesIt() async throws {
    let rig = try await Rig()
    let token = try await rig.signIn()
    _ = try await rig.publication.newOperatorToken()
    #expect(await rig.send(.get, "/v1/operator/readers", token: token).status == 404)
    #expect(await rig.send(.get, "/v1/operator/readers").status == 404)
  }
}
