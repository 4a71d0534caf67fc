import FeatureKit
import Gtk

/// Marks a post or a fan club with an action that waits to be sent.
@MainActor final class WaitingMark {
  let root = Image(.waiting, styles: ["waiting-mark"])

  /// - Parameter sentence: what waits; nil for nothing.
  func show(_ sentence: String?) {
    root.isVisible = sentence != nil
    root.tooltip = sentence
    root.setAccessibleName(sentence ?? "")
  }
}

/// The reader's bookmark: filled once it is set, so that its color is not the only sign.
@MainActor final class BookmarkButton {
  let root: Button
  private let image = Image(.bookmark)

  init() {
    root = Button(image, name: "Bookmark", styles: [.flat, "quiet"])
    root.tooltip = "Bookmark"
  }

  func show(isOn: Bool) {
    root.isOn = isOn
    image.setIcon(isOn ? .bookmarkFilled : .bookmark)
  }
}

/// How many comments there are, and the way to them.
@MainActor final class CommentsButton {
  let root: Button
  private let inside = Box(.horizontal, spacing: 6, children: [Image(.comment)])
  private var count: Label?

  init() {
    root = Button(inside, name: "Comments", styles: [.flat, "quiet"])
    root.tooltip = "Comments"
  }

  func show(_ row: PostRow) {
    inside.show(row.comments, in: &count)
    root.setAccessibleDescription(row.comments.isEmpty ? "None so far" : "\(row.comments) so far")
  }
}
