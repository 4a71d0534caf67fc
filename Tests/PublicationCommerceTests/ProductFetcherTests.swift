import Foundation
import HTTPTransport
import PublicationAPI
import PublicationClient
import PublicationCommerce
import PurchaseService
import TestSupport
import Testing

/// What a publication's answers become for `Purchases`.
@Suite struct ProductFetcherTests {
  private let request = ProductRequest(
    ["yearly", "passes"], user: "ada", storefront: Storefront(currency: "CHF", locale: Locale(identifier: "de_CH")))
  private let record = ProductRecord(
    id: "yearly", kind: .subscription, name: "Yearly", detail: "", priceMinorUnits: 4900, currency: "EUR", period: "P1Y", group: "premium",
    entitlement: "premium")

  private func failure(_ answer: @escaping @Sendable () throws -> Response) async throws -> StoreError {
    let fetcher = PublicationProductFetcher(client: Canned { _ in try answer() }.client())
    return try #require(await #expect(throws: StoreError.self) { try await fetcher.products(request) })
  }

  @Test func itAsksInTheReadersCurrencyAndLanguage() async throws {
    let canned = try Canned([record])
    let products = try await PublicationProductFetcher(client: canned.client()).products(request)
    #expect(products.map(\.id) == ["yearly"])
    #expect(canned.requests.map(\.target) == ["/v1/products?ids=yearly%2Cpasses&currency=CHF"])
    #expect(canned.requests.first?.headers["Accept-Language"] == "de-CH")
    _ = try await PublicationProductFetcher(client: canned.client()).products(ProductRequest([]))
    #expect(canned.requests.count == 1, "nothing is asked for nothing")
  }

  @Test func kindsThatAreNotKnownAreLeftOut() async throws {
    let future = #"{"id":"x","kind":"lottery","name":"","detail":"","priceMinorUnits":1,"currency":"EUR","entitlement":"e"}"#
    let known = String(decoding: try Wire.encode(record), as: UTF8.self)
    let client = Canned { _ in Response(200, body: Data("[\(future),\(known),{},7]".utf8)) }.client()
    #expect(try await PublicationProductFetcher(client: client).products(request).map(\.id) == ["yearly"])
  }

  @Test(arguments: ["", "eur", "ZZZ", "EURO", "€"]) func strangeCurrenciesAreShownAsTheyAre(currency: String) async throws {
    var record = record
    record.currency = currency
    let canned = try Canned([record])
    let product = try #require(try await PublicationProductFetcher(client: canned.client()).products(request).first)
    #expect(product.price.formatted(locale: Locale(identifier: "en_US")).contains("49.00"))
    #expect(product.pricePerMonth?.minorUnits == 408)
  }

  @Test func case18DoubledRecordsDoNotCrash() async throws {
    let canned = try Canned([record, record])
    #expect(try await PublicationProductFetcher(client: canned.client()).products(request).count == 2, "who caches them takes the first")
  }

  @Test func case14ATimeOutIsSaidToBeOne() async throws {
    let failure = try await failure { throw TransportError.timedOut }
    #expect(failure.kind == .unavailable)
    #expect(failure.code == "timed_out")
    #expect(failure.sentence == "The publication takes too long to answer. Try again in a moment.")
    guard case ClientError.offline(.timedOut)? = failure.underlying else { throw failure }
  }

  @Test(arguments: [(TransportError.unreachable("refused"), "unreachable"), (.cutShort("reset"), "cut_short")])
  func case9WithoutANetworkTheLastAnswerStillCounts(error: TransportError, code: String) async throws {
    let failure = try await failure { throw error }
    #expect(failure.kind == .unavailable)
    #expect(failure.code == code)
  }

  @Test(arguments: [TransportError.insecure("expired"), .tooLarge(limit: 1)]) func anUnsafeConnectionIsNotCoveredUp(error: TransportError)
    async throws
  {
    #expect(try await failure { throw error }.kind == .busy)
  }

  @Test(arguments: [
    (500, StoreError.Kind.unavailable), (502, .unavailable), (503, .unavailable), (599, .unavailable), (302, .unavailable),
    (400, .refused), (403, .refused), (404, .refused), (410, .refused), (422, .refused), (401, .unauthorized), (408, .busy), (425, .busy),
    (429, .busy),
  ]) func case9AStatusDecidesWhetherTheLastAnswerStillCounts(status: Int, kind: StoreError.Kind) async throws {
    let body = try Wire.encode(Problem(code: "some_code", title: "No.", status: status))
    let failure = try await failure { Response(status, body: body) }
    #expect(failure == StoreError(kind, code: "some_code", sentence: "No."))
  }

  @Test(arguments: [
    (503, StoreError.Kind.unavailable), (500, .unavailable), (429, .busy), (403, .busy), (404, .busy), (401, .unauthorized),
  ]) func case13ABodyThatIsNotJSONStillHasItsStatus(status: Int, kind: StoreError.Kind) async throws {
    let failure = try await failure { Response(status, body: Data("<html>Sorry</html>".utf8)) }
    #expect(failure.kind == kind)
    #expect(failure.code == "http_\(status)")
    #expect(!failure.sentence.contains("\(status)"), "the code has it, for logs")
    guard case ClientError.problem? = failure.underlying else { throw failure }
  }

  @Test func case13WhatTheDecoderSaidIsKept() async throws {
    let failure = try await failure { Response(200, body: Data("<html>Welcome</html>".utf8)) }
    #expect(failure.kind == .unavailable)
    #expect(failure.code == "undecodable")
    guard case ClientError.undecodable(let what, let underlying)? = failure.underlying else { throw failure }
    #expect(what == "GET /v1/products")
    #expect(underlying is DecodingError)
  }
}
