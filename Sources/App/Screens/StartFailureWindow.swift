import Gtk

/// What a person sees instead of the app when it cannot start: started from the desktop, it has no terminal to say why.
@MainActor public final class StartFailureWindow: SignalOwner {
  /// Ends with the window.
  public let scope = Scope()
  let window: Window
  private let status = StatusView()

  /// - Parameters:
  ///   - application: which ends with the window; nil in tests.
  ///   - sentence: why the app cannot start, and what to do.
  ///   - onClosed: called when the person put it away.
  public init(_ application: Application?, _ sentence: String, onClosed: @escaping @MainActor () -> Void) {
    window = Window(application, title: "Matinee", width: 520, height: 380)
    window.setMinimumWindowSize(width: 360, height: 300)
    window.titlebar(HeaderBar())
    status.show(.message(.failed, heading: "Matinee cannot start", sentence: sentence, action: .close))
    let page = Box(.vertical, styles: [.page], children: [status.root])
    window.child(page)
    status.onAction(self) { window, _ in window.window.close() }
    window.addShortcut("Escape", self) { $0.window.close() }
    window.onCloseRequest(self) { _ in
      onClosed()
      return true
    }
  }

  /// Shows it, or brings it to the front.
  public func present() {
    window.present()
    status.root.focusFirst()
  }
}
