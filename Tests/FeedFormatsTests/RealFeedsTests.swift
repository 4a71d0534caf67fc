import FeedFormats
import Foundation
import XCTest

/// Feeds as they are on the web, read by us and by feedparser (PyPI), which shares nothing with us.
final class RealFeedsTests: XCTestCase {
  private struct Counted: Decodable {
    var path: String
    var version: String
    var items: Int
    var titles: [String]
    var links: [String]
    var ids: [String]
    var times: [[Int]]
  }

  private var package: URL { URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent() }

  private func feeds() throws -> [URL] {
    let folder =
      ProcessInfo.processInfo.environment["MATINEE_FEEDS"].map { URL(filePath: $0) }
      ?? package.deletingLastPathComponent().appending(path: "shared/data/feeds")
    let found = try? FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
    guard let found, !found.isEmpty else { throw XCTSkip("no feeds at \(folder.path): set MATINEE_FEEDS") }
    return found.sorted { $0.path < $1.path }
  }

  private func count(_ files: [URL]) throws -> [Counted] {
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/env")
    let python = ProcessInfo.processInfo.environment["MATINEE_PYTHON"] ?? "python3"
    let script = package.appending(path: "Tests/FeedFormatsTests/count-items.py").path
    process.arguments = [python, script] + files.map(\.path)
    let output = Pipe()
    process.standardOutput = output
    process.standardError = FileHandle.nullDevice
    try process.run()
    let data = try output.fileHandleForReading.readToEnd() ?? Data()
    process.waitUntilExit()
    guard process.terminationStatus == 0 else {
      throw XCTSkip("\(python) cannot import feedparser: set MATINEE_PYTHON to an interpreter that can")
    }
    return try data.split(separator: UInt8(ascii: "\n")).map { try JSONDecoder().decode(Counted.self, from: $0) }
  }

  func testNoItemIsLost() throws { try compare(feeds()) }

  func testNoItemOfOurOwnIsLost() throws { try compare(Fixture.all()) }

  private func compare(_ files: [URL]) throws {
    var read: [URL: FeedDocument] = [:]
    for file in files { read[file] = try FeedParser.document(Data(contentsOf: file), source: file.path) }
    XCTAssertEqual(read.count, files.count)
    let counted = try count(files)
    XCTAssertEqual(counted.count, files.count)
    for (file, expected) in zip(files, counted) {
      let name = file.lastPathComponent
      switch read[file] {
      case .feed(let feed):
        print("\(name): \(feed.items.count) items, \(feed.format.name); counted \(expected.items), \(expected.version)")
        XCTAssertEqual(feed.items.count, expected.items, name)
        // Now and then a publisher uses an id twice; nobody else may.
        let repeats = expected.ids.count - Set(expected.ids).count
        let isIdentified = expected.ids.allSatisfy { !$0.isEmpty }
        XCTAssertEqual(Set(feed.items.map(\.identity)).count, feed.items.count - (isIdentified ? repeats : 0), "\(name): identities")
        for (index, item) in feed.items.enumerated() where index < expected.items { check(item, expected, at: index, of: name) }
      case .outline(let list):
        print("\(name): \(list.outlines.count) outlines, \(list.feeds.count) feeds; counted \(expected.items)")
        XCTAssertEqual(list.outlines.count, expected.items, name)
        XCTAssertEqual(list.outlines.map { $0.feedURL ?? "" }, expected.links, name)
        XCTAssertEqual(list.outlines.map(\.title), expected.titles, name)
      case nil: XCTFail(name)
      }
    }
  }

  private func check(_ item: ParsedItem, _ expected: Counted, at index: Int, of file: String) {
    let name = "\(file), item \(index + 1)"
    // Where a publisher left the link empty we take the id, which is the page's address there, and feedparser the feed's own.
    if item.link != item.id || item.link == nil { XCTAssertEqual(item.link ?? "", expected.links[index], name) }
    if !expected.ids[index].isEmpty { XCTAssertEqual(item.id, expected.ids[index], name) }
    XCTAssertEqual(item.published.map(fields) ?? [], expected.times[index], name)
    XCTAssertFalse(item.displayTitle.isEmpty, name)
    XCTAssertEqual(item.title == nil, expected.titles[index].isEmpty, name)
  }

  private func fields(_ date: Date) -> [Int] {
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = TimeZone(secondsFromGMT: 0) ?? .current
    let parts = calendar.dateComponents([.year, .month, .day, .hour, .minute, .second], from: date)
    return [parts.year, parts.month, parts.day, parts.hour, parts.minute, parts.second].compactMap(\.self)
  }
}
