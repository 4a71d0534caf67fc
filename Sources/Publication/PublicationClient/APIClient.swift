import Foundation
import HTTPTransport
import PublicationAPI
import Runtime
import SessionService

/// A publication's HTTP API as typed calls, over any transport.
///
/// A value without state of its own: safe from any thread. Every call leaves the caller's actor, so that answers are never decoded on the
/// main one.
public struct APIClient: Sendable {
  /// Whose token a call carries.
  enum Authorization: Equatable, Sendable {
    /// No token: the call is open to all.
    case none
    /// The signed-in reader's; when it has ended, the call is repeated with the session's next one.
    case session
    /// This one; only the caller learns that it has ended.
    case token(String)
  }

  private let transport: any Transport
  private let tokens: any AccessTokens
  private let onAnswer: @Sendable () -> Void
  private let onUnreachable: @Sendable (String) -> Void
  private let clock: any AppClock

  /// - Parameters:
  ///   - transport: where requests go.
  ///   - tokens: the signed-in reader's, read before each call; called on any thread.
  ///   - onAnswer: called on any thread, after each success of a GET request by any code.
  ///   - onUnreachable: called on any thread with a sentence for people, when the publication could not be reached for a request.
  ///   - clock: dates answers that say until when to wait, and not when they were sent.
  public init(
    transport: any Transport, tokens: any AccessTokens, onAnswer: @escaping @Sendable () -> Void = {},
    onUnreachable: @escaping @Sendable (String) -> Void = { _ in }, clock: any AppClock = SystemClock()
  ) {
    self.transport = transport
    self.tokens = tokens
    self.onAnswer = onAnswer
    self.onUnreachable = onUnreachable
    self.clock = clock
  }

  /// With a token that is never renewed, for programs that end before it does.
  /// - Parameter token: called before each request, on any thread.
  public init(transport: any Transport, token: @escaping @Sendable () -> String?, clock: any AppClock = SystemClock()) {
    self.init(transport: transport, tokens: LoneToken(token: token), clock: clock)
  }

  /// The same publication, with the present session for all of this client's calls, even after another reader has signed in, and with all
  /// later tokens of this session; `nil` when no reader is signed in. For work that belongs to one reader, such as a payment.
  public func pinned() -> APIClient? {
    tokens.pinned().map {
      APIClient(transport: transport, tokens: $0, onAnswer: onAnswer, onUnreachable: onUnreachable, clock: clock)
    }
  }

  /// Sends a request with an optional JSON body and decodes the answer.
  /// - Throws: ``ClientError``.
  @concurrent func call<Answer: Decodable & Sendable>(
    _ method: Request.Method, _ path: APIPath, query: [(APIParameter, String?)] = [], body: (any Encodable & Sendable)? = nil,
    as authorization: Authorization = .session
  ) async throws(ClientError) -> Answer {
    let answer: Answer = try Self.decode(try await send(method, path, query: query, body: body, as: authorization), of: path, method)
    if method == .get { onAnswer() }
    return answer
  }

  /// The value of an answer's body.
  /// - Throws: ``ClientError/undecodable(what:underlying:)``.
  static func decode<Answer: Decodable>(
    _ response: Response, of path: APIPath, _ method: Request.Method = .get
  ) throws(ClientError) -> Answer {
    do {
      return try Wire.decode(Answer.self, from: response.body)
    } catch {
      throw .undecodable(what: "\(method.rawValue) /\(path.segments.joined(separator: "/"))", underlying: error)
    }
  }

  /// Gets a list, without the items that this version does not understand.
  /// - Throws: ``ClientError``.
  @concurrent func list<Item: Decodable & Sendable>(
    _ path: APIPath, query: [(APIParameter, String?)] = [], headers: Headers = [:]
  ) async throws(ClientError) -> [Item] {
    try await listPage(path, query: query, headers: headers).items
  }

