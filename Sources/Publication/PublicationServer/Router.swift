import Foundation
import HTTPTransport
import PublicationAPI

/// Which function answers which request.
struct Router: Sendable {
  /// A request that found its route.
  struct Call: Sendable {
    let request: Request
    /// What stood in the places of the pattern's `*`, decoded.
    let parameters: [String]
    /// Whose token came along; routes that are open to all have none.
    let reader: Reader?

    /// The request's JSON body.
    /// - Throws: `Problem` that says what is wrong and where.
    func body<Value: Decodable>(_ type: Value.Type = Value.self) throws -> Value {
      guard !request.body.isEmpty else { throw Problem.badRequest("A JSON body is missing.") }
      do {
        return try Wire.decode(type, from: request.body)
      } catch DecodingError.keyNotFound(let key, let context) {
        throw Problem.badRequest("“\(Self.place(context.codingPath + [key]))” is missing in the body.")
      } catch DecodingError.typeMismatch(_, let context), DecodingError.valueNotFound(_, let context) {
        throw Problem.badRequest("“\(Self.place(context.codingPath))” in the body has the wrong type.")
      } catch DecodingError.dataCorrupted(let context) where !context.codingPath.isEmpty {
        throw Problem.badRequest("“\(Self.place(context.codingPath))” in the body: \(context.debugDescription)")
      } catch {
        throw Problem.badRequest("The body is not valid JSON.")
      }
    }

    /// The reader; only for routes that need one.
    var signedIn: Reader {
      get throws {
        guard let reader else { throw Problem(code: .sessionEnded, title: "Sign in first.", status: 401) }
        return reader
      }
    }

    private static func place(_ path: [any CodingKey]) -> String { path.map(\.stringValue).joined(separator: ".") }
  }

  private struct Route: Sendable {
    let method: Request.Method
    let pattern: [String]
    let needsReader: Bool
    let answer: @Sendable (isolated Publication, Call) async throws -> Response

    init(
      _ method: Request.Method, _ pattern: String, needsReader: Bool = true,
      _ answer: @escaping @Sendable (isolated Publication, Call) async throws -> Response
    ) {
      self.method = method
      self.pattern = pattern.split(separator: "/").map(String.init)
      self.needsReader = needsReader
      self.answer = answer
    }
  }

  /// The largest body that is read, in bytes.
  static let bodyLimit = 64 << 10

  private let routes: [Route] = [
    open(.get, "/v1/publication") { try $0.publicationInfo($1) },
    open(.get, "/v1/keys") { try $0.keys($1) },
    open(.get, "/v1/pictures/*") { try $0.picture($1) },
    open(.post, "/v1/session") { try await $0.signIn($1) },
    Route(.get, "/v1/session") { try .json($1.signedIn) },
    Route(.delete, "/v1/session") { try $0.signOut($1) },
    Route(.get, "/v1/posts") { try $0.posts($1) },
    Route(.get, "/v1/posts/*") { try $0.post($1) },
    Route(.put, "/v1/posts/*/reaction") { try $0.mark(.reaction, true, $1) },
    Route(.delete, "/v1/posts/*/reaction") { try $0.mark(.reaction, false, $1) },
    Route(.put, "/v1/posts/*/bookmark") { try $0.mark(.bookmark, true, $1) },
    Route(.delete, "/v1/posts/*/bookmark") { try $0.mark(.bookmark, false, $1) },
    Route(.get, "/v1/fanclubs") { try $0.fanClubs($1) },
    Route(.get, "/v1/fanclubs/*") { try $0.fanClub($1) },
    Route(.put, "/v1/fanclubs/*/follow") { try $0.follow(true, $1) },
    Route(.delete, "/v1/fanclubs/*/follow") { try $0.follow(false, $1) },
    Route(.get, "/v1/paywalls/*") { try $0.paywall($1) },
    Route(.get, "/v1/products") { try $0.products($1) },
    Route(.put, "/v1/orders/*") { try $0.beginOrder($1) },
    Route(.post, "/v1/orders/*/charge") { try await $0.charge($1) },
    Route(.get, "/v1/orders/*") { try $0.order($1) },
    Route(.get, "/v1/orders") { try $0.orders($1) },
    Route(.get, "/v1/entitlements") { try $0.entitlements($1) },
  ]

  /// Finds the route, checks the token, and answers.
  /// - Throws: `Problem`, or what broke.
  func answer(_ request: Request, _ publication: isolated Publication) async throws -> Response {
    let segments = try Self.segments(request.path)
    let method = request.method == .head ? .get : request.method
    let found = routes.compactMap { route in Self.match(route.pattern, segments).map { (route, $0) } }
    guard !found.isEmpty else { throw Problem(code: .notFound, title: "There is nothing at \(request.path).", status: 404) }
    guard let (route, parameters) = found.first(where: { $0.0.method == method }) else {
      var response = Response.problem(
        Problem(code: .methodNotAllowed, title: "\(request.method.rawValue) is not possible at \(request.path).", status: 405))
      response.headers["Allow"] = found.map(\.0.method.rawValue).joined(separator: ", ")
      return response
    }
    guard request.body.count <= Self.bodyLimit else {
      throw Problem(code: .badRequest, title: "The body has more than \(Self.bodyLimit) bytes.", status: 413)
    }
    let reader = route.needsReader ? try publication.authenticate(request) : nil
    return try await route.answer(publication, Call(request: request, parameters: parameters, reader: reader))
  }

  private static func open(
    _ method: Request.Method, _ pattern: String, _ answer: @escaping @Sendable (isolated Publication, Call) async throws -> Response
  ) -> Route { Route(method, pattern, needsReader: false, answer) }

  private static func segments(_ path: Substring) throws -> [String] {
    try path.split(separator: "/", omittingEmptySubsequences: false).dropFirst().map { segment in
      guard let decoded = segment.removingPercentEncoding, !decoded.utf8.contains(0) else {
        throw Problem.badRequest("The path is not valid percent-encoded UTF-8.")
      }
      return decoded
    }
  }

  private static func match(_ pattern: [String], _ segments: [String]) -> [String]? {
    guard pattern.count == segments.count else { return nil }
    var parameters: [String] = []
    for (expected, segment) in zip(pattern, segments) {
      if expected == "*" { parameters.append(segment) } else if expected != segment { return nil }
    }
    return parameters
  }
}
