import Foundation
import PurchaseService
import Runtime
import StubStore
import Testing

@Suite struct StubStoreFileTests {
  private func product(_ fields: String) -> String {
    #"{"products": [{"id": "a", "name": "A", "priceMinorUnits": 1, "currency": "EUR", \#(fields)}]}"#
  }

  @Test func readsWhatTheSampleHas() throws {
    let sample = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
      .appending(path: "Resources/stub-products/sample.json")
    let file = try StubStoreFile(json: Data(contentsOf: sample), name: "sample.json")
    let monthly = try #require(file.product("premium.monthly")?.product)
    #expect(monthly.kind == .subscription(group: "premium", period: .month))
    #expect(monthly.price == Price(minorUnits: 490, currency: "EUR"))
    #expect(monthly.offer?.isTrial == true)
    #expect(monthly.tax?.amount.minorUnits == 78)
    #expect(file.product("premium.yearly")?.outcomes.map(\.result) == [.fail, .deferred, .success])
    #expect(file.product("passes.5")?.product.kind == .consumable(type: "article_pass", amount: 5))
    #expect(file.outcomes.last == StubOutcome(.fail, code: "unavailable", times: 2, delay: 1.5))
    #expect(file.requests == StubStoreAnswer(delay: 0.5))
  }

  @Test func aBadFileSaysWhere() {
    for (text, message) in [
      ("[]", "line 1, column 1: expected an object, found a list"), ("{}", "line 1, column 1: “products” is missing"),
      ("{\"products\": [],\n \"ouctomes\": []}", "line 2, column 2: there is no “ouctomes” here; did you mean “outcomes”?"),
      (
        product(#""kind": "subscribtion""#),
        "line 1, column 89: expected one of “subscription”, “non_consumable”, “consumable”, found “subscribtion”; did you mean “subscription”?"
      ), (product(#""kind": "subscription""#), "line 1, column 15: “period” is missing"),
      (
        product(#""kind": "subscription", "period": "month""#),
        "line 1, column 115: expected a period such as “P1M”, “P1Y” or “P2W”, found “month”"
      ),
      (
        product(#""kind": "non_consumable", "amount": 5"#),
        "line 1, column 107: there is no “amount” here; there can be “currency”, “detail”, “entitlement”, “id”, “kind”, “name”, “outcomes”, “priceMinorUnits”, “tax”"
      ),
      (
        product(#""kind": "non_consumable", "outcomes": ["sucess"]"#),
        "line 1, column 120: expected one of “success”, “cancel”, “authorization_failed”, “fail”, “deferred”, “interrupted”, “receipt_rejected”, “bad_signature”, “not_listed”, found “sucess”; did you mean “success”?"
      ),
      (
        product(#""kind": "non_consumable", "outcomes": ["fail"]"#),
        "line 1, column 120: “fail” needs a code: {\"result\": \"fail\", \"code\": \"declined\"}"
      ),
      (
        product(#""kind": "non_consumable", "outcomes": [{"result": "cancel", "times": 2}]"#),
        "line 1, column 141: there is no “times” here; there can be “delay”, “result”"
      ),
      (
        product(#""kind": "non_consumable""#).replacing("EUR", with: "XXX"),
        "line 1, column 74: expected a currency that people pay in, such as “EUR”, found “XXX”"
      ),
      (
        product(#""kind": "non_consumable""#).replacing("EUR", with: "eur"),
        "line 1, column 74: expected a currency that people pay in, such as “EUR”, found “eur”"
      ),
      ("{\"products\": [],\n \"owned\": [\"x\"]}", "line 2, column 12: there is no product “x” in this file"),
      ("{\"products\": [], \"rate\": -1}", "line 1, column 26: expected a whole number from 0 to 10000000, found -1"),
      (
        "{\"products\": [], \"requests\": {\"code\": \"x\"}}", "line 1, column 39: “code” goes with “fail”"
      ),
    ] {
      let failure = #expect(throws: LocatedJSON.Failure.self) { try StubStoreFile(json: Data(text.utf8), name: "f") }
      #expect(failure?.description == "f, " + message)
    }
  }

  @Test func aProductThatIsThereTwiceIsRefused() {
    let one = #"{"id": "a", "kind": "non_consumable", "name": "A", "priceMinorUnits": 1, "currency": "EUR"}"#
    let failure = #expect(throws: LocatedJSON.Failure.self) {
      try StubStoreFile(json: Data("{\"products\": [\(one),\n\(one)]}".utf8), name: "f")
    }
    #expect(failure?.description == "f, line 2, column 8: the product “a” is there twice")
  }
}
