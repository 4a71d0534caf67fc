import Foundation
import PurchaseService
import Testing

@Suite struct PriceTests {
  private let german = Locale(identifier: "de_DE")
  private let american = Locale(identifier: "en_US")
  private func text(_ minorUnits: Int, _ currency: String, _ locale: Locale) -> String {
    // ICU puts no-break spaces between number and sign.
    Price(minorUnits: minorUnits, currency: currency).formatted(locale: locale).replacing("\u{A0}", with: " ")
      .replacing("\u{202F}", with: " ")
  }

  @Test func case16TheCurrencyIsTheProductsAndOnlyTheArrangementTheLocales() {
    #expect(text(490, "EUR", german) == "4,90 €")
    #expect(text(490, "EUR", american) == "€4.90")
    #expect(text(490, "USD", german) == "4,90 $")
    #expect(text(123_456_789, "EUR", german) == "1.234.567,89 €")
  }

  @Test func case16MinorUnitsAreTheCurrencys() {
    #expect(text(490, "JPY", american) == "¥490")
    #expect(text(4_905, "KWD", american) == "KWD 4.905")
    #expect(text(12_345, "CLF", american) == "CLF 1.2345")
    #expect(Price(minorUnits: 490, currency: "JPY").amount == 490)
    #expect(Price(minorUnits: -490, currency: "EUR").amount == Decimal(string: "-4.9"))
  }

