import Foundation
import HTTPTransport
import PublicationAPI

/// One method of one path pattern, and what answers it.
struct Route: Sendable {
  /// Answers on the publication's thread.
  typealias Handler = @Sendable (isolated Publication, Call) async throws -> Response

  let method: Request.Method
  let pattern: [String]
  let access: Access
  /// The largest body that is read, in bytes.
  let bodyLimit: Int
  let answer: Handler

  /// Who may ask.
  enum Access: Sendable {
    case anyone
    /// A reader, who is signed in.
    case reader
    /// Whoever runs the publication.
    case `operator`
  }

  /// - Parameter pattern: a path in which `*` stands for any one segment that is not empty.
  init(
    _ method: Request.Method, _ pattern: String, access: Access = .reader, bodyLimit: Int = Router.bodyLimit, _ answer: @escaping Handler
  ) {
    self.method = method
    self.pattern = pattern.split(separator: "/").map(String.init)
    self.access = access
    self.bodyLimit = bodyLimit
    self.answer = answer
  }

  /// A route that asks for no token. Anybody may send a body there, so it is a small one.
  static func open(_ method: Request.Method, _ pattern: String, _ answer: @escaping Handler) -> Route {
    Route(method, pattern, access: .anyone, bodyLimit: Router.openBodyLimit, answer)
  }

  /// A route for the operator's token alone.
  static func operated(_ method: Request.Method, _ pattern: String, _ answer: @escaping Handler) -> Route {
    Route(method, pattern, access: .operator, answer)
  }

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
  /// The largest body of a route without a token, in bytes: the longest address and password fit, with each letter as `\u`.
  static let openBodyLimit = 4 << 10

  let routes: [Route]

  /// Finds the route, checks the token, and answers.
  /// - Throws: `Problem`, or what broke.
  func answer(_ request: Request, _ publication: isolated Publication) async throws -> Response {
    let found = try matches(request.target)
    guard !found.isEmpty else { throw Problem.nothing(at: request.path) }
    let method = request.method == .head ? .get : request.method
    guard let (route, parameters) = found.first(where: { $0.route.method == method }) else {
      return notAllowed(request.method.rawValue, request.path, found.map(\.route))
    }
    guard request.body.count <= route.bodyLimit else {
      throw Problem(code: .tooLarge, title: "The body has more than \(route.bodyLimit) bytes.", status: 413)
    }
    if route.access == .operator { try publication.authenticateOperator(request) }
    let reader = route.access == .reader ? try await publication.authenticate(request) : nil
    var response = try await route.answer(publication, Call(request: request, parameters: parameters, reader: reader))
    if request.method == .head {
      response.headers["Content-Length"] = "\(response.body.count)"
      response.body = Data()
    }
    return response
  }

  /// The largest body that is read of a request with that head.
  func bodyLimit(_ head: Request) -> Int {
    let found = (try? matches(head.target)) ?? []
    return found.first { $0.route.method == head.method }?.route.bodyLimit ?? Self.bodyLimit
  }

  /// What a method that nobody knows is answered with.
  func methodNotAllowed(_ target: String) -> Response {
    let path = target.prefix { $0 != "?" }
    guard let found = try? matches(target), !found.isEmpty else { return .problem(.nothing(at: path)) }
    return notAllowed("This method", path, found.map(\.route))
  }

  private func notAllowed(_ method: String, _ path: Substring, _ routes: [Route]) -> Response {
    var response = Response.problem(405, .methodNotAllowed, "\(method) is not possible at \(path).")
    let methods = routes.flatMap { $0.method == .get ? [.get, .head] : [$0.method] }
    response.headers["Allow"] = methods.map(\.rawValue).sorted().joined(separator: ", ")
    return response
  }

  private func matches(_ target: String) throws -> [(route: Route, parameters: [String])] {
    let path = target.prefix { $0 != "?" }
    let segments = try path.split(separator: "/", omittingEmptySubsequences: false).dropFirst().map { segment in
      guard let decoded = segment.removingPercentEncoding, !decoded.utf8.contains(0) else {
        throw Problem.badRequest("The path is not percent-encoded UTF-8.")
      }
      return decoded
    }
    return routes.compactMap { route in route.match(segments).map { (route, $0) } }
  }
}

extension Problem {
  fileprivate static func nothing(at path: Substring) -> Problem {
    Problem(code: .notFound, title: "There is nothing at \(path).", status: 404)
  }
}
