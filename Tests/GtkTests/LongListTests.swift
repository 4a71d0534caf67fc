import CGtk
import CGtkShims
import Foundation
import XCTest

@testable import Gtk

/// A hundred thousand posts, as a reader goes through them.
final class LongListTests: GtkTestCase {
  private static let count = 100_000

  @MainActor private final class Page: SignalOwner {
    let scope = Scope()
    let probe = Probe()
    var made = 0
    var filled: [Int] = []
    private(set) var list: ListView<Int, TestRow>!

    init() {
      list = ListView(
        self,
        row: { page in
          page.made += 1
          return TestRow(page.probe)
        },
        bind: { page, row, id in
          page.filled.append(id)
          row.label.text = "Post \(id)"
        })
    }

    /// Goes to a place and waits until what is there is drawn.
    func go(to place: Int, file: StaticString = #filePath, line: UInt = #line) {
      list.scroll(to: place)
      let isThere = MainLoop.run(upTo: 30) { list.row(for: list.ids[place])?.root.isMapped == true }
      XCTAssertTrue(isThere, "\(place) is not shown", file: file, line: line)
    }

    /// Nearly every row is filled on the way: a list keeps some two hundred.
    func goToTheEndAndBack() {
      let stops = Array(stride(from: 0, to: count, by: 300)) + [count - 1]
      for place in stops + stops.reversed() { go(to: place) }
    }
  }

  func testToTheEndAndBackMakesFewRowsAndKeepsNothing() {
    MainActor.assumeIsolated {
      let page = Page()
      page.list.show(Array(0..<Self.count))
      let window = shown(page.list)
      page.goToTheEndAndBack()
      XCTAssertGreaterThan(Set(page.filled).count, Self.count / 2)
      XCTAssertLessThan(page.made, 300)
      let (objects, signals, memory) = (Diagnostics.liveObjects, Diagnostics.liveSignals, Diagnostics.residentBytes)
      page.filled.removeAll(keepingCapacity: true)
      page.goToTheEndAndBack()
      XCTAssertGreaterThan(Set(page.filled).count, Self.count / 2)
      XCTAssertLessThan(page.made, 300)
      XCTAssertLessThan(page.list.rowCount, 300)
      XCTAssertLessThan(page.list.liveItems, 300)
      // The toolkit keeps a few rows more or less; one object for each row that was filled would be tens of thousands.
      XCTAssertLessThan(Diagnostics.liveObjects - objects, 300)
      XCTAssertLessThan(Diagnostics.liveSignals - signals, 300)
      // A hundred bytes for each row that was filled would be more.
      if let memory, let now = Diagnostics.residentBytes { XCTAssertLessThan(now - memory, 4 << 20) }
      window.destroy()
    }
  }

  /// The toolkit's own part of a row, which would select it: see ``ListView``.
  func testAPointerThatRestsOnARowIsNoneOfTheToolkitsBusiness() {
    MainActor.assumeIsolated {
      let page = Page()
      page.list.show(Array(0..<Self.count))
      let window = shown(page.list)
      page.go(to: 500)
      guard let item = page.list.row(for: 500).flatMap({ gtk_widget_get_parent($0.root.widget) }) else { return XCTFail("no row") }
      let controllers = gtk_widget_observe_controllers(item)
      defer { g_object_unref(UnsafeMutableRawPointer(controllers)) }
      let kinds = (0..<g_list_model_get_n_items(controllers)).compactMap { place in
        g_list_model_get_object(controllers, place).map { controller in
          defer { g_object_unref(controller) }
          return (matinee_is_a(controller, gtk_gesture_click_get_type()), matinee_is_a(controller, gtk_event_controller_motion_get_type()))
        }
      }
      XCTAssertTrue(kinds.contains { $0.0 != 0 }, "a click opens it")
      XCTAssertFalse(kinds.contains { $0.1 != 0 })
      window.destroy()
    }
  }

  func testAChangeFillsTheRowsOfWhatChangedAndNoOthers() {
    MainActor.assumeIsolated {
      let (first, second) = (Page(), Page())
      let window = shown(Box(.horizontal, children: [first.list, second.list]))
      first.list.show(Array(0..<Self.count))
      second.list.show(Array((0..<Self.count).reversed()))
      first.go(to: 50_000)
      second.go(to: 49_000)
      settle()
      let lists = [first, second]
      for page in lists { page.filled = [] }
      XCTAssertNotNil(first.list.row(for: 50_000))
      XCTAssertNil(first.list.row(for: 70_000))
      let changed: Set = [50_000, 70_000, 51_000, 200_000]
      for page in lists { page.list.update(changed) }
      settle()
      XCTAssertEqual(first.filled, [50_000])
      XCTAssertEqual(second.filled, second.list.row(for: 51_000) == nil ? [] : [51_000])
      // Everything changed: each row that there is, once.
      for page in lists { page.filled = [] }
      for page in lists { page.list.update(Set(0..<Self.count)) }
      for page in lists { XCTAssertEqual(page.filled.sorted(), page.list.bound.keys.sorted()) }
      window.destroy()
    }
  }

  func testTheSameIDsFillNothingAndOneMoreFillsOne() {
    MainActor.assumeIsolated {
      let page = Page()
      var ids = Array(0..<Self.count)
      page.list.show(ids)
      let window = shown(page.list)
      page.go(to: 500)
      settle()
      page.filled = []
      page.list.show(ids)
      page.list.show(Array(0..<Self.count))
      settle()
      XCTAssertEqual(page.filled, [])
      let rows = page.list.bound
      ids.insert(-1, at: 500)
      page.list.show(ids)
      settle()
      XCTAssertNotNil(page.list.row(for: -1))
      // Rows keep what they show, wherever the toolkit counts them now.
      for (id, row) in page.list.bound where rows[id] != nil { XCTAssertTrue(rows[id] === row, "\(id)") }
      window.destroy()
    }
  }

  func testWhatOneReadsStaysWhereItIsWhileNewOnesComeAbove() {
    MainActor.assumeIsolated {
      let page = Page()
      var ids = Array(1000..<Self.count)
      page.list.show(ids)
      let window = shown(page.list)
      page.go(to: 1000)
      for position in [0.0, 7, 3001, 40_003] {
        page.list.position = position
        settle()
        guard let read = page.list.topID, let row = page.list.row(for: read) else { return XCTFail("nothing is shown") }
        let place = page.list.top(of: row)
        for count in [1, 3, 40] {
          ids.insert(contentsOf: (ids[0] - count)..<ids[0], at: 0)
          // At the other end something goes meanwhile.
          ids.removeLast()
          page.list.show(ids, staysAtTop: false)
          settle()
          XCTAssertEqual(page.list.topID, read, "at \(position), \(count) more")
          XCTAssertTrue(page.list.row(for: read) === row)
          XCTAssertEqual(page.list.top(of: row), place, accuracy: 1, "at \(position), \(count) more")
        }
      }
      page.list.position = 0
      settle()
      ids.insert(ids[0] - 1, at: 0)
      page.list.show(ids)
      settle()
      XCTAssertEqual(page.list.topID, ids[0])
      window.destroy()
    }
  }
}
