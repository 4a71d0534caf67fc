import Foundation
import HTTPTransport
import PublicationAPI
import PublicationServer
import Synchronization
import Testing

/// The `import` of both programs.
@Suite struct FeedImporterTests {
  private final class Output: Sendable {
    let lines = Mutex<[String]>([])
    func add(_ line: String) { lines.withLock { $0.append(line) } }
    var all: [String] { lines.withLock { $0 } }
  }

  private func run(_ rig: Rig, _ web: FakeWeb, _ sources: [String]) async -> (status: Int32, out: [String], told: [String]) {
    let (output, progress) = (Output(), Output())
    let importer = FeedImporter(
      publication: rig.publication, web: web, json: false, output: { output.add($0) }, progress: { progress.add($0) })
    return (await importer.run(sources), output.all, progress.all)
  }

  @Test func addressesAndFiles() async throws {
    let rig = try await Rig(posts: [])
    let (web, folder) = (FakeWeb(), try TemporaryFolder())
    web.answer("https://example.org/old", Response(301, headers: ["Location": "/feed"]))
    web.answer("https://example.org/feed", Response(200, body: Documents.rss("One", "Two")))
    try Documents.outline.write(to: URL(fileURLWithPath: folder.file("list.opml")))
    let list = folder.file("list.opml")
    for added in [2, 0] {
      let done = await run(rig, web, ["https://example.org/old", list])
      #expect(done.status == 0)
      #expect(
        done.out == [
          "https://example.org/old: 2 items, \(added) added, 0 updated, \(2 - added) unchanged",
          "\(list): 4 items, \(added) added, 0 updated, \(2 - added) unchanged",
        ])
    }
    let token = try await rig.signIn()
    let clubs = try await rig.get("/v1/fanclubs", token, as: Page<FanClub>.self).items
    #expect(clubs.filter { $0.id.hasPrefix("f") }.map(\.posts) == [2, 0, 0])
    // From now on it is asked where it moved.
    await rig.publication.fetchFeeds(from: web, readersMayAdd: false)
    await rig.clock.waitForSleepers()
    web.forget()
    for _ in 0..<4 {
      rig.clock.advance(by: .seconds(1800))
      await rig.clock.waitForSleepers()
    }
    #expect(Set(web.targets) == ["https://example.org/feed"])
  }

  @Test func pages() async throws {
    let rig = try await Rig(posts: [])
    let web = FakeWeb()
    let link = { (url: String) in "<link rel=alternate type=application/rss+xml href=\(url)>" }
    web.answer("https://example.org/", Response(200, body: Data("<!DOCTYPE html>\(link("feed"))".utf8)))
    web.answer("https://example.org/feed", Response(200, body: Documents.rss("One")))
    web.answer("https://two.example/", Response(200, body: Data("<!DOCTYPE html>\(link("a") + link("b"))".utf8)))
    let done = await run(rig, web, ["https://example.org/", "https://two.example/"])
    #expect(done.status == 1)
    #expect(done.out == ["https://example.org/: 1 items, 1 added, 0 updated, 0 unchanged"])
    let told = "this web page names several feeds: https://two.example/a, https://two.example/b. Import one of them."
    #expect(done.told.last == "https://two.example/: \(told)")
  }

  @Test func whatCannotBeImportedIsOneLine() async throws {
    let rig = try await Rig(posts: [])
    let (web, folder) = (FakeWeb(), try TemporaryFolder())
    web.answer("https://example.org/gone", Response(410))
    let large = folder.file("large.xml")
    try Data().write(to: URL(fileURLWithPath: large))
    // 200 MB that take no room on the disk, and none in memory.
    let file = try FileHandle(forWritingTo: URL(fileURLWithPath: large))
    try file.truncate(atOffset: 200_000_000)
    try file.close()
    let failed = await run(rig, web, ["https://example.org/gone", "https://nowhere.example/", large, folder.path, folder.file("none")])
    #expect(failed.status == 1)
    #expect(failed.out.isEmpty)
    let told = failed.told.filter { !$0.hasPrefix("[") }
    #expect(
      told == [
        "https://example.org/gone: the server says that this feed is gone for good.",
        "https://nowhere.example/: the feed's server cannot be reached. Check your connection and try again. (no such host)",
        "\(large), byte 50000000: The document has 200.0 MB, and more than 50.0 MB are not read.",
        "\(folder.path): this is a folder, not a feed.", "\(folder.file("none")): there is no such file.",
      ])
    #expect(try await rig.get("/v1/fanclubs", rig.signIn(), as: Page<FanClub>.self).items.filter { $0.id.hasPrefix("f") }.isEmpty)
  }
}
