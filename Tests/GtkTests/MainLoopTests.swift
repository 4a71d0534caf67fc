import CGtk
import XCTest

@testable import Gtk

final class MainLoopTests: GtkTestCase {
  func testMainActorTasksRunInTheLoop() {
    MainActor.assumeIsolated {
      let probe = Probe()
      Task { @MainActor in
        probe.events.append("first")
        await Task.detached { await Task.yield() }.value
        probe.events.append("second")
      }
      XCTAssertTrue(MainLoop.run(upTo: 5) { probe.events.count == 2 })
      XCTAssertEqual(probe.events, ["first", "second"])
    }
  }

  func testIdleLoopSleeps() {
    MainActor.assumeIsolated {
      let probe = Probe()
      Task { @MainActor in probe.events.append("ran") }
      XCTAssertTrue(MainLoop.run(upTo: 5) { !probe.events.isEmpty })
      settle()
      let wakeups = MainLoop.wakeups
      let loop = g_main_loop_new(nil, 0)
      let quit: GSourceFunc = { loop in
        if let loop { g_main_loop_quit(OpaquePointer(loop)) }
        return 0
      }
      g_timeout_add(1000, quit, UnsafeMutableRawPointer(loop))
      g_main_loop_run(loop)
      g_main_loop_unref(loop)
      XCTAssertLessThan(MainLoop.wakeups - wakeups, 5)
    }
  }

  func testWorkThatKeepsComingLeavesFramesAndTimers() {
    MainActor.assumeIsolated {
      let probe = Probe()
      let label = Label("0")
      let window = shown(label)
      window.onFrame(probe) {
        $0.events.append("frame")
        label.text = "\($0.events.count)"
      }
      label.text = "start"
      let busy = Task { @MainActor in while !Task.isCancelled { await Task.yield() } }
      var timerFired = false
      MainLoop.after(seconds: 0.05) { timerFired = true }
      let finished = MainLoop.run(upTo: 5) { timerFired && probe.events.count >= 3 }
      busy.cancel()
      settle()
      XCTAssertTrue(finished, "\(timerFired) \(probe.events.count)")
      probe.scope.close()
      window.destroy()
    }
  }

  func testAfterIsCalledOnceAndReleased() {
    MainActor.assumeIsolated {
      let signals = Diagnostics.liveSignals
      var calls = 0
      MainLoop.after(seconds: 0.01) { calls += 1 }
      settle(0.1)
      XCTAssertEqual(calls, 1)
      XCTAssertEqual(Diagnostics.liveSignals, signals)
    }
  }

  func testNetworkThatChangesIsToldWhenThereIsOne() {
    MainActor.assumeIsolated {
      var told = 0
      var monitor: NetworkMonitor? = NetworkMonitor { told += 1 }
      for isAvailable in [true, false, true] { Self.networkChanges(isAvailable) }
      XCTAssertEqual(told, 2)
      monitor = nil
      Self.networkChanges(true)
      XCTAssertEqual(told, 2)
      XCTAssertNil(monitor)
    }
  }

  @MainActor private static func networkChanges(_ isAvailable: Bool) {
    var arguments = [GValue(), GValue()]
    g_value_init(&arguments[0], g_network_monitor_get_type())
    g_value_set_object(&arguments[0], UnsafeMutableRawPointer(g_network_monitor_get_default()))
    g_value_init(&arguments[1], GType(5 << 2))
    g_value_set_boolean(&arguments[1], isAvailable ? 1 : 0)
    g_signal_emitv(arguments, g_signal_lookup("network-changed", g_network_monitor_get_type()), 0, nil)
    g_value_unset(&arguments[0])
  }
}
