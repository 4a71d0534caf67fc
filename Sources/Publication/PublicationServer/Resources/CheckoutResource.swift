import Foundation
import HTTPTransport
import PublicationAPI
import Runtime

/// The hosted checkout as clients see it. The page itself is in CheckoutPage.swift.
struct CheckoutResource {
  let checkouts: any CheckoutRepository
  let orders: any OrderRepository
  let content: any ContentRepository
  let readers: any ReaderRepository
  let gateway: any PaymentGateway
  let clock: any AppClock
  let random: any RandomSource
  /// The address of the pages; `nil` when there are none.
  let pages: PublicAddress?
  let log: OperatorLog

  /// How long a page waits for the reader, in seconds.
  static let pageLifetime: Int64 = 1800

  nonisolated(nonsending) func start(_ call: Call, _ orders: OrderResource) async throws -> Response {
    guard pages != nil else {
      throw Problem(code: .notOffered, title: "This publication has no checkout page.", status: 404)
    }
    let order = try await orders.own(call)
    switch order.state {
    case .open, .declined, .interrupted: break
    case .deferred: throw Problem.conflict("This payment waits for approval already.")
    case .paid, .refunded: throw Problem.conflict("This order was paid already.")
    }
    try await orders.refuseSecond(order)
    let purpose: StoredCheckout.Purpose = order.state == .interrupted ? .confirmation : .payment
    return try checkout(await checkouts.start(newPage(for: order.id, purpose), at: clock.unixTime), call)
  }

  nonisolated(nonsending) func state(_ call: Call, _ orders: OrderResource) async throws -> Response {
    guard let page = try await checkouts.page(of: orders.own(call).id) else { throw Problem.notFound("checkout of this order") }
    return try checkout(page, call)
  }

  private func checkout(_ page: StoredCheckout, _ call: Call) throws -> Response {
    guard let url = address(of: page, for: call.request) else { throw Problem.badRequest("The request does not name its host.") }
    return try .json(
      Checkout(
        state: page.state(at: clock.unixTime).shown, url: url, expires: Date(timeIntervalSince1970: TimeInterval(page.expires)),
        paymentToken: page.token))
  }

  // MARK: Pages

  func newPage(for order: Order.ID, _ purpose: StoredCheckout.Purpose) -> StoredCheckout {
    StoredCheckout(key: random.token(), order: order, purpose: purpose, expires: clock.unixTime + Self.pageLifetime)
  }

  /// The order's page, if it waits for the reader.
  nonisolated(nonsending) func openPage(of order: Order.ID) async throws -> StoredCheckout? {
    guard pages != nil, let page = try await checkouts.page(of: order), page.state(at: clock.unixTime) == .open else { return nil }
    return page
  }

  /// Whether the order was declined because the payment that its reader was to confirm was cancelled.
  nonisolated(nonsending) func isWithdrawn(_ order: Order.ID) async throws -> Bool {
    guard let page = try await checkouts.page(of: order) else { return false }
    return page.purpose == .confirmation && page.state == .withdrawn
  }

  /// A page's absolute address; `nil` when there are no pages or the request names no host.
  func address(of page: StoredCheckout, for request: Request) -> String? {
    pages?.origin(for: request).map { $0 + APIPath.checkoutPage(page.key).target }
  }
}

extension Publication {
  /// Offers a checkout page; not for a publication that no browser can reach.
  public func offerPages(at address: PublicAddress) { pages = address }
}
