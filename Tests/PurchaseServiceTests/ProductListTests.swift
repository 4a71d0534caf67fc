import Foundation
import Patience
import PurchaseServiceTesting
import Runtime
import Testing

@testable import PurchaseService

/// What is asked of a store, and what is served without asking.
@MainActor @Suite(.timeLimit(.minutes(1))) struct ProductListTests {
  private let away = StoreError(.unavailable, code: "http_503", sentence: "Closed for a moment.")
  private let both = ["premium.monthly", "premium.forever"]

  @Test func aListIsServedWithoutAskingUntilItsTimeIsOver() async throws {
    let bench = try await Bench()
    let first = try await bench.purchases.products(both)
    #expect(first == ProductList([monthly, forever], fetchedAt: bench.clock.now))
    bench.clock.advance(by: Config.productTimeToLive - .seconds(1))
    #expect(try await bench.purchases.products(both.reversed()).products == [forever, monthly])
    #expect(bench.products.requests.map(\.ids) == [both])
    bench.clock.advance(by: .seconds(1))
    #expect(try await bench.purchases.products(both).fetchedAt == bench.clock.now)
    #expect(bench.products.requests.map(\.ids) == [both, both])
  }

  @Test func aClockSetBackDoesNotMakeAListLiveLonger() async throws {
    let bench = try await Bench()
    _ = try await bench.purchases.products(both)
    bench.clock.advance(by: Config.productTimeToLive)
    bench.clock.setNow(Date(timeIntervalSince1970: 0))
    _ = try await bench.purchases.products(both)
    #expect(bench.products.requests.count == 2)
  }

  @Test func theStoreIsToldWhoAsksInWhichCurrencyAndLanguage() async throws {
    let bench = try await Bench()
    bench.purchases.storefront = Storefront(currency: "CHF", locale: Locale(identifier: "de_CH"))
    _ = try await bench.purchases.products(both)
    #expect(bench.products.requests == [ProductRequest(both, user: "ada", storefront: bench.purchases.storefront)])
  }

  @Test func whoeverAsksForTheSameSharesTheFetch() async throws {
    let bench = try await Bench()
    let gate = Gate()
    bench.products.answer { _, _ in
      await gate.wait()
      return [monthly, forever]
    }
    async let first = bench.purchases.products(both)
    await gate.reached()
    async let second = bench.purchases.products(both)
    async let third = bench.purchases.products(["premium.forever"])
    for _ in 0..<10 { await Task.yield() }
    gate.open()
    #expect(try await first.products == [monthly, forever])
    #expect(try await second.products == [monthly, forever])
    #expect(try await third.products == [forever])
    #expect(bench.products.requests.count == 1)
  }

  @Test func ofOverlappingListsOnlyTheRestIsAskedFor() async throws {
    let bench = try await Bench()
    let gate = Gate()
    bench.products.answer { request, call in
      if call == 1 { await gate.wait() }
      return [monthly, forever].filter { request.ids.contains($0.id) }
    }
    async let first = bench.purchases.products(["premium.monthly"])
    await gate.reached()
    async let second = bench.purchases.products(both)
    await until { bench.products.requests.count == 2 }
    gate.open()
    #expect(try await second.products == [monthly, forever])
    _ = try await first
    #expect(bench.products.requests.map(\.ids) == [["premium.monthly"], ["premium.forever"]])
    #expect(try await bench.purchases.products(both.reversed()).products == [forever, monthly])
    #expect(bench.products.requests.count == 2)
  }

  @Test func case7ManyOverlappingRequestsLoseNothingAndAskForEachProductOnce() async throws {
    let bench = try await Bench()
    let products = (0..<20).map {
      Product(id: "p\($0)", kind: .nonConsumable, name: "", price: Price(minorUnits: $0, currency: "EUR"))
    }
    bench.products.answer { request, _ in
      await Task.yield()
      return products.filter { request.ids.contains($0.id) }
    }
    let purchases = bench.purchases
    try await withThrowingTaskGroup(of: Void.self) { group in
      for start in 0..<60 {
        let ids = (0..<7).map { "p\((start + $0 * 3) % 20)" }
        group.addTask {
          let list = try await purchases.products(ids)
          #expect(list.products.map(\.id) == ids)
        }
      }
      try await group.waitForAll()
    }
    #expect(bench.products.requests.flatMap(\.ids).sorted() == products.map(\.id).sorted())
  }

  @Test func aFailedFetchIsNotKept() async throws {
    let bench = try await Bench()
    bench.products.answer { [away] _, call in
      if call == 1 { throw away }
      return [monthly, forever]
    }
    await #expect(throws: away) { try await bench.purchases.products(both) }
    #expect(try await bench.purchases.products(both).products == [monthly, forever])
  }

  @Test func case9AStoreThatIsAwayIsAnsweredForByItsLastWord() async throws {
    let bench = try await Bench()
    let fetched = bench.clock.now
    _ = try await bench.purchases.products(both + ["gone"])
    bench.clock.advance(by: Config.productTimeToLive)
    bench.products.answer { [away] _, call in
      // A 5xx first, then no network at all.
      if call == 2 { throw away }
      throw CancellationError()
    }
    let stale = ProductList([monthly, forever], unknown: ["gone"], isStale: true, fetchedAt: fetched)
    #expect(try await bench.purchases.products(both + ["gone"]) == stale)
    #expect(try await bench.purchases.products(both + ["gone"]) == stale)
    #expect(bench.products.requests.count == 3, "and is asked again each time")
    await #expect(throws: StoreError.self, "half a paywall is none") { try await bench.purchases.products(both + ["new"]) }
    bench.products.answer { _, _ in [monthly, forever] }
    #expect(try await bench.purchases.products(both) == ProductList([monthly, forever], fetchedAt: bench.clock.now))
  }

  @Test(arguments: [StoreError.Kind.refused, .busy, .unauthorized]) func case9NothingOldIsServedOnA4xx(kind: StoreError.Kind)
    async throws
  {
    let bench = try await Bench()
    _ = try await bench.purchases.products(both)
    bench.clock.advance(by: Config.productTimeToLive)
    let no = StoreError(kind, code: "no", sentence: "No.")
    bench.products.answer { _, _ in throw no }
    await #expect(throws: no) { try await bench.purchases.products(both) }
    bench.products.answer { [away] _, _ in throw away }
    if kind == .refused {
      await #expect(throws: away, "what was refused does not come back") { try await bench.purchases.products(both) }
    } else {
      #expect(try await bench.purchases.products(both).isStale, "nothing was said about the products")
    }
  }

  @Test(arguments: ["user", "nobody", "currency", "locale"]) func case8NothingOfAnotherUserCurrencyOrLocaleIsShown(change: String)
    async throws
  {
    let bench = try await Bench()
    _ = try await bench.purchases.products(both)
    switch change {
    case "user": bench.purchases.setUser("bob")
    case "nobody": bench.purchases.setUser(nil)
    case "currency": bench.purchases.storefront.currency = "CHF"
    default: bench.purchases.storefront.locale = Locale(identifier: "fr_FR")
    }
    bench.products.answer { [away] _, _ in throw away }
    await #expect(throws: away, "not even when the store is away") { try await bench.purchases.products(both) }
    bench.products.answer { _, _ in [forever] }
    #expect(try await bench.purchases.products(both).products == [forever])
    #expect(bench.products.requests.last?.user == bench.purchases.user)
    #expect(bench.products.requests.last?.storefront == bench.purchases.storefront)
  }

  @Test func case8AListThatWasOnItsWayIsAskedForAnewAfterAChange() async throws {
    let bench = try await Bench()
    let gate = Gate()
    bench.products.answer { request, _ in
      if request.storefront.currency == nil {
        await gate.wait()
        return [monthly]
      }
      return [Product(id: monthly.id, kind: monthly.kind, name: "Mois", price: Price(minorUnits: 500, currency: "CHF"))]
    }
    async let list = bench.purchases.products(["premium.monthly"])
    await gate.reached()
    bench.purchases.storefront = Storefront(currency: "CHF", locale: Locale(identifier: "fr_CH"))
    gate.open()
    #expect(try await list.products.map(\.price.currency) == ["CHF"])
  }

  @Test func case4AnAnswerForTheOldUserDoesNotLandInTheNewUsersCache() async throws {
    let bench = try await Bench()
    let gate = Gate()
    bench.products.answer { request, _ in
      if request.user == "ada" { await gate.wait() }
      return [Product(id: monthly.id, kind: monthly.kind, name: request.user ?? "", price: monthly.price)]
    }
    async let late = bench.purchases.products(["premium.monthly"])
    await gate.reached()
    bench.purchases.setUser("bob")
    #expect(try await bench.purchases.products(["premium.monthly"]).products.map(\.name) == ["bob"])
    gate.open()
    #expect(try await late.products.map(\.name) == ["bob"], "and is not shown to the new user either")
    #expect(try await bench.purchases.products(["premium.monthly"]).products.map(\.name) == ["bob"])
    #expect(bench.products.requests.map(\.user) == ["ada", "bob"])
  }

  @Test func case5WhoeverLeavesDoesNotTakeTheFetchAlong() async throws {
    let bench = try await Bench()
    let gate = Gate()
    bench.products.answer { _, _ in
      await gate.wait()
      try Task.checkCancellation()
      return [monthly, forever]
    }
    let purchases = bench.purchases
    let both = both
    let leaving = Task { try await purchases.products(both) }
    await gate.reached()
    async let staying = bench.purchases.products(both)
    leaving.cancel()
    gate.open()
    #expect(try await staying.products == [monthly, forever])
    _ = try await leaving.value
  }

  @Test func case18DoubledIdentifiersDoNotCrash() async throws {
    let bench = try await Bench()
    let other = Product(id: "premium.monthly", kind: .nonConsumable, name: "Twin", price: forever.price)
    bench.products.answer { _, _ in [monthly, forever, other, monthly] }
    let list = try await bench.purchases.products(["premium.forever", "premium.monthly", "premium.forever", "other", "other"])
    #expect(list.products == [forever, monthly], "the first counts")
    #expect(list.unknown == ["other"])
    #expect(bench.products.requests.map(\.ids) == [["premium.forever", "premium.monthly", "other"]])
  }

  @Test func whatIsNotKnownIsAskedForEachTime() async throws {
    let bench = try await Bench()
    bench.products.answer { request, call in call == 1 ? [monthly] : [forever] }
    #expect(try await bench.purchases.products(both).unknown == ["premium.forever"])
    #expect(try await bench.purchases.products(both).products == [monthly, forever])
    #expect(bench.products.requests.map(\.ids) == [both, ["premium.forever"]])
  }

  @Test func nothingIsAskedForNothing() async throws {
    let bench = try await Bench()
    #expect(try await bench.purchases.products([]) == ProductList([], fetchedAt: bench.clock.now))
    #expect(bench.products.requests.isEmpty)
  }

  @Test func case13AFailureOfAnyTypeKeepsWhatIsUnderneath() async throws {
    struct Odd: Error {}
    let bench = try await Bench()
    bench.products.answer { _, _ in throw Odd() }
    let failure = await #expect(throws: StoreError.self) { try await bench.purchases.products(both) }
    #expect(failure?.kind == .unavailable)
    #expect(failure?.underlying is Odd)
  }
}
