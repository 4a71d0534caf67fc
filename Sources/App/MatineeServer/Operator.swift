import CurlTransport
import Foundation
import HTTPTransport
import PublicationAPI
import PublicationServer
import SQLiteStorage

/// What the operator asks of a publication, as a request to its API: the same whether a server has the publication open or nobody has.
enum OperatorTask: Equatable {
  /// Decides for the bank, or whoever a deferred payment waits for.
  case settle(order: String, approved: Bool)
  case refund(order: String, reason: String, trustsClock: Bool = false)
  case orders(state: String?)
  case setFlag(FlagRecord)
  case listFlags
  case reportFlag(String)
  case rotateKey(algorithm: String)
  case addReader(email: String, name: String, password: String)
  case setPassword(email: String, password: String)
  case signOut(email: String)
  case removeReader(email: String)

  /// - Throws: `EncodingError`.
  func request() throws -> Request {
    switch self {
    case .settle(let order, let approved):
      Request(.post, "/v1/operator/orders/\(Self.segment(order))/\(approved ? "approve" : "decline")")
    case .refund(let order, let reason, let trustsClock):
      Request(
        .post, "/v1/operator/orders/\(Self.segment(order))/refund",
        body: try Wire.encode(RefundRequest(reason: reason, trustsClock: trustsClock ? true : nil)))
    case .orders(let state): Request(.get, "/v1/operator/orders" + (state.map { "?state=\(Self.segment($0))" } ?? ""))
    case .setFlag(let flag):
      Request(
        .put, "/v1/operator/flags/\(Self.segment(flag.name))",
        body: try Wire.encode(FlagRuleRequest(percent: flag.percent, minVersion: flag.minVersion, features: flag.features)))
    case .listFlags: Request(.get, "/v1/operator/flags")
    case .reportFlag(let name): Request(.get, "/v1/operator/flags/\(Self.segment(name))")
    case .rotateKey(let algorithm): Request(.post, "/v1/operator/keys", body: try Wire.encode(KeyRequest(algorithm: algorithm)))
    case .setPassword(let email, let password):
      Request(.put, "/v1/operator/readers/\(Self.segment(email))/password", body: try Wire.encode(PasswordRequest(password: password)))
    case .signOut(let email): Request(.delete, "/v1/operator/readers/\(Self.segment(email))/sessions")
    case .removeReader(let email): Request(.delete, "/v1/operator/readers/\(Self.segment(email))")
    case .addReader(let email, let name, let password):
      Request(.post, "/v1/operator/readers", body: try Wire.encode(NewReaderRequest(email: email, name: name, password: password)))
    }
  }

  /// What came of it, in lines for people.
  /// - Throws: `DecodingError`.
  func report(_ response: Response) throws -> [String] {
    switch self {
    case .settle, .refund:
      let order = try Wire.decode(Order.self, from: response.body)
      return ["Order \(order.number ?? order.id) is \(order.state.rawValue)."]
    case .orders: return try Wire.decode([Order].self, from: response.body).map(Self.line)
    case .setFlag: return [FlagTable.summary(try Wire.decode(FlagRecord.self, from: response.body))]
    case .listFlags: return try Wire.decode(FlagList.self, from: response.body).flags.map(FlagTable.summary)
    case .reportFlag: return FlagTable(report: try Wire.decode(FlagReport.self, from: response.body)).lines
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

  /// Number, identifier, state, product, total: apart by tabs, for other programs too.
  private static func line(_ order: Order) -> String {
    [order.number ?? "", order.id, order.state.rawValue, order.productID, "\(order.totalMinorUnits) \(order.currency)"].joined(
      separator: "\t")
  }

  private static func segment(_ text: String) -> String { text.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? "" }
}

/// How a command reaches the server that runs: where it listens, and the token of this run. Readable by the owner of the folder alone.
struct OperatorAccess: Codable {
  var origin: String
  var token: String

  private static func file(_ folder: String) -> String { folder + "/operator.json" }

  /// Lets commands in from now on.
  /// - Throws: `CocoaError`.
  static func open(_ publication: Publication, origin: String, folder: String) async throws {
    let token = try await publication.newOperatorToken()
    try OwnFile.write(Wire.encode(OperatorAccess(origin: origin, token: token)), to: file(folder))
  }

  static func close(folder: String) { try? FileManager.default.removeItem(atPath: file(folder)) }

  /// Sends a request to whoever has the folder: the server that runs, or this process when there is none.
  /// - Parameter answered: told each answer: of a list that comes in pages there are several.
  /// - Throws: `DataFolder.Failure` when the folder belongs to another program that takes no commands; `TransportError`; errors of opening
  ///   the publication, and of `answered`.
  static func send(_ request: Request, data: String?, answered: (Response) throws -> Void) async throws {
    var request = request
    do {
      let publication = try await House(data).open()
      request.headers["Authorization"] = "Bearer \(try await publication.newOperatorToken())"
      do { try await all(request, answered) { await publication.handle($0) } } catch {
        await publication.close()
        throw error
      }
      await publication.close()
    } catch DataFolder.Failure.inUse(let folder) {
      guard let text = FileManager.default.contents(atPath: file(folder)), let access = try? Wire.decode(OperatorAccess.self, from: text)
      else {
        throw DataFolder.Failure.inUse(path: folder)
      }
      request.headers["Authorization"] = "Bearer \(access.token)"
      let server = try NetworkTransport(origin: access.origin)
      try await all(request, answered) { try await server.send($0) }
    }
  }

  /// Asks for every page.
  private static func all(
    _ request: Request, _ answered: (Response) throws -> Void, by send: (Request) async throws -> Response
  ) async throws {
    var next: Request? = request
    while let request = next {
      let response = try await send(request)
      try answered(response)
      next = response.headers.nextLink.map { Request(.get, $0, headers: request.headers) }
    }
  }
}
