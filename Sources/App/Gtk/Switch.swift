import CGtk

/// On or off. A click only reports: what it shows is set from a state.
@MainActor public final class Switch: Widget {
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
      // The toolkit also reports what is set here, and later.
      guard let self, isActive != isOn else { return }
      body(owner)
      show()
    }
  }

  /// Acts as if it had been clicked; for tests.
  public func click() { if isSensitive { gtk_switch_set_active(opaque, isOn ? 0 : 1) } }

  private var isActive: Bool { gtk_switch_get_active(opaque) != 0 }

  private func show() { if isActive != isOn { gtk_switch_set_active(opaque, isOn ? 1 : 0) } }
}
