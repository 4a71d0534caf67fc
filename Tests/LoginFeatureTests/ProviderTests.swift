import LoginFeature
import Patience
import Runtime
import SessionService
import Testing

/// Signing in by the page of an identity provider, as states through a reader's script.
@MainActor @Suite(.timeLimit(.minutes(1))) struct ProviderTests {
  typealias State = LoginViewModel.State
  private static let example = LoginPublication.Provider(id: "https://accounts.example.org", name: "Example")
  private static let other = LoginPublication.Provider(id: "https://id.example.net", name: "Other")

  private func rig(_ answers: [AuthError?], holds: Bool = false) async -> Rig {
    let publication = LoginPublication(name: "The Paper", mailsCodes: true, providers: [Self.example, Self.other])
    let rig = Rig(answers, holds: holds, publication: publication)
    rig.model.appear()
    await until { rig.model.state.publication != nil }
    return rig
  }

  private func calls(_ count: Int, _ rig: Rig) async {
    await until { rig.calls.count >= count }
  }

  @Test func aProvidersPageSignsIn() async {
    let rig = await rig([nil])
    let (before, start) = (rig.model.state, rig.states.count)
    #expect(before.providers == [Self.example, Self.other] && before.awaitedProvider == nil)
    rig.model.send(.providerTapped(Self.example.id))
    await rig.answered()
    var waiting = before
    waiting.work = .provider(Self.example.id)
    #expect(waiting.awaitedProvider == Self.example)
    #expect(Array(rig.states[start...].prefix(2)) == [waiting, before])
    #expect(rig.calls == ["page of https://accounts.example.org"])
    #expect(rig.session.state.user?.name == "Ada")
  }

  @Test func whatCameBackIsSaid() async {
    let sentence = "Example did not sign you in: that was declined on its page."
    let rig = await rig([.rejected(sentence)])
    rig.model.send(.providerTapped(Self.example.id))
    await rig.answered()
    #expect(rig.model.state.formError == sentence)
    #expect(rig.session.state.isSignedOut)
    rig.model.send(.providerTapped("https://nobody.example.org"))
    #expect(rig.calls.count == 1, "nobody offers it")
  }

  @Test func cancellingSaysThatThePageIsOver() async {
    let rig = await rig([.unreachable("cancelled")], holds: true)
    rig.model.send(.providerTapped(Self.example.id))
    await calls(1, rig)
    rig.model.send(.cancelTapped)
    await rig.answered()
    #expect(rig.model.state.formError == "Signing in in the browser was cancelled. You can close its page.")
    #expect(rig.session.state.isSignedOut)
  }

  /// The first one may be answered still, or have been closed.
  @Test func aSecondClickOpensTheSamePageAgain() async {
    let rig = await rig([nil, nil], holds: true)
    rig.model.send(.providerTapped(Self.example.id))
    await calls(1, rig)
    rig.hasPage = true
    rig.model.send(.providerTapped(Self.example.id))
    #expect(rig.reopened == [Self.example.id] && rig.calls.count == 1)
    #expect(rig.model.state.work == .provider(Self.example.id))
    rig.model.send(.providerTapped(Self.other.id))
    await calls(2, rig)
    #expect(rig.reopened.count == 1)
    await rig.script.release()
    await rig.answered()
    #expect(rig.session.state.user?.name == "Ada")
  }

  /// The last way chosen counts: each other one that was under way is given up.
  @Test(arguments: [0, 1, 2, 3]) func anotherWayInTheMiddle(way: Int) async {
    let rig = await rig([nil, nil], holds: true)
    rig.model.send(.emailChanged("ada@example.org"))
    rig.model.send(.providerTapped(Self.example.id))
    await calls(1, rig)
    switch way {
    // Before there was a page.
    case 0: rig.model.send(.providerTapped(Self.example.id))
    case 1: rig.model.send(.providerTapped(Self.other.id))
    case 2: rig.model.send(.codeTapped)
    default:
      #expect(rig.model.state.canSubmit)
      rig.model.send(.passwordChanged(.init("secret")))
      rig.model.send(.submitTapped)
    }
    await calls(2, rig)
    let expected = [
      "page of https://accounts.example.org", "page of https://id.example.net", "code for ada@example.org", "ada@example.org secret",
    ]
    #expect(rig.calls[1] == expected[way])
    let work: [State.Work] = [.provider(Self.example.id), .provider(Self.other.id), .codeRequest, .credentials]
    #expect(rig.model.state.work == work[way])
    await rig.script.release()
    await rig.answered()
    #expect(rig.model.state.formError == nil)
    if way == 2 { #expect(rig.model.state.code != nil) } else { #expect(rig.session.state.user?.name == "Ada") }
  }
}
