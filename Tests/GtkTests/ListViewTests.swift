import CGtk
import XCTest

@testable import Gtk

@MainActor final class TestRow: ListRow {
  let scope = Scope()
  let label = Label(lines: 1)
  let press = Button("Press")
  let box: Box
  var root: Widget { box }
  var accessibleName: String { "Row " + label.text }
  var unbound = 0

  init(_ probe: Probe) {
    box = Box(.horizontal, spacing: 6)
    box.append(label, press)
    press.onClicked(self) { [weak probe] row in probe?.events.append("pressed " + row.label.text) }
  }

  func unbind() { unbound += 1 }
}

@MainActor private func makeList(_ probe: Probe) -> ListView<Int, TestRow> {
  ListView(probe, row: { TestRow($0) }, bind: { probe, row, id in row.label.text = "\(id)" })
}

final class ListViewTests: GtkTestCase {
  func testLongListMakesFewRowsAndReleasesThem() {
    MainActor.assumeIsolated {
      leavesNothing {
        let probe = Probe()
        let list = makeList(probe)
        list.show(Array(0..<100_000))
        let window = shown(list)
        settle(0.2)
        XCTAssertGreaterThan(list.rowCount, 10)
        XCTAssertLessThan(list.rowCount, 300)
        XCTAssertEqual(list.bound[0]?.label.text, "0")
        for place in stride(from: 0, to: 100_000, by: 9_973) {
          list.scroll(to: place)
          settle(0.03)
          XCTAssertNotNil(list.bound[place], "\(place)")
        }
        XCTAssertLessThan(list.rowCount, 300)
        XCTAssertLessThan(list.liveItems, 300)
        probe.scope.close()
        window.destroy()
      }
    }
  }

  func testInsertionKeepsRowsAndUpdateFillsOne() {
    MainActor.assumeIsolated {
      let probe = Probe()
      let list = makeList(probe)
      list.show([1, 2, 3])
      let window = shown(list)
      settle()
      let second = list.bound[2]
      list.show([9, 1, 2, 3])
      settle()
      XCTAssertTrue(list.bound[2] === second)
      second?.label.text = "stale"
      XCTAssertEqual(list.bound[9]?.label.text, "9")
      list.update([2, 77])
      XCTAssertEqual(second?.label.text, "2")
      list.show([9, 3])
      settle()
      XCTAssertNil(list.bound[2])
      XCTAssertEqual(list.ids, [9, 3])
      list.bound[3]?.press.click()
      XCTAssertEqual(probe.events, ["pressed 3"])
      window.destroy()
    }
  }

  func testActivationNamesTheID() {
    MainActor.assumeIsolated {
      let probe = Probe()
      let list = makeList(probe)
      list.onActivated(probe) { $0.events.append("opened \($1)") }
      list.show([4, 5])
      let window = shown(list)
      settle()
      XCTAssertTrue(list.activate(5))
      XCTAssertFalse(list.activate(6))
      XCTAssertEqual(probe.events, ["opened 5"])
      window.destroy()
    }
  }

  func testTheKeyboardStaysInTheListWhenTheRowGoesThatHasIt() {
    MainActor.assumeIsolated {
      let probe = Probe()
      let list = makeList(probe)
      list.show([1, 2, 3])
      let window = shown(list)
      settle()
      @MainActor func hasKeyboard(_ id: Int) -> Bool {
        guard let row = list.bound[id], let item = gtk_widget_get_parent(row.root.widget) else { return false }
        return gtk_widget_is_focus(item) != 0
      }
      list.focusRow(2)
      XCTAssertTrue(hasKeyboard(2))
      list.show([1, 3])
      XCTAssertTrue(hasKeyboard(3), "the next one")
      list.show([4, 5])
      settle()
      XCTAssertTrue(hasKeyboard(4), "the first, where none has stayed")
      list.show([])
      XCTAssertTrue(list.holdsKeyboard, "the page gives it to something else")
      window.destroy()
    }
  }

  func testNearEndIsToldOnceForEachNewEnd() {
    MainActor.assumeIsolated {
      let probe = Probe()
      let list = makeList(probe)
      list.onNearEnd(probe) { $0.events.append("more") }
      list.show(Array(0..<5))
      let window = shown(list)
      settle()
      XCTAssertEqual(probe.events, ["more"])
      list.show(Array(0..<500))
      settle()
      XCTAssertEqual(probe.events, ["more"])
      list.scroll(to: 499)
      settle()
      XCTAssertEqual(probe.events, ["more", "more"])
      window.destroy()
    }
  }

  func testPlaceIsKeptWhileOnesAboveAreAdded() {
    MainActor.assumeIsolated {
      let probe = Probe()
      let list = makeList(probe)
      list.show(Array(100..<1000))
      let window = shown(list)
      settle()
      list.position = 3000
      settle()
      let top = list.topID
      list.show(Array(90..<1000))
      settle()
      XCTAssertEqual(list.topID, top)
      list.position = 0
      settle()
      list.show(Array(80..<1000))
      settle()
      XCTAssertEqual(list.topID, 80)
      window.destroy()
    }
  }

