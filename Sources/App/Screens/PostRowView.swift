import Gtk
import PublicationClient

/// A post in a list: picture, fan club, title, opening, date, reactions, bookmark, and a lock.
@MainActor final class PostRowView: ListRow {
  let scope = Scope()
  let root: Widget
  private(set) var row: PostRow?
  private let page: any PostPage
  private let pictures: Pictures
  private let picture = PictureView(width: 208, least: 96, ratio: 16 / 9)
  private let framed: Overlay
  private let lock = PostRowView.premium(styles: ["on-picture"])
  private let lockWithoutPicture = PostRowView.premium(styles: ["premium"])
  private let club = Label(styles: ["eyebrow"], lines: 1)
  private let byline = Label(styles: [.caption, .dim], lines: 1)
  private let title = Label(styles: [.subheading], wraps: true, lines: 2)
  private let teaser = Label(styles: [.dim], wraps: true, lines: 2)
  private let date = Label(styles: [.caption, .dim], lines: 1)
  private let react = ReactButton()
  private let bookmark = Button(icon: .bookmark, name: "Bookmark", styles: [.flat, "quiet"])

  init(page: any PostPage, pictures: Pictures) {
    self.page = page
    self.pictures = pictures
    lock.horizontal = .start
    lock.vertical = .start
    lock.setMargin(8)
    framed = Overlay(picture.root) { [lock] in lock }
    framed.vertical = .start
    lockWithoutPicture.vertical = .center
    let origin = Box(.horizontal, spacing: 8, children: [club, byline, lockWithoutPicture])
    date.expandsHorizontally = true
    let actions = Box(.horizontal, spacing: 4) { [date, react, bookmark] in
      date
      react.root
      bookmark
    }
    actions.vertical = .end
    actions.expandsVertically = true
    let text = Box(.vertical, spacing: 4) { [title, teaser] in
      origin
      title
      teaser
      actions
    }
    text.expandsHorizontally = true
    root = Clamp(
      maximumWidth: 820,
      Box(.horizontal, spacing: 18, styles: [.card, "post-row"]) { [framed] in
        framed
        text
      })
    react.root.onClicked(self) { view in if let row = view.row { view.page.reactTapped(row.id) } }
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
    byline.text = row.byline
    byline.isVisible = !row.byline.isEmpty && row.byline != row.club
    date.text = row.date
    react.show(count: row.reactions, isOn: row.isReacted)
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
    Box(.horizontal, spacing: 4, styles: [.badge] + styles, children: [Image(.lock, size: 12), Label("Premium")])
  }
}

/// A heart and how many readers gave one.
@MainActor final class ReactButton {
  let root: Button
  private let count = Label(styles: ["numeric"])

  init() {
    root = Button(Box(.horizontal, spacing: 6, children: [Image(.heart), count]), name: "React", styles: [.flat, "quiet", "reaction"])
    root.tooltip = "React"
  }

  func show(count: String, isOn: Bool) {
    self.count.text = count
    root.isOn = isOn
  }
}
