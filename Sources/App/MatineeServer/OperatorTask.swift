import Foundation
import HTTPTransport
import PublicationAPI

/// An operator's command as a request to the API: the same whether a server has the publication open or none.
enum OperatorTask: Equatable {
  /// Decides a deferred payment in place of the bank.
  case settle(order: String, approved: Bool)
  case refund(order: String, reason: String, trustsClock: Bool = false)
  case orders(state: String?, json: Bool = false)
  case setFlag(FlagRecord)
  case listFlags
  case reportFlag(String)
  case analytics(days: Int, json: Bool)
  case minimumVersion(String?)
  case beginMaintenance(minutes: Int?)
  case endMaintenance
  case rotateKey(algorithm: String)
  case readers(json: Bool)
  case addReader(email: String, name: String, password: String)
  case setPassword(email: String, password: String)
  case signOut(email: String)
  case removeReader(email: String)

  /// - Throws: `EncodingError`.
  func request() throws -> Request {
    switch self {
    case .settle(let order, let approved):
      Request(.post, (approved ? APIPath.operatorApproval(of: order) : .operatorRefusal(of: order)).target)
    case .refund(let order, let reason, let trustsClock):
      Request(
        .post, APIPath.operatorRefund(of: order).target,
        body: try Wire.encode(RefundRequest(reason: reason, trustsClock: trustsClock ? true : nil)))
    case .readers: Request(.get, APIPath.operatorReaders.target)
    case .orders(let state, _): Request(.get, APIPath.operatorOrders.target + APIParameter.query([(.state, state)]))
    case .setFlag(let flag):
      Request(
        .put, APIPath.operatorFlag(flag.name).target,
        body: try Wire.encode(FlagRuleRequest(percent: flag.percent, minVersion: flag.minVersion, features: flag.features)))
    case .listFlags: Request(.get, APIPath.operatorFlags.target)
    case .reportFlag(let name): Request(.get, APIPath.operatorFlag(name).target)
    case .analytics(let days, _): Request(.get, APIPath.operatorAnalytics.target + APIParameter.query([(.days, "\(days)")]))
    case .minimumVersion(let version):
      Request(.put, APIPath.operatorMinimumVersion.target, body: try Wire.encode(MinimumVersionRequest(version: version)))
    case .beginMaintenance(let minutes):
      Request(.put, APIPath.operatorMaintenance.target, body: try Wire.encode(MaintenanceRequest(minutes: minutes)))
    case .endMaintenance: Request(.delete, APIPath.operatorMaintenance.target)
    case .rotateKey(let algorithm): Request(.post, APIPath.operatorKeys.target, body: try Wire.encode(KeyRequest(algorithm: algorithm)))
    case .setPassword(let email, let password):
      Request(.put, APIPath.operatorPassword(of: email).target, body: try Wire.encode(PasswordRequest(password: password)))
    case .signOut(let email): Request(.delete, APIPath.operatorSessions(of: email).target)
    case .removeReader(let email): Request(.delete, APIPath.operatorReader(email).target)
    case .addReader(let email, let name, let password):
      Request(.post, APIPath.operatorReaders.target, body: try Wire.encode(NewReaderRequest(email: email, name: name, password: password)))
    }
  }

  /// The result, in lines for people.
  /// - Throws: `DecodingError`.
  func report(_ response: Response) throws -> [String] {
    switch self {
    case .settle, .refund:
      let order = try Wire.decode(Order.self, from: response.body)
      return ["Order \(order.number ?? order.id) is \(order.state.rawValue)."]
    case .orders(_, let json):
      let orders = try Wire.decode([ListedOrder].self, from: response.body)
      return try json ? orders.map(Self.json) : orders.map(Self.line)
    case .readers(let json):
      let readers = try Wire.decode([ListedReader].self, from: response.body)
      return try json ? readers.map(Self.json) : readers.map(Self.line)
    case .setFlag: return [FlagTable.summary(try Wire.decode(FlagRecord.self, from: response.body))]
    case .listFlags: return try Wire.decode(FlagList.self, from: response.body).flags.map(FlagTable.summary)
    case .reportFlag: return FlagTable(report: try Wire.decode(FlagReport.self, from: response.body)).lines
    case .analytics(_, let json):
      let counts = try Wire.decode([AnalyticsCount].self, from: response.body)
      return try json ? counts.map(Self.json) : counts.map { "\($0.day)\t\($0.name)\t\($0.detail ?? "")\t\($0.count)" }
    case .minimumVersion:
      let version = try Wire.decode(MinimumVersionRequest.self, from: response.body).version
      return [version.map { "Apps before version \($0) are told to be updated." } ?? "Apps of any version are served."]
    case .beginMaintenance:
      let until = try Wire.decode(Maintenance.self, from: response.body).until
      return ["Readers are told that the publication is being maintained\(until.map { ", until about \($0.formatted(.iso8601))" } ?? "")."]
    case .endMaintenance: return ["The publication is open again."]
    case .addReader: return ["Added \(try Wire.decode(Reader.self, from: response.body).email)."]
    case .setPassword:
      return ["\(try Wire.decode(Reader.self, from: response.body).email) has a new password, and is signed out everywhere."]
    case .signOut(let email):
      let count = try Wire.decode(EndedSessions.self, from: response.body).count
      return ["\(email) is signed out everywhere (\(count) session\(count == 1 ? "" : "s"))."]
    case .removeReader(let email): return ["Removed \(email)."]
    case .rotateKey:
      let key = try Wire.decode(KeySet.Key.self, from: response.body)
      return ["Receipts are signed with \(key.kid) (\(key.alg)) from now on."]
    }
  }

  /// Number, identifier, state, product, total, time, reader: apart by tabs, for other programs too.
  private static func line(_ listed: ListedOrder) -> String {
    let order = listed.order
    return [
      order.number ?? "", order.id, order.state.rawValue, order.productID, "\(order.totalMinorUnits) \(order.currency)",
      order.created.formatted(.iso8601), listed.reader ?? "",
    ].joined(separator: "\t")
  }

  /// Address, name, and what gives access until when; with tabs between.
  private static func line(_ reader: ListedReader) -> String {
    let access = reader.access.map { "\($0.productID) \($0.until.map { "until \($0.formatted(.iso8601))" } ?? "for good")" }
    return ([reader.email, reader.name] + access).joined(separator: "\t")
  }

  private static func json(_ value: some Encodable) throws -> String { String(decoding: try Wire.encode(value), as: UTF8.self) }
}
