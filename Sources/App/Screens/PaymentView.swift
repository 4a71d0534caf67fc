import Gtk
import PaymentFeature

/// The payment sheet: the price, the later payments, the method, and the progress.
@MainActor final class PaymentView: View {
  let scope = Scope()
  let root: Widget
  private let viewModel: PaymentViewModel
  private let stack = Stack()
  private lazy var problem = StatusView(in: stack, over: "payment")
  private let badge = StoreBadge()
  private let lines = Box(.vertical, spacing: 8)
  private let total = Label(styles: ["price"], alignment: .end)
  private let totalWords = Label(styles: [.subheading], wraps: true)
  private let tax = Label(styles: [.caption, .dim], alignment: .end)
  private let terms = Label(styles: [.caption, .dim], wraps: true)
  private let methods = ChoiceList<PaymentViewModel.State.Method.ID>()
  private let spinner = Spinner(isSpinning: false, name: "Paying")
  private let status = Label(wraps: true)
  private let waiting: LoadingWords
  private let confirm = Button("Open your bank's page", styles: [.suggested, .pill])
  private let cancelPayment = Button("Cancel payment", styles: [.pill])
  private let again = Button("Open the page again", styles: [.pill])
  private let pay = Button("Pay", styles: [.suggested, .pill])
  private let cancel = Button("Cancel", styles: [.flat])
  private var shownLines: [PaymentViewModel.State.Line] = []
  /// Whether the keyboard was on "Pay" when that could no longer be pressed.
  private var payHadKeyboard = false

  init(_ viewModel: PaymentViewModel) {
    self.viewModel = viewModel
    waiting = LoadingWords(status)
    status.expandsHorizontally = true
    totalWords.expandsHorizontally = true
    let sum = Wrap(totalWords, Box(.vertical, children: [total, tax]), least: 84, spacing: 12)
    let progress = Box(.horizontal, spacing: 10, children: [spinner, status])
    let bill = Box(
      .vertical, spacing: 12,
      children: [lines, Separator(), sum, terms, Label("Pay with", styles: [.caption, .dim]), methods.root])
    // A small window shows part of the bill; the buttons and the result are always visible.
    let content = Box(
      .vertical, spacing: 12,
      children: [
        Label("Payment", styles: [.heading], alignment: .center), badge.root, FittingScroller(bill), progress, confirm, cancelPayment,
        again,
      ])
    stack.add(content, name: "payment")
    root = Box(.vertical, spacing: 12, children: [stack, pay, cancel])
    methods.onChosen = { [weak self] in self?.viewModel.send(.methodChosen($0)) }
    pay.onClicked(self) { $0.viewModel.send(.payTapped) }
    confirm.onClicked(self) { $0.viewModel.send(.confirmTapped) }
    cancelPayment.onClicked(self) { $0.viewModel.send(.cancelPaymentTapped) }
    again.onClicked(self) { $0.viewModel.send(.openAgainTapped) }
    cancel.onClicked(self) { $0.viewModel.send(.cancelTapped) }
    problem.onAction(self) { view, _ in view.viewModel.send(.retryTapped) }
    viewModel.observe { [weak self] in self?.show($0) }
  }

  private func show(_ state: PaymentViewModel.State) {
    badge.text = state.badge
    if state.lines != shownLines {
      shownLines = state.lines
      lines.replaceAll(state.lines.map { Self.row($0) })
    }
    total.text = state.total
    totalWords.text = state.totalTitle
    tax.text = state.tax ?? ""
    tax.isVisible = state.tax != nil
    terms.text = state.terms.joined(separator: "\n")
    methods.show(
      state.methods.map { .init(id: $0.id, name: $0.name, detail: $0.detail) }, chosen: state.selectedMethod, isSensitive: state.canPay)
    showStatus(state)
    pay.label = state.payTitle
    // Sighted people read "Pay €4.90"; the accessible name is the same for every price.
    pay.setAccessibleName(state.payAction)
    pay.setAccessibleDescription(state.total)
    if pay.hasFocus, !state.canPay { payHadKeyboard = true }
    pay.isSensitive = state.canPay
    for button in [pay, cancelPayment] { button.takesClicks = !state.isResting }
    let (payGoes, payComes) = (pay.isVisible && !state.offersPay, !pay.isVisible && state.offersPay)
    pay.isVisible = state.offersPay
    again.isVisible = state.canOpenAgain
    cancel.label = state.cancelTitle
    // The keyboard was on it, or nowhere while the payment was under way.
    if payGoes, root.isMapped { (state.offersConfirmation ? confirm : state.canOpenAgain ? again : cancel).focus() }
    // After "Cancel payment", and after a payment that failed.
    if payComes || payHadKeyboard && state.canPay, root.isMapped, state.status?.isProblem == true { pay.focus() }
    if state.canPay { payHadKeyboard = false }
    problem.show(state.statusPage)
  }

  private func showStatus(_ state: PaymentViewModel.State) {
    let (isWorking, isProblem, isDone) =
      switch state.status {
      case .working, .confirming: (true, false, false)
      case .problem: (false, true, false)
      case .done: (false, false, true)
      case .waiting, .confirm, nil: (false, false, false)
      }
    spinner.isSpinning = isWorking
    spinner.isVisible = isWorking
    waiting.show(state.isAwaitingAnswer ? state.status?.text : nil)
    if !state.isAwaitingAnswer { status.text = state.status?.text ?? "" }
    status.isVisible = state.status != nil
    status.setStyle(.error, isProblem)
    status.setStyle("success", isDone)
    confirm.isVisible = state.offersConfirmation
    cancelPayment.isVisible = state.offersCancelling
  }

  private static func row(_ line: PaymentViewModel.State.Line) -> Widget {
    let name = Label(line.name, styles: [.subheading], wraps: true)
    name.expandsHorizontally = true
    let price = Label(line.price, alignment: .end)
    // Below each other where the text is large.
    let row = Box(.vertical, spacing: 2, children: [Wrap(name, price, least: 84, spacing: 12)])
    if !line.detail.isEmpty { row.append(Label(line.detail, styles: [.caption, .dim], wraps: true)) }
    return row
  }
}
