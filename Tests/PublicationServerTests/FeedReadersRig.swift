import FeedFormats
import Foundation
import HTTPTransport
import PublicationAPI
import Runtime
import Testing

@testable import PublicationServer

/// A publication on the web with two readers, and what a test of feeds that readers add asks of it.
struct FeedReadersRig: Sendable {
  static let url = "https://example.org/feed"

  let rig: Rig
  let web = FakeWeb()
  let ada: String
  let bo: String

  /// - Parameter folder: nil keeps everything in memory.
  init(folder: String? = nil, readersMayAdd: Bool = true, sharedFor moment: Duration = .seconds(60)) async throws {
    rig = try await Rig(folder: folder, posts: [])
    await rig.publication.fetchFeeds(from: web, readersMayAdd: readersMayAdd, sharedFor: moment, random: FixedRandom(1 << 63))
    ada = try await rig.signIn()
    bo = try await rig.signIn("bo")
  }

  func begin(_ url: String, _ token: String? = nil) async throws -> Response {
    await rig.send(.put, "/v1/imports/\(UUID())", token: token ?? ada, headers: Self.json, body: try Wire.encode(ImportRequest(url: url)))
  }

  func post(_ document: Data, name: String = "feed.xml", _ token: String? = nil) async -> Response {
    await rig.send(
      .put, "/v1/imports/\(UUID())?name=\(name)", token: token ?? ada, headers: ["Content-Type": "application/octet-stream"], body: document
    )
  }

  /// What became of an import, once it is over.
  func end(_ response: Response) async throws -> Import {
    #expect(response.status == 202, "\(String(decoding: response.body, as: UTF8.self))")
    let id = try Wire.decode(Import.self, from: response.body).id
    for reader in [ada, bo] {
      let owner = try await rig.get("/v1/session", reader, as: Reader.self).id
      await rig.publication.imports.job(id, of: owner)?.ended()
    }
    for token in [ada, bo] {
      let response = await rig.send(.get, "/v1/imports/\(id)", token: token)
      if response.status == 200 { return try Wire.decode(from: response.body) }
    }
    throw Problem.notFound("import")
  }

  func clubs(_ token: String? = nil) async throws -> [FanClub] {
    try await rig.get("/v1/fanclubs", token ?? ada, as: Page<FanClub>.self).items.filter { $0.id.hasPrefix("f") }
  }

  func posts() async throws -> [Post] { try await rig.get("/v1/posts?limit=100", ada, as: Page<Post>.self).items }

  /// Asks for a club's feed now.
  func refresh(_ club: FanClub.ID, _ token: String? = nil) async -> Response {
    await rig.send(.post, "/v1/fanclubs/\(club)/refresh", token: token ?? ada)
  }

  private static let json: Headers = ["Content-Type": "application/json"]
}
