import ContentCache
import PublicationAPI

/// A list of posts, with everything that can be done to a row: the feed, a fan club's posts and the bookmarks are each one.
@MainActor public final class PostList {
  /// Which posts.
  public enum Source: Equatable, Sendable {
    /// All of the publication.
    case all
    /// Those that a filter lets through. What the reader does to a row does not make it leave before the list is loaded anew.
    case filtered(PostFilter)
    /// A fan club's.
    case fanClub(FanClub.ID)
    /// Those that the reader bookmarked. A row leaves as soon as its bookmark is taken away, and comes back if that was refused.
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
    /// Close the page, since what it is about is not there.
    case goBack
    /// The reader removed a fan club of this name, with its posts: close every page about them, and say so.
    case fanClubRemoved(String)
  }

  /// The list itself.
  public let list: EntityList<Post>
  private let filter: PostFilter
  private let store: ContentStore
  private let formatting: Formatting
  private let output: @MainActor (Output) -> Void

  /// - Parameters:
  ///   - source: which posts.
  ///   - store: the reader's content.
  ///   - formatting: how dates and counts are written.
  ///   - output: told what the coordinator shall do.
  public init(_ source: Source, store: ContentStore, formatting: Formatting, output: @escaping @MainActor (Output) -> Void) {
    self.store = store
    self.formatting = formatting
    self.output = output
    filter = source.filter
    switch source {
    case .all, .filtered: list = Self.list("feed.load", filter, store)
    case .fanClub: list = Self.list("fanclub.posts", filter, store)
    case .bookmarks:
      // A row comes back where it was.
      let membership = Membership<Post>(contains: \.bookmarked, precedes: Self.precedes)
      list = Self.list("bookmarks.load", filter, store, membership)
    }
    list.onNewer = { [store] in store.came($0) }
  }

  /// The publication's own order.
  private static func precedes(_ a: Post, _ b: Post) -> Bool { (b.published, b.id) < (a.published, a.id) }

  private static func list(
    _ label: String, _ filter: PostFilter, _ store: ContentStore, _ membership: Membership<Post>? = nil
  ) -> EntityList<Post> {
    let client = store.client
    return EntityList(
      label, list: filter.list, cache: store.postCache, store: store, membership: membership, holdsNewer: membership == nil,
      order: precedes, isPremium: \.premium
    ) {
      try await client.posts(filter, cursor: $0, unless: $1)
    }
  }

  /// What a row shows; `nil` for a post that is gone.
  public func row(for id: Post.ID) -> PostRow? {
    list.value(id).map { PostRow($0, hasPremium: store.hasPremium, waiting: store.waiting(about: id), formatting: formatting) }
  }

