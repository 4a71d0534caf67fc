import ContentCache
import Foundation
import PublicationAPI
import ReaderContent
import Runtime

/// Looks for new posts of the fan clubs that a reader follows, also while there is no window, and raises a notification for each, or one
/// for all when there are many at once. Isolated to the main actor.
///
/// Posts of the first look are not new. A post is announced once, also across restarts. Posts from before the reader followed their club,
/// or requested its posts, are not new either. In quiet hours nothing is looked for: posts of that time are announced afterwards, unless
/// they have been read.
@MainActor final class PostNotifications {
  /// What is remembered from one run to the next.
  struct Memory: Codable, Equatable, Sendable {
    /// The posts that were seen last, those of the latest answer at the end; `nil` before the first look.
    var seen: [Post.ID]?
    /// The clubs that the reader is known to follow; `nil` before the publication's first answer.
    var followed: Set<FanClub.ID>?
    /// When each of the recently followed clubs was followed: posts from before that are not new.
    var since: [FanClub.ID: Date] = [:]
    /// Which notifications are on the desktop.
    var raised: Set<Post.ID> = []
    /// The unread posts that the summary on the desktop announces; `nil` where there is no summary.
    var summary: Set<Post.ID>?
  }

  static let pace = Duration.seconds(300)
  /// More posts than this share one notification.
  private static let separately = 3
  private static let remembered = 1000
  /// A feed may list a post late. An older post is there because its club was followed on another computer.
  private static let newest: TimeInterval = 3 * 86_400
  private static let summaryID = "new-posts"

  private let content: ContentStore
  private let preferences: NotificationPreferences
  private let notifier: any Notifier
  private let environment: AppEnvironment
  private let persist: @MainActor (Memory) -> Void
  private let isOnScreen: @MainActor (Post.ID) -> Bool
  private var memory: Memory
  private var etag: String?
  private var checking: Task<Void, Never>?
  private var observations: [Observation] = []

  /// - Parameters:
  ///   - memory: what an earlier run knew.
  ///   - persist: called with each change of it.
  ///   - isOnScreen: whether the reader sees a post at this moment.
  init(
    _ content: ContentStore, _ preferences: NotificationPreferences, notifier: any Notifier, environment: AppEnvironment, memory: Memory,
    persist: @escaping @MainActor (Memory) -> Void, isOnScreen: @escaping @MainActor (Post.ID) -> Bool
  ) {
    self.content = content
    self.preferences = preferences
    self.notifier = notifier
    self.environment = environment
    self.memory = memory
    self.persist = persist
    self.isOnScreen = isOnScreen
  }

  /// Begins to look.
  func start() {
    observations = [
      content.posts.observe { [weak self] in self?.postsChanged($0) }, content.fanClubs.observe { [weak self] in self?.clubsChanged($0) },
      preferences.settings.observe { [weak self] in self?.isOn($0.isOn) },
    ]
  }

  /// The reader opens the list with all new posts: the summary is not needed any more.
  func withdrawSummary() {
    guard memory.summary != nil else { return }
    notifier.withdraw(Self.summaryID)
    change { $0.summary = nil }
  }

  /// Raises no more notifications and withdraws those on the desktop: their reader has signed out.
  func end() {
    checking?.cancel()
    for observation in observations { observation.cancel() }
    for post in memory.raised { notifier.withdraw(post) }
    notifier.withdraw(Self.summaryID)
  }

  private func isOn(_ isOn: Bool) {
    guard isOn else {
      checking?.cancel()
      checking = nil
      // Notifications are off: posts from here on are never announced, not even once they are on again.
      change { $0.seen = nil }
      return
    }
    guard checking == nil else { return }
    checking = Task { [weak self, effects = environment.effects, clock = environment.clock] in
      if self?.memory.seen == nil { await self?.check() }
      while !Task.isCancelled {
        do { try await effects.sleep("notify.pace", for: Self.pace, on: clock) } catch { return }
        await self?.check()
      }
    }
  }

  /// Looks at once, whenever the next look is due.
  func checkNow() { Task { await check() } }

  private func check() async {
    let settings = preferences.settings.value
    let isFirst = memory.seen == nil
    guard settings.isOn, isFirst || !settings.isQuiet(at: environment.clock.now, in: environment.formatting.timeZone) else { return }
    if memory.followed == nil {
      // A club without recent posts is in no answer: without the list it would count as newly followed with its next post.
      guard let clubs = try? await content.followedClubs("notify.clubs"), !Task.isCancelled, !content.isClosed else { return }
      change { $0.followed = Set(clubs.map(\.id)) }
    }
    let answer = try? await content.followedPosts("notify.check", ifNoneMatch: isFirst ? nil : etag)
    guard case .changed(let page, let tag)? = answer, !Task.isCancelled, !content.isClosed else { return }
    self.etag = tag
    found(page)
  }

