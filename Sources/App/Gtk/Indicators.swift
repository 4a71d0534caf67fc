import CGtk

/// Turns while something is under way.
@MainActor public final class Spinner: Widget, SignalOwner {
  /// Ends the spinner's own connections with the spinner.
  public let scope = Scope()

  /// - Parameters:
  ///   - isSpinning: whether it turns.
  ///   - name: what is under way, for screen readers.
  public init(isSpinning: Bool = true, name: String) {
    self.isSpinning = isSpinning
    super.init(made: UnsafeMutableRawPointer(gtk_spinner_new()))
    setAccessibleName(name)
    // In larger room it would be drawn as large as that, or distorted.
    horizontal = .center
    vertical = .center
    connect("map", owner: self) { $0.turn() }
    connect("unmap", owner: self) { $0.turn() }
  }

  /// Whether it turns when it is on screen; one that stands still is not drawn.
  public var isSpinning: Bool {
    didSet { if isSpinning != oldValue { turn() } }
  }

  /// Whether it turns now; for tests.
  var isTurning: Bool { gtk_spinner_get_spinning(opaque) != 0 }

  // Its animation asks for every frame, on a hidden page of a stack as well: an idle window would never rest.
  private func turn() { gtk_spinner_set_spinning(opaque, isSpinning && isMapped ? 1 : 0) }
}

/// How far something has come.
@MainActor public final class ProgressBar: Widget {
  /// - Parameter name: what is under way, for screen readers.
  public init(name: String) {
    super.init(made: UnsafeMutableRawPointer(gtk_progress_bar_new()))
    setAccessibleName(name)
  }

  /// From 0 to 1.
  public var fraction: Double {
    get { gtk_progress_bar_get_fraction(opaque) }
    set { gtk_progress_bar_set_fraction(opaque, min(1, max(0, newValue))) }
  }
  /// Moves a little, when it is not known how far there is to go.
  public func pulse() { gtk_progress_bar_pulse(opaque) }

  /// Whether it moves by itself while it is on screen: it is not known how far there is to go.
  public var isPulsing = false { didSet { if isPulsing, !oldValue { move() } } }

  private func move() {
    guard isPulsing else { return }
    if isMapped { pulse() }
    MainLoop.after(seconds: 0.15) { [weak self] in self?.move() }
  }
}
