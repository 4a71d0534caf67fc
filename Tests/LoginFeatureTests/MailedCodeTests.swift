import LoginFeature
import Patience
import Runtime
import SessionService
import Testing

/// Signing in, and setting another password, by a code that is mailed, as states through a reader's script.
@MainActor @Suite(.timeLimit(.minutes(1))) struct MailedCodeTests {
  typealias State = LoginViewModel.State

  private func bench(_ answers: [AuthError?], holds: Bool = false, mailsCodes: Bool = true) async -> Bench {
    let bench = Bench(answers, holds: holds, publication: LoginPublication(name: "The Paper", mailsCodes: mailsCodes))
    bench.model.appear()
    await until { bench.model.state.publication != nil }
    bench.model.send(.emailChanged(" ada@example.org "))
    return bench
  }

  @Test func aCodeSignsIn() async {
    let bench = await bench([nil, nil])
    let before = bench.model.state
    let start = bench.states.count
    bench.model.send(.codeTapped)
    await bench.answered()
    bench.model.send(.codeChanged("012 345"))
    await bench.submit()
    var asking = before
    asking.work = .codeRequest
    var mailed = before
    mailed.code = State.CodeEntry(email: "ada@example.org", setsPassword: false)
    var typed = mailed
    typed.code?.code = "012 345"
    var working = typed
    working.work = .code
    #expect(Array(bench.states[start...].prefix(4)) == [asking, mailed, typed, working])
    #expect(bench.auth.calls == ["code for ada@example.org", "012345 challenge"])
    #expect(bench.session.state.user?.email == "ada@example.org")
    #expect(bench.model.state.code == nil, "the next reader sees nothing of this one")
    #expect(bench.model.state.email.isEmpty)
  }

  @Test func aForgottenPasswordIsReplaced() async {
    let bench = await bench([nil, .rejected("A password has at least 10 characters."), nil])
    bench.model.send(.forgotPasswordTapped)
    await bench.answered()
    #expect(bench.model.state.code?.setsPassword == true)
    bench.model.send(.codeChanged("012345"))
    bench.model.send(.submitTapped)
    #expect(bench.model.state.code?.newPasswordError == "Enter a new password.")
    bench.model.send(.newPasswordChanged(.init("short")))
    #expect(bench.model.state.code?.newPasswordError == nil)
    #expect(bench.model.state.code?.hasNewPassword == true)
    await bench.submit()
    #expect(bench.model.state.code?.newPasswordError == "A password has at least 10 characters.")
    bench.model.send(.newPasswordChanged(.init("long enough")))
    await bench.submit()
    #expect(bench.auth.calls.last == "012345 challenge long enough")
    #expect(bench.session.state.user != nil)
  }

  @Test func backLeadsToThePassword() async {
    let bench = await bench([nil])
    #expect(!bench.model.canStepBack)
    bench.model.send(.codeTapped)
    await bench.answered()
    #expect(bench.model.canStepBack)
    bench.model.stepBack()
    #expect(bench.model.state.code == nil)
    #expect(!bench.model.canStepBack)
  }

  @Test func whatIsWrongStandsBesideTheCode() async {
    let wrong = AuthError.wrongCode("That is not the code. You have 4 tries left.")
    let expired = AuthError.codeExpired("This code is no longer valid. Ask for a new one.")
    let bench = await bench([nil, wrong, expired, nil, .unreachable("No network.")])
    bench.model.send(.codeTapped)
    await bench.answered()
    for (text, sentence) in [("", "Enter the code from the mail."), ("12345", "The code has six digits.")] {
      bench.model.send(.codeChanged(text))
      bench.model.send(.submitTapped)
      #expect(bench.model.state.code?.codeError == sentence)
    }
    #expect(bench.auth.calls.count == 1)
    for (text, error) in [("111111", wrong), ("222222", expired)] {
      bench.model.send(.codeChanged(text))
      #expect(bench.model.state.code?.codeError == nil)
      await bench.submit()
      #expect(bench.model.state.code?.codeError == error.sentence)
    }
    // Another code, which needs no address again.
    bench.model.send(.codeTapped)
    await bench.answered()
    #expect(bench.model.state.code == State.CodeEntry(email: "ada@example.org", setsPassword: false))
    bench.model.send(.codeChanged("333333"))
    await bench.submit()
    #expect(bench.model.state.formError == "No network.")
    #expect(bench.session.state.isSignedOut)
  }

  @Test(arguments: ["", "ada", "a@b@c"]) func anAddressIsNeeded(email: String) async {
    let bench = await bench([nil])
    bench.model.send(.emailChanged(email))
    bench.model.send(.codeTapped)
    #expect(bench.model.state.emailError != nil)
    #expect(bench.model.state.code == nil)
    #expect(bench.auth.calls.isEmpty)
    // Enter after the address asks for the code, not for a password.
    bench.model.send(.emailChanged("ada@example.org"))
    bench.model.send(.submitTapped)
    await bench.answered()
    #expect(bench.model.state.code == State.CodeEntry(email: "ada@example.org", setsPassword: false))
    #expect(bench.auth.calls == ["code for ada@example.org"])
  }

  @Test func whoTypesAPasswordAfterAllSignsInByIt() async {
    let bench = await bench([nil])
    bench.model.send(.emailChanged(""))
    bench.model.send(.forgotPasswordTapped)
    bench.model.send(.emailChanged("ada@example.org"))
    bench.model.send(.passwordChanged(.init("curtain")))
    await bench.submit()
    #expect(bench.auth.calls == ["ada@example.org curtain"])
  }

  @Test func withoutMailThereIsNone() async {
    let bench = await bench([nil], mailsCodes: false)
    #expect(!bench.model.state.offersCode)
    bench.model.send(.codeTapped)
    bench.model.send(.forgotPasswordTapped)
    bench.model.send(.codeChanged("012345"))
    bench.model.send(.newPasswordChanged(.init("a")))
    bench.model.send(.passwordTapped)
    #expect(bench.auth.calls.isEmpty)
    #expect(bench.model.state.code == nil)
  }

  /// In the middle of a sign-in too: what comes of the first counts no more.
  @Test func anotherWayMayBeChosenAtAnyTime() async {
    let bench = await bench([nil, nil, nil], holds: true)
    bench.model.send(.passwordChanged(.init("pw")))
    bench.model.send(.submitTapped)
    await until { !bench.auth.calls.isEmpty }
    bench.model.send(.codeTapped)
    #expect(bench.model.state.work == .codeRequest)
    await until { bench.auth.calls.count >= 2 }
    await bench.auth.release()
    await bench.answered()
    #expect(bench.model.state.code != nil)
    #expect(bench.session.state.isSignedOut)
    bench.model.send(.codeChanged("012345"))
    bench.model.send(.submitTapped)
    await until { bench.auth.calls.count >= 3 }
    bench.model.send(.passwordTapped)
    #expect(bench.model.state.code == nil)
    #expect(!bench.model.state.isWorking)
    #expect(bench.model.state.hasPassword, "what was typed is still there")
    await until { bench.session.state.isSignedOut }
    #expect(bench.model.state.formError == nil)
  }
}
