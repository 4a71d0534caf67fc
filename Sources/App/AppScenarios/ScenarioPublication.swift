import AppCore
import Foundation
import HTTPTransport
import PublicationAPI

/// The publication of a ``Scenario``, and the identity provider that it offers, as the app, the operator and the reader's browser reach them.
/// Only the app is subject to the scenario's network.
public struct ScenarioPublication: Sendable {
  let transport: any Transport
  private let operatorToken: String
  private let publish: @Sendable () async throws -> Void
  private let newestCode: @Sendable () async -> String?
  private let providerPage: @Sendable (_ page: String, _ allows: Bool) async throws -> Bool

  /// - Parameters:
  ///   - transport: answers every request.
  ///   - operatorToken: for the operator's part of the API.
  ///   - publish: makes a new post, in a fan club that is always the same.
  ///   - newestCode: the code that was mailed last; `nil` when none was.
  ///   - providerPage: answers an identity provider's page as the person whose account it is, or refuses for them; returns whether it is such
  ///     a page.
  public init(
    transport: any Transport, operatorToken: String, publish: @escaping @Sendable () async throws -> Void,
    newestCode: @escaping @Sendable () async -> String? = { nil },
    providerPage: @escaping @Sendable (_ page: String, _ allows: Bool) async throws -> Bool = { _, _ in false }
  ) {
    self.transport = transport
    self.operatorToken = operatorToken
    self.publish = publish
    self.newestCode = newestCode
    self.providerPage = providerPage
  }

  private struct Refusal: Error, CustomStringConvertible { let description: String }

  /// Presses a button of a checkout page, or of an identity provider's.
  /// - Throws: when there is no such page any more.
  func answer(_ page: String, _ answer: Scenario.PageAnswer) async throws {
    if try await providerPage(page, answer == .approve) { return }
    guard let path = URLComponents(string: page)?.path, let key = path.split(separator: "/").last.map(String.init),
      path == APIPath.checkoutPage(key).target
    else { throw Refusal(description: "“\(page)” is no page that can be answered") }
    let button =
      switch answer {
      case .approve: APIPath.checkoutApproval(key)
      case .decline: APIPath.checkoutRefusal(key)
      }
    try await send(.post, button.target)
  }

  /// The code that was mailed last.
  /// - Throws: when none was.
  func mailedCode() async throws -> String {
    guard let code = await newestCode() else { throw Refusal(description: "no code was mailed") }
    return code
  }

  /// Does something about the newest order, the service or the sample reader's sessions, or publishes.
  /// - Throws: when there is no order, or the publication refuses.
  func perform(_ act: Scenario.OperatorAct) async throws {
    switch act {
    case .publish: try await publish()
    case .maintain: try await send(.put, APIPath.operatorMaintenance.target, Wire.encode(MaintenanceRequest(minutes: 30)))
    case .reopen:
      try await send(.delete, APIPath.operatorMaintenance.target)
      try await send(.put, APIPath.operatorMinimumVersion.target, Wire.encode(MinimumVersionRequest(version: "0.0")))
    case .outdate:
      try await send(.put, APIPath.operatorMinimumVersion.target, Wire.encode(MinimumVersionRequest(version: "9999.0")))
    case .signOut:
      let info = try Wire.decode(PublicationInfo.self, from: try await send(.get, APIPath.publication.target).body)
      guard let reader = info.sampleAccount?.email else { throw Refusal(description: "there is no sample reader") }
      try await send(.delete, APIPath.operatorSessions(of: reader).target)
    case .approve: try await send(.post, APIPath.operatorApproval(of: newestOrder()).target)
    case .decline: try await send(.post, APIPath.operatorRefusal(of: newestOrder()).target)
    case .refund:
      let body = try Wire.encode(RefundRequest(reason: "You asked for your money back."))
      try await send(.post, APIPath.operatorRefund(of: newestOrder()).target, body)
    }
  }

  private func newestOrder() async throws -> Order.ID {
    let orders = try Wire.decode([Order].self, from: try await send(.get, APIPath.operatorOrders.target).body)
    guard let order = orders.first else { throw Refusal(description: "there are no orders") }
    return order.id
  }

  @discardableResult private func send(_ method: Request.Method, _ path: String, _ body: Data = Data()) async throws -> Response {
    var request = Request(method, path, headers: ["Authorization": "Bearer \(operatorToken)"])
    if !body.isEmpty {
      request.headers["Content-Type"] = "application/json"
      request.body = body
    }
    let response = try await transport.send(request)
    guard response.status < 400 else {
      throw Refusal(description: "the publication answers \(response.status): \(String(decoding: response.body, as: UTF8.self))")
    }
    return response
  }
}
