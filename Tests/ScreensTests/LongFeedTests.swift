import AppCore
import FeedFeature
import Foundation
import PublicationAPI
import TestSupport
import XCTest

@testable import Gtk
@testable import Screens

/// A hundred thousand posts in the app's own list: with its rows, their pictures and the cache.
final class LongFeedTests: ScreensTestCase {
  private static let count = 100_000

  @MainActor private final class Reader {
    let rig: ReaderRig
    let list: ListView<String, PostRowView>
    /// Every row that was met: held, so that none is counted as another.
    var rows: [ObjectIdentifier: PostRowView] = [:]
    var met: Set<String> = []

    init(_ rig: ReaderRig, _ list: ListView<String, PostRowView>) {
      self.rig = rig
      self.list = list
    }

    func go(to place: Int, file: StaticString = #filePath, line: UInt = #line) {
      list.scroll(to: place)
      let isThere = MainLoop.run(upTo: 60) { list.row(for: list.ids[place])?.root.isMapped == true }
      XCTAssertTrue(isThere, "\(place) is not shown", file: file, line: line)
      for (id, row) in list.bound {
        rows[ObjectIdentifier(row)] = row
        met.insert(id)
        XCTAssertEqual(row.row?.id, id, file: file, line: line)
      }
    }

    func goToTheEndAndBack() throws {
      let stops = Array(stride(from: 0, to: count, by: 4000)) + [count - 1]
      for place in stops + stops.reversed() { go(to: place) }
      try rig.settle()
    }
  }

  func testToTheEndAndBackMakesFewRowsAndKeepsNothing() throws {
    try MainActor.assumeIsolated {
      let good = Samples.picture(side: 64)
      let server = PictureServer { _ in good }
      let posts = (1...Self.count).map { number in
        var post = Post.sample(number, body: nil)
        post.picture = "/\(number % 1000)"
        return post
      }
      let rig = ReaderRig(posts: posts, pictureServer: server, pictureMemory: 2 << 20)
      rig.publication.with { $0.pageSize = Self.count }
      let screen = rig.screen(.tab(.home))
      let feed = try rig.show(screen, settles: false)
      guard let model = screen.model as? FeedViewModel, let view = rig.lastView as? FeedView else { return XCTFail("no feed") }
      eventually("the posts are there", upTo: 300) { model.state.posts.ids.count == Self.count }
      try rig.settle()
      let reader = Reader(rig, view.list.list)
      try reader.goToTheEndAndBack()
      XCTAssertGreaterThan(feed.pictureCount, 3)
      let (objects, signals, memory) = (Diagnostics.liveObjects, Diagnostics.liveSignals, Diagnostics.residentBytes)
      try reader.goToTheEndAndBack()
      XCTAssertGreaterThan(reader.met.count, 3000)
      XCTAssertLessThan(reader.rows.count, 300)
      XCTAssertLessThan(reader.list.rowCount, 300)
      XCTAssertLessThan(Diagnostics.liveObjects - objects, 300)
      XCTAssertLessThan(Diagnostics.liveSignals - signals, 300)
      if let memory, let now = Diagnostics.residentBytes { XCTAssertLessThan(now - memory, 8 << 20) }
      try Self.changes(reader, model)
      rig.close()
    }
  }

  /// One post changes: its row is drawn again where there is one, and nothing else.
  @MainActor private static func changes(_ reader: Reader, _ model: FeedViewModel) throws {
    reader.go(to: count / 2)
    try reader.rig.settle()
    let list = reader.list
    let there = list.ids[count / 2]
    let away = try XCTUnwrap(list.ids.first { list.row(for: $0) == nil })
    var drawn: [String] = []
    let draw = model.onRowsChanged
    model.onRowsChanged = { ids in
      drawn += ids.filter { list.row(for: $0) != nil }
      draw?(ids)
    }
    let before = list.bound.compactMapValues(\.row)
    reader.rig.fixture.store.toggleBookmark(there)
    reader.rig.fixture.store.toggleBookmark(away)
    try reader.rig.settle()
    let after = list.bound.compactMapValues(\.row)
    XCTAssertEqual(Set(drawn), [there])
    XCTAssertEqual(before.keys.sorted(), after.keys.sorted())
    XCTAssertEqual(after.filter { before[$0.key] != $0.value }.map(\.key), [there])
    XCTAssertEqual(list.row(for: there)?.row?.isBookmarked, true)
    reader.go(to: 0)
    XCTAssertEqual(model.row(for: away)?.isBookmarked, true)
  }
}
