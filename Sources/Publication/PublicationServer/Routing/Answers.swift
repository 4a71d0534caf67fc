import Foundation
import HTTPTransport
import PublicationAPI

/// What a route answers a call with.
protocol Answer: Sendable {
  /// The answer in bytes, made off the publication's thread.
  func response() throws -> Response
}

extension Response: Answer {
  func response() -> Response { self }
}

/// An answer whose bytes are made off the publication's thread, which answers other requests meanwhile.
struct LateAnswer: Answer {
  /// How much there is to write.
  enum Length {
    case short
    /// Written on a thread of its own, since that takes long.
    case long
    /// The same, one at a time, since it takes much memory as well. The route is called again for it.
    case large
  }

  var length = Length.short
  let make: @Sendable () throws -> Response

  func response() throws -> Response { try make() }

  /// A JSON answer that clients store and revalidate (RFC 9110, 13.1.2). The tag depends on everything that this reader sees.
  static func current(_ value: some Encodable & Sendable, _ call: Call, _ length: Length = .short) -> LateAnswer {
    LateAnswer(length: length) {
      var response = try Response.json(value)
      let tag = try Digest.tag(response.body)
      response.headers["ETag"] = tag
      response.headers["Cache-Control"] = "private, no-cache"
      response.headers["Vary"] = "Authorization"
      guard call.knows(tag) else { return response }
      response.headers["Content-Type"] = nil
      // That of the answer which the client has (RFC 9110, 8.6).
      response.headers["Content-Length"] = "\(response.body.count)"
      return Response(304, headers: response.headers)
    }
  }
}

/// An answer in place of the one that a route has.
struct Refusal: Error {
  let response: Response
}

extension Response {
  /// A JSON answer.
  static func json(_ value: some Encodable, status: Int = 200) throws -> Response {
    Response(
      status, headers: ["Content-Type": "application/json", "Cache-Control": "no-store", "X-Content-Type-Options": "nosniff"],
      body: try Wire.encode(value))
  }

  /// The same answer, which names the page behind it.
  func linked(to next: String?) -> Response {
    var response = self
    response.headers["Link"] = next.map { "<\($0)>; rel=\"next\"" }
    return response
  }

  /// An answer that says what went wrong.
  static func problem(_ problem: Problem) -> Response {
    var response = Response(
      problem.status,
      headers: ["Content-Type": "application/problem+json", "Cache-Control": "no-store", "X-Content-Type-Options": "nosniff"],
      body: (try? Wire.encode(problem)) ?? Data())
    if problem.status == 401 { response.headers["WWW-Authenticate"] = "Bearer realm=\"publication\"" }
    return response
  }

  /// The same for a listener, which refuses a request before it reaches the router.
  /// - Parameter retryAfter: when another try makes sense, in seconds; `nil` to say nothing of it.
  public static func problem(_ status: Int, _ code: Problem.Code, _ title: String, retryAfter: Int? = nil) -> Response {
    var response = problem(Problem(code: code, title: title, status: status))
    if let retryAfter { response.headers["Retry-After"] = "\(retryAfter)" }
    return response
  }
}

extension Problem.Code {
  static let unsupportedMediaType: Problem.Code = "unsupported_media_type"
  static let tooManyAttempts: Problem.Code = "too_many_attempts"
  static let busy: Problem.Code = "busy"
}

extension Problem {
  static func notFound(_ what: String) -> Problem { Problem(code: .notFound, title: "There is no such \(what).", status: 404) }
  static func badRequest(_ title: String) -> Problem { Problem(code: .badRequest, title: title, status: 400) }
  static func conflict(_ title: String) -> Problem { Problem(code: .conflict, title: title, status: 409) }
}
