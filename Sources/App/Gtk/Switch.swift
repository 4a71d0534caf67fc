import CGtk

/// On or off. A click only reports: what it shows is set from a state.
@MainActor public final class Switch: Widget {
  private var isSetting = false

  /// - Parameter name: what is on or off, for screen readers.
  public init(name: String) {
    super.init(made: UnsafeMutableRawPointer(gtk_switch_new()))
    vertical = .center
    setAccessibleName(name)
  }

  /// Whether it is on.
  public var isOn = false { didSet { show() } }

  /// Called when a person wants it the other way.
  public func onToggled<Owner: SignalOwner>(_ owner: Owner, _ body: @escaping @MainActor (Owner) -> Void) {
    connect("notify::active", .notify, owner: owner, absent: ()) { [weak self] owner, _ in
      guard let self, !isSetting else { return }
      body(owner)
      // As it is by now, whatever the click did.
      show()
    }
  }

  /// Acts as if it had been clicked; for tests.
  public func click() { if isSensitive { gtk_widget_activate(widget) } }

  private func show() {
    guard (gtk_switch_get_active(opaque) != 0) != isOn else { return }
    isSetting = true
    gtk_switch_set_active(opaque, isOn ? 1 : 0)
    isSetting = false
  }
}
