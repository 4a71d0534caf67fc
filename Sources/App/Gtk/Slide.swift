import CGtk
import CGtkShims

/// A child that slides into its place and out of sight, always at its full size. Takes the same room either way.
@MainActor public final class Slide: Widget {
  /// Where a child comes from and goes to.
  public enum Edge: Sendable {
    /// As a curtain lifts.
    case top
    /// As a message comes up.
    case bottom
  }

  /// Takes in a child that is hidden at first, and comes from that edge.
  public init(_ child: Widget, from edge: Edge) {
    super.init(made: UnsafeMutableRawPointer(matinee_slide_new(child.widget, edge == .top ? 1 : 0)))
    setAccessibleHidden(true)
  }

  /// Whether the child is shown. It changes at once where the widget is not on screen, or the desktop wants no animations.
  public var isRevealed: Bool {
    get { matinee_slide_is_shown(widget) != 0 }
    set {
      matinee_slide_set_shown(widget, newValue ? 1 : 0)
      setAccessibleHidden(!newValue)
    }
  }
}
