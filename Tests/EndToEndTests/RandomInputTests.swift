import Driver
import Foundation
import Runtime
import XCTest

/// Real keys, clicks, turns of the wheel and sizes at random, light and dark, against a server that now and then stands still.
///
/// `MATINEE_RANDOM_MINUTES` says for how long (default: half a minute), `MATINEE_SEED` plays the same input again.
final class RandomInputTests: ServerCase {
  private let minutes = ProcessInfo.processInfo.environment["MATINEE_RANDOM_MINUTES"].flatMap(Double.init) ?? 0.5
  /// What pictures may take is kept once, and the rest has to stay as it is.
  private static let growth = 32 << 20
  /// From how many seconds of one look on that is asserted: in less, not everything that is kept is there yet. The lane `gl` takes as long in
  /// CI too.
  private static let leastToMeasure = 120.0

  func testNoInputBreaksTheWindow() throws {
    let seed = ProcessInfo.processInfo.environment["MATINEE_SEED"].flatMap(UInt64.init) ?? .random(in: 1...99_999)
    print("MATINEE_SEED=\(seed)")
    var chance = SplitMix(state: seed)
    try add(Self.first)
    let origin = try serve()
    for appearance in ["--light", "--dark"] {
      app.environment["GTK_SLOWDOWN"] = "1"
      try app.start(["--publication", origin, appearance])
      // The second start opens wherever the first one was left.
      if appearance == "--light" {
        try signIn(Self.first)
      } else {
        try app.wait(for: "the first page") { app.screens.contains { $0 != "curtain" } ? true : nil }
      }
      XCTAssertEqual(app.log.first { $0.hasPrefix("renderer ") }, "renderer GskGLRenderer")
      try play(for: minutes * 30, appearance: appearance, origin: origin, &chance)
      let process = try XCTUnwrap(app.process)
      process.signal(SIGTERM)
      try app.waitForEnd()
      XCTAssertEqual(process.status, 0)
    }
  }

  /// - Parameter seconds: for how long.
  private func play(for seconds: Double, appearance: String, origin: String, _ chance: inout SplitMix) throws {
    var begin = ContinuousClock.now
    var (early, late, inputs, restarts, hangs) = (0, 0, 0, 0, false)
    // However this ends.
    defer { if hangs, let server { kill(server.processIdentifier, SIGCONT) } }
    func share() -> Double { (ContinuousClock.now - begin) / .seconds(seconds) }
    while share() < 1 {
      if app.process?.isRunning != true {
        // The cross of the window was hit: an end like any other.
        XCTAssertEqual(app.process?.status, 0)
        restarts += 1
        XCTAssertLessThan(restarts, 4, "the window was closed so often that no start lasted")
        try app.start(["--publication", origin, appearance])
        // Memory is that of one start.
        (begin, early, late) = (.now, 0, 0)
      }
      if Int.random(in: 0..<40, using: &chance) == 0, let server {
        hangs.toggle()
        kill(server.processIdentifier, hangs ? SIGSTOP : SIGCONT)
      }
      try app.input(Self.input(&chance))
      inputs += 1
      let bytes = app.residentBytes
      if share() < 0.6, share() > 0.3 { early = max(early, bytes) } else if share() >= 0.6 { late = max(late, bytes) }
    }
    print("\(appearance): \(inputs) inputs, \(early >> 20) MiB, later \(late >> 20) MiB")
    XCTAssertGreaterThan(inputs, 10)
    if seconds >= Self.leastToMeasure {
      XCTAssertGreaterThan(early, 0, "memory was not measured")
      XCTAssertGreaterThan(late, 0, "memory was not measured")
      XCTAssertLessThan(late, early + Self.growth)
    }
  }

  /// Arguments of xdotool.
  private static func input(_ chance: inout SplitMix) -> [String] {
    let keys = [
      "Tab", "Tab", "shift+Tab", "Return", "space", "Escape", "Down", "Up", "Page_Down", "Page_Up", "Home", "End", "F5", "alt+1", "alt+2",
      "alt+3", "alt+4", "alt+Left", "ctrl+f", "ctrl+Return", "a", "x", "BackSpace", "Menu", "ctrl+a", "Left", "Right",
    ]
    switch Int.random(in: 0..<10, using: &chance) {
    case 0...3:
      return ["key", "--delay", "5"] + (0...Int.random(in: 0..<6, using: &chance)).map { _ in keys.randomElement(using: &chance) ?? "Tab" }
    case 4...6:
      return [
        "mousemove", "--window", "%", "\(Int.random(in: 0..<1000, using: &chance))", "\(Int.random(in: 0..<720, using: &chance))", "click",
        Int.random(in: 0..<8, using: &chance) == 0 ? "3" : "1",
      ]
    case 7, 8:
      return [
        "click", "--repeat", "\(Int.random(in: 1...12, using: &chance))", "--delay", "5",
        Int.random(in: 0..<3, using: &chance) == 0 ? "4" : "5",
      ]
    default: return ["windowsize", "%", "\(Int.random(in: 360..<1360, using: &chance))", "\(Int.random(in: 480..<960, using: &chance))"]
    }
  }
}
