import FeatureKit
import PublicationAPI
import ReaderContent

/// What the reader bookmarked, newest post first.
///
/// A row leaves as soon as its bookmark is removed, and comes back if that was refused. Posts that were bookmarked elsewhere in the app are
/// there when the page is on screen again.
@MainActor public final class BookmarksViewModel: PostListScreen {
  /// Everything the page shows, but the rows, which ``PostListScreen/row(for:)`` gives.
  public typealias State = ListState
  /// What the reader did.
  public typealias Input = PostList.Input
  /// What the coordinator shall do.
  public typealias Output = PostList.Output

  /// The list, with all that can be done to a row.
  public let posts: PostList

  /// - Parameters:
  ///   - store: the reader's content.
  ///   - formatting: how dates and counts are written.
  ///   - output: called with what the coordinator is to do.
  public init(store: ContentStore, formatting: Formatting, output: @escaping @MainActor (Output) -> Void) {
    posts = PostList(.bookmarks, store: store, formatting: formatting, output: output)
  }

  /// The single source of truth.
  public var state: State { posts.list.state }
  /// See `ScreenModel`.
  public func observe(_ observer: @escaping @MainActor (State) -> Void) { posts.list.observe(observer) }
  /// Handles an input of the reader.
  public func send(_ input: PostList.Input) { posts.send(input) }

  /// See `PostListScreen`.
  public var statusPage: StatusPage? {
    state.statusPage(
      loading: "Fetching your bookmarks…",
      empty: .message(
        .bookmark, heading: "No bookmarks yet", sentence: "Press the bookmark on a post to keep it here for later.", action: .refresh))
  }

  /// The page is on screen: loads the first time, and reads the cache again after that.
  public func appear() { posts.list.appear() }
  /// The page is off screen and does nothing until it comes back.
  public func disappear() { posts.list.disappear() }
}
