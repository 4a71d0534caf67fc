import AccountFeature
import AppScenarios
import AppCore
import FeatureKit
import Foundation
import HTTPTransport
import LoginFeature
import MenuFeature
import NavigationCore
import PublicationServer
import Runtime
import SessionService
import TestSupport
import Testing

/// What the main menu leads to: signed in, at the login, and nowhere else.
@MainActor @Suite final class MenuPathTests {
  private let folder = FileManager.default.temporaryDirectory.appending(path: "matinee-\(UUID().uuidString)")

  init() throws { try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true) }

  deinit { try? FileManager.default.removeItem(at: folder) }

  private func atTheLogin(folder: String? = nil, notifier: (any Notifier)? = nil) async throws -> PathRig {
    let clock = ManualClock(now: .init(timeIntervalSince1970: 1_780_000_000))
    let publication = try await Sample.publication(clock: clock)
    return PathRig(InProcessTransport { await publication.handle($0) }, folder: folder, notifier: notifier)
  }

  private func preferences(_ rig: PathRig) throws -> PreferencesViewModel {
    rig.coordinator.perform(.preferences)
    return try #require(rig.presenter.visibleScreen?.model as? PreferencesViewModel)
  }

  nonisolated static let places: [(Navigation, Destination)] = [(.about, .about), (.shortcuts, .shortcuts), (.preferences, .preferences)]

  @Test(arguments: places) func itOpensAtTheLogin(move: Navigation, place: Destination) async throws {
    let rig = try await atTheLogin()
    rig.coordinator.perform(move)
    #expect(rig.tracks.last?.outcome == .ignored, "not before there is anything to see")
    rig.coordinator.start()
    rig.coordinator.perform(move)
    #expect(rig.tracks.last?.outcome == .ignored, "nor behind the curtain")
    await rig.settle()
    #expect(rig.visible == .login)
    rig.coordinator.perform(move)
    #expect(rig.visible == place)
    rig.coordinator.perform(.back)
    #expect(rig.visible == .login)
    rig.coordinator.perform(.back)
    #expect(rig.tracks.last?.outcome == .ignored)
    // What is a reader's still waits for one.
    rig.coordinator.perform(.search(""))
    #expect(rig.tracks.last?.outcome == .ignored)
  }

  /// A sign-in that fails ends where it was tried.
  @Test func aSignInThatFailsClosesNothing() async throws {
    let rig = try await atTheLogin()
    rig.coordinator.start()
    await rig.settle()
    let login = try #require(rig.presenter.visibleScreen?.model as? LoginViewModel)
    login.send(.emailChanged("reader@example.org"))
    login.send(.passwordChanged(.init("wrong")))
    login.send(.submitTapped)
    rig.coordinator.perform(.about)
    await rig.settle()
    #expect(login.state.passwordError == AuthError.wrongCredentials.sentence)
    #expect(rig.visible == .about)
  }

  @Test(arguments: places) func whoeverSignsInBeneathItIsInTheFeed(move: Navigation, place: Destination) async throws {
    let rig = try await atTheLogin()
    rig.coordinator.start()
    await rig.settle()
    let login = try #require(rig.presenter.visibleScreen?.model as? LoginViewModel)
    login.send(.emailChanged("reader@example.org"))
    login.send(.passwordChanged(.init("matinee")))
    login.send(.submitTapped)
    rig.coordinator.perform(move)
    #expect(rig.visible == place)
    await rig.settle()
    #expect(rig.visible == .tab(.home))
    #expect(rig.presenter.tree?.sheets.isEmpty == true)
  }

  @Test(arguments: places) func signedInItCoversPagesButNothingThatHasToBeAnswered(move: Navigation, place: Destination) async throws {
    let rig = try await atTheLogin()
    rig.coordinator.start()
    await rig.settle()
    try await rig.signIn()
    rig.coordinator.perform(move)
    #expect(rig.visible == place)
    // From one to the other and back.
    for (other, there) in Self.places {
      rig.coordinator.perform(other)
      #expect(rig.visible == there)
    }
    rig.coordinator.perform(move)
    #expect(rig.visible == place)
    rig.coordinator.perform(.dismiss)
    rig.coordinator.perform(.signOut)
    rig.coordinator.perform(move)
    #expect(rig.visible == .signOut)
    #expect(rig.tracks.last?.outcome == .ignored)
  }

  @Test func whatAboutOpensIsOpenedAtTheLoginToo() async throws {
    let rig = try await atTheLogin()
    rig.coordinator.start()
    await rig.settle()
    rig.coordinator.perform(.about)
    let about = try #require(rig.presenter.visibleScreen?.model as? AboutViewModel)
    about.send(.licenseTapped)
    #expect(rig.opened == ["https://www.apache.org/licenses/LICENSE-2.0"])
    about.send(.closeTapped)
    #expect(rig.visible == .login)
  }

  @Test func preferencesAreTheComputersAndNotificationsAReaders() async throws {
    let rig = try await atTheLogin(notifier: RecordingNotifier())
    rig.coordinator.start()
    await rig.settle()
    let atTheLogin = try preferences(rig)
    #expect(!atTheLogin.state.hasNotifications)
    atTheLogin.send(.articleWidthChosen(.narrow))
    atTheLogin.send(.closeTapped)
    #expect(rig.visible == .login)
    try await rig.signIn()
    let signedIn = try preferences(rig)
    #expect(signedIn.state.values.articleWidth == .narrow)
    #expect(signedIn.state.hasNotifications)
    signedIn.send(.notificationsTapped)
    #expect(rig.visible == .notifications)
    #expect(rig.presenter.tree?.sheets.isEmpty == true)
    for place in [Destination.preferences, .tab(.home)] {
      rig.coordinator.perform(.back)
      #expect(rig.visible == place)
    }
    // Whoever comes from the account's page goes back to what was there.
    rig.coordinator.perform(.notifications)
    rig.coordinator.perform(.back)
    #expect(rig.visible == .tab(.home))
  }

  /// However the page goes: nobody gets the preferences later who did not ask for them.
  @Test(arguments: [Navigation.tab(.home), .confirmed(.back)]) func theWayBackToThePreferencesGoesWithItsPage(move: Navigation) async throws
  {
    let rig = try await atTheLogin(notifier: RecordingNotifier())
    rig.coordinator.start()
    await rig.settle()
    try await rig.signIn()
    try preferences(rig).send(.notificationsTapped)
    #expect(rig.visible == .notifications)
    if move == .tab(.home) {
      // The tab that one is in leads to its first page.
      rig.coordinator.perform(move)
      rig.coordinator.perform(.post("p44"))
    } else {
      rig.coordinator.perform(.tab(.account))
      await rig.settle()
      try #require(rig.presenter.visibleScreen?.model as? AccountViewModel).send(.signOutTapped)
      await rig.settle()
      #expect(rig.visible == .login)
    }
    rig.coordinator.perform(.back)
    #expect(rig.visible == (move == .tab(.home) ? .tab(.home) : .login))
  }

  @Test func whatAReaderReadIsRemovedAndReadAgain() async throws {
    let rig = try await atTheLogin(folder: folder.path)
    rig.coordinator.start()
    await rig.settle()
    #expect(try preferences(rig).state.sizes == [:], "nobody has read anything")
    rig.coordinator.perform(.dismiss)
    try await rig.signIn()
    let sheet = try preferences(rig)
    await rig.settle()
    let before = try #require(sheet.state.sizes[.content]?.prefixMatch(of: /(\d+) KiB are/)?.1)
    sheet.send(.clearContentTapped)
    await rig.settle()
    // An empty file takes a little.
    let after = try #require(sheet.state.sizes[.content]?.prefixMatch(of: /(\d+) KiB are/)?.1)
    #expect(Int(after) ?? 0 < Int(before) ?? 0)
    sheet.send(.closeTapped)
    rig.coordinator.perform(.post("p44"))
    await rig.settle()
    #expect(rig.visible == .post("p44"))
    await rig.coordinator.finish()
  }

  @Test func aDamagedFileIsToldWhenTheCurtainIsUp() async throws {
    try "not JSON".write(toFile: folder.path + "/preferences.json", atomically: true, encoding: .utf8)
    let rig = try await atTheLogin(folder: folder.path)
    rig.coordinator.start()
    #expect(rig.presenter.messages == [])
    await rig.settle()
    #expect(rig.visible == .login)
    #expect(rig.presenter.messages.count == 1)
    #expect(rig.presenter.messages.first?.hasPrefix("The file with your preferences was damaged") == true)
    await rig.coordinator.finish()
  }
}
