import Foundation
import HTTPTransport
import PublicationAPI
import PublicationServer
import Synchronization
import Testing

/// From a file or URL to posts, as `import` does it: one line for each source, and nothing of what could not be read.
@Suite struct BrokenImportTests {
  /// What the importer wrote.
  private final class Lines: Sendable {
    private let lines = Mutex<[String]>([])
    func add(_ line: String) { lines.withLock { $0.append(line) } }
    var all: [String] { lines.withLock { $0 } }
  }

  /// Files that are gone with it.
  private struct Folder {
    let folder: TemporaryFolder
    init() throws { folder = try TemporaryFolder() }
    var path: String { folder.path }

    func file(_ name: String, _ data: Data) throws -> String {
      try data.write(to: URL(fileURLWithPath: folder.file(name)))
      return folder.file(name)
    }
  }

  private struct Result {
    var status: Int32
    var lines: [String]
    var problems: [String]
  }

  private static let rss = "<rss><channel><title>T</title><item><guid>1</guid><title>One</title></item></channel></rss>"

  private func run(_ sources: [String], _ rig: Rig, web: FakeWeb = FakeWeb()) async -> Result {
    let (output, progress) = (Lines(), Lines())
    let importer = ImportCommand(
      publication: rig.publication, web: web, json: false, output: { output.add($0) }, progress: { progress.add($0) })
    let status = await importer.run(sources)
    return Result(status: status, lines: output.all, problems: progress.all.filter { !$0.hasPrefix("[") })
  }

  private func counts(_ rig: Rig) async throws -> [Int] {
    let token = try await rig.signIn()
    let clubs = try await rig.get("/v1/fanclubs", token, as: Page<FanClub>.self).items
    return [clubs.count, clubs.reduce(0) { $0 + $1.posts }]
  }

  @Test func whatCannotBeReadIsOneErrorWithItsPlaceAndLeavesNothing() async throws {
    let folder = try Folder()
    let huge = folder.path + "/huge.xml"
    #expect(FileManager.default.createFile(atPath: huge, contents: Data(Self.rss.utf8)))
    let handle = try #require(FileHandle(forWritingAtPath: huge))
    try handle.truncate(atOffset: 200_000_000)
    try handle.close()
    let items = (0..<100).map { "<item><guid>\($0)</guid></item>\n" }.joined()
    let attributes = (0..<600).map { "a\($0)=''" }.joined(separator: " ")
    let flood = "<rss><channel>\(items)<title \(attributes)>One</title></channel></rss>"
    let sources = [
      try folder.file("page.html", Data("<!DOCTYPE html><p>no".utf8)), try folder.file("empty.xml", Data()),
      try folder.file("words.txt", Data("only words".utf8)),
      try folder.file("cut.xml", Data("<rss><channel>\n\(items)<item><title>One".utf8)),
      try folder.file("cut.json", Data("{\"version\": \"https://jsonfeed.org/version/1\", \"items\": [{\"id\": \"1\"}, {\"id\":".utf8)),
      try folder.file("flood.xml", Data(flood.utf8)), huge,
      try folder.file(
        "latin.xml", Data("<?xml version='1.0' encoding='utf-8'?><rss><channel>\(items)<title>caf".utf8) + [0xE9, 0x20, 0x3C]),
      try folder.file("klingon.xml", Data("<?xml version='1.0' encoding='klingon'?>\(Self.rss)".utf8)),
      try folder.file("broken.json", Data("{\"rss\": {\"channel\": {\"item\": [{\"guid\": \"1\"} {}]}}}".utf8)),
      try folder.file("cut.opml", Data("<opml><body><outline xmlUrl='https://e.org/f'/>".utf8)),
    ]
    let rig = try await Rig()
    let before = try await counts(rig)
    for source in sources {
      let result = await run([source], rig)
      #expect(result.status == 1)
      #expect(result.lines == [])
      #expect(result.problems.count == 1, "\(result.problems)")
      let problem = result.problems.first ?? ""
      #expect(problem.hasPrefix(source + ", "), "\(problem)")
      #expect(problem.contains(/, (line \d+, column \d+|byte \d+): \w/), "\(problem)")
      #expect(!problem.contains("\n"))
    }
    #expect(try await counts(rig) == before)
  }

  @Test func oneBadSourceDoesNotKeepTheOthersOut() async throws {
    let folder = try Folder()
    let (good, bad) = (try folder.file("good.xml", Data(Self.rss.utf8)), try folder.file("bad.xml", Data("<rss>".utf8)))
    let result = await run([bad, good, folder.path, folder.path + "/none"], try await Rig())
    #expect(result.status == 1)
    #expect(result.lines == ["\(good): 1 item, 1 added, 0 updated, 0 unchanged"])
    #expect(result.problems.count == 3)
  }

  @Test func aListOfFeedsMakesFanClubsAndFetchesNothing() async throws {
    let folder = try Folder()
    let list = """
      <opml><head><title>L</title></head><body><outline text="Folder"><outline text="A" xmlUrl="https://a.example/feed" htmlUrl="https://a.example/"/>
      <outline text="B" description="About B" xmlUrl="https://b.example/feed"/></outline><outline xmlUrl="https://b.example/feed"/></body></opml>
      """
    let file = try folder.file("list.opml", Data(list.utf8))
    let rig = try await Rig()
    let web = FakeWeb()
    web.answer("https://b.example/feed", Response(200, headers: ["Content-Type": "text/xml"], body: Data(Self.rss.utf8)))
    #expect(await run([file], rig, web: web).lines == ["\(file): 4 items, 2 added, 0 updated, 0 unchanged, 1 duplicate, 1 without a feed"])
    #expect(web.targets == [])
    let token = try await rig.signIn()
    func club(_ name: String) async throws -> FanClub {
      let clubs = try await rig.get("/v1/fanclubs", token, as: Page<FanClub>.self).items
      return try #require(clubs.first { $0.name == name })
    }
    #expect(try await club("A").url == "https://a.example/")
    let unfetched = try await club("B")
    #expect((unfetched.about, unfetched.fetched, unfetched.posts) == ("About B", false, 0))
    // Fetched by its own address it is the same club, and a list does not change it any more.
    #expect(await run(["https://b.example/feed"], rig, web: web).status == 0)
    let fetched = try await club("T")
    #expect((fetched.id, fetched.fetched, fetched.posts) == (unfetched.id, true, 1))
    #expect(await run([file], rig, web: web).lines == ["\(file): 4 items, 0 added, 0 updated, 2 unchanged, 1 duplicate, 1 without a feed"])
    #expect(try await club("T") == fetched)
  }

  @Test func theServersCharsetCounts() async throws {
    let rig = try await Rig()
    let body = Data("<rss><channel><title>Caf".utf8) + [0xE9] + Data("</title></channel></rss>".utf8)
    let web = FakeWeb()
    web.answer("https://e.org/feed", Response(200, headers: ["Content-Type": "application/rss+xml; charset=ISO-8859-1"], body: body))
    let result = await run(["https://e.org/feed"], rig, web: web)
    #expect(result.status == 0)
    let clubs = try await rig.get("/v1/fanclubs", rig.signIn(), as: Page<FanClub>.self).items
    #expect(clubs.contains { $0.name == "Café" })
  }
}
