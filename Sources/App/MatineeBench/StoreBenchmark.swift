import CStoreBaseline
import ContentCache
import Foundation
import HTTPTransport
import PublicationAPI
import PublicationClient
import Runtime

/// What a reader has read, on the disk: the first page out of a hundred thousand posts, from opening the file to rows that can be drawn, and
/// writing ten thousand posts; against C doing the same with sqlite3 alone.
@MainActor enum StoreBenchmark {
  static let goals = (reading: 1.2, writing: 1.4)
  private static let (stored, written, pageSize) = (100_000, 10_000, 50)
  private static let owner = "bench"

  static func run(rounds: Int) async throws -> [Figure] {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("matinee-bench-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    return [try await reading(folder, rounds), try await writing(folder, rounds)]
  }

  private static func reading(_ folder: URL, _ rounds: Int) async throws -> Figure {
    let path = folder.appendingPathComponent("read.sqlite").path
    try await fill(path)
    var times: [[Double]] = [[], []]
    for round in 0...rounds {
      var opened: Opened?
      let mine = await seconds {
        let new = Opened(path, SavedPosts(count: 0))
        await new.show()
        opened = new
      }
      guard let opened, opened.page.list.state.ids.count == pageSize else { throw Mistake(description: "the first page is not whole") }
      await opened.close()
      var posts = bench_posts()
      let base = await seconds { posts = bench_store_first_page(path, "posts") }
      let count = posts.count
      bench_posts_free(posts)
      guard count == pageSize else { throw Mistake(description: "C read \(count) posts") }
      // The first round warms up.
      guard round > 0 else { continue }
      times[0].append(mine)
      times[1].append(base)
    }
    return Figure(
      name: "store, first page of 100,000", ours: times[0].median, baseline: times[1].median, against: "sqlite3 in C", goal: goals.reading)
  }

  private static func writing(_ folder: URL, _ rounds: Int) async throws -> Figure {
    let posts = (0..<written).map(SavedPosts.post)
    let plain = PlainPosts(posts)
    var times: [[Double]] = [[], []]
    for round in 0...rounds {
      let paths = ["ours", "c"].map { folder.appendingPathComponent("\($0)-\(round).sqlite").path }
      // Both begin with an empty file that the app has made.
      for path in paths {
        let cache = Cache<Post>(store: EntityStore(path: path, owner: owner, clock: SystemClock()), effects: Effects())
        cache.remove(["none"])
        await cache.written()
      }
      let store = EntityStore(path: paths[0], owner: owner, clock: SystemClock())
      let cache = Cache<Post>(store: store, effects: Effects())
      let mine = await seconds {
        cache.store(posts)
        await cache.written()
      }
      await store.close()
      var code: Int32 = 0
      let base = await seconds { code = bench_store_write(paths[1], owner, plain.posts) }
      guard code == 0 else { throw Mistake(description: "C could not write: \(code)") }
      // Or the comparison would be none.
      guard bench_store_same(paths[0], paths[1], written * 100) else { throw Mistake(description: "C and the app wrote different things") }
      for path in paths { for end in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: path + end) } }
      guard round > 0 else { continue }
      times[0].append(mine)
      times[1].append(base)
    }
    return Figure(
      name: "store, writing 10,000", ours: times[0].median, baseline: times[1].median, against: "sqlite3 in C", goal: goals.writing)
  }

  /// Reads the list from its start to its end, as if somebody had scrolled through all of it.
  private static func fill(_ path: String) async throws {
    let opened = Opened(path, SavedPosts(count: stored))
    await opened.show()
    while opened.page.list.state.canLoadMore {
      opened.page.list.reachedEnd()
      await opened.effects.settled()
    }
    guard opened.page.list.state.ids.count == stored else { throw Mistake(description: "not everything was stored") }
    await opened.close()
  }

  /// The app's own content store on a file, with a page of all posts.
  @MainActor private final class Opened {
    let effects = Effects()
    let stored: EntityStore
    let content: ContentStore
    let page: PostList

    init(_ path: String, _ transport: SavedPosts) {
      stored = EntityStore(path: path, owner: owner, clock: SystemClock())
      content = ContentStore(
        client: APIClient(transport: transport, token: { "token" }), stored: stored, retry: Retry(on: SystemClock()), effects: effects)
      page = PostList(
        .all, store: content, formatting: Formatting(clock: SystemClock(), locale: Locale(identifier: "en_GB"), timeZone: .gmt)
      ) { _ in }
    }

    /// Returns when the list has rows.
    func show() async {
      await withCheckedContinuation { (shown: CheckedContinuation<Void, Never>) in
        var shown: CheckedContinuation<Void, Never>? = shown
        page.list.onChange = { state in
          guard !state.ids.isEmpty else { return }
          shown?.resume()
          shown = nil
        }
        page.list.appear()
      }
    }

    func close() async {
      await effects.settled()
      await content.written()
      await stored.close()
    }
  }
}

/// A publication with as many posts as are wanted, or none that can be reached.
struct SavedPosts: Transport {
  let count: Int

  func send(_ request: Request) async throws -> Response {
    guard count > 0 else { throw TransportError.unreachable("there is no network") }
    if request.method != .get {
      var post = Self.post(request.target.split(separator: "-").dropFirst().first.flatMap { Int($0) } ?? 0)
      post.bookmarked = request.method == .put
      return Response(200, body: try Wire.encode(post))
    }
    let cursor = request.target.split(separator: "cursor=").dropFirst().first.flatMap { Int($0) } ?? 0
    let end = min(cursor + 50, count)
    let page = Page(items: (cursor..<end).map(Self.post), next: end < count ? "\(end)" : nil)
    return Response(200, body: try Wire.encode(page))
  }

  static func post(_ number: Int) -> Post {
    Post(
      id: "post-\(number)-of-the-interval", fanClubID: "club-\(number % 40)", fanClubName: "The club of number \(number % 40)",
      title: "What happened on evening \(number), and why nobody saw it coming", byline: "Somebody of the \(number % 7) editors",
      teaser: String(repeating: "It was a quiet evening, and then it was not. ", count: 5), picture: "/v1/pictures/\(number % 500).jpg",
      url: "https://example.org/posts/\(number)", published: Date(timeIntervalSinceReferenceDate: 700_000_000 - Double(number) * 60),
      premium: number.isMultiple(of: 3), reactions: [.love: number % 90 + 1], reaction: number.isMultiple(of: 10) ? .love : nil,
      read: number.isMultiple(of: 2), comments: number % 12)
  }
}

/// The same posts, as C has them.
private final class PlainPosts {
  let posts: bench_posts

  init(_ posts: [Post]) {
    self.posts = bench_posts_make(posts.count)
    for (index, post) in posts.enumerated() {
      let reaction = post.reactions.first
      self.posts.posts[index] = bench_post(
        id: strdup(post.id), fan_club_id: strdup(post.fanClubID), fan_club_name: strdup(post.fanClubName), title: strdup(post.title),
        byline: strdup(post.byline), teaser: strdup(post.teaser), picture: post.picture.map { strdup($0) },
        url: post.url.map { strdup($0) },
        reaction: post.reaction.map { strdup($0.rawValue) }, published: post.published.timeIntervalSinceReferenceDate,
        premium: post.premium, unlocked: post.unlocked, bookmarked: post.bookmarked, read: post.read,
        reaction_kind: reaction.map { strdup($0.key.rawValue) }, reaction_count: Int64(reaction?.value ?? 0), comments: Int64(post.comments)
      )
    }
  }

  deinit { bench_posts_free(posts) }
}
