import Gtk

/// The queue of short messages: one at a time, each long enough to read it and to write down a number in it. The latest is shown at once,
/// since it answers the person's last input. A message that it interrupts comes back for the rest of its time, unless it was seen and ten
/// seconds have passed: it would look like a new one. One that has to be answered stays until it is. A sentence that is shown, or waits, is not
/// queued again.
@MainActor final class MessageQueue {
  /// A sentence, and perhaps what the person can do about it.
  private struct Message {
    let text: String
    let action: Action?
    /// Called when the person has put it away, or done what it offers; `nil` for one that goes by itself.
    let answered: (@MainActor () -> Void)?
    /// When it was said, in seconds of uptime.
    let said: Double
    /// For how many seconds it is still to be shown; without an end for one that has to be answered.
    var rest: Double
    /// Whether it was shown for long enough to be seen.
    var wasSeen = false
  }

  /// What the person can do about a message: a button's label, and what it does.
  struct Action {
    let label: String
    let perform: () -> Void
  }

  /// Shows the message whose turn it is.
  let bar = MessageBar()
  /// Called when the person dismissed the last message while the focus was in it.
  var onKeyboardLeft: (() -> Void)?

  /// Called when another message is shown, or none.
  var onTurn: (() -> Void)?

  private let uptime: () -> Double
  private let after: (Double, @escaping @MainActor () -> Void) -> Void
  /// The one that is shown comes first.
  private var messages: [Message] = []
  /// Rises with each turn: the end of an earlier one ends nothing.
  private var turn = 0
  private var turnBegan = 0.0

  /// - Parameters:
  ///   - uptime: in seconds, from any moment on.
  ///   - after: calls once after so many seconds.
  init(
    uptime: @escaping () -> Double = { MainLoop.uptime },
    after: @escaping (Double, @escaping @MainActor () -> Void) -> Void = { MainLoop.after(seconds: $0, $1) }
  ) {
    self.uptime = uptime
    self.after = after
    bar.onDismissed = { [weak self] in self?.dismiss() }
    bar.onAction = { [weak self] in
      let action = self?.messages.first?.action
      self?.dismiss()
      action?.perform()
    }
  }

  /// In seconds.
  static func readingTime(of text: String) -> Double { 5 + 0.15 * Double(text.count) }

  /// After how many seconds a message that was seen does not come back.
  static let staleAge = 10.0
  /// For how many seconds a message has to be shown to count as seen.
  private static let glance = 2.0

  /// Shows a message. For one that is shown already, its time begins again.
  /// - Parameter answered: called when the person has put it away, or done what it offers. With it the message does not go by itself.
  func show(_ text: String, _ action: Action? = nil, untilAnswered answered: (@MainActor () -> Void)? = nil) {
    if let first = messages.first {
      let shown = uptime() - turnBegan
      messages[0].rest = max(first.rest - shown, Self.glance)
      messages[0].wasSeen = first.wasSeen || shown >= Self.glance
    }
    messages.removeAll { $0.text == text }
    let rest = answered == nil ? Self.readingTime(of: text) : .infinity
    messages.insert(Message(text: text, action: action, answered: answered, said: uptime(), rest: rest), at: 0)
    beginTurn()
  }

  /// Puts the message away that is shown; the next one takes its place.
  func dismiss() {
    let hadKeyboard = bar.root.hasFocus
    let answered = messages.first?.answered
    next()
    answered?()
    if hadKeyboard, messages.isEmpty { onKeyboardLeft?() }
  }

  /// Removes all messages: their reader has signed out.
  func clear() {
    messages = []
    beginTurn()
  }

  private func next() {
    let now = uptime()
    messages = messages.dropFirst().filter { !$0.wasSeen || $0.answered != nil || now - $0.said < Self.staleAge }
    beginTurn()
  }

  private func beginTurn() {
    turn += 1
    turnBegan = uptime()
    onTurn?()
    bar.actionLabel = messages.first?.action?.label
    bar.message = messages.first?.text
    if let first = messages.first, first.rest.isFinite { end(turn, in: first.rest) }
  }

  private func end(_ number: Int, in seconds: Double) {
    after(seconds) { [weak self] in
      guard let self, turn == number else { return }
      if bar.isInUse { end(number, in: 2) } else { next() }
    }
  }
}
