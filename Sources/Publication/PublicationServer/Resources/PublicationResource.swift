import Foundation
import HTTPTransport
import PublicationAPI

/// What anyone may ask: what the publication is, its pictures.
extension Publication {
  func publicationInfo(_ call: Call) async throws -> Response {
    guard var info = try await content.info() else { throw Problem.notFound("publication yet") }
    if !offersSampleAccount { info.sampleAccount = nil }
    info.hostedCheckout = pages != nil
    info.canAddFeeds = feeds?.readersMayAdd ?? false
    return try .json(info)
  }

  func picture(_ call: Call) async throws -> Response {
    guard let picture = try await content.picture(call.parameter) else { throw Problem.notFound("picture") }
    let tag = try Digest.tag(picture.bytes)
    var headers: Headers = [
      "ETag": tag, "Cache-Control": "public, max-age=31536000, immutable", "X-Content-Type-Options": "nosniff",
    ]
    if call.knows(tag) { return Response(304, headers: headers) }
    headers["Content-Type"] = picture.type
    return Response(200, headers: headers, body: picture.bytes)
  }
}
