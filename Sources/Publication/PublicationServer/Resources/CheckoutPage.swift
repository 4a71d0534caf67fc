import Foundation
import HTTPTransport
import PublicationAPI
import PurchaseService

/// The checkout page: plain HTML for the system browser, where a reader agrees to a payment or does not. It never charges.
extension CheckoutResource {
  nonisolated(nonsending) func page(_ call: Call) async throws -> Response {
    guard let (page, order) = try await shown(call.parameter), let publication = try await content.info()?.name
    else { return try HTMLPage(title: "No such page", body: HTML.paragraph("There is no such page, or no longer.")).response(404) }
    let paid = [.paid, .refunded, .deferred].contains(order.state)
    let ending = { (text: String) in Self.ending(text, order, at: pages?.origin(for: call.request)) }
    let product = try await content.product(order.product, in: order.currency)
    switch page.state(at: clock.unixTime) {
    case .open where !paid:
      let body = try CheckoutText(order: order, product: product, publication: publication, purpose: page.purpose).form(page.key)
      return try HTMLPage(title: "Pay \(publication)", body: body).response(200)
    case .authorized where !paid:
      let text = "You agreed. Matinee goes on with the purchase; if it was closed, when it is opened again."
      return try HTMLPage(title: "Payment approved", body: ending(text)).response(200)
    case .expired where !paid:
      let text = "This page has expired and nothing was charged. Begin again in Matinee."
      return try HTMLPage(title: "Page expired", body: ending(text)).response(410)
    case .cancelled where !paid:
      return try HTMLPage(title: "Payment declined", body: ending("This payment was declined, and nothing was charged."))
        .response(200)
    case .withdrawn where !paid:
      let text = "This payment was cancelled in Matinee, and nothing was charged."
      return try HTMLPage(title: "Payment cancelled", body: ending(text)).response(200)
    default:
      return try HTMLPage(title: "Nothing to do", body: ending("This payment was taken care of already.")).response(200)
    }
  }

  /// Takes the answer of the page's form, then shows the page again, so that a reload sends nothing.
  nonisolated(nonsending) func answer(approved: Bool, _ call: Call) async throws -> Response {
    let key = call.parameter
    if let (page, order) = try await shown(key), page.state(at: clock.unixTime) == .open {
      var token: String?
      if approved {
        do throws(GatewayError) {
          token = try await gateway.authorize(amount: order.total, currency: order.currency, key: key)
        } catch GatewayError.declined(let reason) {
          log("checkout of \(order.id): declined: \(reason)")
        } catch {
          log("checkout of \(order.id)", error)
          let body = HTML.paragraph("The payment provider cannot be reached. Nothing was charged; go back and try again in a moment.")
          var response = try HTMLPage(title: "Not now", body: body).response(503)
          response.headers["Retry-After"] = "10"
          return response
        }
      }
      _ = try await checkouts.answer(key, token: token, at: clock.unixTime)
    }
    var response = try HTMLPage(title: "Thank you", body: "").response(303)
    let path = call.request.path
    response.headers["Location"] = String(path[..<(path.lastIndex(of: "/") ?? path.endIndex)])
    return response
  }

  /// A page and its order. One that waits for a reader who is signed in nowhere by now is withdrawn: no app would charge what they agree to.
  private nonisolated(nonsending) func shown(_ key: String) async throws -> (page: StoredCheckout, order: StoredOrder)? {
    guard pages != nil, let page = try await checkouts.page(key), let order = try await orders.order(page.order) else { return nil }
    guard page.purpose == .payment, page.state(at: clock.unixTime) == .open,
      try await readers.sessions(of: order.reader, at: clock.unixTime, limit: 1).isEmpty
    else { return (page, order) }
    try await checkouts.withdraw(order.id, reason: "", at: clock.unixTime)
    return (try await checkouts.page(key) ?? page, order)
  }

  private static func ending(_ text: String, _ order: StoredOrder, at origin: String?) -> String {
    HTML.paragraph(text) + HTML.paragraph("You can go back to Matinee.")
      + HTML.appButton("Go back to Matinee", to: "orders/\(order.id)", at: origin)
  }
}

/// What a checkout page says about an order.
struct CheckoutText {
  let order: StoredOrder
  let product: ProductRecord?
  let publication: String
  let purpose: StoredCheckout.Purpose

  /// The order in words, and two buttons.
  func form(_ key: String) throws -> String {
    let heading = purpose == .payment ? "Approve your payment" : "Confirm your payment"
    let why = purpose == .payment ? "" : HTML.paragraph("Your bank wants to know that it is you who pays.")
    return """
      <h1>\(heading)</h1>
      \(why)<dl>
      \(entry("To", publication))\(entry("For", product?.name ?? order.product, product?.detail ?? ""))\
      \(entry("Total", total, taxText))\(entry("Order", order.code))</dl>
      \(HTML.paragraph(try renewal))
      \(HTML.paragraph("Nothing is charged on this page. If you approve, Matinee goes on, and the total is charged once."))
      <form method="post" action="\(HTML.escaped(APIPath.checkoutApproval(key).target))"><button class="button" type="submit">Approve</button></form>
      <form method="post" action="\(HTML.escaped(APIPath.checkoutRefusal(key).target))"><button class="button plain" type="submit">Decline</button></form>
      """
  }

  private var total: String { money(order.total) }

  private var taxText: String {
    guard let tax = order.tax else { return "" }
    // As the app writes it.
    let rate = (Double(tax.basisPoints) / 10_000).formatted(.percent.precision(.fractionLength(0...2)).locale(Self.locale))
    return "includes \(rate) \(tax.name), \(money(tax.minorUnits))"
  }

  private var renewal: String {
    get throws {
      guard order.kind == .subscription, let period = order.period else { return "Paid once. It does not renew." }
      return """
        Renews \(try BillingPeriod(period).words) until cancelled. Cancel whenever you like, in Matinee under Account; what you paid for \
        runs to its end.
        """
    }
  }

  private static let locale = Locale(identifier: "en_GB")

  private func money(_ minorUnits: Int) -> String {
    Price(minorUnits: minorUnits, currency: order.currency).formatted(locale: Self.locale)
  }

  private func entry(_ name: String, _ value: String, _ detail: String = "") -> String {
    let small = detail.isEmpty ? "" : "<br><small>\(HTML.escaped(detail))</small>"
    return "<div><dt>\(name)</dt><dd>\(HTML.escaped(value))\(small)</dd></div>\n"
  }
}
