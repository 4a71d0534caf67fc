import ContentCache
import FeatureKit
import Foundation
import PublicationAPI
import PublicationClient
import ReaderContent
import Runtime

/// One action with a thousand pages alive, of which three are on screen, from the reader's press to the last row that is filled again;
/// against pages that each have a copy of their own: the change is broadcast, and each finds the post in its copy and makes its row again.
///
/// The rows on screen are widgets, which needs a display; a build without GTK makes what they show, and says so.
@MainActor enum CacheBenchmark {
  static let goal = 0.02
  /// From the press to the widgets, in seconds.
  static let limit = 0.001
  private static let (pages, onScreen, rows, presses) = (1000, 3, 50, 20)

  static func run(rounds: Int) async throws -> [Figure] {
    let formatting = Formatting(clock: SystemClock(), locale: Locale(identifier: "en_GB"), timeZone: .gmt)
    let effects = Effects()
    let content = ContentStore(
      client: APIClient(transport: SavedPosts(count: rows), token: { "token" }), retry: RetryEnvironment(on: SystemClock()),
      effects: effects)
    let lists = (0..<pages).map { _ in PostList(.all, store: content, formatting: formatting) { _ in } }
    for list in lists {
      list.list.appear()
      await effects.settled()
      for id in list.list.state.ids { _ = list.row(for: id) }
      list.list.disappear()
    }
    for list in lists[..<onScreen] { list.list.appear() }
    await effects.settled()
    #if GTK
      let screen = try CacheScreen(Array(lists[..<onScreen]))
      defer { screen.close() }
      let show: Show = screen.update
      let what = "press to widgets"
    #else
      let show: Show = { list, ids in for id in ids { _ = list.row(for: id) } }
      let what = "press to rows, without widgets"
    #endif
    let copies = (0..<pages).map { _ in OwnCopy((0..<rows).map(SavedPosts.post), formatting) }

    var times: [[Double]] = [[], []]
    for round in 0...rounds {
      var mine: [Double] = []
      for press in 0..<presses {
        mine.append(await pressed(SavedPosts.post(press).id, in: lists, content: content, show: show))
        // The publication's answer comes after what is measured.
        await effects.settled()
      }
      let base = await seconds {
        for press in 0..<presses {
          var post = SavedPosts.post(press)
          post.bookmarked = round.isMultiple(of: 2)
          for copy in copies { copy.changed(post) }
        }
      }
      // The first round warms up.
      guard round > 0 else { continue }
      times[0].append(mine.median)
      times[1].append(base / Double(presses))
    }
    let figure = Figure(
      name: "cache, 1,000 pages, 3 on screen", ours: times[0].median, baseline: times[1].median, against: "broadcast to 1,000 copies",
      goal: goal)
    return [
      figure,
      Figure(name: "cache, \(what)", ours: times[0].median, baseline: limit, against: "the limit", goal: 1),
    ]
  }

  /// Fills rows of a list again.
  private typealias Show = @MainActor (_ list: PostList, _ ids: Set<Post.ID>) -> Void

  /// - Returns: how long it took until all pages on screen had filled theirs, in seconds.
  private static func pressed(_ id: Post.ID, in lists: [PostList], content: ContentStore, show: @escaping Show) async -> Double {
    let time: Duration = await withCheckedContinuation { done in
      var (missing, start) = (onScreen, ContinuousClock.now)
      for list in lists {
        list.list.onRowsChanged = { ids in
          show(list, ids)
          missing -= 1
          if missing == 0 { done.resume(returning: ContinuousClock.now - start) }
        }
      }
      start = .now
      content.toggleBookmark(id)
    }
    for list in lists { list.list.onRowsChanged = nil }
    return time / .seconds(1)
  }

  /// A page without a cache.
  @MainActor private final class OwnCopy {
    private var posts: [Post]
    private var rows: [PostRow]
    private let formatting: Formatting

    init(_ posts: [Post], _ formatting: Formatting) {
      self.posts = posts
      self.formatting = formatting
      rows = posts.map { PostRow($0, hasPremium: false, formatting: formatting) }
    }

    func changed(_ post: Post) {
      guard let index = posts.firstIndex(where: { $0.id == post.id }) else { return }
      posts[index] = post
      rows[index] = PostRow(post, hasPremium: false, formatting: formatting)
    }
  }
}
