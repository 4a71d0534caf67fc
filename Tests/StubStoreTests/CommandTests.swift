import Foundation
import PurchaseService
import Runtime
import StubStore
import Testing

/// Commands as scenario files write them.
@Suite struct CommandTests {
  private static let written: [(String, TestStore.Command)] = [
    (#"{"do": "next_outcome", "outcome": "cancel"}"#, .nextOutcome(StubOutcome(.cancel))),
    (
      #"{"do": "next_outcome", "outcome": {"result": "fail", "code": "x", "sentence": "No."}, "product": "a"}"#,
      .nextOutcome(StubOutcome(.fail, code: "x", sentence: "No."), product: "a")
    ), (#"{"do": "approve"}"#, .approve()), (#"{"do": "decline", "product": "a"}"#, .decline(.init("a"))),
    (#"{"do": "resolve", "user": "ada"}"#, .resolve(.init(user: "ada"))),
    (#"{"do": "requests", "requests": {"answer": "fail", "code": "x"}}"#, .requests(StubStoreAnswer(.fail, code: "x"))),
    (#"{"do": "requests", "requests": {"delay": 3}}"#, .requests(StubStoreAnswer(delay: 3))),
    (#"{"do": "requests", "requests": {"answer": "empty"}}"#, .requests(StubStoreAnswer(.empty))),
    (#"{"do": "payments_allowed", "allowed": false}"#, .paymentsAllowed(false)),
    (#"{"do": "buy_elsewhere", "product": "a", "user": "ada"}"#, .buyElsewhere("a", user: "ada")), (#"{"do": "restore"}"#, .restore),
    (#"{"do": "renew", "product": "a"}"#, .renew(.init("a"))), (#"{"do": "expire"}"#, .expire()),
    (#"{"do": "auto_renew", "on": false}"#, .autoRenew(on: false)), (#"{"do": "billing_retry"}"#, .billingRetry()),
    (#"{"do": "billing_retry", "at": "renewal"}"#, .billingRetry(at: .renewal)), (#"{"do": "grace"}"#, .grace()),
    (#"{"do": "grace", "days": 3, "at": "renewal", "product": "a"}"#, .grace(.init("a"), days: 3, at: .renewal)),
    (#"{"do": "recover"}"#, .recover()), (#"{"do": "refund", "reason": "Why."}"#, .refund(reason: "Why.")),
    (#"{"do": "refund"}"#, .refund()),
    (
      #"{"do": "price_increase", "product": "a", "priceMinorUnits": 590, "needsConsent": true}"#,
      .priceIncrease("a", priceMinorUnits: 590, needsConsent: true)
    ), (#"{"do": "consent", "agreed": true}"#, .consent(agreed: true)), (#"{"do": "clock_rate", "rate": 86400}"#, .clockRate(86_400)),
    (#"{"do": "step", "seconds": 90}"#, .step(.seconds(90))), (#"{"do": "step", "period": "P1M"}"#, .stepPeriod(.month)),
    (#"{"do": "reset"}"#, .reset),
  ]

  @Test func everyCommandIsReadAndWrittenAgain() throws {
    for (text, command) in Self.written {
      #expect(try LocatedJSON.decode(TestStore.Command.self, from: Data(text.utf8), file: "f") == command)
      #expect(try LocatedJSON.decode(TestStore.Command.self, from: JSONEncoder().encode(command), file: "f") == command)
    }
    #expect(Set(Self.written.map(\.1.name)) == Set(TestStore.Command.Name.allCases))
  }

  @Test(arguments: [
    (#"{"product": "a"}"#, "“do” is missing"),
    (#"{"do": "approve", "days": 1}"#, "there is no “days” here; there can be “do”, “product”, “user”"),
    (#"{"do": "grace", "days": 0}"#, "expected a whole number from 1 to 365, found 0"), (#"{"do": "step"}"#, "“seconds” is missing"),
    (#"{"do": "grace", "at": "later"}"#, "expected one of “now”, “renewal”, found “later”"),
    (#"{"do": "payments_allowed"}"#, "“allowed” is missing"),
    (#"{"do": "buy_elsewhere", "product": ""}"#, "expected text that is not empty"),
    (#"{"do": "step", "seconds": -1}"#, "expected seconds from 0 to 3200000000, found -1.0"),
  ])
  func aBadCommandSaysWhatIsWrong(text: String, problem: String) {
    let failure = #expect(throws: LocatedJSON.Failure.self) {
      try LocatedJSON.decode(TestStore.Command.self, from: Data(text.utf8), file: "f")
    }
    #expect(failure?.problem == problem)
  }
}
