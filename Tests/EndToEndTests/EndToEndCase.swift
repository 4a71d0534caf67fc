import Driver
import XCTest

/// One test of the real app: a driver, a home folder that is gone afterwards, a picture when the test fails, GTK's GL renderer as people have
/// it, and no complaint of GTK's let through.
class EndToEndCase: XCTestCase {
  /// The app of this test. Set while a test runs.
  private(set) var app: AppDriver!
  private var home: URL!

  /// The folder that `swift build` put the programs into, where the test bundle lies too.
  static let products = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent()

  override func setUpWithError() throws {
    try super.setUpWithError()
    continueAfterFailure = false
    let matinee = Self.products.appending(path: "matinee")
    try XCTSkipUnless(FileManager.default.isExecutableFile(atPath: matinee.path), "matinee was not built")
    home = FileManager.default.temporaryDirectory.appending(path: "e2e-\(UUID().uuidString.prefix(8))")
    do {
      app = try AppDriver(executable: matinee, home: home)
    } catch let error as DriverError {
      throw XCTSkip("\(error) (meson-helpers/test provides one)")
    }
    app.provideKeyring()
  }

  override func tearDownWithError() throws {
    defer {
      app = nil
      if let home { try? FileManager.default.removeItem(at: home) }
    }
    guard let app else { return }
    // It has not succeeded before it ends.
    let failed = (testRun?.totalFailureCount ?? 0) > 0
    if failed { keepEvidence(of: app) }
    app.kill()
    let complaints = app.complaints
    if !complaints.isEmpty && !failed { keepEvidence(of: app) }
    XCTAssertEqual(complaints, [], "GTK complained")
    XCTAssertEqual(app.renderers.filter { $0 != "GskGLRenderer" }, [], "GL aborts at what others forgive")
    try super.tearDownWithError()
  }

  private func keepEvidence(of app: AppDriver) {
    let folder = URL(filePath: ProcessInfo.processInfo.environment["MATINEE_ARTIFACTS"] ?? "test-artifacts")
    let stem = name.replacingOccurrences(of: "/", with: ".")
    do {
      try app.screenshot(to: folder.appending(path: "\(stem).png"))
      let report = app.outline() + "\n\n" + app.wholeLog.joined(separator: "\n") + "\n"
      try Data(report.utf8).write(to: folder.appending(path: "\(stem).txt"))
    } catch {
      print("No picture of the failure: \(error)")
    }
  }
}
