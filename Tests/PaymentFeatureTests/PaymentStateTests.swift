import PaymentFeature
import Testing

/// What the sheet shows by what it knows.
@Suite struct PaymentStateTests {
  private typealias Status = PaymentViewModel.State.Status

  @Test(
    arguments: [
      (nil, "Cancel", true, false), (.working("Paying…"), "Cancel", true, false), (.problem("Declined."), "Cancel", true, false),
      (.waiting("On its way."), "Close", false, false), (.confirm("Confirm.", page: nil), "Close", false, false),
      (.confirm("Confirm.", page: "https://bank.example"), "Close", false, true),
      (.confirming("Waiting.", page: nil), "Close", false, true), (.done("Thanks."), "Close", false, false),
    ] as [(Status?, String, Bool, Bool)])
  private func buttons(_ status: Status?, cancel: String, offersPay: Bool, offersConfirmation: Bool) {
    var state = PaymentViewModel.State()
    (state.phase, state.canPay, state.status) = (.ready, true, status)
    #expect(state.cancelTitle == cancel)
    #expect(state.offersPay == offersPay)
    #expect(state.offersConfirmation == offersConfirmation)
    state.canCancel = false
    #expect(state.cancelTitle == "Close")
    state.phase = .loading
    #expect(!state.offersPay)
  }

  @Test func aProblemThatPayingDoesNotSolveEndsTheSheet() {
    var state = PaymentViewModel.State()
    (state.phase, state.status) = (.ready, .problem("It is not for sale."))
    #expect((state.cancelTitle, state.offersPay) == ("Close", false))
  }

  @Test(arguments: [("Pay €4.90", "Pay"), ("Try again · €4.90", "Try again"), ("Subscribe", "Subscribe")])
  func theButtonHasOneNameWhateverThePrice(title: String, action: String) {
    var state = PaymentViewModel.State()
    state.payTitle = title
    #expect(state.payAction == action)
  }

  @Test func aTaxIsNamedWhereItIsKnown() {
    var state = PaymentViewModel.State()
    #expect(state.totalTitle == "Total")
    state.tax = "19% VAT, €7.82"
    #expect(state.totalTitle == "Total, including tax")
  }

  @Test func thePublicationIsAwaitedUnlessSomethingElseIsSaid() {
    var state = PaymentViewModel.State()
    #expect(!state.isAwaitingAnswer)
    state.status = .working("Paying…")
    #expect(state.isAwaitingAnswer)
    state.canOpenAgain = true
    #expect(!state.isAwaitingAnswer)
  }
}
