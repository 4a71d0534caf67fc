import FeedFormats
import Foundation
import HTTPTransport
import PublicationAPI

/// What the publication's operator decides about payments while it runs: `matinee-server order …`.
extension Publication {
  /// A token for the operator's part of the API, in place of the one before. Without one nobody uses that part.
  /// - Throws: an error of the library that makes it.
  public func newOperatorToken() throws -> String {
    let token = try Secrets.token()
    operatorDigest = try Digest.sha256(Data(token.utf8))
    return token
  }

  /// - Throws: `Problem` with ``Problem/Code/notFound``: who has no token learns nothing.
  func authenticateOperator(_ request: Request) throws {
    guard let known = operatorDigest, let given = try Self.tokenDigest(request), known == given else {
      throw Problem.nothing(at: request.path)
    }
    sessions.learn(given, "operator")
  }

  /// Says for the bank, or whoever the payment waits for, what they decided.
  func decide(_ approved: Bool, _ call: Call) async throws -> Response {
    let order = try await orders.any(call)
    if let doubt = try await clockDoubt() { throw Problem.conflict(doubt) }
    while let running = charges[order.id] { _ = try? await running.task.value }
    let settled = try await alone(order) { publication, order in
      guard let attempt = try await publication.orderBook.openAttempt(of: order.id), order.state == .deferred else {
        throw Problem.conflict("This order is \(order.state.rawValue), and waits for nobody.")
      }
      do {
        return try await publication.settle(attempt, order) { gateway throws(GatewayError) in
          try await gateway.settle(key: attempt.key, approved: approved)
        }
      } catch let problem as Problem where problem.code == .paymentDeclined {
        return try await publication.orderBook.order(order.id) ?? order
      }
    }
    return try .json(Order(settled))
  }

  func refund(_ call: Call, _ request: RefundRequest) async throws -> Response {
    let order = try await orders.any(call)
    let reason = request.reason.visibleText
    guard (1...200).contains(reason.count) else { throw Problem.badRequest("“reason” has 1 to 200 characters.") }
    if request.trustsClock != true, let doubt = try await clockDoubt() { throw Problem.conflict(doubt) }
    return try .json(Order(await refund(order.id, reason: reason)))
  }

  /// Gives a charge back; what was begun before keeps its reason.
  func refund(_ id: Order.ID, reason: String) async throws -> StoredOrder {
    guard let order = try await orderBook.order(id) else { throw Problem.notFound("order") }
    while let running = charges[id] { _ = try? await running.task.value }
    return try await alone(order) { publication, order in
      if order.state == .refunded { return order }
      guard order.state == .paid else {
        if order.state == .open, try await publication.orderBook.openAttempt(of: id) != nil {
          throw Problem.conflict("The payment provider has yet to say whether it charged this order.")
        }
        throw Problem.conflict("This order is \(order.state.rawValue): nothing was charged.")
      }
      let attempt = try await publication.orderBook.beginRefund(id, reason: reason)
      do throws(GatewayError) {
        try await publication.gateway.refund(key: attempt.key)
      } catch GatewayError.declined(let reason) {
        // For good, so nobody asks again.
        try await publication.orderBook.declineRefund(id)
        throw Problem.conflict("The payment provider does not give this payment back. \(reason)")
      } catch { throw publication.unavailable(attempt.key, "\(error)") }
      do { try await publication.orderBook.refund(id, at: publication.now) } catch { throw publication.unwritten(attempt.key, error) }
      return try await publication.orderBook.order(id) ?? order
    }
  }
}
