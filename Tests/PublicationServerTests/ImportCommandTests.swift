import Foundation
import HTTPTransport
import PublicationAPI
import PublicationServer
import Runtime
import Synchronization
import Testing

/// The `import` of both programs.
@Suite struct ImportCommandTests {
  private final class Output: Sendable {
    let lines = Mutex<[String]>([])
    func add(_ line: String) { lines.withLock { $0.append(line) } }
    var all: [String] { lines.withLock { $0 } }
  }

  private func run(_ rig: Rig, _ web: FakeWeb, _ sources: [String]) async -> (status: Int32, out: [String], told: [String]) {
    let (output, progress) = (Output(), Output())
    let importer = ImportCommand(
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
          "\(list): 4 items, \(added) added, 0 updated, \(2 - added) unchanged, 1 duplicate, 1 without a feed",
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
    #expect(done.out == ["https://example.org/: 1 item, 1 added, 0 updated, 0 unchanged"])
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
        "\(large), byte 50000000: the document has 200.0 MB, and more than 50.0 MB are not read.",
        "\(folder.path): this is a folder, not a feed.", "\(folder.file("none")): there is no such file.",
      ])
    #expect(try await rig.get("/v1/fanclubs", rig.signIn(), as: Page<FanClub>.self).items.filter { $0.id.hasPrefix("f") }.isEmpty)
  }

  @Test func whatNeverEndsIsNotRead() async throws {
    let rig = try await Rig(posts: [])
    let failed = await run(rig, FakeWeb(), ["/dev/zero", "/dev/null", "", "/dev/null/x"])
    #expect(failed.status == 1)
    #expect(
      failed.told == [
        "[1/4] /dev/zero", "/dev/zero: this is a device, not a feed.", "[2/4] /dev/null", "/dev/null: this is a device, not a feed.",
        "[3/4] “”", "“”: this is empty, and no file or address.", "[4/4] /dev/null/x", "/dev/null/x: Not a directory.",
      ])
  }

  /// A pipe's size is not known before it is read.
  @Test func aPipeIsReadToItsEndOrTheLimit() async throws {
    let (rig, folder) = (try await Rig(posts: []), try TemporaryFolder())
    for (name, document) in [("small", Documents.rss("One")), ("large", Data(repeating: 0x20, count: 50_000_001))] {
      let path = folder.file(name)
      #expect(mkfifo(path, 0o600) == 0)
      let writer = ThreadExecutor(name: "pipe")
      async let written: Void = writer.run { try? document.write(to: URL(fileURLWithPath: path), options: []) }
      let done = await run(rig, FakeWeb(), [path])
      try await written
      if name == "small" {
        #expect(done.out == ["\(path): 1 item, 1 added, 0 updated, 0 unchanged"])
      } else {
        #expect(done.told.last == "\(path): this has more than 50 MB, and so much is not read.")
      }
    }
  }
}
