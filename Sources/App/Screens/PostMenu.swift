import FeatureKit
import Gtk

/// The menu of a post in a list: the kinds of reaction, its read mark, its links. One serves all rows of a page.
@MainActor final class PostMenu: SignalOwner {
  let scope = Scope()
  private let page: any PostListScreen
  private let popover: Popover
  private let kinds = ReactionBar()
  private let read = Button("Mark as read", styles: [.flat, "menu-item"])
  private let toHere = Button("Mark as read down to here", styles: [.flat, "menu-item"])
  private let club = Button("Go to the fan club", styles: [.flat, "menu-item"])
  private let browser = Button("Open in browser", styles: [.flat, "menu-item"])
  private let copy = Button("Copy link", styles: [.flat, "menu-item"])
  private let mail = Button("Send by mail…", styles: [.flat, "menu-item"])
  private var id: String?

  init(_ page: any PostListScreen) {
    self.page = page
    kinds.root.horizontal = .center
    for button in [read, toHere, club, browser, copy, mail] { button.contentAlignment = .start }
    popover = Popover(
      Box(.vertical, spacing: 2, children: [kinds.root, Separator(), read, toHere, Separator(), club, browser, copy, mail]))
    kinds.onChosen = { [weak self] kind in self?.choose { $0.send(.reactionChosen($1, kind)) } }
    read.onClicked(self) { $0.choose { $0.send(.readTapped($1)) } }
    toHere.onClicked(self) { $0.choose { $0.send(.readToHereTapped($1)) } }
    club.onClicked(self) { $0.choose { $0.send(.clubTapped($1)) } }
    browser.onClicked(self) { $0.choose { $0.send(.openInBrowserTapped($1)) } }
    copy.onClicked(self) { $0.choose { $0.send(.copyLinkTapped($1)) } }
    mail.onClicked(self) { $0.choose { $0.send(.mailTapped($1)) } }
  }

  /// - Parameters:
  ///   - root: the page's.
  ///   - anchor: what it points at.
  ///   - point: where in the anchor; `nil` for all of it.
  func open(_ row: PostRow, in root: Widget, beside anchor: Widget, at point: (x: Double, y: Double)? = nil) {
    id = row.id
    kinds.show(row.kinds)
    for button in [browser, copy, mail] { button.isVisible = row.link != nil }
    read.label = row.isRead ? "Mark as unread" : "Mark as read"
    if let point { popover.open(in: root, at: point, of: anchor) } else { popover.open(in: root, beside: anchor) }
  }

  private func choose(_ body: (any PostListScreen, String) -> Void) {
    popover.close()
    if let id { body(page, id) }
  }
}