  func testPlaceIsKeptWhenOnesAboveComeRightAfterTheListGotAnotherHeight() {
    MainActor.assumeIsolated {
      let probe = Probe()
      let list = makeList(probe)
      list.show(Array(100..<1000))
      let below = Label("Below")
      below.setMinimumSize(height: 60)
      let window = shown(Box(.vertical, children: [list, below]))
      settle()
      // In the middle: the toolkit keeps a row at its share of the height.
      list.position = 15_000
      settle()
      XCTAssertLessThan(list.height, window.height)
      let top = list.topID ?? 0
      let place = list.bound[top].map(list.top)
      XCTAssertNotNil(place)
      var painted: Set<Double?> = []
      list.onFrame(probe) { _ in painted.insert(list.bound[top].map(list.top)) }
      below.isVisible = false
      MainLoop.run(upTo: 5) { list.height == window.height && list.position == 15_000 }
      // Before another frame: what was scrolled back is not laid out yet.
      list.show(Array(90..<1000))
      settle()
      XCTAssertEqual(list.bound[top].map(list.top), place)
      XCTAssertEqual(painted, [place], "it is never seen elsewhere")
      window.destroy()
    }
  }

  func testWhatIsScrolledStaysScrolledWhenOnesAboveComeInTheSameMoment() {
    MainActor.assumeIsolated {
      let probe = Probe()
      let list = makeList(probe)
      list.show(Array(100..<1000))
      let window = shown(list)
      settle()
      list.position = 3000
      settle()
      let row = (list.topID ?? 0) + 5
      let place = list.bound[row].map(list.top) ?? 0
      list.position += 10
      list.show(Array(90..<1000))
      settle()
      XCTAssertEqual(list.bound[row].map(list.top), place - 10)
      window.destroy()
    }
  }

  func testAJumpToRowsThatWereNeverMadeShowsThem() {
    MainActor.assumeIsolated {
      let probe = Probe()
      let list = makeList(probe)
      list.show(Array(0..<1000))
      let window = shown(list)
      settle()
      list.position = .greatestFiniteMagnitude
      settle()
      XCTAssertEqual(list.bound[999]?.root.isMapped, true)
      list.position = 0
      settle()
      XCTAssertEqual(list.topID, 0)
      window.destroy()
    }
  }

  func testChangeIsOneRunOfPlaces() {
    let list = ListIDs<Int>()
    XCTAssertEqual(list.changes([1, 2, 3]), [.init(position: 0, removed: 0, added: 3)])
    XCTAssertEqual(list.changes([1, 2, 3]), [])
    XCTAssertEqual(list.changes([1, 3]), [.init(position: 1, removed: 1, added: 0)])
    XCTAssertEqual(list.changes([1, 4, 5, 3]), [.init(position: 1, removed: 0, added: 2)])
    XCTAssertEqual(list.changes([]), [.init(position: 0, removed: 4, added: 0)])
    XCTAssertEqual(list.changes([7, 7]), [.init(position: 0, removed: 0, added: 2)])
    XCTAssertEqual(list.changes([7]), [.init(position: 1, removed: 1, added: 0)])
  }

  func testWhatStaysIsNotToldAsChanged() {
    let list = ListIDs<Int>()
    _ = list.changes(Array(10..<30))
    // New ones above and below, one gone in between: the last is told first.
    XCTAssertEqual(
      list.changes([8, 9] + (10..<20) + (21..<30) + [30]),
      [.init(position: 20, removed: 0, added: 1), .init(position: 10, removed: 1, added: 0), .init(position: 0, removed: 0, added: 2)])
    // One moved to the top.
    XCTAssertEqual(
      list.changes([25, 8, 9] + (10..<20) + (21..<25) + (26..<31)),
      [.init(position: 16, removed: 1, added: 0), .init(position: 0, removed: 0, added: 1)])
    // And back down.
    XCTAssertEqual(
      list.changes([8, 9] + (10..<20) + (21..<31)),
      [.init(position: 17, removed: 0, added: 1), .init(position: 0, removed: 1, added: 0)])
  }

  func testAnyChangeTellsAllThatDiffersAndEndsWithTheNewIDs() {
    let seed = UInt64.random(in: 0...UInt64.max)
    var random = Seeded(seed: seed)
    for _ in 0..<300 {
      let list = ListIDs<Int>()
      var mirror: [Int] = []
      for _ in 0..<6 {
        // With repetitions, which a broken publication may send.
        let next = (0..<Int.random(in: 0...60, using: &random)).map { _ in Int.random(in: 0..<50, using: &random) }
        _ = list.show(next) { change in
          mirror.replaceSubrange(
            change.position..<change.position + change.removed, with: list.ids[change.position..<change.position + change.added])
          XCTAssertEqual(mirror, list.ids, "seed \(seed)")
        }
        XCTAssertEqual(list.ids, next, "seed \(seed)")
      }
    }
  }
}

/// Random numbers that come again with the same seed.
private struct Seeded: RandomNumberGenerator {
  private var state: UInt64
  init(seed: UInt64) { state = seed }
  mutating func next() -> UInt64 {
    state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
    return (state ^ (state >> 31)) &* 0x9E37_79B9_7F4A_7C15
  }
}

extension ListIDs {
  fileprivate func changes(_ next: [ID]) -> [Change] {
    var changes: [Change] = []
    _ = show(next) { changes.append($0) }
    return changes
  }
}

extension ListView {
  /// Whose row is at the top of what is on screen.
  var topID: ID? {
    bound.min { first, second in top(of: first.value) < top(of: second.value) }?.key
  }

  func top(of row: Row) -> Double {
    var x = 0.0
    var y = 0.0
    guard row.root.isMapped, gtk_widget_translate_coordinates(row.root.widget, widget, 0, 0, &x, &y) != 0, y > -row.root.halfHeight else {
      return .infinity
    }
    return y
  }
}

extension Widget {
  var halfHeight: Double { Double(height) / 2 }
}
