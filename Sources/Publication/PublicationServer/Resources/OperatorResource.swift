import FeedFormats
import Foundation
import HTTPTransport
import PublicationAPI
import SignedReceipts

/// What the publication's operator does to it while it runs: `matinee-server order …` and `key …`.
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
      throw Problem(code: .notFound, title: "There is nothing at \(request.path).", status: 404)
    }
  }

  func allOrders(_ call: Call) async throws -> Response {
    let state = try call.request.query("state").map { text in
      guard let state = Order.State(rawValue: text) else { throw Problem.badRequest("“\(text.prefix(40))” is no state of an order.") }
      return state
    }
    let (orders, next) = try await page(OrderQuery(state: state), usually: 1000, call)
    return try .json(orders.map(Order.init)).linked(to: next)
  }

  /// Says for the bank, or whoever the payment waits for, what they decided.
  func decide(_ approved: Bool, _ call: Call) async throws -> Response {
    let order = try await anyOrder(call)
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

  func refund(_ call: Call) async throws -> Response {
    let order = try await anyOrder(call)
    let request: RefundRequest = try call.body()
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
      } catch { throw publication.unavailable(attempt.key, "\(error)") }
      try await publication.orderBook.refund(id, at: publication.now)
      return try await publication.orderBook.order(id) ?? order
    }
  }

  func addReader(_ call: Call) async throws -> Response {
    let request: NewReaderRequest = try call.body()
    return try .json(await addReader(email: request.email, name: request.name, password: request.password), status: 201)
  }

  func rotateKey(_ call: Call) async throws -> Response {
    let request: KeyRequest = try call.body()
    guard let algorithm = SignatureAlgorithm.allCases.first(where: { $0.rawValue.lowercased() == request.algorithm.lowercased() }) else {
      throw Problem.badRequest("“\(request.algorithm.prefix(40))” is no algorithm; es256 and eddsa are.")
    }
    return try .json(await rotateKey(algorithm), status: 201)
  }

  /// The order of the path, by its identifier or its number.
  private func anyOrder(_ call: Call) async throws -> StoredOrder {
    if let id = UUID(uuidString: call.parameter)?.uuidString, let order = try await orderBook.order(id) { return order }
    if let code = OrderNumber.read(call.parameter), let order = try await orderBook.order(code: code) { return order }
    throw Problem.notFound("order")
  }
}

/// `POST /v1/operator/orders/ID/refund`.
public struct RefundRequest: Codable, Equatable, Sendable {
  /// One sentence for the reader.
  public var reason: String
  /// Whether the publication's clock is right although a payment is ahead of it.
  public var trustsClock: Bool?
  /// Makes one.
  public init(reason: String, trustsClock: Bool? = nil) {
    self.reason = reason
    self.trustsClock = trustsClock
  }
}

/// `POST /v1/operator/readers`: adds a reader.
public struct NewReaderRequest: Codable, Equatable, Sendable {
  /// The address to sign in with.
  public var email: String
  /// What to call the reader.
  public var name: String
  /// The password.
  public var password: String
  /// Makes one.
  public init(email: String, name: String, password: String) {
    self.email = email
    self.name = name
    self.password = password
  }
}

/// `PUT /v1/operator/readers/EMAIL/password`: sets another password, and ends the reader's sessions.
public struct PasswordRequest: Codable, Equatable, Sendable {
  /// The new one.
  public var password: String
  /// Makes one.
  public init(password: String) { self.password = password }
}

/// The answer to `DELETE /v1/operator/readers/EMAIL/sessions`.
public struct EndedSessions: Codable, Equatable, Sendable {
  /// How many there were.
  public var count: Int
  /// Makes one.
  public init(count: Int) { self.count = count }
}

/// `POST /v1/operator/keys`: signs receipts with a new key from now on.
public struct KeyRequest: Codable, Equatable, Sendable {
  /// `es256` or `eddsa`.
  public var algorithm: String
  /// Makes one.
  public init(algorithm: String) { self.algorithm = algorithm }
}
