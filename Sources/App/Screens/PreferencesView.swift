import FeatureKit
import Gtk
import MenuFeature

/// What is set on this computer.
@MainActor final class PreferencesView: View {
  let scope = Scope()
  let root: Widget
  private let viewModel: PreferencesViewModel
  private let smaller = Button("A−", styles: [.flat])
  private let size = Button("", styles: [.flat])
  private let larger = Button("A+", styles: [.flat])
  private let colors = ChoiceMenu<Appearance>(name: "Colors")
  private let startColors = Label(styles: [.caption, .dim], wraps: true)
  private let width = ChoiceMenu<Preferences.ArticleWidth>(name: "Line width of articles")
  private let font = ChoiceMenu<Preferences.ArticleFont>(name: "Font of articles")
  private let notifications = Button("Notifications…", styles: [.pill, "compact"])
  private let newPosts: Widget
  private let pictures = StoragePart("Pictures", of: "Limit of pictures")
  private let content = StoragePart("What you read, for reading without a network", of: "Limit of what you read")
  private let close = Button("Close", styles: [.flat])

  init(_ viewModel: PreferencesViewModel) {
    self.viewModel = viewModel
    smaller.setAccessibleName("Smaller text")
    larger.setAccessibleName("Larger text")
    let sizes = Box(.horizontal, spacing: 2, children: [smaller, size, larger])
    notifications.horizontal = .start
    let look = Self.part("Look", [Self.line("Text size", sizes), Self.line("Colors", colors.root), startColors])
    let articles = Self.part("Articles", [Self.line("Line width", width.root), Self.line("Font", font.root)])
    newPosts = Self.part("New posts", [notifications])
    let stays = Label("Bookmarks and changes that wait always stay.", styles: [.caption, .dim], wraps: true)
    let storage = Self.part("Kept on this computer", [pictures.root, content.root, stays])
    let list = Box(.vertical, spacing: 18, children: [look, articles, newPosts, storage])
    let scroller = FittingScroller(list)
    scroller.scrollsByKeyboard(name: "Preferences")
    let title = Label("Preferences", styles: [.heading], wraps: true, alignment: .center)
    root = Box(.vertical, spacing: 10, children: [title, scroller, close])
    smaller.onClicked(self) { $0.viewModel.send(.smallerTextTapped) }
    size.onClicked(self) { $0.viewModel.send(.usualTextTapped) }
    larger.onClicked(self) { $0.viewModel.send(.largerTextTapped) }
    colors.onChosen = { [weak self] in self?.viewModel.send(.appearanceChosen($0)) }
    width.onChosen = { [weak self] in self?.viewModel.send(.articleWidthChosen($0)) }
    font.onChosen = { [weak self] in self?.viewModel.send(.articleFontChosen($0)) }
    notifications.onClicked(self) { $0.viewModel.send(.notificationsTapped) }
    pictures.limit.onChosen = { [weak self] in self?.viewModel.send(.pictureLimitChosen($0)) }
    content.limit.onChosen = { [weak self] in self?.viewModel.send(.contentLimitChosen($0)) }
    pictures.clear.onClicked(self) { $0.viewModel.send(.clearPicturesTapped) }
    content.clear.onClicked(self) { $0.viewModel.send(.clearContentTapped) }
    close.onClicked(self) { $0.viewModel.send(.closeTapped) }
    viewModel.observe { [weak self] in self?.show($0) }
  }

  func takeKeyboard() { close.focus() }

  private static func part(_ title: String, _ lines: [Widget]) -> Widget {
    Box(.vertical, spacing: 8, children: [Label(title, styles: [.subheading], wraps: true)] + lines)
  }

  /// What is set, and below or beside it the control.
  private static func line(_ name: String, _ control: Widget) -> Widget {
    let label = Label(name, wraps: true)
    label.expandsHorizontally = true
    control.horizontal = .end
    return Wrap(label, control, least: 96, spacing: 8)
  }

  private func show(_ state: PreferencesViewModel.State) {
    let values = state.values
    // Without a space: a sign apart from its number changes the side where the interface is read from right to left.
    size.label = "\(values.textSize)%"
    size.setAccessibleName("Text size \(values.textSize) percent, set to the usual one")
    size.isSensitive = values.textSize != 100
    smaller.isSensitive = state.canReduceText
    larger.isSensitive = state.canEnlargeText
    colors.show([(.system, "As the desktop"), (.light, "Light"), (.dark, "Dark")], chosen: values.appearance)
    startColors.text = state.startAppearance ?? ""
    startColors.isVisible = state.startAppearance != nil
    width.show([(.narrow, "Narrow"), (.medium, "Medium"), (.wide, "Wide")], chosen: values.articleWidth)
    font.show([(.system, "As the desktop"), (.serif, "With serifs")], chosen: values.articleFont)
    newPosts.isVisible = state.hasNotifications
    pictures.show(values.pictureLimit, state.sizes[.pictures], canClear: state.canClear.contains(.pictures))
    content.show(values.contentLimit, state.sizes[.content], canClear: state.canClear.contains(.content))
  }
}

/// Something that is kept up to a limit, and can be removed.
@MainActor private final class StoragePart {
  let root: Box
  let limit: ChoiceMenu<Int>
  let clear = Button("Clear", styles: [.pill, "compact"])
  private let size = Label(styles: [.caption, .dim], wraps: true)

  /// - Parameter name: the limit's, for screen readers.
  init(_ title: String, of name: String) {
    limit = ChoiceMenu(name: name)
    clear.setAccessibleName("Clear: \(title)")
    let words = Box(.vertical, spacing: 2, children: [Label(title, wraps: true), size])
    words.expandsHorizontally = true
    // Below each other where the text is large.
    let controls = Wrap(limit.root, clear, spacing: 6)
    controls.horizontal = .end
    root = Box(.vertical, spacing: 6, children: [words, controls])
  }

  func show(_ limit: Int, _ size: String?, canClear: Bool) {
    self.limit.show(Preferences.limits.map { ($0, "\(Self.text($0)) at most") }, chosen: limit)
    self.size.text = size ?? ""
    self.size.isVisible = size != nil
    // Before the button goes that has the keyboard.
    if !canClear, clear.hasFocus { self.limit.root.focus() }
    clear.isSensitive = canClear
  }

  private static func text(_ limit: Int) -> String { limit < 1024 ? "\(limit) MiB" : "\(limit / 1024) GiB" }
}
