import Foundation
import HTTPTransport
import PublicationAPI

/// What is open to all: the publication's description and its pictures.
struct PublicationResource {
  let content: any ContentRepository
  let offersSampleAccount: Bool
  let hasPages: Bool
  let canAddFeeds: Bool
  let mailsCodes: Bool
  let identityProviders: [IdentityProvider]
  let service: any ServiceRepository

  nonisolated(nonsending) func info() async throws -> Response {
    guard var info = try await content.info() else { throw Problem.notFound("publication yet") }
    if !offersSampleAccount { info.sampleAccount = nil }
    info.hostedCheckout = hasPages
    info.canAddFeeds = canAddFeeds
    info.mailsCodes = mailsCodes
    info.identityProviders = identityProviders
    info.minimumVersion = try await service.minimumVersion()
    return try .json(info)
  }

  nonisolated(nonsending) func picture(_ call: Call) async throws -> LateAnswer {
    guard let picture = try await content.picture(call.parameter) else { throw Problem.notFound("picture") }
    return LateAnswer {
      let tag = try Digest.tag(picture.bytes)
      var headers: Headers = [
        "ETag": tag, "Cache-Control": "public, max-age=31536000, immutable", "X-Content-Type-Options": "nosniff",
      ]
      if call.knows(tag) {
        headers["Content-Length"] = "\(picture.bytes.count)"
        return Response(304, headers: headers)
      }
      headers["Content-Type"] = picture.type
      return Response(200, headers: headers, body: picture.bytes)
    }
  }
}
