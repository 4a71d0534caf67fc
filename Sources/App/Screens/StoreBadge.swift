import Gtk

/// What is special about the store, such as that nothing is charged: a badge on every screen with its products.
@MainActor final class StoreBadge {
  let root = Label(styles: [.badge, "store"], wraps: true, alignment: .center)

  init() {
    root.horizontal = .center
    root.isVisible = false
  }

  /// Nil takes no room.
  var text: String? {
    didSet {
      root.text = text ?? ""
      root.isVisible = text != nil
    }
  }
}