  @Test func currenciesThatPeoplePayIn() {
    for code in ["EUR", "USD", "JPY", "KWD", "CHF", "XAF", "XCD", "XOF", "XPF"] { #expect(Price.isInUse(code), "\(code)") }
    for code in ["XXX", "XTS", "XAU", "XAG", "XPT", "XPD", "XDR", "XBA", "DEM", "ZZZ", "eur", "EURO", ""] {
      #expect(!Price.isInUse(code), "\(code)")
    }
  }

  @Test(arguments: ["", "E", "EURO", "€", "eur", "XXX", "ZZZ", "12 ", "EU\u{0301}R"]) func aStrangeCurrencyDoesNotCrash(code: String) {
    let text = text(490, code, american)
    #expect(text.contains("4.90"))
  }

  @Test func aCountryOfAnotherCalendarShowsTheSamePrice() {
    #expect(text(490, "EUR", Locale(identifier: "th_TH@calendar=buddhist")) == "€4.90")
  }

  @Test func extremeAmountsDoNotOverflow() {
    #expect(!text(.max, "EUR", german).isEmpty)
    #expect(!text(.min, "EUR", german).isEmpty)
    let yearly = SubscriptionPeriod(months: 12)!
    #expect(Price(minorUnits: .max, currency: "EUR").saving(of: yearly, against: Price(minorUnits: 1, currency: "EUR")) == nil)
  }

  @Test(arguments: [(4900, "P1Y", 408), (2490, "P3M", 830), (490, "P1M", 490), (100, "P1W", 435), (100, "P3Y", 3), (50, "P1Y", 4)])
  func aMonthsShareIsRoundedToTheNearestMinorUnit(price: Int, period: String, expected: Int) throws {
    let period = try #require(SubscriptionPeriod(iso8601: period))
    #expect(Price(minorUnits: price, currency: "EUR").perMonth(of: period) == Price(minorUnits: expected, currency: "EUR"))
  }

  @Test func savingAgainstTheMonthlyPrice() throws {
    let monthly = Price(minorUnits: 490, currency: "EUR")
    let year = try #require(SubscriptionPeriod(iso8601: "P1Y"))
    func saving(_ price: Int, _ currency: String = "EUR") -> Int? {
      Price(minorUnits: price, currency: currency).saving(of: year, against: monthly)
    }
    #expect(saving(4900) == 17)
    #expect(saving(5880) == nil)
    #expect(saving(5860) == nil, "less than half a percent is nothing to boast of")
    #expect(saving(9000) == nil)
    #expect(saving(0) == 100)
    #expect(saving(4900, "USD") == nil)
    #expect(Price(minorUnits: 1, currency: "EUR").saving(of: year, against: Price(minorUnits: 0, currency: "EUR")) == nil)
  }
}

/// What a paywall shows of a product beside its price.
@Suite struct ProductTests {
  private func product(_ id: String, _ price: Int, _ period: String?, currency: String = "EUR") throws -> Product {
    let period = try period.map { try #require(SubscriptionPeriod(iso8601: $0)) }
    return Product(
      id: id, kind: period.map { .subscription(group: "g", period: $0) } ?? .nonConsumable, name: id,
      price: Price(minorUnits: price, currency: currency))
  }

  @Test func case16WhatAProductComesToInAMonth() throws {
    #expect(try product("y", 4900, "P1Y").pricePerMonth == Price(minorUnits: 408, currency: "EUR"))
    #expect(try product("y", 4900, "P1Y", currency: "JPY").pricePerMonth == Price(minorUnits: 408, currency: "JPY"))
    #expect(try product("once", 4900, nil).pricePerMonth == nil)
  }

  @Test func case16WhatIsSavedAgainstPayingMonthly() throws {
    let monthly = try product("m", 490, "P1M")
    #expect(try product("y", 4900, "P1Y").saving(against: monthly) == 17)
    #expect(try product("y", 4900, "P1Y", currency: "USD").saving(against: monthly) == nil)
    #expect(try product("once", 100, nil).saving(against: monthly) == nil)
    #expect(monthly.saving(against: monthly) == nil)
    #expect(try monthly.saving(against: product("y", 4900, "P1Y")) == nil, "only a monthly price is compared with")
  }

  @Test func anOfferSaysHowLongItLastsAndWhatComesAfter() throws {
    let week = try #require(SubscriptionPeriod(iso8601: "P1W"))
    let free = Offer(price: Price(minorUnits: 0, currency: "EUR"), period: week, cycles: 2)
    #expect(free.isTrial)
    #expect(free.length == SubscriptionPeriod(iso8601: "P14D"))
    let berlin = try #require(TimeZone(identifier: "Europe/Berlin"))
    // Over the night in which clocks go forward: the same hour of the day.
    let start = Date(timeIntervalSince1970: 1_774_000_000)
    #expect(free.end(from: start, in: berlin).timeIntervalSince(start) == 14 * 86_400 - 3600)
    #expect(!Offer(price: Price(minorUnits: 100, currency: "EUR"), period: week).isTrial)
    #expect(Offer(price: Price(minorUnits: 100, currency: "EUR"), period: week, cycles: -3).cycles == 1)
  }

  @Test func lengthsBeyondAllCalendarsDoNotCrash() throws {
    let long = try #require(SubscriptionPeriod(months: .max, days: .max))
    #expect(long.times(2) == nil)
    let start = Date(timeIntervalSince1970: 0)
    #expect(long.end(from: start, times: 3, in: .gmt) == start)
    #expect(Price(minorUnits: .max, currency: "EUR").perMonth(of: SubscriptionPeriod(days: 1)!).minorUnits == .max)
    #expect(Price(minorUnits: .min, currency: "EUR").perMonth(of: SubscriptionPeriod(days: 1)!).minorUnits == .min)
  }
}

@Suite struct SubscriptionPeriodTests {
  @Test(arguments: [
    ("P1M", 1, 0), ("P1Y", 12, 0), ("P12M", 12, 0), ("P1Y6M", 18, 0), ("P2W", 0, 14), ("P7D", 0, 7), ("P1M3D", 1, 3), ("P1Y2M3W4D", 14, 25),
  ]) func readsDurationsOfDates(text: String, months: Int, days: Int) throws {
    let period = try #require(SubscriptionPeriod(iso8601: text))
    #expect(period.months == months)
    #expect(period.days == days)
    #expect(SubscriptionPeriod(iso8601: period.iso8601) == period)
  }

  @Test(arguments: [
    "", "P", "1M", "PM", "P1", "P1H", "PT1H", "P-1M", "p1m", "P1D1M", "P1M1M", "P0M", "P0D", "P1.5M", "P99999Y", "P1M ", "P１M", "month",
  ]) func refusesAnythingElse(text: String) { #expect(SubscriptionPeriod(iso8601: text) == nil) }

  @Test func aYearIsTwelveMonthsAndAWeekSevenDays() {
    #expect(SubscriptionPeriod(iso8601: "P1Y") == SubscriptionPeriod(iso8601: "P12M"))
    #expect(SubscriptionPeriod(iso8601: "P1W") == SubscriptionPeriod(iso8601: "P7D"))
    #expect(SubscriptionPeriod(iso8601: "P12M")?.iso8601 == "P1Y")
  }
}
