import CGtk

/// A message with a button that dismisses it. Shown from a state. It belongs in an ``Overlay`` above what scrolls, so that nothing moves when
/// it comes or goes, and not above buttons and fields: it would cover what the person needs next.
@MainActor public final class MessageBar: View {
  /// Ends the bar's own connections with the bar.
  public let scope = Scope()
  /// What goes above the page, at its lower edge.
  public var root: Widget { slide }
  /// Called when the person dismissed the message; the bar goes when ``message`` is set to nil.
  public var onDismissed: (@MainActor () -> Void)?
  /// Called when the person chose the action.
  public var onAction: (@MainActor () -> Void)?

  private let bar = Box(.horizontal, spacing: 6, styles: ["message-bar"])
  private let label = Label(wraps: true)
  private let action = Button("", styles: [.flat])
  private let close = Button(icon: .close, name: "Dismiss message")
  private let slide: Slide

  /// A bar without a message, which is hidden.
  public init() {
    bar.setAccessibleRole(.alert)
    label.setMaximumWidth(characters: 60)
    // Large words may be higher than the room above what belongs to the page's lower edge.
    let words = FittingScroller(label)
    words.expandsHorizontally = true
    words.vertical = .center
    // Below the words where there is too little room beside them.
    let buttons = Box(.horizontal, spacing: 6, children: [action, close])
    buttons.vertical = .center
    buttons.horizontal = .end
    bar.append(Wrap(words, buttons, least: 140, spacing: 6))
    slide = Slide(bar, from: .bottom)
    slide.horizontal = .center
    // A label that fills a height is as narrow as its text can be within that.
    slide.vertical = .end
    slide.setMargin(8)
    slide.isVisible = false
    action.isVisible = false
    close.onClicked(self) { $0.onDismissed?() }
    action.onClicked(self) { $0.onAction?() }
  }

  /// The sentence; nil hides the bar.
  public var message: String? {
    didSet {
      guard message != oldValue else { return }
      if let message {
        label.setMarkup(Markup(nonBreakingCodesIn: message))
        restingPointer = slide.pointerOnWindow
      }
      slide.isVisible = message != nil
      slide.isRevealed = message != nil
      // A screen reader reads out an alert that appears, and none whose words become others.
      bar.setAccessibleHidden(true)
      if message != nil { bar.setAccessibleHidden(false) }
    }
  }

  /// Whether the person is using it: they have pointed at it, or the keyboard is in it. A message that comes up under a pointer which rests
  /// there is not pointed at.
  public var isInUse: Bool {
    if slide.hasFocus { return true }
    guard gtk_widget_get_state_flags(slide.widget).rawValue & GTK_STATE_FLAG_PRELIGHT.rawValue != 0 else { return false }
    return slide.pointerOnWindow != restingPointer
  }

  /// Where the pointer was when the message came.
  private var restingPointer: SIMD2<Double>?

  /// What the person can do about it; nil offers nothing.
  public var actionLabel: String? {
    didSet {
      if let actionLabel { action.label = actionLabel }
      action.isVisible = actionLabel != nil
    }
  }
}
