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

  func testNoItemIsLost() throws {
    var read: [URL: ParsedFeed] = [:]
    for file in try feeds() {
      do {
        read[file] = try FeedParser.parse(Data(contentsOf: file), source: file.path)
      } catch let error as FeedError {
        guard case .notReadYet(let format) = error.reason else {
          XCTFail("\(error)")
          continue
        }
        print("\(file.lastPathComponent): \(format.name) is not read yet")
      }
    }
    let files = read.keys.sorted { $0.path < $1.path }
    let counted = try count(files)
    XCTAssertEqual(counted.count, files.count)
    for (file, expected) in zip(files, counted) {
      guard let feed = read[file] else { continue }
      print("\(file.lastPathComponent): \(feed.items.count) items, \(feed.format.name); feedparser \(expected.items), \(expected.version)")
      XCTAssertEqual(feed.items.count, expected.items, file.lastPathComponent)
      XCTAssertEqual(Set(feed.items.map(\.identity)).count, feed.items.count, "\(file.lastPathComponent): two items of one identity")
      for (item, index) in zip(feed.items, 0...) where index < expected.items {
        let name = "\(file.lastPathComponent), item \(index + 1)"
        // Where a publisher left the link empty we take the id, which is the page's address there, and feedparser the feed's own.
        if item.link != item.id || item.link == nil { XCTAssertEqual(item.link ?? "", expected.links[index], name) }
        if !expected.ids[index].isEmpty { XCTAssertEqual(item.id, expected.ids[index], name) }
        XCTAssertEqual(item.published.map(fields) ?? [], expected.times[index], name)
        XCTAssertFalse(item.displayTitle.isEmpty, name)
        XCTAssertEqual(item.title == nil, expected.titles[index].isEmpty, name)
      }
    }
  }

  private func fields(_ date: Date) -> [Int] {
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = TimeZone(secondsFromGMT: 0) ?? .current
    let parts = calendar.dateComponents([.year, .month, .day, .hour, .minute, .second], from: date)
    return [parts.year, parts.month, parts.day, parts.hour, parts.minute, parts.second].compactMap(\.self)
  }
}
