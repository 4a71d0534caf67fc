import LoginFeature
import Patience
import Runtime
import SessionService
import Testing

/// Signing in, and setting another password, by a code that is mailed, as states through a reader's script.
@MainActor @Suite(.timeLimit(.minutes(1))) struct MailedCodeTests {
  typealias State = LoginViewModel.State

  private func rig(_ answers: [AuthError?], holds: Bool = false, mailsCodes: Bool = true) async -> Rig {
    let rig = Rig(answers, holds: holds, publication: LoginPublication(name: "The Paper", mailsCodes: mailsCodes))
    rig.model.appear()
    await until { rig.model.state.publication != nil }
    rig.model.send(.emailChanged(" ada@example.org "))
    return rig
  }

  @Test func aCodeSignsIn() async {
    let rig = await rig([nil, nil])
    let before = rig.model.state
    let start = rig.states.count
    rig.model.send(.codeTapped)
    await rig.answered()
    rig.model.send(.codeChanged("012 345"))
    await rig.submit()
    var asking = before
    asking.work = .codeRequest
    var mailed = before
    mailed.code = State.CodeEntry(email: "ada@example.org", setsPassword: false)
    var typed = mailed
    typed.code?.code = "012 345"
    var working = typed
    working.work = .code
    #expect(Array(rig.states[start...].prefix(4)) == [asking, mailed, typed, working])
    #expect(rig.calls == ["code for ada@example.org", "012345 challenge"])
    #expect(rig.session.state.user?.email == "ada@example.org")
    #expect(rig.model.state.code == nil, "the next reader sees nothing of this one")
    #expect(rig.model.state.email.isEmpty)
  }

  @Test func aForgottenPasswordIsReplaced() async {
    let rig = await rig([nil, .rejected("A password has at least 10 characters."), nil])
    rig.model.send(.forgotPasswordTapped)
    await rig.answered()
    #expect(rig.model.state.code?.setsPassword == true)
    rig.model.send(.codeChanged("012345"))
    rig.model.send(.submitTapped)
    #expect(rig.model.state.code?.newPasswordError == "Enter a new password.")
    rig.model.send(.newPasswordChanged(.init("short")))
    #expect(rig.model.state.code?.newPasswordError == nil)
    #expect(rig.model.state.code?.hasNewPassword == true)
    await rig.submit()
    #expect(rig.model.state.code?.newPasswordError == "A password has at least 10 characters.")
    rig.model.send(.newPasswordChanged(.init("long enough")))
    await rig.submit()
    #expect(rig.calls.last == "012345 challenge long enough")
    #expect(rig.session.state.user != nil)
  }

  @Test func backLeadsToThePassword() async {
    let rig = await rig([nil])
    #expect(!rig.model.canStepBack)
    rig.model.send(.codeTapped)
    await rig.answered()
    #expect(rig.model.canStepBack)
    rig.model.stepBack()
    #expect(rig.model.state.code == nil)
    #expect(!rig.model.canStepBack)
  }

  @Test func whatIsWrongStandsBesideTheCode() async {
    let wrong = AuthError.wrongCode("That is not the code. You have 4 tries left.")
    let expired = AuthError.codeExpired("This code is no longer valid. Ask for a new one.")
    let rig = await rig([nil, wrong, expired, nil, .unreachable("No network.")])
    rig.model.send(.codeTapped)
    await rig.answered()
    for (text, sentence) in [("", "Enter the code from the mail."), ("12345", "The code has six digits.")] {
      rig.model.send(.codeChanged(text))
      rig.model.send(.submitTapped)
      #expect(rig.model.state.code?.codeError == sentence)
    }
    #expect(rig.calls.count == 1)
    for (text, error) in [("111111", wrong), ("222222", expired)] {
      rig.model.send(.codeChanged(text))
      #expect(rig.model.state.code?.codeError == nil)
      await rig.submit()
      #expect(rig.model.state.code?.codeError == error.sentence)
    }
    // Another code, which needs no address again.
    rig.model.send(.codeTapped)
    await rig.answered()
    #expect(rig.model.state.code == State.CodeEntry(email: "ada@example.org", setsPassword: false))
    rig.model.send(.codeChanged("333333"))
    await rig.submit()
    #expect(rig.model.state.formError == "No network.")
    #expect(rig.session.state.isSignedOut)
  }

  @Test(arguments: ["", "ada", "a@b@c"]) func anAddressIsNeeded(email: String) async {
    let rig = await rig([nil])
    rig.model.send(.emailChanged(email))
    rig.model.send(.codeTapped)
    #expect(rig.model.state.emailError != nil)
    #expect(rig.model.state.code == nil)
    #expect(rig.calls.isEmpty)
    // Enter after the address asks for the code, not for a password.
    rig.model.send(.emailChanged("ada@example.org"))
    rig.model.send(.submitTapped)
    await rig.answered()
    #expect(rig.model.state.code == State.CodeEntry(email: "ada@example.org", setsPassword: false))
    #expect(rig.calls == ["code for ada@example.org"])
  }

  @Test func whoTypesAPasswordAfterAllSignsInByIt() async {
    let rig = await rig([nil])
    rig.model.send(.emailChanged(""))
    rig.model.send(.forgotPasswordTapped)
    rig.model.send(.emailChanged("ada@example.org"))
    rig.model.send(.passwordChanged(.init("curtain")))
    await rig.submit()
    #expect(rig.calls == ["ada@example.org curtain"])
  }

  @Test func withoutMailThereIsNone() async {
    let rig = await rig([nil], mailsCodes: false)
    #expect(!rig.model.state.offersCode)
    rig.model.send(.codeTapped)
    rig.model.send(.forgotPasswordTapped)
    rig.model.send(.codeChanged("012345"))
    rig.model.send(.newPasswordChanged(.init("a")))
    rig.model.send(.passwordTapped)
    #expect(rig.calls.isEmpty)
    #expect(rig.model.state.code == nil)
  }

  /// In the middle of a sign-in too: what comes of the first counts no more.
  @Test func anotherWayMayBeChosenAtAnyTime() async {
    let rig = await rig([nil, nil, nil], holds: true)
    rig.model.send(.passwordChanged(.init("pw")))
    rig.model.send(.submitTapped)
    await until { !rig.calls.isEmpty }
    rig.model.send(.codeTapped)
    #expect(rig.model.state.work == .codeRequest)
    await until { rig.calls.count >= 2 }
    await rig.script.release()
    await rig.answered()
    #expect(rig.model.state.code != nil)
    #expect(rig.session.state.isSignedOut)
    rig.model.send(.codeChanged("012345"))
    rig.model.send(.submitTapped)
    await until { rig.calls.count >= 3 }
    rig.model.send(.passwordTapped)
    #expect(rig.model.state.code == nil)
    #expect(!rig.model.state.isWorking)
    #expect(rig.model.state.hasPassword, "what was typed is still there")
    await until { rig.session.state.isSignedOut }
    #expect(rig.model.state.formError == nil)
  }
}
