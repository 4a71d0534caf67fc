import Foundation
import HTTPTransport
import PublicationAPI

/// What anyone may ask: what the publication is, its pictures.
extension Publication {
  func publicationInfo(_ call: Call) async throws -> Response {
    guard var info = try await content.info() else { throw Problem.notFound("publication yet") }
    if !offersSampleAccount { info.sampleAccount = nil }
    info.hostedCheckout = pages != nil
    return try .json(info)
  }

  func picture(_ call: Call) async throws -> Response {
    guard let picture = try await content.picture(call.parameter) else { throw Problem.notFound("picture") }
    let tag = "\"\(try Digest.sha256(picture.bytes).prefix(12).base64EncodedString())\""
    var headers: Headers = [
      "ETag": tag, "Cache-Control": "public, max-age=31536000, immutable", "X-Content-Type-Options": "nosniff",
    ]
    if let known = call.request.headers["If-None-Match"], Self.lists(known, tag) { return Response(304, headers: headers) }
    headers["Content-Type"] = picture.type
    return Response(200, headers: headers, body: picture.bytes)
  }

  /// Whether an `If-None-Match` has a tag; compared weakly, as RFC 9110 (13.1.2) wants it.
  private static func lists(_ field: String, _ tag: String) -> Bool {
    let tags = field.split(separator: ",").map { $0.trimmingCharacters(in: .whitespaces) }
    return tags.contains { $0 == "*" || $0 == tag || $0 == "W/" + tag }
  }
}
