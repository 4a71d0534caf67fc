import ContentCache
import PublicationAPI
import PublicationClient
import ReaderContent

/// A list of posts, with everything that can be done to a row: the feed, a fan club's posts and the bookmarks are each one.
@MainActor public final class PostList {
  /// Which posts a list has.
  public enum Source: Equatable, Sendable {
    /// All of the publication.
    case all
    /// Posts that match a filter. The reader's actions on a row do not remove it before the list is loaded again.
    case filtered(PostFilter)
    /// The posts of one fan club.
    case fanClub(FanClub.ID)
    /// Those that the reader bookmarked. A row leaves as soon as its bookmark is removed, and comes back if that was refused.
    case bookmarks
  }

  /// What the coordinator shall do.
  public enum Output: Equatable, Sendable {
    /// Open a post.
    case openPost(Post.ID)
    /// Open a fan club's page.
    case openFanClub(FanClub.ID)
    /// Open a post's comments.
    case openComments(Post.ID)
    /// Open a page in the browser: an http or https URL.
    case openWeb(String)
    /// Put the address of a page where the reader can paste it from.
    case copyLink(String)
    /// Write a mail with the title and the address of a page.
    case mail(title: String, link: String)
    /// Close the page, since what it is about is not there.
    case goBack
    /// The reader removed a fan club of this name, with its posts: close every page about them, and say so.
    case fanClubRemoved(String)
  }

  /// What the reader did to the list, or to a row of it.
  public enum Input: Codable, Equatable, Sendable {
    /// Opens the post.
    case postTapped(Post.ID)
    /// Opens the page of the post's fan club.
    case clubTapped(Post.ID)
    /// Opens the post's comments.
    case commentsTapped(Post.ID)
    /// Opens the post's page on the web, where it has one.
    case openInBrowserTapped(Post.ID)
    /// Copies the address of that page.
    case copyLinkTapped(Post.ID)
    /// Writes a mail with that address.
    case mailTapped(Post.ID)
    /// Adds the reader's heart, or removes their reaction of any kind.
    case reactionToggled(Post.ID)
    /// Reacts in this way, or takes the reaction away when it was this one.
    case reactionChosen(Post.ID, Reaction)
    /// Marks the post as read, or as unread.
    case readTapped(Post.ID)
    /// Marks the whole list as read, also posts that are not loaded, but not newer ones above its first row, which the reader has not seen.
    /// Of the bookmarks only loaded ones. The list offers to undo it.
    case allReadTapped
    /// Marks the rows down to this one as read. The list offers to undo it.
    case readToHereTapped(Post.ID)
    /// Undoes the last marking as read, as long as the list offers that.
    case undoTapped
    /// Adds or removes the reader's bookmark.
    case bookmarkTapped(Post.ID)
    /// The last row is in sight.
    case reachedEnd
    /// Load the page again: the button, or F5.
    case refreshTapped
    /// Try again what failed.
    case retryTapped
    /// Bring in the posts above the first.
    case newPostsTapped
    /// The reader has read the message.
    case messageDismissed
    /// Try again the feeds that could not be fetched, on a page that fetches any.
    case fetchAgainTapped
    /// Fetch no further feeds.
    case cancelFetchTapped
    /// The reader has read which feeds could not be fetched.
    case fetchDismissed
  }

  /// The rows, and how far the list is.
  public let list: EntityList<Post>
  private let filter: PostFilter
  private let store: ContentStore
  private let formatting: Formatting
  private let output: @MainActor (Output) -> Void

  /// - Parameters:
  ///   - source: which posts.
  ///   - store: the reader's content.
  ///   - formatting: how dates and counts are written.
  ///   - output: called with what the coordinator is to do.
  public init(_ source: Source, store: ContentStore, formatting: Formatting, output: @escaping @MainActor (Output) -> Void) {
    self.store = store
    self.formatting = formatting
    self.output = output
    filter = source.filter
    let label =
      switch source {
      case .all, .filtered: "feed.load"
      case .fanClub: "fanclub.posts"
      case .bookmarks: "bookmarks.load"
      }
    list = EntityList(
      store.postList(label, filter), in: store.posts, store: store, updatesWithActions: filter.bookmarked,
      holdsBackNewItems: !filter.bookmarked, isPremium: \.premium)
    list.onNewItems = { [store] in store.newPostsSeen($0) }
  }

  /// What a row shows; `nil` for a post that is gone.
  public func row(for id: Post.ID) -> PostRow? {
    list.value(id).map { PostRow($0, hasPremium: store.hasPremium, waiting: store.waiting(about: id), formatting: formatting) }
  }

