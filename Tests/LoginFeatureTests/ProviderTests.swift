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

  private func bench(_ answers: [AuthError?], holds: Bool = false) async -> Bench {
    let publication = LoginPublication(name: "The Paper", mailsCodes: true, providers: [Self.example, Self.other])
    let bench = Bench(answers, holds: holds, publication: publication)
    bench.model.appear()
    await until { bench.model.state.publication != nil }
    return bench
  }

  private func calls(_ count: Int, _ bench: Bench) async {
    await until { bench.auth.calls.count >= count }
  }

  @Test func aProvidersPageSignsIn() async {
    let bench = await bench([nil])
    let (before, start) = (bench.model.state, bench.states.count)
    #expect(before.providers == [Self.example, Self.other] && before.awaitedProvider == nil)
    bench.model.send(.providerTapped(Self.example.id))
    await bench.answered()
    var waiting = before
    waiting.work = .provider(Self.example.id)
    #expect(waiting.awaitedProvider == Self.example)
    #expect(Array(bench.states[start...].prefix(2)) == [waiting, before])
    #expect(bench.auth.calls == ["page of https://accounts.example.org"])
    #expect(bench.session.state.user?.name == "Ada")
  }

  @Test func whatCameBackIsSaid() async {
    let sentence = "Example did not sign you in: that was declined on its page."
    let bench = await bench([.rejected(sentence)])
    bench.model.send(.providerTapped(Self.example.id))
    await bench.answered()
    #expect(bench.model.state.formError == sentence)
    #expect(bench.session.state.isSignedOut)
    bench.model.send(.providerTapped("https://nobody.example.org"))
    #expect(bench.auth.calls.count == 1, "nobody offers it")
  }

  @Test func cancellingSaysThatThePageIsOver() async {
    let bench = await bench([.unreachable("cancelled")], holds: true)
    bench.model.send(.providerTapped(Self.example.id))
    await calls(1, bench)
    bench.model.send(.cancelTapped)
    await bench.answered()
    #expect(bench.model.state.formError == "Signing in in the browser was cancelled. You can close its page.")
    #expect(bench.session.state.isSignedOut)
  }

  /// The first one may be answered still, or have been closed.
  @Test func aSecondClickOpensTheSamePageAgain() async {
    let bench = await bench([nil, nil], holds: true)
    bench.model.send(.providerTapped(Self.example.id))
    await calls(1, bench)
    bench.hasPage = true
    bench.model.send(.providerTapped(Self.example.id))
    #expect(bench.reopened == [Self.example.id] && bench.auth.calls.count == 1)
    #expect(bench.model.state.work == .provider(Self.example.id))
    bench.model.send(.providerTapped(Self.other.id))
    await calls(2, bench)
    #expect(bench.reopened.count == 1)
    await bench.auth.release()
    await bench.answered()
    #expect(bench.session.state.user?.name == "Ada")
  }

  /// The last way chosen counts: each other one that was under way is given up.
  @Test(arguments: [0, 1, 2, 3]) func anotherWayInTheMiddle(way: Int) async {
    let bench = await bench([nil, nil], holds: true)
    bench.model.send(.emailChanged("ada@example.org"))
    bench.model.send(.providerTapped(Self.example.id))
    await calls(1, bench)
    switch way {
    // Before there was a page.
    case 0: bench.model.send(.providerTapped(Self.example.id))
    case 1: bench.model.send(.providerTapped(Self.other.id))
    case 2: bench.model.send(.codeTapped)
    default:
      #expect(bench.model.state.canSubmit)
      bench.model.send(.passwordChanged(.init("secret")))
      bench.model.send(.submitTapped)
    }
    await calls(2, bench)
    let expected = [
      "page of https://accounts.example.org", "page of https://id.example.net", "code for ada@example.org", "ada@example.org secret",
    ]
    #expect(bench.auth.calls[1] == expected[way])
    let work: [State.Work] = [.provider(Self.example.id), .provider(Self.other.id), .codeRequest, .credentials]
    #expect(bench.model.state.work == work[way])
    await bench.auth.release()
    await bench.answered()
    #expect(bench.model.state.formError == nil)
    if way == 2 { #expect(bench.model.state.code != nil) } else { #expect(bench.session.state.user?.name == "Ada") }
  }
}
