import Foundation
import HTTPTransport
import OpenIDConnect
import PublicationAPI
import Runtime

/// One method of one path pattern, and what answers it.
struct Route: Sendable {
  /// Answers on the publication's thread.
  typealias Handler = @Sendable (isolated Publication, Call) async throws -> any Answer

  let method: Request.Method
  let pattern: [String]
  let access: Access
  /// The largest body that is read, in bytes.
  let bodyLimit: Int
  /// The same for a body that is no JSON; `nil` where it is no other.
  let documentLimit: Int?
  /// Whether few requests of one client are worked on at a time.
  let takesTurns: Bool
  /// Whether it waits for an identity provider. Such requests have turns of their own.
  let asksProvider: Bool
  /// Whether the answer may be large, or take long: one at a time for each client, from the request's reading to the answer's last byte.
  let mayBeLong: Bool
  let answer: Handler

  /// Who may use a route.
  enum Access: Sendable {
    case anyone
    /// A reader, who is signed in.
    case reader
    /// The operator of the publication.
    case `operator`
  }

  /// - Parameter path: one in which `*` stands for any one segment that is not empty.
  init(
    _ method: Request.Method, _ path: APIPath, access: Access = .reader, bodyLimit: Int = Router.bodyLimit, documentLimit: Int? = nil,
    takesTurns: Bool = true, asksProvider: Bool = false, mayBeLong: Bool = false, _ answer: @escaping Handler
  ) {
    self.method = method
    pattern = path.segments
    self.access = access
    self.bodyLimit = bodyLimit
    self.documentLimit = documentLimit
    self.takesTurns = takesTurns
    self.asksProvider = asksProvider
    self.mayBeLong = mayBeLong
    self.answer = answer
  }

  /// A route whose handler gets the value of the request's JSON body, which is decoded before.
  init<Body: Decodable & Sendable>(
    _ method: Request.Method, _ path: APIPath, access: Access = .reader, bodyLimit: Int = Router.bodyLimit, takesTurns: Bool = true,
    asksProvider: Bool = false, taking body: Body.Type,
    _ answer: @escaping @Sendable (isolated Publication, Call, Body) async throws -> any Answer
  ) {
    self.init(method, path, access: access, bodyLimit: bodyLimit, takesTurns: takesTurns, asksProvider: asksProvider) { publication, call in
      let body: Body = try await call.body()
      // The operator may have removed the reader while it was decoded.
      if call.reader != nil { _ = try await publication.sessionResource.authenticate(call.request) }
      return try await answer(publication, call, body)
    }
  }

  /// A route that needs no token. Everybody may send a body there, so it has to be small.
  static func open(_ method: Request.Method, _ path: APIPath, takesTurns: Bool = true, _ answer: @escaping Handler) -> Route {
    Route(method, path, access: .anyone, bodyLimit: Router.openBodyLimit, takesTurns: takesTurns, answer)
  }

  /// The same with a JSON body.
  static func open<Body: Decodable & Sendable>(
    _ method: Request.Method, _ path: APIPath, bodyLimit: Int = Router.openBodyLimit, takesTurns: Bool = true, asksProvider: Bool = false,
    taking body: Body.Type, _ answer: @escaping @Sendable (isolated Publication, Call, Body) async throws -> any Answer
  ) -> Route {
    Route(
      method, path, access: .anyone, bodyLimit: bodyLimit, takesTurns: takesTurns, asksProvider: asksProvider, taking: body, answer)
  }

  /// A route for the operator's token alone.
  static func operated(_ method: Request.Method, _ path: APIPath, _ answer: @escaping Handler) -> Route {
    Route(method, path, access: .operator, answer)
  }

  /// The same with a JSON body.
  static func operated<Body: Decodable & Sendable>(
    _ method: Request.Method, _ path: APIPath, taking body: Body.Type,
    _ answer: @escaping @Sendable (isolated Publication, Call, Body) async throws -> any Answer
  ) -> Route {
    Route(method, path, access: .operator, taking: body, answer)
  }

  /// The largest body of a request with that head. JSON is checked and decoded as a whole, so it is never a large one.
  func bodyLimit(for head: Request) -> Int { head.mediaType == "application/json" ? bodyLimit : documentLimit ?? bodyLimit }

  /// What stands in the places of `*`; `nil` when the path is another.
  func match(_ segments: [String]) -> [String]? {
    guard pattern.count == segments.count else { return nil }
    var parameters: [String] = []
    for (expected, segment) in zip(pattern, segments) {
      if expected == "*", !segment.isEmpty { parameters.append(segment) } else if expected != segment { return nil }
    }
    return parameters
  }
}

