import Foundation
import XCTest

@testable import Gtk

/// The life of an application. What needs a process of its own runs this test bundle again, with one test chosen and one variable set.
final class ApplicationTests: GtkTestCase {
  func testLifeFromStartToShutdown() {
    MainActor.assumeIsolated {
      let signals = Diagnostics.liveSignals
      let probe = Probe()
      autoreleased {
        guard let application = try? Application(id: "org.example.MatineeTests.Life", instance: .own) else {
          return XCTFail("no application")
        }
        application.onStartup = { probe.events.append("startup") }
        application.onShutdown = { probe.events.append("shutdown") }
        application.onActivate = { [weak application] in
          probe.events.append("activate")
          let window = Window(application, title: "Window")
          window.present()
          Task { @MainActor in
            probe.events.append("task")
            window.destroy()
          }
        }
        XCTAssertEqual(try? application.run(), 0)
      }
      XCTAssertEqual(probe.events, ["startup", "activate", "task", "shutdown"])
      settle()
      XCTAssertEqual(Diagnostics.liveSignals, signals)
    }
  }

  func testOpensWhatItIsGivenLetterByLetter() {
    MainActor.assumeIsolated {
      let uris = Self.uris
      let probe = Probe()
      guard let application = try? Application(id: "org.example.MatineeTests.Open", instance: .own) else {
        return XCTFail("no application")
      }
      application.onActivate = { probe.events.append("activate") }
      application.onOpen = { [weak application] given in
        probe.events += given
        application?.quit()
      }
      XCTAssertEqual(try? application.run(opening: uris), 0)
      XCTAssertEqual(probe.events, uris)
    }
  }

  func testSecondStartHandsOver() throws {
    let uris = Self.uris
    let second = try child("testChildHandsOver", uris)
    MainActor.assumeIsolated {
      let probe = Probe()
      guard let application = try? Application(id: Self.sharedID, instance: .unique) else { return XCTFail("no application") }
      application.onActivate = {
        application.hold()
        do { try second.run() } catch { XCTFail("\(error)") }
      }
      application.onOpen = { given in
        probe.events += given
        application.quit()
      }
      MainLoop.after(seconds: 20) { application.quit() }
      XCTAssertEqual(try? application.run(), 0)
      XCTAssertEqual(probe.events, uris)
    }
    second.waitUntilExit()
    XCTAssertEqual(second.terminationStatus, 0)
  }

  func testTerminationIsAskedFor() {
    MainActor.assumeIsolated {
      let probe = Probe()
      guard let application = try? Application(id: "org.example.MatineeTests.End", instance: .own) else { return XCTFail("no application") }
      application.onActivate = {
        application.hold()
        kill(getpid(), SIGTERM)
      }
      application.onTerminate = {
        probe.events.append("terminate")
        application.quit()
      }
      MainLoop.after(seconds: 20) { application.quit() }
      XCTAssertEqual(try? application.run(), 0)
      XCTAssertEqual(probe.events, ["terminate"])
    }
  }

  func testWithoutADisplayNothingBreaks() throws {
    let process = try child("testChildWithoutDisplay", [])
    process.environment?["DISPLAY"] = nil
    process.environment?["WAYLAND_DISPLAY"] = nil
    process.environment?["GDK_BACKEND"] = nil
    // The toolkit warns about the display that it does not find; that is what is tried here.
    process.environment?["G_DEBUG"] = nil
    try process.run()
    process.waitUntilExit()
    XCTAssertEqual(process.terminationStatus, 0)
  }

  // MARK: In the other process

  private static let sharedID = "org.example.MatineeTests.Shared"
  private static let childKey = "MATINEE_GTK_TEST_CHILD"
  private static let uris = [
    "matinee://posts/1?publication=http%3A%2F%2F127.0.0.1%3A80", "matinee://posts/A b//../c", "nonsense", "-x", "matinee:%zz#é", "",
  ]

  override func setUpWithError() throws {
    // A child may be meant to find no display.
    if ProcessInfo.processInfo.environment[Self.childKey] == nil { try super.setUpWithError() }
  }

  private func child(_ test: String, _ arguments: [String]) throws -> Process {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
    process.arguments = ["GtkTests.ApplicationTests/" + test]
    process.environment = ProcessInfo.processInfo.environment
    process.environment?[Self.childKey] = String(decoding: try JSONEncoder().encode(arguments), as: UTF8.self)
    process.standardOutput = FileHandle.nullDevice
    return process
  }

  private func given() throws -> [String] {
    guard let text = ProcessInfo.processInfo.environment[Self.childKey] else { throw XCTSkip("runs in a process of its own") }
    return try JSONDecoder().decode([String].self, from: Data(text.utf8))
  }

  func testChildHandsOver() throws {
    let uris = try given()
    MainActor.assumeIsolated {
      guard let application = try? Application(id: Self.sharedID, instance: .unique) else { return XCTFail("no application") }
      application.onStartup = { XCTFail("it is the first") }
      XCTAssertEqual(try? application.run(opening: uris), 0)
    }
  }

  func testChildWithoutDisplay() throws {
    _ = try given()
    MainActor.assumeIsolated {
      XCTAssertFalse(Toolkit.start())
      XCTAssertFalse(Theme.install())
      XCTAssertFalse(Icon.heart.isAvailable)
      Theme.use(.dark)
      guard let application = try? Application(id: "org.example.MatineeTests.Blind", instance: .own) else {
        return XCTFail("no application")
      }
      application.onStartup = { XCTFail("it cannot start") }
      application.onActivate = { XCTFail("it cannot be shown") }
      do throws(Application.Failure) {
        _ = try application.run()
        XCTFail("it cannot run")
      } catch {
        XCTAssertEqual(error, .noDisplay)
      }
    }
  }
}
