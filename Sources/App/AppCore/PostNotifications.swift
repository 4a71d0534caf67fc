import ContentCache
import Foundation
import PublicationAPI
import PublicationClient
import Runtime

/// Looks for new posts of the fan clubs that a reader follows, also while there is no window, and raises a notification for each; one for
/// all when many come at once. Isolated to the main actor.
///
/// What was there at the first look is not new, and what was told once is never told again, also not after a restart. In quiet hours it
/// does not look: what came meanwhile is told afterwards, as far as it was not read by then.
@MainActor final class PostNotifications {
  /// What is remembered from one run to the next.
  struct Memory: Codable, Equatable, Sendable {
    /// The posts that were seen last, the oldest first; `nil` before the first look.
    var seen: [Post.ID]?
    /// Since when the reader follows a club: what it published before is not new.
    var since: [FanClub.ID: Date] = [:]
    /// Which notifications are on the desktop.
    var raised: Set<Post.ID> = []
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
  private let keep: @MainActor (Memory) -> Void
  private let isOnScreen: @MainActor (Post.ID) -> Bool
  private var memory: Memory
  private var etag: String?
  private var looking: Task<Void, Never>?
  private var watching: Task<Void, Never>?
  private var observations: [Observation] = []
  private var followed: [FanClub.ID: Bool] = [:]

  /// - Parameters:
  ///   - memory: what an earlier run knew.
  ///   - keep: called with each change of it.
  ///   - isOnScreen: whether the reader sees a post at this moment.
  init(
    _ content: ContentStore, _ preferences: NotificationPreferences, notifier: any Notifier, environment: AppEnvironment, memory: Memory,
    keep: @escaping @MainActor (Memory) -> Void, isOnScreen: @escaping @MainActor (Post.ID) -> Bool
  ) {
    self.content = content
    self.preferences = preferences
    self.notifier = notifier
    self.environment = environment
    self.memory = memory
    self.keep = keep
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

  /// Nothing is raised any more, and what is on the desktop is taken away: it belongs to a reader who is gone.
  func end() {
    looking?.cancel()
    watching?.cancel()
    for observation in observations { observation.cancel() }
    for post in memory.raised { notifier.withdraw(post) }
    notifier.withdraw(Self.summaryID)
  }

  private func isOn(_ isOn: Bool) {
    guard isOn else {
      looking?.cancel()
      looking = nil
      // What comes from here on is nothing that the reader wants to hear of, also not later.
      change { $0.seen = nil }
      return
    }
    guard looking == nil else { return }
    looking = Task { [weak self, effects = environment.effects, clock = environment.clock] in
      if self?.memory.seen == nil { await self?.look() }
      while !Task.isCancelled {
        do { try await effects.sleep("notify.pace", for: Self.pace, on: clock) } catch { return }
        await self?.look()
      }
    }
  }

  private func look() async {
    let settings = preferences.settings.value
    let isFirst = memory.seen == nil
    guard settings.isOn, isFirst || !settings.isQuiet(at: environment.clock.now, in: environment.formatting.timeZone) else { return }
    let answer = try? await content.followedPosts("notify.look", unless: isFirst ? nil : etag)
    guard case .changed(let page, let tag)? = answer, !Task.isCancelled, !content.isClosed else { return }
    self.etag = tag
    found(page)
  }

  private func found(_ page: Page<Post>) {
    let seen = Set(memory.seen ?? [])
    let unseen = page.items.filter { !seen.contains($0.id) }
    let isFirst = memory.seen == nil
    change { $0.seen = Array((($0.seen ?? []) + unseen.map(\.id)).suffix(Self.remembered)) }
    guard !isFirst else { return }
    let due = unseen.filter(isDue).sorted { ($0.published, $0.id) < ($1.published, $1.id) }
    guard due.count > Self.separately else {
      for post in due { raise(post) }
      return
    }
    let clubs = Set(due.map(\.fanClubName)).sorted()
    // A whole page of news has more below it.
    let isMore = due.count == page.items.count && page.next != nil
    notifier.show(
      DesktopNotification(
        id: Self.summaryID, title: "\(environment.formatting.count(due.count))\(isMore ? " or more" : "") new posts",
        body: clubs.count > 3 ? "In \(clubs.count) fan clubs that you follow" : "In " + clubs.joined(separator: ", "), link: link("home")))
  }

  private func isDue(_ post: Post) -> Bool {
    let shown = content.posts[post.id] ?? post
    return !shown.read && !preferences.settings.value.muted.contains(post.fanClubID)
      && post.published > (memory.since[post.fanClubID] ?? .distantPast)
      && environment.clock.now.timeIntervalSince(post.published) < Self.newest && !isOnScreen(post.id)
  }

  private func raise(_ post: Post) {
    notifier.show(DesktopNotification(id: post.id, title: post.fanClubName, body: post.title, link: link("posts/\(post.id)")))
    change { $0.raised.insert(post.id) }
  }

  private func link(_ place: String) -> String {
    var link = URLComponents(string: "matinee://\(place)")
    link?.queryItems = [URLQueryItem(name: "publication", value: environment.origin)]
    return link?.string ?? "matinee://home"
  }

  /// What was read has nothing to say any more.
  private func postsChanged(_ ids: Set<Post.ID>) {
    let read = memory.raised.intersection(ids).filter { content.posts[$0]?.read == true }
    guard !read.isEmpty else { return }
    for post in read { notifier.withdraw(post) }
    change { $0.raised.subtract(read) }
  }

  private func clubsChanged(_ ids: Set<FanClub.ID>) {
    for id in ids {
      guard let club = content.fanClubs[id] else { continue }
      if followed.updateValue(club.followed, forKey: id) == false, club.followed {
        let now = environment.clock.now
        change { $0.since[id] = now }
      }
    }
  }

  private func change(_ body: (inout Memory) -> Void) {
    let before = memory
    body(&memory)
    if memory != before { keep(memory) }
  }
}
