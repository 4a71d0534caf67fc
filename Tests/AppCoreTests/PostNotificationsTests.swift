import AppScenarios
import FanClubFeature
import FeatureKit
import Foundation
import PublicationAPI
import ReaderContent
import Runtime
import SessionService
import TestSupport
import Testing

@testable import AppCore

/// Which new posts are told on the desktop, and when.
@MainActor @Suite struct PostNotificationsTests {
  private let notifier = RecordingNotifier()
  private let preferences = NotificationPreferences()
  private final class Screen { var posts: Set<Post.ID> = [] }
  private let screen = Screen()
  private final class Stored { var memory = PostNotifications.Memory() }
  private let stored = Stored()
  private let reader = ReaderFixture(
    posts: (3...5).map { .sample($0) },
    clubs: [
      FanClub(id: "c1", name: "One", followed: true), FanClub(id: "c2", name: "Two", followed: true), FanClub(id: "c3", name: "Three"),
    ])

  private func environment() -> AppEnvironment {
    AppEnvironment(
      origin: "embedded", clock: reader.clock, identifiers: SequentialIdentifiers(), effects: reader.effects,
      formatting: reader.formatting, openWeb: { _ in })
  }

  private func started() async -> PostNotifications {
    let notifications = PostNotifications(
      reader.store, preferences, notifier: notifier, environment: environment(), memory: stored.memory,
      persist: { [stored] in stored.memory = $0 }, isOnScreen: { [screen] in screen.posts.contains($0) })
    notifications.start()
    await reader.settle()
    return notifications
  }

  private func publish(_ id: Post.ID, in club: FanClub.ID = "c1", age: TimeInterval = 60, read: Bool = false) {
    let published = reader.clock.now.addingTimeInterval(-age)
    let name = club == "c1" ? "One" : "Two"
    reader.publication.with {
      $0.posts.append(Post(id: id, fanClubID: club, fanClubName: name, title: "News \(id)", published: published, read: read))
    }
  }

  /// - Parameter sleepers: how many sleep before and after.
  private func wait(_ duration: Duration = PostNotifications.pace, sleepers: Int = 1) async {
    await reader.clock.waitForSleepers(sleepers)
    reader.clock.advance(by: duration)
    // Whoever woke has looked, or asked, once it sleeps again.
    await reader.clock.waitForSleepers(sleepers)
    await reader.settle()
  }

  private var titles: [String] { notifier.shown.map(\.title) }

