import SessionService
import Testing

/// Every cell of the table of a session.
@MainActor @Suite struct SessionTableTests {
  private static let lost = TokenStoreError.locked

  /// One state of each kind, in the order of the rows.
  private static let states: [Session.State] = [
    .restoring, .checking(.ada, .persisted), .unverified(.ada, .untilQuit(lost)), .signingIn(after: .ended), .signedIn(.ada, .saving),
    .refreshing(.ada, .saving), .signingOut, .signedOut(.byUserTokenNotErased(lost)),
  ]

  /// One input of each kind, in the order of the columns.
  private static let inputs: [Session.Input] = [
    .restore, .found(.bo), .foundNone, .signIn, .granted(.bo), .notGranted, .saved(.persisted), .confirmed(.bo), .unanswered, .refresh,
    .ended(.reused),
    .signOut, .cleared(.byUser),
  ]

  /// The state after each input, by state and input; a hyphen where the input is ignored.
  private static let table = """
                restore   found    foundNone signIn          granted     notGranted saved           confirmed        unanswered       refresh         ended  signOut    cleared
    restoring   restoring checking nothing   signingIn/first -           -          -               -                -                -               -      -          -
    checking    -         -        -         -               -           -          -               signedIn/bo/kept unverified/kept  checking/ada    reused signingOut -
    unverified  -         -        -         -               -           -          unverified/kept signedIn/bo/lost unverified/lost  unverified/lost reused signingOut -
    signingIn   -         -        -         signingIn       signedIn/bo ended      -               -                -                -               -      signingOut -
    signedIn    -         -        -         -               -           -          signedIn/kept   signedIn/bo      -                refreshing      reused signingOut -
    refreshing  -         -        -         -               -           -          refreshing/kept signedIn/bo      unverified/new   refreshing      reused signingOut -
    signingOut  -         -        -         signingIn/asked -           -          -               -                -                -               -      -          asked
    signedOut   restoring -        -         signingIn/lost  -           -          -               -                -                -               -      -          -
    """

  private static let meanings: [String: Session.State] = [
    "restoring": .restoring, "checking": .checking(.bo, .persisted), "nothing": .signedOut(.noSession), "asked": .signedOut(.byUser),
    "ended": .signedOut(.ended), "signingOut": .signingOut, "signingIn": .signingIn(after: .ended),
    "signingIn/first": .signingIn(after: .noSession), "signingIn/asked": .signingIn(after: .byUser),
    "signingIn/lost": .signingIn(after: .byUserTokenNotErased(lost)),
    "unverified/kept": .unverified(.ada, .persisted), "unverified/lost": .unverified(.ada, .untilQuit(lost)),
    "signedIn/bo": .signedIn(.bo, .saving), "signedIn/bo/kept": .signedIn(.bo, .persisted),
    "signedIn/bo/lost": .signedIn(.bo, .untilQuit(lost)),
    "signedIn/kept": .signedIn(.ada, .persisted), "checking/ada": .checking(.ada, .persisted), "unverified/new": .unverified(.ada, .saving),
    "refreshing": .refreshing(.ada, .saving), "refreshing/kept": .refreshing(.ada, .persisted), "reused": .signedOut(.reused),
  ]

  /// Every kind of state, named as the rows are.
  private enum StateKind: String, CaseIterable {
    case restoring, checking, unverified, signingIn, signedIn, refreshing, signingOut, signedOut
  }

  /// Every kind of input, named as the columns are.
  private enum InputKind: String, CaseIterable {
    case restore, found, foundNone, signIn, granted, notGranted, saved, confirmed, unanswered, refresh, ended, signOut, cleared
  }

  @Test func everyCellIsAsItIsWrittenHere() throws {
    var lines = Self.table.split(separator: "\n").map { $0.split(separator: " ").map(String.init) }
    let columns = lines.removeFirst()
    #expect(Self.inputs.map(kind) == InputKind.allCases)
    #expect(Self.states.map(kind) == StateKind.allCases)
    #expect(columns == InputKind.allCases.map(\.rawValue))
    #expect(lines.map(\.first) == StateKind.allCases.map(\.rawValue))
    for (state, line) in zip(Self.states, lines) {
      try #require(line.count == columns.count + 1, "\(line)")
      for (input, cell) in zip(Self.inputs, line.dropFirst()) {
        let expected = Self.meanings[cell]
        #expect(cell == "-" || expected != nil, "\(cell)")
        #expect(state.after(input) == expected, "\(input) in \(state)")
      }
    }
  }

  /// A new case does not compile here until there is a kind for it, which is missed in the lists above and in the table.
  private func kind(_ state: Session.State) -> StateKind {
    switch state {
    case .restoring: .restoring
    case .checking: .checking
    case .unverified: .unverified
    case .signingIn: .signingIn
    case .signedIn: .signedIn
    case .refreshing: .refreshing
    case .signingOut: .signingOut
    case .signedOut: .signedOut
    }
  }

  private func kind(_ input: Session.Input) -> InputKind {
    switch input {
    case .restore: .restore
    case .found: .found
    case .foundNone: .foundNone
    case .signIn: .signIn
    case .granted: .granted
    case .notGranted: .notGranted
    case .saved: .saved
    case .confirmed: .confirmed
    case .unanswered: .unanswered
    case .refresh: .refresh
    case .ended: .ended
    case .signOut: .signOut
    case .cleared: .cleared
    }
  }

  @Test func whatIsNotExpectedIsIgnoredAndCounted() async throws {
    let rig = try await Rig.signedIn()
    let states = rig.states
    #expect(rig.session.ignoredInputs == 0)
    await rig.session.restore()
    #expect(rig.session.ignoredInputs == 1)
    await rig.session.signOut()
    await rig.session.signOut()
    rig.session.continueOffline()
    #expect(rig.session.ignoredInputs == 3)
    #expect(rig.states == states + [.signingOut, .signedOut(.byUser)])
  }
}
