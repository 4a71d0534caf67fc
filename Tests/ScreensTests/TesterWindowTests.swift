import FeatureKit
import Foundation
import Gtk
import Runtime
import StubStore
import TesterFeature
import XCTest

@testable import Screens

/// The tester panel as a tester finds it.
final class TesterWindowTests: ScreensTestCase {
  func testAButtonDoesSomethingToTheStoreAndShowsIt() throws {
    try MainActor.assumeIsolated {
      let (store, effects) = (try makeStore(), Effects())
      let window = TesterWindow(nil, makePanel(store, effects))
      window.toggle()
      let seen = Seen(window.window)
      eventually("it is drawn") { seen.button("Stopped") != nil }
      XCTAssertEqual(seen.button("Real time")?.isOn, true)
      seen.button("Stopped")?.click()
      eventually("the clock stands still") { store.clock.rate == 0 && seen.button("Stopped")?.isOn == true }
      XCTAssertEqual(seen.button("Real time")?.isOn, false)
      seen.button("Payments allowed")?.click()
      eventually("payments are not allowed") { !store.state.paymentsAllowed }
      window.toggle()
      XCTAssertFalse(window.isShown)
      window.toggle()
      XCTAssertTrue(window.isShown)
      window.close()
    }
  }

  func testItLeavesNothingBehind() throws {
    try MainActor.assumeIsolated {
      // What the toolkit makes once and keeps, it shall have made before the counting begins.
      for isCounted in [false, true] {
        let (signals, objects) = (Diagnostics.liveSignals, Diagnostics.liveObjects)
        weak var model: TesterViewModel?
        weak var window: TesterWindow?
        try scoped {
          let (store, effects) = (try makeStore(), Effects())
          let viewModel = makePanel(store, effects)
          let panel = TesterWindow(nil, viewModel)
          (model, window) = (viewModel, panel)
          panel.toggle()
          let seen = Seen(panel.window)
          eventually("it is drawn") { seen.button("Deferred") != nil }
          seen.button("Deferred")?.click()
          eventually("it is planned") { store.state.outcomes.count == 1 }
          panel.close()
        }
        guard isCounted else { continue }
        eventually("nothing is left") {
          Diagnostics.liveSignals <= signals && Diagnostics.liveObjects <= objects && model == nil && window == nil
        }
        XCTAssertLessThanOrEqual(Diagnostics.liveSignals, signals)
        XCTAssertLessThanOrEqual(Diagnostics.liveObjects, objects)
        XCTAssertNil(model)
        XCTAssertNil(window)
      }
    }
  }
}

private let products = """
  {"products": [{"id": "m", "kind": "subscription", "period": "P1M", "name": "Monthly", "detail": "", "priceMinorUnits": 490,
    "currency": "EUR", "entitlement": "premium"}]}
  """

@MainActor func makePanel(_ store: TestStore, _ effects: Effects) -> TesterViewModel {
  let formatting = Formatting(clock: store.clock, locale: Locale(identifier: "en_US"), timeZone: .gmt)
  return TesterViewModel(store: store, answers: nil, effects: effects, formatting: formatting)
}

@MainActor func makeStore() throws -> TestStore {
  try TestStore(StubStoreFile(json: Data(products.utf8), name: "m.json"), allowed: true, clock: ManualClock())
}
