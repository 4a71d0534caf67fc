import CStoreBaseline
import ContentCache
import Foundation
import HTTPTransport
import PublicationAPI
import Runtime

/// What a reader has read, on the disk: the first page out of a hundred thousand posts, from opening the file to rows that can be drawn, and
/// writing ten thousand posts; against C doing the same with sqlite3 alone.
///
/// The first page is read as after booting, when the file is on the disk alone, and once more when the system has it in memory. In C, too,
/// a thread of its own reads it: a program with a window does not wait for a disk. Writing begins with the posts as an answer brings them
/// and ends when they are in the file. Either way both come to know the posts by their ids.
@MainActor enum StoreBenchmark {
  static let goals = (reading: 1.3, writing: 1.4)
  nonisolated private static let (stored, writes, pageSize) = (100_000, 10_000, 50)
  private static let owner = "bench"

  static func run(rounds: Int) async throws -> [Figure] {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("matinee-bench-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let path = folder.appendingPathComponent("read.sqlite").path
    try await fill(path)
    return [
      try await reading(path, rounds, isCold: true),
      // A round takes half a millisecond, of which each wake-up of a thread is a part: of a hundred rounds the medians lie 0.04 apart from
      // one time to the next, of five hundred 0.02.
      try await reading(path, rounds * 60, isCold: false), try await writing(folder, rounds),
    ]
  }

  private static func reading(_ path: String, _ rounds: Int, isCold: Bool) async throws -> Figure {
    var times: [[Double]] = [[], []]
    for round in 0...rounds {
      // The second of the two finds more of the file in other memories, such as the disk's.
      for isOurs in [round.isMultiple(of: 2), !round.isMultiple(of: 2)] {
        if isCold, bench_store_forget(path) != 0 { throw Mistake(description: "the system does not forget a file") }
        // What the one before left behind, such as its thread, is gone by then.
        try await Task.sleep(for: .milliseconds(5))
        let time = isOurs ? try await ours(path) : try await inC(path)
        // The first round warms up.
        if round > 0 { times[isOurs ? 0 : 1].append(time) }
      }
    }
    return Figure(
      name: "store, first page of 100,000, \(isCold ? "as after booting" : "file in memory")", ours: times[0].median,
      baseline: times[1].median, against: "sqlite3 in C", goal: goals.reading)
  }

  private static func ours(_ path: String) async throws -> Double {
    let start = ContinuousClock.now
    let opened = Opened(path)
    let shown = await opened.show(.storedOnly)
    guard opened.list.state.ids.count == pageSize else { throw Mistake(description: "the first page is not whole") }
    await opened.close()
    return (shown - start) / .seconds(1)
  }

  private static func inC(_ path: String) async throws -> Double {
    var posts = bench_posts()
    let time = await seconds { posts = bench_store_first_page(path, owner, "posts") }
    let count = posts.count
    bench_posts_free(posts)
    guard count == pageSize else { throw Mistake(description: "C read \(count) posts") }
    return time
  }

  private static func writing(_ folder: URL, _ rounds: Int) async throws -> Figure {
    let posts = (0..<writes).map(SavedPosts.post)
    let plain = try PlainPosts(posts)
    var times: [[Double]] = [[], []]
    for round in 0...rounds {
      let paths = ["ours", "c"].map { folder.appendingPathComponent("\($0)-\(round).sqlite").path }
      // Both begin with an empty file that the app has made.
      for path in paths {
        let cache = Cache<Post>(store: EntityStore(path: path, owner: owner, clock: SystemClock()), effects: Effects())
        cache.remove(["none"])
        await cache.written()
      }
      // The second of the two may have to wait for what the first left to the disk.
      for isOurs in [round.isMultiple(of: 2), !round.isMultiple(of: 2)] {
        let time = isOurs ? await written(posts, to: paths[0]) : try await writtenInC(plain, to: paths[1])
        if round > 0 { times[isOurs ? 0 : 1].append(time) }
      }
      // Or the comparison would be none.
      guard bench_store_same(paths[0], paths[1], writes * 100) else { throw Mistake(description: "C and the app wrote different things") }
      for path in paths { for end in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: path + end) } }
    }
    return Figure(
      name: "store, writing 10,000 from an answer to the file", ours: times[0].median, baseline: times[1].median, against: "sqlite3 in C",
      goal: goals.writing)
  }

  private static func written(_ posts: [Post], to path: String) async -> Double {
    var made: (store: EntityStore, cache: Cache<Post>)?
    let time = await seconds {
      let store = EntityStore(path: path, owner: owner, clock: SystemClock())
      let cache = Cache<Post>(store: store, effects: Effects())
      cache.store(posts)
      await cache.written()
      made = (store, cache)
    }
    await made?.store.close()
    return time
  }

  private static func writtenInC(_ posts: PlainPosts, to path: String) async throws -> Double {
    var code: Int32 = 0
    let time = await seconds { code = bench_store_write(path, owner, posts.posts) }
    guard code == 0 else { throw Mistake(description: "C could not write: \(code)") }
    return time
  }

  /// Reads the list from its start to its end, as if a reader had scrolled through all of it.
  private static func fill(_ path: String) async throws {
    let opened = Opened(path, count: stored)
    _ = await opened.show(.network)
    while !opened.list.state.reachedEnd {
      opened.list.loadMore()
      await opened.effects.settled()
    }
    guard opened.list.state.ids.count == stored else { throw Mistake(description: "not everything was stored") }
    await opened.close()
  }

  /// A cache on a file, with a list of all posts.
  @MainActor private final class Opened {
    let effects = Effects()
    let stored: EntityStore
    let cache: Cache<Post>
    let list: PageFetcher<Post>

    init(_ path: String, count: Int = 0) {
      stored = EntityStore(path: path, owner: owner, clock: SystemClock())
      cache = Cache(store: stored, effects: effects)
      list = PageFetcher("load", list: "posts", cache: cache, effects: effects, explain: { .refused("\($0)") }) { cursor, _ in
        let start = cursor.flatMap { Int($0) } ?? 0
        let end = min(start + pageSize, count)
        return .page(FetchedPage(items: (start..<end).map(SavedPosts.post), next: end < count ? "\(end)" : nil))
      }
    }

    /// Waits until the list has rows.
    /// - Returns: when a view was notified of them.
    func show(_ policy: FetchPolicy) async -> ContinuousClock.Instant {
      await withCheckedContinuation { (shown: CheckedContinuation<ContinuousClock.Instant, Never>) in
        var shown: CheckedContinuation<ContinuousClock.Instant, Never>? = shown
        list.onChange = { state in
          guard !state.ids.isEmpty else { return }
          shown?.resume(returning: .now)
          shown = nil
        }
        list.reload(policy)
      }
    }

    func close() async {
      await effects.settled()
      await cache.written()
      await stored.close()
    }
  }
}

/// A publication with as many posts as are wanted.
struct SavedPosts: Transport {
  let count: Int

  func send(_ request: Request) async throws -> Response {
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

  init(_ posts: [Post]) throws {
    self.posts = bench_posts_make(posts.count)
    guard let place = self.posts.posts else { throw Mistake(description: "there is no memory for the posts") }
    for (index, post) in posts.enumerated() {
      let reaction = post.reactions.counts.first
      place[index] = bench_post(
        id: strdup(post.id), fan_club_id: strdup(post.fanClubID), fan_club_name: strdup(post.fanClubName), title: strdup(post.title),
        byline: strdup(post.byline), teaser: strdup(post.teaser), picture: post.picture.map { strdup($0) },
        url: post.url.map { strdup($0) },
        reaction: post.reaction.map { strdup($0.rawValue) }, read_mark: post.readMark.map { strdup($0) },
        published: post.published.timeIntervalSinceReferenceDate,
        premium: post.premium, unlocked: post.unlocked, bookmarked: post.bookmarked, read: post.read,
        reaction_kind: reaction.map { strdup($0.kind.rawValue) }, reaction_count: Int64(reaction?.count ?? 0),
        comments: Int64(post.comments))
    }
  }

  deinit { bench_posts_free(posts) }
}
