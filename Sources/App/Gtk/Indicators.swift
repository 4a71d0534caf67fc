import CGtk

/// Turns while something is under way.
@MainActor public final class Spinner: Widget {
  /// - Parameters:
  ///   - isSpinning: whether it turns.
  ///   - name: what is under way, for screen readers.
  public init(isSpinning: Bool = true, name: String) {
    super.init(made: UnsafeMutableRawPointer(gtk_spinner_new()))
    self.isSpinning = isSpinning
    setAccessibleName(name)
  }

  /// Whether it turns; one that stands still is not drawn.
  public var isSpinning: Bool {
    get { gtk_spinner_get_spinning(opaque) != 0 }
    set { if newValue != isSpinning { gtk_spinner_set_spinning(opaque, newValue ? 1 : 0) } }
  }
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
}
