import Gtk

/// Cards below each other, one of which is chosen. Isolated to the main actor.
///
/// For the keyboard they are one place, as radio buttons are: the arrows choose among them and do not leave them, which Tab does.
@MainActor final class ChoiceList<ID: Hashable>: SignalOwner {
  /// What is chosen among.
  struct Choice: Equatable {
    var id: ID
    var name: String
    /// Smaller, beneath the name; may be empty.
    var detail: String
  }

  let scope = Scope()
  let root = Box(.vertical, spacing: 6)
  /// Called with the card that was pressed.
  var onChosen: ((ID) -> Void)?
  private var shown: [Choice] = []
  private var cards: [(id: ID, button: Button, tick: Widget)] = []

  init() {
    for (key, step) in [("Down", 1), ("Up", -1), ("Right", 1), ("Left", -1)] {
      root.addShortcut(key, self, inside: true) { $0.choose(step) }
    }
  }

  /// Chooses the card that is so many below the one that has the keyboard; at the end that one stays.
  private func choose(_ step: Int) {
    guard let focused = cards.firstIndex(where: \.button.hasFocus), cards.indices.contains(focused + step) else { return }
    onChosen?(cards[focused + step].id)
  }

  func show(_ choices: [Choice], chosen: ID?, isSensitive: Bool = true) {
    if choices != shown {
      // The card that has the keyboard may go.
      let focused = cards.first { $0.button.hasFocus }?.id
      shown = choices
      cards = choices.map(card)
      root.replaceAll(cards.map(\.button))
      cards.first { $0.id == focused }?.button.focus()
    }
    let hasKeyboard = cards.contains { $0.button.hasFocus }
    for (id, button, tick) in cards {
      button.isOn = id == chosen
      button.isFocusable = chosen == nil || button.isOn
      if button.isOn, hasKeyboard { button.focus() }
      // Lines alone say both what is chosen and where the keyboard is. Its space stays, so that no text moves.
      tick.opacity = button.isOn ? 1 : 0
      button.isSensitive = isSensitive
    }
  }

  private func card(_ choice: Choice) -> (id: ID, button: Button, tick: Widget) {
    let words = Box(.vertical, children: [Label(choice.name, wraps: true)])
    words.expandsHorizontally = true
    if !choice.detail.isEmpty { words.append(Label(choice.detail, styles: [.caption, .dim], wraps: true)) }
    let tick = Image(.done, size: .line, styles: ["tick"])
    tick.vertical = .center
    let button = Button(Box(.horizontal, spacing: 8, children: [words, tick]), name: choice.name, styles: [.card, "method"])
    button.setAccessibleDescription(choice.detail)
    button.onClicked(self) { $0.onChosen?(choice.id) }
    return (choice.id, button, tick)
  }
}
