import ContentCache
import Foundation
import PublicationAPI
import ReaderContent
import Runtime

/// Looks for new posts of the fan clubs that a reader follows, also while there is no window, and raises a notification for each; one for
/// all when many come at once. Isolated to the main actor.
///
/// What was there at the first look is not new, and what was told once is never told again, also not after a restart. Neither is what a
/// club had published before the reader followed it or asked for its posts. In quiet hours it does not look: what came meanwhile is told
/// afterwards, as far as it was not read by then.
@MainActor final class PostNotifications {
  /// What is remembered from one run to the next.
  struct Memory: Codable, Equatable, Sendable {
    /// The posts that were seen last, those of the latest answer at the end; `nil` before the first look.
    var seen: [Post.ID]?
    /// The clubs that the reader is known to follow; `nil` before the publication was asked.
    var followed: Set<FanClub.ID>?
    /// Since when, of those that were followed lately: what a club published before is not new.
    var since: [FanClub.ID: Date] = [:]
    /// Which notifications are on the desktop.
    var raised: Set<Post.ID> = []
    /// Those that the summary on the desktop tells of and the reader has not read; `nil` where there is none.
    var summary: Set<Post.ID>?
  }

  static let pace = Duration.seconds(300)
  /// More than this at once are told in one notification.
  private static let separately = 3
  private static let remembered = 1000
  /// A feed may take its time before it lists a post, but what is older came with a club that was followed on another computer.
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
  private var watching: Task<Void, Never>?
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
    ]
    let settings = preferences.settings.stream()
    watching = Task { [weak self] in
      for await settings in settings where !Task.isCancelled { self?.isOn(settings.isOn) }
    }
  }

  /// The reader comes to where all new posts are: the summary has done its work.
  func withdrawSummary() {
    guard memory.summary != nil else { return }
    notifier.withdraw(Self.summaryID)
    change { $0.summary = nil }
  }

  /// Nothing is raised any more, and what is on the desktop is taken away: it belongs to a reader who is gone.
  func end() {
    checking?.cancel()
    watching?.cancel()
    for observation in observations { observation.cancel() }
    for post in memory.raised { notifier.withdraw(post) }
    notifier.withdraw(Self.summaryID)
  }

  private func isOn(_ isOn: Bool) {
    guard isOn else {
      checking?.cancel()
      checking = nil
      // What comes from here on is nothing that the reader wants to hear of, also not later.
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
      // A club that has published nothing for long is in no answer: without the list it would count as followed with its next post.
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
    follow(page.items.map(\.fanClubID))
    let listed = Set(page.items.map(\.id))
    change {
      // What the publication still lists is forgotten last, however long it stays at the top.
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

  /// Tells of many in one notification, which takes the place of the one before: unread posts of that one are told of again.
  private func summarize(_ due: [Post], orMore isMore: Bool) {
    let untold = memory.summary ?? []
    let all = untold.union(due.map(\.id))
    let known = due + untold.compactMap { content.posts[$0] }
    let clubs = Set(known.map(\.fanClubName)).sorted()
    let place =
      switch clubs.count {
      case _ where known.count < all.count: "fan clubs that you follow"
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
    // A date that is yet to come, by mistake or to stay at the top, makes a post no newer than one of this moment.
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
    follow(clubs.filter(\.followed).map(\.id))
    let left = Set(clubs.filter { !$0.followed }.map(\.id))
    change { $0.followed?.subtract(left) }
  }

  /// Those of them that were not known as followed are followed from now on: here, with a feed that was added, or on another computer.
  private func follow(_ clubs: [FanClub.ID]) {
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
