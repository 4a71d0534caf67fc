import FeatureKit
import Gtk
import PublicationAPI

extension Reaction {
  /// Its icon. A kind that this version does not know has a neutral face.
  /// - Parameter isChosen: whether the reader chose it.
  func icon(isChosen: Bool) -> Icon {
    switch self {
    case .like: .thumb
    case .love: isChosen ? .heart : .heartOutline
    case .laugh: .laughing
    case .wow: .astonished
    case .sad: .sad
    default: .face
    }
  }

  /// What a screen reader calls it.
  var words: String {
    switch self {
    case .like: "Like"
    case .love: "Love"
    case .laugh: "Funny"
    case .wow: "Wow"
    case .sad: "Sad"
    default: rawValue
    }
  }

  /// Its class in the style sheet.
  var style: Style { Style("kind-" + (Reaction.known.contains(self) ? rawValue : "other")) }
}

/// The reader's reaction, or a heart that waits for one, and how many readers reacted.
@MainActor final class ReactButton {
  let root: Button
  private let image = Image(.heartOutline)
  private let inside: Box
  private var count: Label?
  private var kind: Reaction?

  init() {
    inside = Box(.horizontal, spacing: 6, children: [image])
    inside.horizontal = .center
    root = Button(inside, name: "React", styles: [.flat, "quiet", "reaction"])
    root.tooltip = "React"
  }

  func show(_ row: PostRow) {
    inside.show(row.reactions, in: &count)
    root.isOn = row.isReacted
    let all = row.reactions.isEmpty ? "Nobody so far" : "\(row.reactions) in all"
    root.setAccessibleDescription(row.reaction.map { "You chose \($0.words). \(all)" } ?? all)
    guard row.reaction != kind else { return }
    if let kind { root.setStyle(kind.style, false) }
    kind = row.reaction
    if let kind { root.setStyle(kind.style) }
    image.setIcon((kind ?? .love).icon(isChosen: kind != nil))
  }
}

/// One button for each kind of reaction, with how many readers chose it.
@MainActor final class ReactionBar: SignalOwner {
  let scope = Scope()
  let root = Box(.horizontal, spacing: 2)
  /// Called with the pressed one.
  var onChosen: ((Reaction) -> Void)?
  private var buttons: [(kind: Reaction, button: Button, image: Image, count: Label)] = []

  func show(_ choices: [ReactionChoice]) {
    if choices.map(\.kind) != buttons.map(\.kind) {
      buttons = choices.map { button($0.kind) }
      let half = (buttons.count + 1) / 2
      let parts = [buttons.prefix(half), buttons.dropFirst(half)].map { Box(.horizontal, spacing: 2, children: $0.map(\.button)) }
      // Below each other where the text is large.
      root.replaceAll([Wrap(parts[0], parts[1], spacing: 2)])
    }
    for (choice, (kind, button, image, count)) in zip(choices, buttons) {
      image.setIcon(kind.icon(isChosen: choice.isChosen))
      count.text = choice.count
      count.isVisible = !choice.count.isEmpty
      button.isOn = choice.isChosen
      button.setAccessibleDescription(choice.count.isEmpty ? "Nobody so far" : "\(choice.count) so far")
    }
  }

  private func button(_ kind: Reaction) -> (Reaction, Button, Image, Label) {
    let image = Image(kind.icon(isChosen: false))
    let count = Label(styles: ["numeric"])
    let inside = Box(.horizontal, spacing: 6, children: [image, count])
    inside.horizontal = .center
    let button = Button(inside, name: kind.words, styles: [.flat, "quiet", "reaction", kind.style])
    button.tooltip = kind.words
    button.onClicked(self) { $0.onChosen?(kind) }
    return (kind, button, image, count)
  }
}

extension Box {
  /// Shows how many there are, at the end. The label is made when there is a number: most rows of a list have none.
  func show(_ number: String, in label: inout Label?) {
    if label == nil, !number.isEmpty {
      let made = Label(styles: ["numeric"])
      append(made)
      label = made
    }
    label?.text = number
    label?.isVisible = !number.isEmpty
  }
}
