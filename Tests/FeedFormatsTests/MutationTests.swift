import FeedFormats
import Runtime
import XCTest

/// Documents of every format, broken at random: each ends in a feed, or in one error with its place.
final class MutationTests: XCTestCase {
  private static let pieces = [
    "<", ">", "&", "\"", "'", "</item>", "<item>", "<![CDATA[", "]]>", "<!--", "&#0;", "&#x110000;", "&lol;",
    "<!DOCTYPE a [<!ENTITY b 'c'>]>",
    "{", "}", "[", "]", ",", ":", "\\", "\\u", "\\ud800", "\0", "\u{FEFF}", "<?xml version='1.0' encoding='utf-16'?>", " xmlns:a='b'",
    "<table><tr><td rowspan='9'>", "<pre>", "<blockquote><ul><li>", "<svg>", "<a href='javascript:x'>", "\u{FFFF}", "1e999999999", "é",
  ]

  private func mutated(_ bytes: [UInt8], _ others: [[UInt8]], _ dice: inout SplitMix) -> [UInt8] {
    var bytes = bytes
    for _ in 0..<Int.random(in: 1...4, using: &dice) {
      let place = Int.random(in: 0...bytes.count, using: &dice)
      let length = Int.random(in: 0...min(bytes.count - place, 200), using: &dice)
      switch Int.random(in: 0..<6, using: &dice) {
      case 0: bytes.removeSubrange(place...)
      case 1: bytes.removeSubrange(place..<(place + length))
      case 2: for index in place..<min(place + 3, bytes.count) { bytes[index] ^= UInt8(1 << Int.random(in: 0..<8, using: &dice)) }
      case 3: bytes.insert(contentsOf: bytes[place..<(place + length)], at: Int.random(in: 0...bytes.count, using: &dice))
      case 4: bytes.insert(contentsOf: (Self.pieces.randomElement(using: &dice) ?? "").utf8, at: place)
      default:
        let other = others.randomElement(using: &dice) ?? []
        let start = Int.random(in: 0...other.count, using: &dice)
        bytes.replaceSubrange(place..<(place + length), with: other[start...].prefix(500))
      }
    }
    return bytes
  }

  func testAFeedOrOneErrorWithItsPlace() throws {
    let fixtures = try Fixture.all().map { ($0.lastPathComponent, [UInt8](try Data(contentsOf: $0))) }
    for (name, bytes) in fixtures {
      for seed in UInt64(1)...80 {
        var dice = SplitMix(state: seed)
        let broken = Data(mutated(bytes, fixtures.map(\.1), &dice))
        do throws(FeedError) {
          switch try FeedParser.document(broken, source: name) {
          case .feed(let feed):
            for item in feed.items.prefix(20) { XCTAssertNoThrow(ArticleBody(html: item.body).teaser(characters: 100)) }
          case .outline(let list): XCTAssertLessThanOrEqual(list.feeds.count, list.outlines.count)
          }
        } catch {
          XCTAssertTrue(error.isPlaced, "\(name), seed \(seed): \(error)")
          XCTAssertLessThanOrEqual(error.line ?? 0, broken.count { $0 == UInt8(ascii: "\n") } + 1, "\(name), seed \(seed): \(error)")
        }
      }
    }
  }

  func testBodies() throws {
    let bodies = try ["rss-2.0.xml", "atom.xml"].flatMap { try Fixture.feed($0).items.map { [UInt8]($0.body.utf8) } }.filter {
      $0.count > 1500
    }
    XCTAssertFalse(bodies.isEmpty)
    for (number, body) in bodies.enumerated() {
      for seed in UInt64(1)...40 {
        var dice = SplitMix(state: seed &* 1000 &+ UInt64(number))
        let html = String(decoding: mutated(body, bodies, &dice), as: UTF8.self)
        let blocks = ArticleBody(html: html, base: "https://e.org/").blocks
        for case .table(let table) in blocks {
          XCTAssertTrue(table.rows.joined().allSatisfy { $0.column + $0.columns <= table.columns && $0.rows > 0 }, "seed \(seed)")
        }
      }
    }
  }
}
