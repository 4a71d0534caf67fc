import Foundation
import HTTPTransport
import PublicationAPI
import Runtime
import SignedReceipts

/// A request that found its route.
struct Call: Sendable {
  let request: Request
  /// What stood in the places of the pattern's `*`, decoded.
  let parameters: [String]
  private let reader: Reader?

  init(request: Request, parameters: [String], reader: Reader?) {
    self.request = request
    self.parameters = parameters
    self.reader = reader
  }

  /// The first of ``parameters``; a route that asks for one has a `*`.
  var parameter: String { parameters.first ?? "" }

  /// The reader; only for routes that need one.
  /// - Throws: `Problem` on a route that was declared as open to all.
  var signedIn: Reader {
    get throws {
      guard let reader else { throw Problem(code: .sessionEnded, title: "Sign in first.", status: 401) }
      return reader
    }
  }

  /// Whether the client has what this tag names; compared weakly, as RFC 9110 (13.1.2) wants it.
  func knows(_ tag: String) -> Bool {
    let tags = request.headers["If-None-Match"]?.split(separator: ",").map { $0.trimmingCharacters(in: .whitespaces) } ?? []
    return tags.contains { $0 == "*" || $0 == tag || $0 == "W/" + tag }
  }

  // MARK: Query

  /// The `limit` of a page, 1 to 100.
  func limit(standard: Int) throws -> Int {
    guard let text = request.query("limit") else { return standard }
    guard let limit = Int(text), (1...100).contains(limit) else {
      throw Problem.badRequest("“limit” is a number from 1 to 100, not “\(text.prefix(40))”.")
    }
    return limit
  }

  /// A parameter that is `true` or `false`; false when it is not there.
  func flag(_ name: String) throws -> Bool {
    switch request.query(name) {
    case nil, "false": return false
    case "true": return true
    case let other?: throw Problem.badRequest("“\(name)” is true or false, not “\(other.prefix(40))”.")
    }
  }

  /// The two fields of a `cursor`; `nil` when there is none.
  func cursor(_ kind: Cursor.Kind) throws -> Cursor? { try request.query("cursor").map { try Cursor($0, kind) } }

  // MARK: Body

  /// The request's JSON body.
  /// - Throws: `Problem` that says what is wrong and where.
  func body<Value: Decodable>(_ type: Value.Type = Value.self) throws -> Value {
    if let mediaType = request.headers["Content-Type"]?.split(separator: ";").first?.trimmingCharacters(in: .whitespaces).lowercased(),
      mediaType != "application/json"
    {
      throw Problem(code: .unsupportedMediaType, title: "The body is “\(mediaType)” and has to be “application/json”.", status: 415)
    }
    guard !request.body.isEmpty else { throw Problem.badRequest("A JSON body is missing.") }
    // Foundation's decoder looks only at what it is asked for, and passes over commas, names that are there twice and bytes that are no text.
    do throws(LocatedJSON.Failure) { try LocatedJSON.check(request.body, file: "body") } catch {
      throw Problem.badRequest("The body is no JSON: \(error.problem) at line \(error.line), column \(error.column).")
    }
    do {
      return try Wire.decode(type, from: request.body)
    } catch DecodingError.keyNotFound(let key, let context) {
      throw Problem.badRequest("“\(Self.place(context.codingPath + [key]))” is missing in the body.")
    } catch DecodingError.typeMismatch(_, let context), DecodingError.valueNotFound(_, let context) {
      guard !context.codingPath.isEmpty else { throw Problem.badRequest("The body is no JSON object.") }
      throw Problem.badRequest("“\(Self.place(context.codingPath))” in the body has the wrong type.")
    } catch DecodingError.dataCorrupted(let context) where !context.codingPath.isEmpty {
      throw Problem.badRequest("“\(Self.place(context.codingPath))” in the body: \(context.debugDescription).")
    } catch {
      throw Problem.badRequest("The body is no JSON that is understood here.")
    }
  }

  private static func place(_ path: [any CodingKey]) -> String { path.map(\.stringValue).joined(separator: ".") }
}