  /// Opens the post.
  public func postTapped(_ id: Post.ID) { output(.openPost(id)) }
  /// Opens the page of the post's fan club.
  public func clubTapped(_ id: Post.ID) { if let post = store.posts[id] { output(.openFanClub(post.fanClubID)) } }
  /// Opens the post's comments.
  public func commentsTapped(_ id: Post.ID) { output(.openComments(id)) }
  /// Opens the post's page on the web, where it has one.
  public func openInBrowserTapped(_ id: Post.ID) { if let link = row(for: id)?.link { output(.openWeb(link)) } }
  /// Copies the address of that page.
  public func copyLinkTapped(_ id: Post.ID) { if let link = row(for: id)?.link { output(.copyLink(link)) } }
  /// Adds the reader's heart, or takes away whatever reaction there is.
  public func reactTapped(_ id: Post.ID) { store.toggleReaction(id) }
  /// Reacts in this way, or takes the reaction away when it was this one.
  public func reactionTapped(_ id: Post.ID, _ kind: Reaction) { store.react(id, kind) }
  /// Marks the post as read, or as unread.
  public func readTapped(_ id: Post.ID) { if let post = store.posts[id] { store.markRead(id, !post.read) } }
  /// Marks the whole list as read, also what is not loaded; not what appeared above its first row, which the reader has not seen. Of the
  /// bookmarks only what is loaded. The list offers to take it back.
  public func allReadTapped() {
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
  /// Marks the rows down to this one as read. The list offers to take it back.
  public func readToHereTapped(_ id: Post.ID) {
    guard let row = list.state.ids.firstIndex(of: id) else { return }
    offer(store.markRead(list.state.ids[...row]), "Everything down to “\(store.posts[id]?.title.onOneLine ?? "")” was marked as read.")
  }
  /// Takes back what was marked as read last, as long as the list offers that.
  public func undoTapped() { list.undoTapped() }

  private func offer(_ undo: ReadUndo, _ sentence: String) {
    if !undo.isEmpty { list.offerUndo(sentence) { [store] in store.undo(undo) } }
  }
  /// Adds or removes the reader's bookmark.
  public func bookmarkTapped(_ id: Post.ID) { store.toggleBookmark(id) }
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
@MainActor public protocol PostPage: AnyObject {
  /// The list.
  var posts: PostList { get }
  /// The page came on screen.
  func appear()
  /// The page is off screen.
  func disappear()
  /// Loads the page anew.
  func refreshTapped()
  /// Tries again what failed.
  func retryTapped()
  /// Brings in the posts above the first.
  func newPostsTapped()
  /// Tries again to fetch the feeds that could not be fetched.
  func fetchAgainTapped()
  /// Fetches no further feeds.
  func cancelFetchTapped()
  /// The reader has read which feeds could not be fetched.
  func fetchDismissed()
  /// Told the rows to draw again, of those that were asked for.
  var onRowsChanged: ((Set<Post.ID>) -> Void)? { get set }
}

extension PostPage {
  /// Does nothing: the page fetches no feeds.
  public func fetchAgainTapped() {}
  /// Does nothing: the page fetches no feeds.
  public func cancelFetchTapped() {}
  /// Does nothing: the page fetches no feeds.
  public func fetchDismissed() {}
  /// Told the rows to draw again, of those that were asked for.
  public var onRowsChanged: ((Set<Post.ID>) -> Void)? {
    get { posts.list.onRowsChanged }
    set { posts.list.onRowsChanged = newValue }
  }
  /// What a row shows; `nil` for a post that is gone.
  public func row(for id: Post.ID) -> PostRow? { posts.row(for: id) }
  /// Opens a post.
  public func postTapped(_ id: Post.ID) { posts.postTapped(id) }
  /// Opens the page of a post's fan club.
  public func clubTapped(_ id: Post.ID) { posts.clubTapped(id) }
  /// Opens a post's comments.
  public func commentsTapped(_ id: Post.ID) { posts.commentsTapped(id) }
  /// Opens a post's page on the web, where it has one.
  public func openInBrowserTapped(_ id: Post.ID) { posts.openInBrowserTapped(id) }
  /// Copies the address of that page.
  public func copyLinkTapped(_ id: Post.ID) { posts.copyLinkTapped(id) }
  /// Adds the reader's heart to a post, or takes away whatever reaction there is.
  public func reactTapped(_ id: Post.ID) { posts.reactTapped(id) }
  /// Reacts to a post in this way, or takes the reaction away when it was this one.
  public func reactionTapped(_ id: Post.ID, _ kind: Reaction) { posts.reactionTapped(id, kind) }
  /// Marks a post as read, or as unread.
  public func readTapped(_ id: Post.ID) { posts.readTapped(id) }
  /// Marks all rows that are there as read.
  public func allReadTapped() { posts.allReadTapped() }
  /// Marks the rows down to this one as read.
  public func readToHereTapped(_ id: Post.ID) { posts.readToHereTapped(id) }
  /// Takes back what was marked as read last, as long as the page offers that.
  public func undoTapped() { posts.undoTapped() }
  /// Adds or removes the reader's bookmark on a post.
  public func bookmarkTapped(_ id: Post.ID) { posts.bookmarkTapped(id) }
  /// Brings in the posts above the first.
  public func newPostsTapped() { posts.list.newerTapped() }
  /// The last row came in sight.
  public func reachedEnd() { posts.list.reachedEnd() }
  /// The reader has read the message.
  public func messageDismissed() { posts.list.messageDismissed() }
}
