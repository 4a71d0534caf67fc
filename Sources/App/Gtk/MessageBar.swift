/// A sentence for the person, above the page, with a button to put it away. Shown from a state: put it in an ``Overlay``.
@MainActor public final class MessageBar: View {
  /// Ends the bar's own connections with the bar.
  public let scope = Scope()
  /// What goes above the page.
  public var root: Widget { revealer }
  /// Called when the person put the message away; the bar goes when ``message`` is set to nil.
  public var onDismissed: (@MainActor () -> Void)?
  /// Called when the person chose the action.
  public var onAction: (@MainActor () -> Void)?

  private let label = Label(wraps: true)
  private let action = Button("", styles: [.flat])
  private let close = Button(icon: .close, name: "Dismiss message")
  private let revealer: Revealer

  /// Shows nothing.
  public init() {
    let bar = Box(.horizontal, spacing: 6, styles: ["message-bar"])
    bar.setAccessibleRole(.alert)
    label.expandsHorizontally = true
    label.setMaximumWidth(characters: 60)
    bar.append(label, action, close)
    revealer = Revealer(bar)
    revealer.horizontal = .center
    revealer.vertical = .end
    revealer.setMargin(12)
    revealer.isVisible = false
    action.isVisible = false
    close.onClicked(self) { $0.onDismissed?() }
    action.onClicked(self) { $0.onAction?() }
  }

  /// The sentence; nil hides the bar.
  public var message: String? {
    didSet {
      guard message != oldValue else { return }
      if let message { label.text = message }
      revealer.isVisible = message != nil
      revealer.isRevealed = message != nil
    }
  }

  /// What the person can do about it; nil offers nothing.
  public var actionLabel: String? {
    didSet {
      if let actionLabel { action.label = actionLabel }
      action.isVisible = actionLabel != nil
    }
  }
}
