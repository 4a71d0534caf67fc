import ContentCache
import PublicationAPI

/// A list of posts, with everything that can be done to a row: the feed, a fan club's posts and the bookmarks are each one.
@MainActor public final class PostList {
  /// Which posts.
  public enum Source: Equatable, Sendable {
    /// All of the publication.
    case all
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
  }

  /// The list itself.
  public let list: EntityList<Post>
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
    let client = store.client
    switch source {
    case .all:
      list = EntityList("feed.load", cache: store.posts, store: store, isPremium: \.premium) { try await client.posts(cursor: $0) }
    case .fanClub(let id):
      list = EntityList("fanclub.posts", cache: store.posts, store: store, isPremium: \.premium) {
        try await client.posts(PostFilter(fanClub: id), cursor: $0)
      }
    case .bookmarks:
      // The publication's own order, so that a row comes back where it was.
      let membership = Membership<Post>(contains: \.bookmarked) { ($1.published, $1.id) < ($0.published, $0.id) }
      list = EntityList("bookmarks.load", cache: store.posts, store: store, membership: membership, isPremium: \.premium) {
        try await client.posts(PostFilter(bookmarked: true), cursor: $0)
      }
    }
  }

  /// What a row shows; `nil` for a post that is gone.
  public func row(for id: Post.ID) -> PostRow? {
    list.value(id).map { PostRow($0, hasPremium: store.hasPremium, formatting: formatting) }
  }

  /// Opens the post.
  public func postTapped(_ id: Post.ID) { output(.openPost(id)) }
  /// Opens the page of the post's fan club.
  public func clubTapped(_ id: Post.ID) { if let post = store.posts[id] { output(.openFanClub(post.fanClubID)) } }
  /// Adds or removes the reader's reaction.
  public func reactTapped(_ id: Post.ID) { store.toggleReaction(id) }
  /// Adds or removes the reader's bookmark.
  public func bookmarkTapped(_ id: Post.ID) { store.toggleBookmark(id) }
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
}

extension PostPage {
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
  /// Adds or removes the reader's reaction to a post.
  public func reactTapped(_ id: Post.ID) { posts.reactTapped(id) }
  /// Adds or removes the reader's bookmark on a post.
  public func bookmarkTapped(_ id: Post.ID) { posts.bookmarkTapped(id) }
  /// The last row came in sight.
  public func reachedEnd() { posts.list.reachedEnd() }
  /// The reader has read the message.
  public func messageDismissed() { posts.list.messageDismissed() }
}
