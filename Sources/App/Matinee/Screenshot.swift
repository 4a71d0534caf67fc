import AppCore
import Foundation
import Runtime
import Screens

/// Draws one window once it shows the requested place.
@MainActor struct Screenshot {
  let window: MainWindow
  let effects: Effects
  let clock: any AppClock

  private static let patience = Duration.seconds(60)
  /// Fades and the curtain take less.
  private static let rest = Duration.milliseconds(600)

  /// - Parameter signsIn: whether to sign in to the sample account; the link that the app was started with is performed then.
  /// - Returns: nil when the file was written, else what went wrong in one sentence.
  func take(into file: String, signsIn: Bool) async -> String? {
    let start = clock.uptime
    var hasSignedIn = false
    while clock.uptime - start < Self.patience {
      try? await clock.sleep(for: Self.rest)
      await effects.settled()
      guard let shown = window.shownName, shown != "curtain" else { continue }
      if signsIn, shown == "login" {
        if !hasSignedIn { hasSignedIn = window.useSampleAccount() }
        continue
      }
      try? await clock.sleep(for: Self.rest)
      await effects.settled()
      guard let png = window.window.png() else { return "The window could not be drawn." }
      do {
        try png.write(to: URL(fileURLWithPath: file))
        return nil
      } catch { return "\(file) cannot be written: \(error.systemReason)" }
    }
    return "The screen did not appear within \(Self.patience)."
  }
}
