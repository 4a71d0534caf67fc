import XCTest

@testable import Gtk
@testable import Screens

/// The lines beneath links, which GTK's GL renderer leaves out where they are thinner than a pixel and miss the middle of one.
final class LinkLineTests: ScreensTestCase {
  /// In the usual size of an article each line of text begins at another part of a pixel.
  func testEveryLinkOfAnArticleIsUnderlined() throws {
    try MainActor.assumeIsolated {
      let rig = ReaderRig(posts: [.sample(1)])
      let count = 14
      let body = "<p>" + (1...count).map { "<a href='https://example.org'>a link of some words \($0)</a><br>" }.joined() + "</p>"
      rig.publication.with { $0.posts[0].body = body }
      let seen = try rig.show(.post("p1"))
      let (pixels, width) = (try XCTUnwrap(seen.pixels), Int(seen.width))
      let rows = (0..<pixels.count / 4 / width).filter { row in
        longestLine(pixels[(row * width * 4)..<((row + 1) * width * 4)]) > 100
      }
      XCTAssertEqual(rows.count, count, "\(rows)")
      XCTAssertEqual(Set(zip(rows, rows.dropFirst()).map { $1 - $0 }.filter { $0 < 10 }), [], "each is one pixel high")
      rig.close()
    }
  }
}

/// How many pixels beside each other have the same blue, in bytes of blue, green, red and opacity.
private func longestLine(_ row: ArraySlice<UInt8>) -> Int {
  var (longest, length) = (0, 0)
  for place in stride(from: row.startIndex, to: row.endIndex, by: 4) {
    length = row[place] > 100 && row[place + 2] < 60 ? length + 1 : 0
    longest = max(longest, length)
  }
  return longest
}
