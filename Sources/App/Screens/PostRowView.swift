import Gtk
import PublicationClient

/// A post in a list: picture, fan club, title, opening, date, reactions, bookmark, and a lock.
@MainActor final class PostRowView: ListRow {
  let scope = Scope()
  let root: Widget
  private(set) var row: PostRow?
  private let page: any PostPage
  private let pictures: Pictures
  private let picture = PictureView(width: 208, ratio: 16 / 9)
  private let lock: Box
  private let club = Label(styles: ["eyebrow"], lines: 1)
  private let title = Label(styles: [.subheading], wraps: true, lines: 2)
  private let teaser = Label(styles: [.dim], wraps: true, lines: 2)
  private let date = Label(styles: [.caption, .dim], lines: 1)
  private let reactions = Label(styles: [.caption, "count"])
  private let react = Button(icon: .heart, name: "React")
  private let bookmark = Button(icon: .bookmark, name: "Bookmark")

  init(page: any PostPage, pictures: Pictures) {
    self.page = page
    self.pictures = pictures
    lock = Box(.horizontal, spacing: 4, styles: [.badge, "on-picture"]) {
      Image(.lock, size: 12)
      Label("Premium", styles: [.caption])
    }
    lock.horizontal = .start
    lock.vertical = .start
    lock.setMargin(8)
    let framed = Overlay(picture.root) { [lock] in lock }
    framed.vertical = .start
    date.expandsHorizontally = true
    let actions = Box(.horizontal, spacing: 4) { [date, react, reactions, bookmark] in
      date
      react
      reactions
      bookmark
    }
    actions.vertical = .end
    actions.expandsVertically = true
    let text = Box(.vertical, spacing: 4) { [club, title, teaser] in
      club
      title
      teaser
      actions
    }
    text.expandsHorizontally = true
    root = Clamp(
      maximumWidth: 820,
      Box(.horizontal, spacing: 18, styles: [.card, "post-row"]) {
        framed
        text
      })
    react.onClicked(self) { view in if let row = view.row { view.page.reactTapped(row.id) } }
    bookmark.onClicked(self) { view in if let row = view.row { view.page.bookmarkTapped(row.id) } }
  }

  var accessibleName: String {
    guard let row else { return "" }
    return row.isLocked ? "\(row.title), premium" : row.title
  }

  func show(_ row: PostRow) {
    self.row = row
    club.text = row.club
    title.text = row.title
    teaser.text = row.teaser
    teaser.isVisible = !row.teaser.isEmpty
    date.text = row.byline.isEmpty ? row.date : "\(row.date)  ·  \(row.byline)"
    reactions.text = row.reactions
    react.isOn = row.isReacted
    bookmark.isOn = row.isBookmarked
    lock.isVisible = row.isLocked
    picture.show(row.picture, from: pictures)
  }

  func unbind() {
    row = nil
    picture.clear()
  }
}
