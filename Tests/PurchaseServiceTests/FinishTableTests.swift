import PurchaseService
import Testing

/// One test a row of the table: when a transaction may be finished.
@Suite struct FinishTableTests {
  private func decision(_ outcome: SubmissionOutcome, oneTime: Bool = false) -> FinishDecision {
    FinishDecision.after(outcome, of: "p", oneTime: oneTime)
  }
  private func outcome(_ status: Int, code: String = "code", retryAfter: Duration? = nil) -> SubmissionOutcome {
    SubmissionOutcome(
      status: status, saysUnknownProduct: code == "unknown_product", saysDeclined: code == "payment_declined", isFromStore: true,
      retryAfter: retryAfter, code: code, sentence: "No.")
  }

  @Test func successOfASubscriptionIsFinished() {
    #expect(decision(.accepted(receipt: "r", listed: [])) == .finish)
    #expect(decision(.accepted(receipt: "r", listed: ["p"])) == .finish)
  }

  @Test func successOfAOneTimeProductIsFinishedOnlyWhenTheAnswerListsIt() {
    #expect(decision(.accepted(receipt: "r", listed: ["p", "q"]), oneTime: true) == .finish)
    #expect(decision(.accepted(receipt: "r", listed: ["q"]), oneTime: true) == .retry())
    #expect(decision(.accepted(receipt: "r", listed: []), oneTime: true) == .retry())
  }

  @Test(arguments: [400, 404, 422]) func aProductUnknownToTheServerIsFinishedAndTold(status: Int) {
    #expect(decision(outcome(status, code: "unknown_product")) == .fail(.unknownProduct("No.")))
  }

  @Test(arguments: [400, 402, 403, 404, 409, 410, 422, 451]) func anyOtherDefiniteRefusalIsFinishedAndTold(status: Int) {
    #expect(decision(outcome(status)) == .fail(.refused(code: "code", sentence: "No.")))
  }

  @Test func aDeclinedPaymentIsFinishedAndTold() {
    #expect(decision(outcome(402, code: "payment_declined")) == .fail(.declined("No.")))
  }

  @Test func a401IsKeptAndTheSessionRenewed() { #expect(decision(outcome(401)) == .retry(.sessionEnded)) }

  @Test(arguments: [408, 425, 429]) func aNotNowIsKeptAndWaitsAsLongAsTheServerSays(status: Int) {
    #expect(decision(outcome(status, retryAfter: .seconds(7))) == .retry(after: .seconds(7)))
    #expect(decision(outcome(status)) == .retry())
  }

  @Test(arguments: [500, 501, 502, 503, 504, 599, 301, 304]) func aServerErrorIsKeptAndAskedAgain(status: Int) {
    #expect(decision(outcome(status)) == .retry())
    #expect(decision(outcome(status, retryAfter: .seconds(3))) == .retry(after: .seconds(3)))
  }

  @Test func noConnectionTimeOutAndAnswerCutShortAreKeptAndAskedAgain() {
    #expect(decision(.unavailable(reason: "time-out")) == .retry())
  }

  @Test(arguments: [400, 401, 403, 404, 407, 451, 511]) func anAnswerThatIsNotTheStoresIsKeptAndAskedAgain(status: Int) {
    // A captive portal's "403" must not finish a transaction that may be paid, nor a proxy's "401" end a session.
    let answer = SubmissionOutcome(status: status, isFromStore: false, code: "http", sentence: "Log in to this network.")
    #expect(decision(answer) == .retry())
  }

  @Test(arguments: [true, false]) func whatSomebodyHasYetToApproveIsKept(oneTime: Bool) {
    #expect(decision(.deferred("A parent."), oneTime: oneTime) == .pendingInterval(.deferred("A parent.")))
  }

  @Test(arguments: [true, false]) func whatThePersonHasYetToDoIsKept(oneTime: Bool) {
    #expect(decision(.interrupted("The bank.", url: "u"), oneTime: oneTime) == .pendingInterval(.interrupted("The bank.", url: "u")))
  }

  @Test func aBadSignatureIsKeptAndAskedAgain() { #expect(decision(.unverified(reason: "bad signature")) == .retry()) }

  @Test func anEntitlementComputedOnTheDeviceIsNotFinished() { #expect(decision(.computedOnDevice) == .retry()) }
}