  private func found(_ page: Page<Post>) {
    let seen = Set(memory.seen ?? [])
    let unseen = page.items.filter { !seen.contains($0.id) }
    let isFirst = memory.seen == nil
    noteFollowed(page.items.map(\.fanClubID))
    let listed = Set(page.items.map(\.id))
    change {
      // Posts that the publication still lists are removed last, however long they stay at the top.
      let seen = Array((($0.seen ?? []).filter { !listed.contains($0) } + page.items.map(\.id)).suffix(Self.remembered))
      $0.seen = seen
      $0.raised.formIntersection(seen)
      $0.summary?.formIntersection(seen)
    }
    guard !isFirst else { return }
    content.newPostsSeen(unseen.map(\.id))
    let due = unseen.filter(isDue).sorted { ($0.published, $0.id) < ($1.published, $1.id) }
    guard due.count > Self.separately else {
      for post in due { raise(post) }
      return
    }
    // A whole page of news has more below it.
    summarize(due, orMore: due.count == page.items.count && page.next != nil)
  }

  /// Announces many posts in one notification, which replaces the earlier one. Unread posts of that are announced again.
  private func summarize(_ due: [Post], orMore isMore: Bool) {
    let untold = memory.summary ?? []
    let all = untold.union(due.map(\.id))
    let posts = due + untold.compactMap { content.posts[$0] }
    let clubs = Set(posts.map(\.fanClubName)).sorted()
    let place =
      switch clubs.count {
      case _ where posts.count < all.count: "fan clubs that you follow"
      case 4...: "\(clubs.count) fan clubs that you follow"
      default: clubs.joined(separator: ", ")
      }
    notifier.show(
      DesktopNotification(
        id: Self.summaryID, title: "\(environment.formatting.count(all.count))\(isMore ? " or more" : "") new posts",
        body: "In \(place)", link: link("home")))
    change { $0.summary = all }
  }

  private func isDue(_ post: Post) -> Bool {
    let shown = content.posts[post.id] ?? post
    let now = environment.clock.now
    // A date in the future, by mistake or to stay at the top, counts as now.
    let published = min(post.published, now)
    let before = max(memory.since[post.fanClubID] ?? .distantPast, content.fetchedAt[post.fanClubID] ?? .distantPast)
    return !shown.read && !preferences.settings.value.muted.contains(post.fanClubID) && published > before
      && now.timeIntervalSince(published) < Self.newest && !isOnScreen(post.id)
  }

  private func raise(_ post: Post) {
    notifier.show(DesktopNotification(id: post.id, title: post.title, body: post.fanClubName, link: link("posts/\(post.id)")))
    change { $0.raised.insert(post.id) }
  }

  private func link(_ place: String) -> String {
    var link = URLComponents(string: "matinee://\(place)")
    link?.queryItems = [URLQueryItem(name: "publication", value: environment.origin)]
    return link?.string ?? "matinee://home"
  }

  /// What was read has nothing to say any more.
  private func postsChanged(_ ids: Set<Post.ID>) {
    let read = memory.raised.union(memory.summary ?? []).intersection(ids).filter { content.posts[$0]?.read == true }
    guard !read.isEmpty else { return }
    for post in memory.raised.intersection(read) { notifier.withdraw(post) }
    change {
      $0.raised.subtract(read)
      $0.summary?.subtract(read)
    }
    if memory.summary?.isEmpty == true { withdrawSummary() }
  }

  private func clubsChanged(_ ids: Set<FanClub.ID>) {
    let clubs = ids.compactMap { content.fanClubs[$0] }
    noteFollowed(clubs.filter(\.followed).map(\.id))
    let left = Set(clubs.filter { !$0.followed }.map(\.id))
    change { $0.followed?.subtract(left) }
  }

  /// Clubs that were not known as followed count as followed from now on: they were followed here, with an added feed, or on another
  /// computer.
  private func noteFollowed(_ clubs: [FanClub.ID]) {
    let now = environment.clock.now
    change {
      guard let followed = $0.followed else { return }
      for club in clubs where !followed.contains(club) {
        $0.followed?.insert(club)
        $0.since[club] = now
      }
      $0.since = $0.since.filter { now.timeIntervalSince($0.value) < Self.newest }
    }
  }

  private func change(_ body: (inout Memory) -> Void) {
    let before = memory
    body(&memory)
    if memory != before { persist(memory) }
  }
}