  @Test func whatWasThereIsNotNewAndEachNewPostIsToldOnce() async {
    let notifications = await started()
    #expect(notifier.shown.isEmpty)
    publish("n1")
    publish("n2", in: "c2", age: 120)
    await wait()
    await wait()
    #expect(
      notifier.shown == [
        DesktopNotification(id: "n2", title: "News n2", body: "Two", link: "matinee://posts/n2?publication=embedded"),
        DesktopNotification(id: "n1", title: "News n1", body: "One", link: "matinee://posts/n1?publication=embedded"),
      ])
    notifications.end()
    #expect(notifier.present.isEmpty)
  }

  @Test func aLookThatBringsNothingNewIsOneThatBringsNothing() async {
    let notifications = await started()
    reader.publication.forgetRequests()
    await wait()
    #expect(reader.publication.requests == ["GET /v1/posts?followed=true&limit=100"])
    notifications.end()
  }

  @Test func moreOfTheirClubsAreUnread() async {
    reader.publication.with { for index in $0.clubs.indices { $0.clubs[index].unread = 0 } }
    let page = FanClubListViewModel(store: reader.store, formatting: reader.formatting, documents: .onDisk) { _ in }
    page.appear()
    let notifications = await started()
    let unread = { ["c1", "c2"].map { page.row(for: $0)?.unread } }
    #expect(unread() == ["3", ""])
    var drawn: [Set<FanClub.ID>] = []
    page.onRowsChanged = { drawn.append($0) }
    reader.publication.forgetRequests()
    publish("n1")
    publish("n2")
    await wait()
    #expect(unread() == ["5", ""])
    #expect(drawn == [["c1"]])
    publish("n3", in: "c2")
    await wait()
    await wait()
    #expect(unread() == ["5", "1"])
    #expect(reader.publication.requests.filter { $0.hasPrefix("GET /v1/fanclubs") } == ["GET /v1/fanclubs/c1", "GET /v1/fanclubs/c2"])
    notifications.end()
  }

  @Test func manyAreToldInOne() async {
    let notifications = await started()
    for number in 1...4 { publish("n\(number)", in: number == 1 ? "c2" : "c1", age: Double(number)) }
    await wait()
    #expect(
      notifier.shown == [
        DesktopNotification(id: "new-posts", title: "4 new posts", body: "In One, Two", link: "matinee://home?publication=embedded")
      ])
    notifications.end()
  }

  @Test func aWholePageOfNewsMayHaveMoreBelow() async {
    let notifications = await started()
    reader.publication.with { $0.pageSize = 5 }
    for number in 1...6 { publish("n\(number)", age: Double(number)) }
    await wait()
    #expect(notifier.shown.map(\.title) == ["5 or more new posts"])
    notifications.end()
  }

  @Test func nothingOfWhatTheReaderKnowsOrDoesNotWant() async {
    let notifications = await started()
    publish("read", read: true)
    publish("seen")
    publish("muted", in: "c2")
    publish("old", age: 4 * 86_400)
    publish("elsewhere", in: "c3")
    screen.posts = ["seen"]
    preferences.set(false, for: "c2")
    await wait()
    preferences.set(true, for: "c2")
    screen.posts = []
    await wait()
    #expect(notifier.shown.isEmpty)
    notifications.end()
  }

  @Test func whatIsReadIsTakenFromTheDesktop() async {
    let notifications = await started()
    publish("n1")
    publish("n2")
    await wait()
    #expect(notifier.present.map(\.id) == ["n1", "n2"])
    reader.store.markRead("n1")
    await reader.settle()
    #expect(notifier.present.map(\.id) == ["n2"])
    notifications.end()
  }

  @Test func quietHoursHoldWhatComesAndTellItAfterwardsUnlessItWasRead() async {
    // The clock stands at 22:13.
    preferences.change { $0.hasQuietHours = true }
    let notifications = await started()
    for number in 1...2 { publish("n\(number)") }
    await wait(.seconds(3600))
    #expect(notifier.shown.isEmpty)
    reader.publication.with { state in
      for index in state.posts.indices where state.posts[index].id == "n1" { state.posts[index].read = true }
    }
    await wait(.seconds(7 * 3600))
    #expect(notifier.shown.isEmpty)
    await wait(.seconds(3600))
    #expect(titles == ["News n2"])
    notifications.end()
  }

  @Test func offMeansNothingIsAskedAndNothingIsToldLater() async {
    let notifications = await started()
    preferences.change { $0.isOn = false }
    await reader.settle()
    publish("n1")
    reader.publication.forgetRequests()
    reader.clock.advance(by: .seconds(3600))
    await reader.settle()
    #expect(reader.publication.requests.isEmpty)
    preferences.change { $0.isOn = true }
    await reader.settle()
    await wait()
    #expect(notifier.shown.isEmpty)
    publish("n2")
    await wait()
    #expect(titles == ["News n2"])
    notifications.end()
  }

  @Test func aClubThatIsFollowedNowHasNoNewsOfBefore() async {
    reader.publication.with { $0.clubs[1].followed = false }
    let clubs = FollowedClubs(store: reader.store)
    clubs.appear()
    let notifications = await started()
    publish("before", in: "c2")
    reader.store.toggleFollow("c2")
    await reader.settle()
    await wait()
    #expect(notifier.shown.isEmpty)
    publish("after", in: "c2", age: 1)
    await wait()
    #expect(titles == ["News after"])
    notifications.end()
  }

  @Test func whatWasToldIsRememberedAfterARestart() async {
    var notifications = await started()
    publish("n1")
    await wait()
    notifications.end()
    publish("n2")
    notifications = await started()
    #expect(titles == ["News n1"])
    await wait()
    #expect(titles == ["News n1", "News n2"])
    notifications.end()
  }

  @Test func withoutNetworkItGoesOnLooking() async {
    let notifications = await started()
    publish("n1")
    reader.publication.with { $0.isOffline = true }
    await wait()
    #expect(notifier.shown.isEmpty)
    reader.publication.with { $0.isOffline = false }
    await wait()
    #expect(titles == ["News n1"])
    notifications.end()
  }

  @Test func aFeedThatTheReaderAddsBringsNoNewsOfBefore() async {
    let notifications = await started()
    reader.publication.with { $0.clubs.append(FanClub(id: "c9", name: "Nine", followed: true)) }
    publish("old", in: "c9", age: 3600)
    publish("from the future", in: "c9", age: -3600)
    await wait()
    #expect(notifier.shown.isEmpty)
    publish("new", in: "c9", age: -60)
    await wait()
    #expect(titles == ["News new"])
    notifications.end()
  }

  @Test func postsThatTheReaderAskedForAreNoNews() async {
    let notifications = await started()
    reader.publication.with {
      $0.clubs[1].fetched = false
      $0.imports = [Import(id: "i"), Import(id: "i", state: .done, clubs: ["c2"])]
    }
    let page = FanClubViewModel("c2", store: reader.store, formatting: reader.formatting) { _ in }
    page.appear()
    await reader.settle()
    page.send(.fetchTapped)
    for number in 1...5 { publish("old \(number)", in: "c2", age: Double(number) * 3600) }
    page.disappear()
    await reader.settle()
    await wait(.seconds(1))
    await wait()
    #expect(notifier.shown.isEmpty)
    publish("new", in: "c2", age: 1)
    await wait()
    #expect(titles == ["News new"])
    notifications.end()
  }

  /// The publication dates them when it fetches them.
  @Test func postsWithoutADateThatTheReaderAskedForAreNoNews() async {
    let notifications = await started()
    reader.publication.with {
      $0.clubs[1].fetched = false
      $0.imports = Array(repeating: Import(id: "i"), count: 4) + [Import(id: "i", state: .done, clubs: ["c2"])]
    }
    let page = FanClubViewModel("c2", store: reader.store, formatting: reader.formatting) { _ in }
    page.appear()
    await reader.settle()
    page.send(.fetchTapped)
    page.disappear()
    // The fetch looks how far it is, too.
    for _ in 0..<3 { await wait(.milliseconds(500), sleepers: 2) }
    for number in 1...5 { publish("undated \(number)", in: "c2", age: 0) }
    await wait(.milliseconds(500))
    await wait()
    #expect(notifier.shown.isEmpty)
    notifications.end()
  }

  @Test func whatStaysAtTheTopIsToldOnce() async {
    reader.publication.with { $0.pageSize = 100 }
    let notifications = await started()
    publish("pinned", age: -50 * 365 * 86_400)
    await wait()
    for round in 0..<12 {
      for number in 0..<90 { publish("\(round) \(number)", age: Double(number)) }
      await wait()
      notifications.withdrawSummary()
    }
    publish("last")
    await wait()
    #expect(titles == ["News pinned"] + (0..<12).map { _ in "90 new posts" } + ["News last"])
    #expect(stored.memory.raised == ["last", "pinned"])
    for number in 0..<12 {
      for other in 0..<90 { publish("more \(number) \(other)", age: Double(other)) }
      await wait()
    }
    #expect(stored.memory.raised == ["pinned"])
    notifications.end()
  }

  @Test func aFurtherSummaryTellsOfWhatNobodyHasReadOfTheOneBefore() async {
    let notifications = await started()
    for number in 1...4 { publish("n\(number)", in: "c2", age: Double(number)) }
    await wait()
    reader.store.markRead("n1")
    for number in 5...9 { publish("n\(number)", age: Double(number)) }
    await wait()
    #expect(notifier.present.map(\.title) == ["8 new posts"])
    #expect(notifier.present.map(\.body) == ["In One, Two"])
    notifications.withdrawSummary()
    #expect(notifier.present.isEmpty)
    for number in 10...13 { publish("n\(number)", age: Double(number)) }
    await wait()
    #expect(titles == ["4 new posts", "8 new posts", "4 new posts"])
    notifications.end()
  }

  @Test func whatAFeedBringsLateIsToldThoughManyNewerStandAboveIt() async {
    reader.publication.with { $0.pageSize = 100 }
    let notifications = await started()
    for number in 1...25 { publish("n\(number)", age: Double(number)) }
    await wait()
    publish("late", in: "c2", age: 1800)
    await wait()
    #expect(titles == ["25 new posts", "News late"])
    notifications.end()
  }

  @Test func theSummaryGoesOnceItsPostsAreRead() async {
    var notifications = await started()
    for number in 1...4 { publish("n\(number)", age: Double(number)) }
    await wait()
    for number in 1...3 { reader.store.markRead("n\(number)") }
    await reader.settle()
    #expect(notifier.present.map(\.id) == ["new-posts"])
    notifications = PostNotifications(
      reader.store, preferences, notifier: notifier, environment: environment(), memory: stored.memory,
      persist: { [stored] in stored.memory = $0 }, isOnScreen: { _ in false })
    notifications.start()
    reader.store.markRead("n4")
    await reader.settle()
    #expect(notifier.present.isEmpty)
    notifications.end()
  }
}
