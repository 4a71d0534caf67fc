import AccountFeature
import FeatureKit
import HTTPTransport
import PublicationAPI
import PublicationClient
import Runtime
import Synchronization
import TestSupport
import Testing

/// The sheet that changes the password, as states through the reader's script.
@MainActor @Suite(.timeLimit(.minutes(1))) struct ChangePasswordViewModelTests {
  private typealias State = ChangePasswordViewModel.State

  @MainActor private final class Rig {
    /// What the publication is told, and what it answers.
    final class Publication: Transport {
      let requested = Mutex<[PasswordChange]>([])
      let answer = Mutex(Response(204))
      let isAway = Mutex(false)

      func send(_ request: Request) async throws -> Response {
        let change = try Wire.decode(PasswordChange.self, from: request.body)
        requested.withLock { $0.append(change) }
        if isAway.withLock({ $0 }) { throw TransportError.unreachable("by the test") }
        return answer.withLock { $0 }
      }
    }

    let publication = Publication()
    let effects = Effects()
    private(set) var model: ChangePasswordViewModel!
    private var states: [State] = []
    private var outputs: [ChangePasswordViewModel.Output] = []

    init(mailsCodes: Bool = false, isSampleAccount: Bool = false) {
      let client = APIClient(transport: publication, token: { "token" })
      model = ChangePasswordViewModel(client: client, mailsCodes: mailsCodes, isSampleAccount: isSampleAccount, effects: effects) {
        [unowned self] in outputs.append($0)
      }
      model.observe { [unowned self] in states.append($0) }
    }

    func type(_ current: String, _ new: String) {
      model.send(.currentChanged(.init(current)))
      model.send(.newChanged(.init(new)))
    }

    func take() async -> (states: [State], outputs: [ChangePasswordViewModel.Output]) {
      await effects.settled()
      defer { (states, outputs) = ([], []) }
      return (states, outputs)
    }
  }

  private func state(_ change: (inout State) -> Void) -> State {
    var state = State()
    change(&state)
    return state
  }

  @Test func whatIsMissingIsSaidWithoutAsking() async {
    let rig = Rig()
    rig.model.send(.submitTapped)
    rig.type("old enough", "old enough")
    rig.model.send(.submitTapped)
    let states = await rig.take().states
    #expect(
      states == [
        State(), state { ($0.currentError, $0.newError) = ("Enter your current password.", "Enter a new password.") },
        state { $0.newError = "Enter a new password." }, State(),
        state { $0.newError = "This is your current password. Choose another one." },
      ])
    #expect(rig.publication.requested.withLock { $0 }.isEmpty)
  }

  @Test func whoseStaysIsSaidBeforeAnythingIsTyped() async {
    let rig = Rig(isSampleAccount: true)
    rig.type("open sesame", "a walk in the rain")
    rig.model.send(.submitTapped)
    let (states, outputs) = await rig.take()
    #expect(
      states == [
        state { ($0.canChange, $0.formError) = (false, "The password of the sample account is everybody’s, and stays.") }
      ])
    #expect(outputs.isEmpty)
    #expect(rig.publication.requested.withLock { $0 }.isEmpty)
  }

  @Test func itIsAskedForOnce() async {
    let rig = Rig()
    rig.type("open sesame", "a walk in the rain")
    rig.model.send(.submitTapped)
    rig.model.send(.submitTapped)
    let (states, outputs) = await rig.take()
    #expect(states == [State(), state { $0.isWorking = true }, State()])
    #expect(outputs == [.close, .told("Your password was changed. All other sessions have ended.")])
    #expect(
      rig.publication.requested.withLock { $0 } == [PasswordChange(currentPassword: "open sesame", newPassword: "a walk in the rain")])
  }

  /// The reader has to know which password is theirs.
  @Test func whoClosesTheSheetMeanwhileHearsWhatBecameOfIt() async throws {
    let sentences = [
      "Your password was changed. All other sessions have ended.", "Your password was not changed. That is not your current password.",
    ]
    for (sentence, problem) in zip(
      sentences, [nil, Problem(code: .wrongCredentials, title: "That is not your current password.", status: 403)])
    {
      let rig = Rig()
      if let problem {
        let body = try Wire.encode(problem)
        rig.publication.answer.withLock { $0 = Response(403, headers: ["Content-Type": "application/problem+json"], body: body) }
      }
      rig.type("open sesame", "a walk in the rain")
      rig.model.send(.submitTapped)
      rig.model.send(.cancelTapped)
      rig.model.closed()
      #expect(await rig.take().outputs == [.close, .told(sentence)])
    }
    let rig = Rig()
    rig.publication.isAway.withLock { $0 = true }
    rig.type("open sesame", "a walk in the rain")
    rig.model.send(.submitTapped)
    rig.model.closed()
    let outputs = await rig.take().outputs
    #expect(outputs.count == 1 && "\(outputs)".contains("It is not known whether your password was changed."), "\(outputs)")
  }

  nonisolated static let refusals: [(Problem, WritableKeyPath<ChangePasswordViewModel.State, String?> & Sendable)] = [
    (Problem(code: .wrongCredentials, title: "That is not your current password.", status: 403), \.currentError),
    (Problem(code: .badRequest, title: "A password has at least 10 characters.", status: 400), \.newError),
    (Problem(code: .notOffered, title: "The password of the sample account stays.", status: 403), \.formError),
  ]

  @Test(arguments: refusals)
  func aRefusalStandsBesideWhatItIsAbout(problem: Problem, place: WritableKeyPath<ChangePasswordViewModel.State, String?> & Sendable)
    async throws
  {
    let rig = Rig()
    let body = try Wire.encode(problem)
    rig.publication.answer.withLock { $0 = Response(problem.status, headers: ["Content-Type": "application/problem+json"], body: body) }
    rig.type("open sesame", "short")
    rig.model.send(.submitTapped)
    let (states, outputs) = await rig.take()
    #expect(states == [State(), state { $0.isWorking = true }, state { $0[keyPath: place] = problem.title }])
    #expect(outputs.isEmpty)
    // What is corrected is not wrong any more.
    rig.type("open sesam", "shorter")
    #expect(await rig.take().states.last == State())
  }

  /// Also for those who came by an identity provider, and never had a password.
  @Test func whoDoesNotKnowTheirPasswordIsToldTheWay() async throws {
    let rig = Rig(mailsCodes: true)
    let problem = Problem(code: .wrongCredentials, title: "That is not your current password.", status: 403)
    let body = try Wire.encode(problem)
    rig.publication.answer.withLock { $0 = Response(problem.status, headers: ["Content-Type": "application/problem+json"], body: body) }
    rig.type("open sesame", "a walk in the rain")
    rig.model.send(.submitTapped)
    #expect(
      await rig.take().states.last?.currentError
        == "That is not your current password. If you forgot it, or never had one, sign out and choose “Forgot your password?” at the login."
    )
  }

  @Test func nothingThatIsStoredHoldsAPassword() throws {
    for input in [ChangePasswordViewModel.Input.currentChanged(.init("open sesame")), .newChanged(.init("open sesame"))] {
      #expect(!String(decoding: try Wire.encode(input), as: UTF8.self).contains("sesame"))
    }
  }
}
