import CGtk
import Foundation
import XCTest

@testable import Gtk

final class LifetimeTests: GtkTestCase {
  func testClosedScopeReleasesEverySignalAndObject() {
    MainActor.assumeIsolated {
      leavesNothing {
        let signals = Diagnostics.liveSignals
        let probe = Probe()
        let button = Button("Press")
        let entry = Entry(name: "Name")
        let label = Label("Text", wraps: true)
        let box = Box(.vertical, spacing: 6) {
          button
          entry
          label
        }
        button.onClicked(probe) { $0.events.append("clicked") }
        entry.onChanged(probe) { $0.events.append("typed " + $1) }
        label.onLink(probe) { $0.events.append($1) }
        let window = shown(box)
        window.onCloseRequest(probe) { _ in true }
        XCTAssertNotNil(window.onFrame(probe) { _ in })
        button.click()
        entry.text = "set"
        XCTAssertEqual(probe.events, ["clicked"])
        XCTAssertEqual(probe.scope.count, 5)
        probe.scope.close()
        XCTAssertEqual(Diagnostics.liveSignals, signals)
        button.click()
        XCTAssertEqual(probe.events, ["clicked"])
        window.destroy()
      }
    }
  }

  func testCodeThatOnlyTheStartNeededIsGivenBack() throws {
    let before = try Self.residentCode()
    MainActor.assumeIsolated { Toolkit.trimMemory() }
    XCTAssertLessThan(try Self.residentCode(), before / 2)
  }

  /// How much of this program's own code is mapped and in memory, in kB.
  private static func residentCode() throws -> Int {
    let program = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath().path
    let lines = try String(contentsOfFile: "/proc/self/smaps", encoding: .utf8).split(separator: "\n")
    let start = try XCTUnwrap(lines.firstIndex { $0.contains(" r-xp ") && $0.hasSuffix(program) })
    let resident = try XCTUnwrap(lines[start...].first { $0.hasPrefix("Rss:") })
    return try XCTUnwrap(resident.split(separator: " ").dropFirst().first.flatMap { Int($0) })
  }
}

/// Ends the lifetime of what `body` made before the next line.
@MainActor func autoreleased(_ body: () -> Void) { body() }