/// Which route answers which request.
struct Router: Sendable {
  /// The largest body that is read, in bytes, unless a route says otherwise.
  static let bodyLimit = 64 << 10
  /// The largest JSON that requests an import, in bytes: the longest address fits, with each letter as `\u`.
  static let importBodyLimit = 16 << 10
  /// The largest body of a route without a token, in bytes: the longest address and password fit, with each letter as `\u`.
  static let openBodyLimit = 4 << 10
  /// The largest body that brings an ID token, in bytes: the longest token fits, and what else comes with it. Providers that list a person's
  /// groups make long ones.
  static let tokenBodyLimit = IDToken.maximumLength + openBodyLimit

  let routes: [Route]

  /// The most bytes of a path's segment, still percent-encoded: the longest address of a reader fits, with each byte as `%`.
  static let longestSegment = 1024
  /// The most bytes of a path: no route has as many segments.
  static let longestPath = 8 * longestSegment

  /// The most parameters that a query may have: more than any client sends.
  static let mostParameters = 100

  /// Finds the route of a request. It is not called on the publication's thread, so that other requests do not wait while it decodes.
  /// - Throws: `Problem`, or ``Refusal``.
  func find(_ request: Request) throws -> (route: Route, call: Call) {
    let found = try matches(request.path)
    guard !found.isEmpty else { throw Problem.nothing(at: request.path) }
    let method = request.method == .head ? .get : request.method
    guard let (route, parameters) = found.first(where: { $0.route.method == method }) else {
      throw Refusal(response: notAllowed(request.method.rawValue, request.path, found.map(\.route)))
    }
    let limit = route.bodyLimit(for: request)
    guard request.body.count <= limit else {
      throw Problem(code: .tooLarge, title: "The body has more than \(limit) bytes.", status: 413)
    }
    guard request.target.utf8.count(where: { $0 == UInt8(ascii: "&") }) < Self.mostParameters else {
      throw Problem.badRequest("The query has more than \(Self.mostParameters) parameters.")
    }
    return (route, Call(request: request, parameters: parameters))
  }

  /// Checks the token, and answers.
  /// - Throws: `Problem`, or what broke.
  func answer(_ route: Route, _ call: Call, _ publication: isolated Publication) async throws -> any Answer {
    var call = call
    switch route.access {
    case .anyone: break
    case .operator: try publication.authenticateOperator(call.request)
    case .reader: (call.reader, call.session) = try await publication.sessionResource.authenticate(call.request)
    }
    return try await route.answer(publication, call)
  }

  /// The largest body that is read of a request with that head.
  func bodyLimit(_ head: Request) -> Int {
    let found = (try? matches(head.path)) ?? []
    return found.first { $0.route.method == head.method }?.route.bodyLimit(for: head) ?? Self.bodyLimit
  }

  /// A request's method and pattern, for a log: without the values of `*`, which may be secret.
  func name(of request: Request) -> String {
    let pattern = (try? matches(request.path))?.first?.route.pattern
    return "\(request.method.rawValue) \(pattern.map { "/" + $0.joined(separator: "/") } ?? "(no route)")"
  }

  /// The answer to an unknown method.
  func methodNotAllowed(_ target: String) -> Response {
    let path = Request(.get, target).path
    guard let found = try? matches(path), !found.isEmpty else { return .problem(.nothing(at: path)) }
    return notAllowed("This method", path, found.map(\.route))
  }

  private func notAllowed(_ method: String, _ path: Substring, _ routes: [Route]) -> Response {
    var response = Response.problem(405, .methodNotAllowed, "\(method) is not possible at \(path.prefix(200)).")
    let methods = routes.flatMap { $0.method == .get ? [.get, .head] : [$0.method] }
    response.headers["Allow"] = methods.map(\.rawValue).sorted().joined(separator: ", ")
    return response
  }

  /// Never slow: the thread that reads all requests looks up how long a body may be.
  private func matches(_ path: Substring) throws -> [(route: Route, parameters: [String])] {
    guard path.utf8.count <= Self.longestPath else { return [] }
    // Counted and measured before they are decoded: a head has room for more, and longer ones, than any route has.
    let encoded = path.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false).dropFirst()
    let routes = routes.filter { $0.pattern.count == encoded.count }
    guard !routes.isEmpty, encoded.allSatisfy({ $0.count <= Self.longestSegment }) else { return [] }
    let segments = try encoded.map { segment in
      guard let decoded = Request.decode(segment), !decoded.utf8.contains(0) else {
        throw Problem.badRequest("The path is not percent-encoded UTF-8.")
      }
      return decoded
    }
    return routes.compactMap { route in route.match(segments).map { (route, $0) } }
  }
}

extension Problem {
  /// The answer where there is no route, and to an operator's request without the right token.
  public static func nothing(at path: Substring) -> Problem {
    Problem(code: .notFound, title: "There is nothing at \(path.prefix(200)).", status: 404)
  }
}
