import Foundation
import HTTPTransport
import PublicationAPI
import PublicationServer
import Testing

/// What the operator says of the service as a whole.
@Suite struct ServiceTests {
  private func begin(_ rig: Rig, minutes: Int?) async throws -> Response {
    try await rig.operate(.put, "maintenance", Wire.encode(MaintenanceRequest(minutes: minutes)))
  }

  @Test func theOldestVersionIsToldAndMayBeAny() async throws {
    let rig = try await Rig()
    let told = { try await rig.get("/v1/publication", nil, as: PublicationInfo.self).minimumVersion }
    #expect(try await told() == nil)
    for version in ["1.2.0", "2.0-beta.1", nil] {
      let response = try await rig.operate(.put, "minimum-version", Wire.encode(MinimumVersionRequest(version: version)))
      #expect(response.status == 200)
      #expect(try await told() == version)
    }
    let refused = try await rig.operate(.put, "minimum-version", Wire.encode(MinimumVersionRequest(version: "new")))
    #expect(refused.status == 400)
    #expect(try refused.problem.title == "“new” is no version, such as 1.2.0.")
  }

  @Test func maintenanceIsToldToEverybodyAndEndsWhenTheOperatorSaysSo() async throws {
    let rig = try await Rig()
    let token = try await rig.signIn()
    #expect(try await begin(rig, minutes: 30).status == 200)
    for (method, path, body) in [
      (Request.Method.get, "/v1/publication", Data()), (.get, "/v1/posts", Data()), (.post, "/v1/session", Data("{}".utf8)),
    ] {
      let response = await rig.send(method, path, token: token, body: body)
      #expect(response.status == 503)
      #expect(response.headers["Retry-After"] == "1800")
      #expect(try response.problem.code == .maintenance)
      #expect(try response.problem.title.contains("being maintained, probably for 30 more minutes."))
    }
    #expect(try await rig.operate(.get, "readers").status == 200, "the operator works meanwhile")
    // It takes longer.
    rig.clock.advance(by: .seconds(1790))
    #expect(await rig.send(.get, "/v1/posts", token: token).headers["Retry-After"] == "60")
    rig.clock.advance(by: .seconds(600))
    #expect(await rig.send(.get, "/v1/posts", token: token).headers["Retry-After"] == "60")
    #expect(try await begin(rig, minutes: nil).status == 200)
    #expect(await rig.send(.get, "/v1/posts", token: token).headers["Retry-After"] == "300")
    #expect(try await rig.send(.get, "/v1/posts", token: token).problem.title.hasPrefix("The publication is being maintained. Nothing"))
    #expect(try await begin(rig, minutes: 200).status == 200)
    #expect(try await rig.send(.get, "/v1/posts", token: token).problem.title.contains("probably for 4 more hours"))
    #expect(try await rig.operate(.delete, "maintenance").status == 204)
    #expect(await rig.send(.get, "/v1/posts", token: token).status == 200)
    #expect(try await begin(rig, minutes: 0).status == 400)
  }

  @Test func aRestartDoesNotEndIt() async throws {
    let folder = try TemporaryFolder()
    let first = try await Rig(folder: folder.path)
    _ = try await begin(first, minutes: 30)
    await first.publication.close()
    let second = try await Rig(folder: folder.path, posts: [])
    #expect(await second.send(.get, "/v1/publication").status == 503)
    await second.publication.close()
  }

  @Test func aPathThatIsNoneStaysNone() async throws {
    let rig = try await Rig()
    _ = try await begin(rig, minutes: 1)
    #expect(await rig.send(.get, "/v1/nothing").status == 404)
  }
}
