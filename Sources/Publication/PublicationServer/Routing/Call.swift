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
  /// The reader, once their token was checked.
  var reader: Reader?
  /// The session that the token belongs to.
  var session: SessionFamily.ID?
  private let query: [(name: String, value: String)]

  init(request: Request, parameters: [String]) {
    self.request = request
    self.parameters = parameters
    query = request.query
  }

  /// The first of ``parameters``; a route that reads it has a `*`.
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
    // By bytes: there is room for ten thousand in a head.
    let tags = request.headers["If-None-Match"]?.utf8.split(separator: UInt8(ascii: ",")) ?? []
    let matching = ["*", tag, "W/" + tag].map { Array($0.utf8) }
    return tags.contains { field in
      let end = field.lastIndex { $0 != UInt8(ascii: " ") && $0 != UInt8(ascii: "\t") } ?? field.startIndex
      let named = field[...end].drop { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }
      return matching.contains { $0.elementsEqual(named) }
    }
  }

  // MARK: Query

  /// The first value of a query parameter.
  func query(_ parameter: APIParameter) -> String? { query.first { $0.name == parameter.rawValue }?.value }

  /// The names in a query parameter, with commas between.
  /// - Returns: at most one more than `most`, which shows that there were too many.
  func names(_ parameter: APIParameter, most: Int) -> [String] {
    (query(parameter) ?? "").utf8.split(separator: UInt8(ascii: ","), maxSplits: most).map { String(decoding: $0, as: UTF8.self) }
  }

  /// The `limit` of a page, 1 to 100.
  func limit(standard: Int) throws -> Int {
    guard let text = query(.limit) else { return standard }
    guard let limit = Int(text), (1...100).contains(limit) else {
      throw Problem.badRequest("“limit” is a number from 1 to 100, not “\(text.prefix(40))”.")
    }
    return limit
  }

  /// A parameter that is `true` or `false`; false when it is not there.
  func flag(_ parameter: APIParameter) throws -> Bool {
    switch query(parameter) {
    case nil, "false": return false
    case "true": return true
    case let other?: throw Problem.badRequest("“\(parameter.rawValue)” is true or false, not “\(other.prefix(40))”.")
    }
  }

  /// The two fields of a `cursor`; `nil` when there is none.
  func cursor(_ kind: Cursor.Kind) throws -> Cursor? { try query(.cursor).map { try Cursor($0, kind) } }

  // MARK: Body

  /// The request's JSON body. It is checked and decoded on another thread than the publication's, so that other requests do not wait.
  /// - Throws: `Problem` that says what is wrong and where.
  @concurrent func body<Value: Decodable & Sendable>(_ type: Value.Type = Value.self) async throws -> Value {
    if let mediaType = request.mediaType, mediaType != "application/json" {
      throw Problem(code: .unsupportedMediaType, title: "The body is “\(mediaType)” and has to be “application/json”.", status: 415)
    }
    guard !request.body.isEmpty else { throw Problem.badRequest("A JSON body is missing.") }
    // Foundation's decoder checks only what it decodes, and ignores commas, duplicate names and bytes that are no text.
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

  /// `events[0].buckets`.
  private static func place(_ path: [any CodingKey]) -> String {
    path.reduce("") { place, key in
      if let index = key.intValue { "\(place)[\(index)]" } else { place.isEmpty ? key.stringValue : "\(place).\(key.stringValue)" }
    }
  }
}

extension Request {
  /// The media type of the body, in lower case and without its parameters; `nil` when none is named.
  var mediaType: String? {
    guard let field = headers["Content-Type"] else { return nil }
    let type = field.utf8.prefix { $0 != UInt8(ascii: ";") }.prefix(Self.longestMediaType)
    return String(decoding: type, as: UTF8.self).trimmingCharacters(in: .whitespaces).lowercased()
  }

  private static let longestMediaType = 100
}
