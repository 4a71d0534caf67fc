import FanClubFeature
import FeatureKit
import Gtk

/// A post in a list: picture, fan club, title, opening, date, reactions, comments, bookmark, a lock, and whether it was read.
@MainActor final class PostRowView: ListRow {
  let scope = Scope()
  let root: Widget
  private(set) var row: PostRow?
  private let page: any PostListScreen
  private let pictures: Pictures
  private let picture = PictureView(width: 208, least: 84, ratio: 16 / 9)
  private let framed: Overlay
  // Parts that most rows do not need are made when a row needs them: a list keeps some two hundred rows, and makes fifty in one frame.
  private var lock: Widget?
  private var lockWithoutPicture: Widget?
  private let dot = Box(.horizontal, styles: ["unread-dot"])
  private let card: Box
  private let club = Label(styles: ["eyebrow"], lines: 1)
  private let date = Label(styles: [.caption, .dim])
  private var byline: Label?
  private let whose: Box
  private let marks: Box
  private let origin: Box
  private let title = Label(styles: [.subheading], wraps: true, lines: 2, direction: .ofText)
  private let teaser = Label(styles: [.dim], wraps: true, lines: 2, direction: .ofText)
  private let waiting = WaitingMark()
  private let react = ReactButton()
  private let comments = CommentsButton()
  private let bookmark = BookmarkButton()
  private let more = Button(icon: .more, name: "More", styles: [.flat, "quiet"])
  private let openMenu: @MainActor (PostRow, Widget, (x: Double, y: Double)?) -> Void

  /// - Parameter openMenu: shows what else can be done to the post, beside a widget or at a point of it.
  init(
    page: any PostListScreen, pictures: Pictures, openMenu: @escaping @MainActor (PostRow, Widget, (x: Double, y: Double)?) -> Void
  ) {
    self.page = page
    self.openMenu = openMenu
    self.pictures = pictures
    // On its own page a club's name stands above the list.
    club.isVisible = !(page is FanClubViewModel)
    framed = Overlay(picture.root)
    framed.vertical = .start
    // A line of its own where there is little room: beside the club, neither would have enough room.
    origin = Box(.horizontal, spacing: 8, children: [date])
    whose = Box(.horizontal, spacing: 8, children: [dot, club])
    let place = Wrap(whose, origin)
    place.expandsHorizontally = true
    waiting.root.vertical = .start
    // Up here the names give way to it; the buttons below need all the room of a narrow window.
    marks = Box(.horizontal, spacing: 8, children: [waiting.root])
    let head = Wrap(place, marks, least: 1)
    react.root.horizontal = .start
    dot.vertical = .center
    dot.setMinimumSize(width: 8, height: 8)
    // Below each other where the text is large.
    let actions = Wrap(
      react.root, Wrap(comments.root, Box(.horizontal, children: [bookmark.root, more]), spacing: 0), spacing: 0)
    actions.vertical = .end
    actions.horizontal = .end
    actions.expandsVertically = true
    actions.expandsHorizontally = true
    let text = Box(.vertical, spacing: 4, children: [head, title, teaser, actions])
    text.expandsHorizontally = true
    // As wide as the buttons with numbers: otherwise each picture would have what its own buttons leave.
    text.setMinimumSize(width: 198)
    card = Box(.horizontal, spacing: 14, styles: [.card, "post-row"], children: [framed, text])
    root = Clamp(maximumWidth: 820, card)
    react.root.onClicked(self) { view in if let row = view.row { view.page.send(.reactionToggled(row.id)) } }
    comments.root.onClicked(self) { view in if let row = view.row { view.page.send(.commentsTapped(row.id)) } }
    bookmark.root.onClicked(self) { view in if let row = view.row { view.page.send(.bookmarkTapped(row.id)) } }
    more.onClicked(self) { $0.menuTapped(beside: $0.more) }
    react.root.onSecondaryClick(self) { view, _ in view.menuTapped(beside: view.react.root) }
    card.onSecondaryClick(self) { $0.menuTapped(beside: $0.card, at: $1) }
  }

  /// A key asks for the menu.
  func menuKeyPressed() { menuTapped(beside: more) }

  private func menuTapped(beside anchor: Widget, at point: (x: Double, y: Double)? = nil) {
    if let row { openMenu(row, anchor, point) }
  }

  var accessibleName: String {
    guard let row else { return "" }
    let flags = [(!row.isRead, "unread"), (row.isLocked, "premium"), (row.waiting != nil, "waiting to be sent")]
    return ([row.title] + flags.filter(\.0).map(\.1)).joined(separator: ", ")
  }

  func show(_ row: PostRow) {
    self.row = row
    club.text = row.club
    title.text = row.title
    teaser.text = row.teaser
    teaser.isVisible = !row.teaser.isEmpty
    date.text = row.date
    show(byline: row.byline != row.club ? row.byline : "")
    waiting.show(row.waiting)
    react.show(row)
    comments.show(row)
    dot.isVisible = !row.isRead
    // Of an empty one the room beside it would be left.
    whose.isVisible = dot.isVisible || club.isVisible
    card.setStyle("read", row.isRead)
    bookmark.show(isOn: row.isBookmarked)
    framed.isVisible = row.picture != nil
    showLock(onPicture: row.isLocked && row.picture != nil, beside: row.isLocked && row.picture == nil)
    picture.show(row.picture, from: pictures)
  }

  func unbind() {
    row = nil
    picture.clear()
  }

  private func showLock(onPicture: Bool, beside: Bool) {
    if onPicture, lock == nil {
      // Without the word where the picture is small, or the text is large.
      let made = Either(
        wide: Self.premium(styles: ["on-picture"]), narrow: Box(.horizontal, styles: [.badge, "on-picture"], children: [Image(.lock)]))
      made.horizontal = .start
      made.vertical = .start
      made.setMargin(6)
      framed.add(made)
      lock = made
    }
    if beside, lockWithoutPicture == nil {
      let made = Self.premium(styles: ["premium"])
      made.vertical = .start
      marks.append(made)
      lockWithoutPicture = made
    }
    lock?.isVisible = onPicture
    lockWithoutPicture?.isVisible = beside
    // Of an empty one the room beside it would be left.
    marks.isVisible = beside || waiting.root.isVisible
  }

  private func show(byline name: String) {
    if !name.isEmpty, byline == nil {
      let made = Label(styles: [.caption, .dim], lines: 1)
      made.setMaximumWidth(characters: 24)
      made.expandsHorizontally = true
      origin.append(made)
      byline = made
    }
    byline?.setMarkup(.line(of: [Markup(name)], continues: true))
    byline?.isVisible = !name.isEmpty
  }

  private static func premium(styles: [Style]) -> Box {
    Box(.horizontal, spacing: 4, styles: [.badge] + styles, children: [Image(.lock), Label("Premium")])
  }
}
