import FanClubFeature
import Gtk
import PublicationClient

/// A post in a list: picture, fan club, title, opening, date, reactions, comments, bookmark, a lock, and whether it was read.
@MainActor final class PostRowView: ListRow {
  let scope = Scope()
  let root: Widget
  private(set) var row: PostRow?
  private let page: any PostPage
  private let pictures: Pictures
  private let picture = PictureView(width: 208, least: 84, ratio: 16 / 9)
  private let framed: Overlay
  // Without the word where the picture is small, or the text is large.
  private let lock = Either(
    wide: PostRowView.premium(styles: ["on-picture"]), narrow: Box(.horizontal, styles: [.badge, "on-picture"], children: [Image(.lock)]))
  private let lockWithoutPicture = PostRowView.premium(styles: ["premium"])
  private let dot = Box(.horizontal, styles: ["unread-dot"])
  private let card: Box
  private let club = Label(styles: ["eyebrow"], lines: 1)
  private let date = Label(styles: [.caption, .dim])
  private let byline = Label(styles: [.caption, .dim], lines: 1)
  // The same beside the buttons, where no picture takes that place.
  private let lowerDate = Label(styles: [.caption, .dim])
  private let lowerByline = Label(styles: [.caption, .dim], lines: 1)
  private let whose: Box
  private let origin: Box
  private let footer: Box
  private let title = Label(styles: [.subheading], wraps: true, lines: 2, direction: .ofText)
  private let teaser = Label(styles: [.dim], wraps: true, lines: 2, direction: .ofText)
  private let waiting = WaitingMark()
  private let react = ReactButton()
  private let comments = CommentsButton()
  private let bookmark = Button(icon: .bookmark, name: "Bookmark", styles: [.flat, "quiet"])
  private let more = Button(icon: .more, name: "More", styles: [.flat, "quiet"])
  private let openMenu: @MainActor (PostRow, Widget) -> Void

  /// - Parameter openMenu: shows what else can be done to the post, beside a widget.
  init(page: any PostPage, pictures: Pictures, openMenu: @escaping @MainActor (PostRow, Widget) -> Void) {
    self.page = page
    self.openMenu = openMenu
    self.pictures = pictures
    // On its own page a club's name stands above the list.
    club.isVisible = !(page is FanClubViewModel)
    lock.horizontal = .start
    lock.vertical = .start
    lock.setMargin(6)
    framed = Overlay(picture.root) { [lock] in lock }
    framed.vertical = .start
    lockWithoutPicture.vertical = .start
    // A line of its own where there is little room: beside the club it would be next to nothing of either.
    byline.setMaximumWidth(characters: 24)
    byline.expandsHorizontally = true
    origin = Box(.horizontal, spacing: 8, children: [date, byline])
    whose = Box(.horizontal, spacing: 8, children: [dot, club])
    let place = Wrap(whose, origin)
    place.expandsHorizontally = true
    waiting.root.vertical = .start
    // Up here the names give way to it; the buttons below need all the room of a narrow window.
    let head = Box(.horizontal, spacing: 8, children: [place, waiting.root, lockWithoutPicture])
    dot.vertical = .center
    dot.setMinimumSize(width: 8, height: 8)
    let actions = Box(.horizontal) { [react, comments, bookmark, more] in
      react.root
      comments.root
      bookmark
      more
    }
    actions.vertical = .end
    actions.horizontal = .end
    actions.expandsVertically = true
    actions.expandsHorizontally = true
    footer = Box(.horizontal, spacing: 8, children: [lowerDate, lowerByline])
    footer.vertical = .center
    // A name may be cut for the buttons, a date goes above them.
    let bottom = Wrap(footer, actions, least: 1)
    let text = Box(.vertical, spacing: 4) { [title, teaser] in
      head
      title
      teaser
      bottom
    }
    text.expandsHorizontally = true
    // As wide as the buttons with numbers: otherwise each picture would have what its own buttons leave.
    text.setMinimumSize(width: 198)
    card = Box(.horizontal, spacing: 14, styles: [.card, "post-row"]) { [framed] in
      framed
      text
    }
    root = Clamp(maximumWidth: 820, card)
    react.root.onClicked(self) { view in if let row = view.row { view.page.reactTapped(row.id) } }
    comments.root.onClicked(self) { view in if let row = view.row { view.page.commentsTapped(row.id) } }
    bookmark.onClicked(self) { view in if let row = view.row { view.page.bookmarkTapped(row.id) } }
    more.onClicked(self) { $0.menuTapped(beside: $0.more) }
    react.root.onSecondaryClick(self) { $0.menuTapped(beside: $0.react.root) }
    card.onSecondaryClick(self) { $0.menuTapped(beside: $0.more) }
  }

  private func menuTapped(beside anchor: Widget) { if let row { openMenu(row, anchor) } }

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
    lowerDate.text = row.date
    let isSaid = !row.byline.isEmpty && row.byline != row.club
    for label in [byline, lowerByline] {
      // A name in other letters than the interface's is isolated, so that the dot stays between it and the date.
      label.text = isSaid ? "·  \u{2068}\(row.byline)\u{2069}" : ""
      label.isVisible = isSaid
    }
    // Below nothing but the dot there would be a line with nothing in it.
    let isAbove = row.picture != nil || !club.isVisible
    origin.isVisible = isAbove
    footer.isVisible = !isAbove
    waiting.show(row.waiting)
    react.show(row)
    comments.show(row)
    dot.isVisible = !row.isRead
    // Of an empty one the room beside it would be left.
    whose.isVisible = dot.isVisible || club.isVisible
    card.setStyle("read", row.isRead)
    bookmark.isOn = row.isBookmarked
    framed.isVisible = row.picture != nil
    lock.isVisible = row.isLocked
    lockWithoutPicture.isVisible = row.isLocked && row.picture == nil
    picture.show(row.picture, from: pictures)
  }

  func unbind() {
    row = nil
    picture.clear()
  }

  private static func premium(styles: [Style]) -> Box {
    Box(.horizontal, spacing: 4, styles: [.badge] + styles, children: [Image(.lock), Label("Premium")])
  }
}
