import CurlTransport
import Foundation
import HTTPTransport
import PublicationAPI
import Testing

/// `matinee-server import`.
@Suite struct ImportCommandTests: ServerRig {
  let folder: Folder
  init() throws { folder = try Folder() }

  @Test func feedsAreImportedAndBadOnesNamed() async throws {
    try await makeOwn()
    let good = try folder.write("good.txt", Self.rss(3))
    let broken = try folder.write("broken.xml", "<rss version=\"2.0\"><channel><title>x</title>\n<item><title>lost</tit")
    let page = try folder.write("page.xml", "<!doctype html><html><body>Hello</body></html>")
    let outcome = try await Server.run(["import", "--data", data, "--json", broken, good, page, "nowhere.xml"])
    #expect(outcome.status == 1)
    let line = try JSONSerialization.jsonObject(with: Data(outcome.output.utf8)) as? NSDictionary
    #expect(line == ["source": good, "items": 3, "added": 3, "updated": 0, "unchanged": 0])
    let errors = outcome.errors.split(separator: "\n").filter { !$0.hasPrefix("[") }
    #expect(errors.count == 3)
    #expect(errors[0].hasPrefix("\(broken), line 2"))
    #expect(errors[1].hasPrefix(page))
    #expect(errors[2].hasPrefix("nowhere.xml"))

    let again = try await Server.run(["import", "--data", data, good])
    #expect(again.status == 0)
    #expect(again.output == "\(good): 3 items, 0 added, 0 updated, 3 unchanged\n")

    try await addUser()
    let server = try await RunningServer(folder: data)
    let transport = try NetworkTransport(origin: server.origin)
    let clubs = try await transport.send(Request(.get, "/v1/fanclubs", headers: try await authorization(transport)))
    // Nothing of the broken ones, and nothing of the sample.
    #expect(try Wire.decode(Page<FanClub>.self, from: clubs.body).items.map(\.name) == ["Feed"])
    #expect(try await server.end(SIGTERM) == 0)
  }
}