  /// Handles an input of the reader.
  public func send(_ input: Input) {
    switch input {
    case .postTapped(let id): postTapped(id)
    case .clubTapped(let id): clubTapped(id)
    case .commentsTapped(let id): commentsTapped(id)
    case .openInBrowserTapped(let id): openInBrowserTapped(id)
    case .copyLinkTapped(let id): copyLinkTapped(id)
    case .mailTapped(let id): mailTapped(id)
    case .reactionToggled(let id): reactionToggled(id)
    case .reactionChosen(let id, let kind): reactionChosen(id, kind)
    case .readTapped(let id): readTapped(id)
    case .allReadTapped: allReadTapped()
    case .readToHereTapped(let id): readToHereTapped(id)
    case .bookmarkTapped(let id): bookmarkTapped(id)
    case .undoTapped: list.undoTapped()
    case .reachedEnd: list.reachedEnd()
    case .refreshTapped: list.refreshTapped()
    case .retryTapped: list.retryTapped()
    case .newPostsTapped: list.newItemsTapped()
    case .messageDismissed: list.messageDismissed()
    case .fetchAgainTapped, .cancelFetchTapped, .fetchDismissed: break
    }
  }

  private func postTapped(_ id: Post.ID) { output(.openPost(id)) }
  private func clubTapped(_ id: Post.ID) { if let post = store.posts[id] { output(.openFanClub(post.fanClubID)) } }
  private func commentsTapped(_ id: Post.ID) { output(.openComments(id)) }
  private func openInBrowserTapped(_ id: Post.ID) { if let link = row(for: id)?.link { output(.openWeb(link)) } }
  private func copyLinkTapped(_ id: Post.ID) { if let link = row(for: id)?.link { output(.copyLink(link)) } }
  private func mailTapped(_ id: Post.ID) {
    if let row = row(for: id), let link = row.link { output(.mail(title: row.title, link: link)) }
  }
  private func reactionToggled(_ id: Post.ID) { store.toggleReaction(id) }
  private func reactionChosen(_ id: Post.ID, _ kind: Reaction) { store.react(id, kind) }
  private func readTapped(_ id: Post.ID) { if let post = store.posts[id] { store.markRead(id, !post.read) } }
  private func allReadTapped() {
    let rows = list.state.ids.compactMap { store.posts[$0] }
    guard let newest = rows.map(\.published).max(), list.state.canLoadMore || rows.contains(where: { !$0.read }) else { return }
    let undo: ReadUndo
    if filter.bookmarked {
      undo = store.markRead(list.state.ids)
    } else if let club = filter.fanClub {
      undo = store.markAllRead(until: newest, in: [club])
    } else if filter.followed {
      // Those that are known to be followed.
      undo = store.markAllRead(until: newest, in: Set(rows.map(\.fanClubID)).union(store.fanClubs.ids(where: \.followed)))
    } else {
      undo = store.markAllRead(until: newest)
    }
    offer(undo, "Everything here was marked as read.")
  }
  private func readToHereTapped(_ id: Post.ID) {
    guard let row = list.state.ids.firstIndex(of: id) else { return }
    offer(store.markRead(list.state.ids[...row]), "Everything down to “\(store.posts[id]?.title.onOneLine ?? "")” was marked as read.")
  }
  private func offer(_ undo: ReadUndo, _ sentence: String) {
    if !undo.isEmpty { list.offerUndo(sentence) { [store] in store.undo(undo) } }
  }
  private func bookmarkTapped(_ id: Post.ID) { store.toggleBookmark(id) }
}

extension PostList.Source {
  fileprivate var filter: PostFilter {
    switch self {
    case .all: PostFilter()
    case .filtered(let filter): filter
    case .fanClub(let id): PostFilter(fanClub: id)
    case .bookmarks: PostFilter(bookmarked: true)
    }
  }
}

/// A page that shows a list of posts, so that one view draws all of them and each input is written once.
@MainActor public protocol PostListScreen: Refreshable, PostShowing {
  /// The list of posts that the screen shows.
  var posts: PostList { get }
  /// What the page shows in place of posts; `nil` while there are some.
  var statusPage: StatusPage? { get }
  /// Handles an input of the reader, as one of the page's own inputs.
  func send(_ input: PostList.Input)
  /// Called with the rows to draw again, among those that were read.
  var onRowsChanged: ((Set<Post.ID>) -> Void)? { get set }
}

extension PostListScreen {
  /// See ``Refreshable``.
  public func refresh() { send(PostList.Input.refreshTapped) }
  /// See ``PostShowing``.
  public func shows(_ post: Post.ID) -> Bool { posts.list.state.ids.contains(post) }
  /// Called with the rows to draw again, among those that were read.
  public var onRowsChanged: ((Set<Post.ID>) -> Void)? {
    get { posts.list.onRowsChanged }
    set { posts.list.onRowsChanged = newValue }
  }
  /// What a row shows; `nil` for a post that is gone.
  public func row(for id: Post.ID) -> PostRow? { posts.row(for: id) }
}