  /// The same for a list in pages: with the cursor of the next one, which the answer's head names (`Link`, RFC 8288).
  /// - Throws: ``ClientError``.
  @concurrent func listPage<Item: Decodable & Sendable>(
    _ path: APIPath, query: [(APIParameter, String?)] = [], headers: Headers = [:]
  ) async throws(ClientError) -> (items: [Item], next: String?) {
    var request = Request(.get, try Self.target(path, query: query), headers: headers)
    request.headers["Accept"] = "application/json"
    let response = try await send(request, as: .session)
    do {
      let items = try Wire.decodeKnown([Item].self, from: response.body)
      onAnswer()
      return (items, response.headers.nextLink.flatMap { Request(.get, $0).query(APIParameter.cursor.rawValue) })
    } catch {
      throw .undecodable(what: "GET /\(path.segments.joined(separator: "/"))", underlying: error)
    }
  }

  /// Sends a request with an optional JSON body; returns only successful answers.
  /// - Throws: ``ClientError``.
  @concurrent @discardableResult func send(
    _ method: Request.Method, _ path: APIPath, query: [(APIParameter, String?)] = [], body: (any Encodable & Sendable)? = nil,
    as authorization: Authorization = .session
  ) async throws(ClientError) -> Response {
    var request = Request(method, try Self.target(path, query: query), headers: ["Accept": "application/json"])
    if let body {
      do { request.body = try Wire.encode(body) } catch { throw .undecodable(what: "the request", underlying: error) }
      request.headers["Content-Type"] = "application/json"
    }
    return try await send(request, as: authorization)
  }

  /// Sends a request as it is, with its token. A request of the session that was refused was not carried out: it is sent again with the
  /// next token of that session, once.
  /// - Throws: ``ClientError``.
  @concurrent func send(_ request: Request, as authorization: Authorization) async throws(ClientError) -> Response {
    switch authorization {
    case .none: return try await send(request, token: nil)
    case .token(let token): return try await send(request, token: token)
    case .session: break
    }
    // The request is the present reader's, even if another one signs in while it is under way.
    let tokens = tokens.pinned() ?? tokens
    let token: String?
    if let current = tokens.current { token = current } else { token = try await renewed(tokens, after: nil) }
    do { return try await send(request, token: token) } catch {
      guard error.code == .sessionEnded, error.disposition == .sessionEnded, let token, let next = try await renewed(tokens, after: token)
      else { throw error }
      return try await send(request, token: next)
    }
  }

  private func renewed(_ tokens: any AccessTokens, after refused: String?) async throws(ClientError) -> String? {
    do { return try await tokens.renewed(after: refused) } catch {
      switch error {
      case .unreachable: throw .offline(.unreachable(error.sentence))
      case .rejected(let sentence), .wrongCode(let sentence), .codeExpired(let sentence):
        throw .problem(Problem(code: "http_503", title: sentence, status: 503), retryAfter: nil)
      case .ended, .reused, .wrongCredentials, .superseded:
        throw .problem(Problem(code: .sessionEnded, title: error.sentence, status: 401), retryAfter: nil)
      }
    }
  }

  private func send(_ request: Request, token: String?) async throws(ClientError) -> Response {
    var request = request
    if let token { request.headers["Authorization"] = "Bearer \(token)" }
    let response: Response
    do { response = try await transport.send(request) } catch {
      let error = ClientError(transport: error)
      if error.isOffline { onUnreachable(error.sentence) }
      throw error
    }
    let isUnchanged = response.status == 304 && request.headers["If-None-Match"] != nil
    guard (200..<300).contains(response.status) || isUnchanged else {
      throw .problem(Problem(answer: response), retryAfter: response.headers.retryAfter(at: clock.now))
    }
    return response
  }

  /// A path and query in the form that a request line takes.
  /// - Throws: ``ClientError/problem(_:retryAfter:)`` with ``Problem/Code/notFound`` for a component that no path can have: an empty one
  ///   names another resource, and `.` and `..` are resolved on the way to the server, encoded or not.
  static func target(_ path: APIPath, query: [(APIParameter, String?)]) throws(ClientError) -> String {
    for component in path.segments where ["", ".", ".."].contains(component) {
      throw .problem(Problem(code: .notFound, title: "There is nothing under this address.", status: 404), retryAfter: nil)
    }
    return path.target + APIParameter.query(query)
  }
}

/// A token of which there is no next one.
private struct LoneToken: AccessTokens {
  let token: @Sendable () -> String?

  var current: String? { token() }
  func renewed(after refused: String?) async throws(AuthError) -> String? { nil }
  func pinned() -> (any AccessTokens)? { token().map { token in LoneToken(token: { token }) } }
}
