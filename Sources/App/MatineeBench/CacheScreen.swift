#if GTK
  import CListBaseline
  import Gtk
  import PublicationAPI
  import FeatureKit

  /// Lists of posts beside each other in one window, with every row filled: what is on screen while an action is measured.
  @MainActor final class CacheScreen: SignalOwner {
    let scope = Scope()
    private var views: [ObjectIdentifier: ListView<Post.ID, Row>] = [:]
    private let window: Window

    /// - Throws: ``Mistake`` without a display.
    init(_ lists: [PostList]) throws {
      guard Toolkit.start() else { throw Mistake(description: "cache needs a display; see matinee-bench --help.") }
      window = Window(nil, title: "cache", width: 1200, height: 700)
      let side = Box(.horizontal, spacing: 6)
      window.child(side)
      for list in lists {
        let view = ListView<Post.ID, Row>(
          self, row: { _ in Row() },
          bind: { _, row, id in
            if let post = list.row(for: id) { row.show(post) }
          })
        view.expandsHorizontally = true
        view.show(list.list.state.ids)
        side.append(view)
        views[ObjectIdentifier(list)] = view
      }
      window.present()
      guard let probe = baseline_probe_new("cache") else { throw Mistake(description: "the window did not open.") }
      baseline_probe_settle(probe)
      let isFilled = lists.allSatisfy { views[ObjectIdentifier($0)]?.bound.count == $0.list.state.ids.count }
      guard isFilled else { throw Mistake(description: "some rows on screen were not filled.") }
    }

    /// Fills the rows of a list again, as its page does.
    func update(_ list: PostList, _ ids: Set<Post.ID>) { views[ObjectIdentifier(list)]?.update(ids) }

    func close() {
      scope.close()
      window.destroy()
    }

    /// What a row of a page shows of a post.
    @MainActor fileprivate final class Row: ListRow {
      let scope = Scope()
      let root: Widget
      private let club = Label(styles: ["eyebrow"], lines: 1)
      private let facts = Label(styles: [.caption, .dim], lines: 1)
      private let title = Label(styles: [.subheading], wraps: true, lines: 2)
      private let teaser = Label(styles: [.dim], wraps: true, lines: 2)
      private let reactions = Label(styles: ["numeric"])
      private let bookmark = Button(icon: .bookmark, name: "Bookmark", styles: [.flat, "quiet"])
      private var row: PostRow?

      init() {
        let text = Box(.vertical, spacing: 4, children: [club, facts, title, teaser])
        text.expandsHorizontally = true
        root = Box(.horizontal, spacing: 14, styles: [.card, "post-row"], children: [text, reactions, bookmark])
        bookmark.onClicked(self) { print($0.row?.id ?? "") }
      }

      var accessibleName: String { row?.title ?? "" }

      func show(_ row: PostRow) {
        self.row = row
        club.text = row.club
        facts.text = "\(row.date)  ·  \(row.byline)"
        title.text = row.title
        teaser.text = row.teaser
        reactions.text = row.reactions
        bookmark.isOn = row.isBookmarked
        root.setStyle("read", row.isRead)
      }

      func unbind() { row = nil }
    }
  }
#endif
