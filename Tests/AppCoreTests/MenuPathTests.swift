import AppCore
import HTTPTransport
import LoginFeature
import MenuFeature
import NavigationCore
import PublicationServer
import Runtime
import TestSupport
import Testing

/// What the main menu leads to: signed in, at the login, and nowhere else.
@MainActor @Suite struct MenuPathTests {
  private func atTheLogin() async throws -> PathRig {
    let clock = ManualClock(now: .init(timeIntervalSince1970: 1_780_000_000))
    let publication = try await Sample.publication(clock: clock)
    return PathRig(InProcessTransport { await publication.handle($0) })
  }

  nonisolated static let places: [(Navigation, Destination)] = [(.about, .about), (.shortcuts, .shortcuts)]

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
}
