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
    let rig = try await Rig()
    let first = try await rig.purchases.products(both)
    #expect(first == ProductList([monthly, forever], fetchedAt: rig.clock.now))
    rig.clock.advance(by: Config.productTimeToLive - .seconds(1))
    #expect(try await rig.purchases.products(both.reversed()).products == [forever, monthly])
    #expect(rig.products.requests.map(\.ids) == [both])
    rig.clock.advance(by: .seconds(1))
    #expect(try await rig.purchases.products(both).fetchedAt == rig.clock.now)
    #expect(rig.products.requests.map(\.ids) == [both, both])
  }

  /// The store may have changed a price: the next sheet shows what it sells now, and not what it refused.
  @Test func whatTheStoreRefusedToSellIsRequestedAgain() async throws {
    let rig = try await Rig()
    _ = try await rig.purchases.products(both)
    rig.queue.setAnswer { _, _ in .refused(code: "price_changed", sentence: "The price has changed.") }
    #expect(await rig.buy() == .failed(.refused(code: "price_changed", sentence: "The price has changed.")))
    rig.products.answer { _, _ in throw StoreError(.unavailable, code: "http_503", sentence: "Closed for a moment.") }
    let stale = try await rig.purchases.products(both)
    #expect(stale.products == [monthly, forever] && stale.isStale)
    rig.products.answer { request, _ in [monthly, forever].filter { request.ids.contains($0.id) } }
    #expect(try await rig.purchases.products(both).isStale == false)
    #expect(rig.products.requests.map(\.ids) == [both, ["premium.monthly"], ["premium.monthly"]], "the other one is fresh")
  }

  @Test func whoeverWantsToKnowAsksTheStore() async throws {
    let rig = try await Rig()
    _ = try await rig.purchases.products(both)
    _ = try await rig.purchases.products(both, refetch: true)
    _ = try await rig.purchases.products(both)
    #expect(rig.products.requests.map(\.ids) == [both, both])
  }

  @Test func aClockSetBackDoesNotMakeAListLiveLonger() async throws {
    let rig = try await Rig()
    _ = try await rig.purchases.products(both)
    rig.clock.advance(by: Config.productTimeToLive)
    rig.clock.setNow(Date(timeIntervalSince1970: 0))
    _ = try await rig.purchases.products(both)
    #expect(rig.products.requests.count == 2)
  }

  @Test func theStoreIsToldWhoAsksInWhichCurrencyAndLanguage() async throws {
    let rig = try await Rig()
    rig.purchases.storefront = Storefront(currency: "CHF", locale: Locale(identifier: "de_CH"))
    _ = try await rig.purchases.products(both)
    #expect(rig.products.requests == [ProductRequest(both, user: "ada", storefront: rig.purchases.storefront)])
  }

  @Test func whoeverAsksForTheSameSharesTheFetch() async throws {
    let rig = try await Rig()
    let gate = Gate()
    rig.products.answer { _, _ in
      await gate.wait()
      return [monthly, forever]
    }
    async let first = rig.purchases.products(both)
    await gate.reached()
    async let second = rig.purchases.products(both)
    async let third = rig.purchases.products(["premium.forever"])
    for _ in 0..<10 { await Task.yield() }
    gate.open()
    #expect(try await first.products == [monthly, forever])
    #expect(try await second.products == [monthly, forever])
    #expect(try await third.products == [forever])
    #expect(rig.products.requests.count == 1)
  }

  @Test func ofOverlappingListsOnlyTheRestIsAskedFor() async throws {
    let rig = try await Rig()
    let gate = Gate()
    rig.products.answer { request, call in
      if call == 1 { await gate.wait() }
      return [monthly, forever].filter { request.ids.contains($0.id) }
    }
    async let first = rig.purchases.products(["premium.monthly"])
    await gate.reached()
    async let second = rig.purchases.products(both)
    await until { rig.products.requests.count == 2 }
    gate.open()
    #expect(try await second.products == [monthly, forever])
    _ = try await first
    #expect(rig.products.requests.map(\.ids) == [["premium.monthly"], ["premium.forever"]])
    #expect(try await rig.purchases.products(both.reversed()).products == [forever, monthly])
    #expect(rig.products.requests.count == 2)
  }

  @Test func case7ManyOverlappingRequestsLoseNothingAndAskForEachProductOnce() async throws {
    let rig = try await Rig()
    let products = (0..<20).map {
      Product(id: "p\($0)", kind: .nonConsumable, name: "", price: Price(minorUnits: $0, currency: "EUR"))
    }
    rig.products.answer { request, _ in
      await Task.yield()
      return products.filter { request.ids.contains($0.id) }
    }
    let purchases = rig.purchases
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
    #expect(rig.products.requests.flatMap(\.ids).sorted() == products.map(\.id).sorted())
  }

  @Test func aFailedFetchIsNotKept() async throws {
    let rig = try await Rig()
    rig.products.answer { [away] _, call in
      if call == 1 { throw away }
      return [monthly, forever]
    }
    await #expect(throws: away) { try await rig.purchases.products(both) }
    #expect(try await rig.purchases.products(both).products == [monthly, forever])
  }

  @Test func case9AStoreThatIsAwayIsAnsweredForByItsLastWord() async throws {
    let rig = try await Rig()
    let fetched = rig.clock.now
    _ = try await rig.purchases.products(both + ["gone"])
    rig.clock.advance(by: Config.productTimeToLive)
    rig.products.answer { [away] _, call in
      // A 5xx first, then no network at all.
      if call == 2 { throw away }
      throw CancellationError()
    }
    let stale = ProductList([monthly, forever], unknown: ["gone"], isStale: true, fetchedAt: fetched)
    #expect(try await rig.purchases.products(both + ["gone"]) == stale)
    #expect(try await rig.purchases.products(both + ["gone"]) == stale)
    #expect(rig.products.requests.count == 3, "and is asked again each time")
    await #expect(throws: StoreError.self, "half a paywall is none") { try await rig.purchases.products(both + ["new"]) }
    rig.products.answer { _, _ in [monthly, forever] }
    #expect(try await rig.purchases.products(both) == ProductList([monthly, forever], fetchedAt: rig.clock.now))
  }

  @Test(arguments: [StoreError.Kind.refused, .busy, .unauthorized]) func case9NothingOldIsServedOnA4xx(kind: StoreError.Kind)
    async throws
  {
    let rig = try await Rig()
    _ = try await rig.purchases.products(both)
    rig.clock.advance(by: Config.productTimeToLive)
    let no = StoreError(kind, code: "no", sentence: "No.")
    rig.products.answer { _, _ in throw no }
    await #expect(throws: no) { try await rig.purchases.products(both) }
    rig.products.answer { [away] _, _ in throw away }
    if kind == .refused {
      await #expect(throws: away, "what was refused does not come back") { try await rig.purchases.products(both) }
    } else {
      #expect(try await rig.purchases.products(both).isStale, "nothing was said about the products")
    }
  }

  @Test(arguments: ["user", "nobody", "currency", "locale"]) func case8NothingOfAnotherUserCurrencyOrLocaleIsShown(change: String)
    async throws
  {
    let rig = try await Rig()
    _ = try await rig.purchases.products(both)
    switch change {
    case "user": rig.purchases.setUser("bob")
    case "nobody": rig.purchases.setUser(nil)
    case "currency": rig.purchases.storefront.currency = "CHF"
    default: rig.purchases.storefront.locale = Locale(identifier: "fr_FR")
    }
    rig.products.answer { [away] _, _ in throw away }
    await #expect(throws: away, "not even when the store is away") { try await rig.purchases.products(both) }
    rig.products.answer { _, _ in [forever] }
    #expect(try await rig.purchases.products(both).products == [forever])
    #expect(rig.products.requests.last?.user == rig.purchases.user)
    #expect(rig.products.requests.last?.storefront == rig.purchases.storefront)
  }

  @Test func case8AListThatWasOnItsWayIsAskedForAnewAfterAChange() async throws {
    let rig = try await Rig()
    let gate = Gate()
    rig.products.answer { request, _ in
      if request.storefront.currency == nil {
        await gate.wait()
        return [monthly]
      }
      return [Product(id: monthly.id, kind: monthly.kind, name: "Mois", price: Price(minorUnits: 500, currency: "CHF"))]
    }
    async let list = rig.purchases.products(["premium.monthly"])
    await gate.reached()
    rig.purchases.storefront = Storefront(currency: "CHF", locale: Locale(identifier: "fr_CH"))
    gate.open()
    #expect(try await list.products.map(\.price.currency) == ["CHF"])
  }

  @Test func case4AnAnswerForTheOldUserDoesNotLandInTheNewUsersCache() async throws {
    let rig = try await Rig()
    let gate = Gate()
    rig.products.answer { request, _ in
      if request.user == "ada" { await gate.wait() }
      return [Product(id: monthly.id, kind: monthly.kind, name: request.user ?? "", price: monthly.price)]
    }
    async let late = rig.purchases.products(["premium.monthly"])
    await gate.reached()
    rig.purchases.setUser("bob")
    #expect(try await rig.purchases.products(["premium.monthly"]).products.map(\.name) == ["bob"])
    gate.open()
    #expect(try await late.products.map(\.name) == ["bob"], "and is not shown to the new user either")
    #expect(try await rig.purchases.products(["premium.monthly"]).products.map(\.name) == ["bob"])
    #expect(rig.products.requests.map(\.user) == ["ada", "bob"])
  }

  @Test func case5WhoeverLeavesDoesNotTakeTheFetchAlong() async throws {
    let rig = try await Rig()
    let gate = Gate()
    rig.products.answer { _, _ in
      await gate.wait()
      try Task.checkCancellation()
      return [monthly, forever]
    }
    let purchases = rig.purchases
    let both = both
    let leaving = Task { try await purchases.products(both) }
    await gate.reached()
    async let staying = rig.purchases.products(both)
    leaving.cancel()
    gate.open()
    #expect(try await staying.products == [monthly, forever])
    _ = try await leaving.value
  }

  @Test func case18DoubledIdentifiersDoNotCrash() async throws {
    let rig = try await Rig()
    let other = Product(id: "premium.monthly", kind: .nonConsumable, name: "Twin", price: forever.price)
    rig.products.answer { _, _ in [monthly, forever, other, monthly] }
    let list = try await rig.purchases.products(["premium.forever", "premium.monthly", "premium.forever", "other", "other"])
    #expect(list.products == [forever, monthly], "the first counts")
    #expect(list.unknown == ["other"])
    #expect(rig.products.requests.map(\.ids) == [["premium.forever", "premium.monthly", "other"]])
  }

  @Test func whatIsNotKnownIsAskedForEachTime() async throws {
    let rig = try await Rig()
    rig.products.answer { request, call in call == 1 ? [monthly] : [forever] }
    #expect(try await rig.purchases.products(both).unknown == ["premium.forever"])
    #expect(try await rig.purchases.products(both).products == [monthly, forever])
    #expect(rig.products.requests.map(\.ids) == [both, ["premium.forever"]])
  }

  @Test func nothingIsAskedForNothing() async throws {
    let rig = try await Rig()
    #expect(try await rig.purchases.products([]) == ProductList([], fetchedAt: rig.clock.now))
    #expect(rig.products.requests.isEmpty)
  }

  @Test func case13AFailureOfAnyTypeKeepsWhatIsUnderneath() async throws {
    struct Odd: Error {}
    let rig = try await Rig()
    rig.products.answer { _, _ in throw Odd() }
    let failure = await #expect(throws: StoreError.self) { try await rig.purchases.products(both) }
    #expect(failure?.kind == .unavailable)
    #expect(failure?.underlying is Odd)
  }
}
