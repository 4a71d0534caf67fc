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
        let box = Box(.vertical, spacing: 6, children: [button, entry, label])
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

  func testWhatTheRendererKeepsOfAPictureGoesWithThePlaceThatShowsIt() {
    MainActor.assumeIsolated {
      // GL puts small ones together, and keeps those for 60 frames.
      let texture = Texture.decode(Data("P6 200 200 255\n".utf8) + Data(repeating: 90, count: 200 * 200 * 3))
      XCTAssertNotNil(texture)
      let picture = Picture(texture)
      let window = shown(picture)
      settle()
      // GL's copy lives as long as what is drawn does.
      let isGone = UnsafeMutablePointer<Bool>.allocate(capacity: 1)
      isGone.initialize(to: false)
      defer { isGone.deallocate() }
      let drawn = gtk_picture_get_paintable(picture.opaque)
      XCTAssertNotNil(drawn)
      if let drawn {
        let object = UnsafeMutableRawPointer(drawn).assumingMemoryBound(to: GObject.self)
        g_object_weak_ref(object, { data, _ in data?.assumingMemoryBound(to: Bool.self).pointee = true }, isGone)
      }
      picture.texture = nil
      XCTAssertTrue(MainLoop.run(upTo: 10) { isGone.pointee })
      // What was decoded is kept, and shown again at once.
      picture.texture = texture
      XCTAssertNotNil(gtk_picture_get_paintable(picture.opaque))
      window.destroy()
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
    // String(contentsOfFile:) ends with the first part that the kernel gives: a page.
    let map = try XCTUnwrap(try XCTUnwrap(FileHandle(forReadingAtPath: "/proc/self/smaps")).readToEnd())
    let lines = String(decoding: map, as: UTF8.self).split(separator: "\n")
    let start = try XCTUnwrap(
      lines.firstIndex { $0.contains(" r-xp ") && $0.hasSuffix(program) },
      "no code of \(program) among \(lines.count) lines: \(lines.filter { $0.contains(" r-xp ") }.prefix(5))")
    let resident = try XCTUnwrap(lines[start...].first { $0.hasPrefix("Rss:") })
    return try XCTUnwrap(resident.split(separator: " ").dropFirst().first.flatMap { Int($0) })
  }
}

/// Ends the lifetime of what `body` made before the next line.
@MainActor func autoreleased(_ body: () -> Void) { body() }
