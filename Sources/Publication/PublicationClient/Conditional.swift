import HTTPTransport
import PublicationAPI

/// The answer to a conditional request: the value, unless it is unchanged (RFC 9110, 13.1.2).
public enum Conditional<Value: Sendable>: Sendable {
  /// The value differs from the client's; the tag identifies it in the next request.
  case changed(Value, etag: String?)
  /// It is what the client has.
  case unchanged
}

extension Conditional: Equatable where Value: Equatable {}

extension APIClient {
  /// Gets the value, unless its tag is `etag`.
  /// - Throws: ``ClientError``.
  @concurrent func get<Answer: Decodable & Sendable>(
    _ path: APIPath, query: [(APIParameter, String?)] = [], ifNoneMatch etag: String?
  ) async throws(ClientError) -> Conditional<Answer> {
    var request = Request(.get, try Self.target(path, query: query), headers: ["Accept": "application/json"])
    request.headers["If-None-Match"] = etag
    let response = try await send(request, as: .session)
    if response.status == 304 { return .unchanged }
    return .changed(try Self.decode(response, of: path), etag: response.headers["ETag"])
  }
}
