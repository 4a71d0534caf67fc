import Runtime

/// One user's session with one publication: restored at the start, checked with the backend, kept in a token store, ended once.
///
/// Isolated to the main actor. There is one for each publication that the app has open, passed to what needs it.
@MainActor public final class Session {
  /// Told of each change, once.
  public weak var delegate: (any SessionDelegate)?
  /// How long a session lasts on this machine, as far as the token store has shown it; changes only together with ``state``.
  public private(set) var persistence = Persistence.kept

  /// Whose session the backend ended, to be offered at the next sign-in; `nil` after a user has signed out.
  public private(set) var endedUser: User?

  private let auth: any AuthProvider
  private let store: any TokenStore
  private let token: TokenBox
  private let effects: Effects
  private let current = LastValue<State>(.restoring)
  /// How many inputs came in a state that does not expect them, and were ignored.
  public private(set) var ignoredInputs = 0
  /// One more with each user: what was begun for an earlier one changes nothing any more.
  private var generation = 0
  private var checks = 0
  private var storeWork: Task<Void, Never>?
  private var saving: Task<Void, Never>?
  private var revocation: Task<Void, Never>?

  /// - Parameters:
  ///   - auth: the backend.
  ///   - store: what keeps the token from one start to the next.
  ///   - token: where clients read the current token.
  ///   - effects: the door off the main actor.
  public init(auth: any AuthProvider, store: any TokenStore, token: TokenBox, effects: Effects) {
    self.auth = auth
    self.store = store
    self.token = token
    self.effects = effects
    token.onRefused { [weak self] token in
      Task { @MainActor in
        guard let self else { return }
        self.effects.deliver("session.refused")
        self.sessionEnded(token)
      }
    }
  }

  /// Where the session stands.
  public var state: State { current.value }
  /// A new stream of the states, which starts with this one and skips what was not read in time.
  public func states() -> AsyncStream<State> { current.stream() }

  /// Loads what the last start kept, then asks the backend whether it still holds; returns when ``state`` says how that went.
  ///
  /// For the start of the app, and for another try before anyone signed in.
  public func restore() async {
    guard receive(.restore) else { return }
    let generation = nextGeneration()
    let loaded: Result<StoredSession?, TokenStoreError> = await storeWork("session.load") { store throws(TokenStoreError) in
      try await store.load()
    }
    guard generation == self.generation else { return }
    switch loaded {
    case .success(let kept?):
      receive(.found(kept.user)) {
        persistence = .kept
        token.replace(with: kept.token)
      }
      await check()
    case .success(nil): receive(.foundNone) { persistence = .kept }
    case .failure(let error): receive(.foundNone) { persistence = .untilQuit(error) }
    }
  }

  /// Asks the backend whether the session still holds. May be called again while an earlier one is still waiting: the first answer that
  /// says yes or no counts, and only the last call's failure means that the backend cannot be reached.
  public func check() async {
    guard let token = token.value, state.user != nil else { return }
    let generation = generation
    checks += 1
    let number = checks
    do {
      let user = try await effects.run("session.check") { [auth] in try await auth.check(token) }
      guard generation == self.generation else { return }
      confirmed(user, token)
    } catch {
      guard generation == self.generation else { return }
      if error as? AuthError == .ended {
        sessionEnded(token)
      } else if number == checks {
        continueOffline()
      }
    }
  }

  /// Stops waiting for the check: the user goes on with what is on this machine. The check's answer still counts when it comes.
  public func continueOffline() { receive(.unanswered) }

  /// Signs in, and keeps the token where that is possible: nobody waits for that, and ``state`` says how it went. A user who is still signed in is signed out first.
  /// - Throws: ``AuthError``; ``state`` is then ``State/signedOut(_:)`` as before.
  public func signIn(email: String, password: Secret) async throws(AuthError) {
    if token.value != nil { await signOut() }
    guard receive(.signIn) else { throw .superseded }
    let generation = nextGeneration()
    let granted: (token: Secret, user: User)
    do {
      granted = try await effects.run("session.signIn") { [auth] in try await auth.signIn(email: email, password: password) }
    } catch {
      if generation == self.generation { receive(.notGranted) }
      throw error as? AuthError ?? .unreachable("The publication cannot be reached.")
    }
    guard generation == self.generation else {
      revoke(granted.token)
      throw .superseded
    }
    let kept = StoredSession(token: granted.token, user: granted.user)
    let saved = queueStoreWork("session.save") { store throws(TokenStoreError) in try await store.save(kept) }
    saving = Task {
      let persistence = await saved.value.persistence
      // A sign-out came in between: its clearing of the store is queued behind this save.
      guard generation == self.generation else { return }
      receive(.saved(persistence)) { self.persistence = persistence }
    }
    receive(.granted(granted.user)) {
      persistence = .saving
      token.replace(with: granted.token)
    }
  }

  /// Signs out: from the first moment on requests carry no token, then the store forgets it, then ``state`` says so. The backend is told
  /// afterwards, as well as that is possible.
  public func signOut() async {
    let wasKept = if case .untilQuit = persistence { false } else { true }
    var old: Secret?
    guard receive(.signOut, { old = token.replace(with: nil) }) else { return }
    let generation = nextGeneration()
    let cleared = await storeWork("session.clear") { store throws(TokenStoreError) in try await store.clear() }
    if let old { revoke(old) }
    guard generation == self.generation else { return }
    if case .failure(let error) = cleared, wasKept {
      receive(.cleared(.askedButStillKept(error)))
    } else {
      receive(.cleared(.asked))
    }
  }

  /// Ends the session because the backend refused its token. A token that is no longer the current one changes nothing, so that it may be
  /// told late and more than once.
  public func sessionEnded(_ refused: Secret) {
    guard token.value == refused else { return }
    receive(.ended) {
      _ = nextGeneration()
      token.replace(with: nil)
      queueStoreWork("session.clear") { store throws(TokenStoreError) in try await store.clear() }
    }
  }

  /// Returns when the token store and the backend have done what they were asked: before the app quits.
  public func finish() async {
    await storeWork?.value
    await saving?.value
    await revocation?.value
  }

  private func nextGeneration() -> Int {
    generation += 1
    return generation
  }

  /// The one place where the state changes.
  /// - Parameter change: what changes with it, before anyone is told.
  /// - Returns: whether the state expects the input.
  @discardableResult private func receive(_ input: Input, _ change: () -> Void = {}) -> Bool {
    let old = current.value
    guard let state = old.after(input) else {
      ignoredInputs += 1
      return false
    }
    change()
    guard state != old else { return true }
    switch state {
    case .signedOut(.ended): endedUser = old.user ?? endedUser
    case .signingOut, .signedIn: endedUser = nil
    case .restoring, .checking, .unverified, .signingIn, .signedOut: break
    }
    current.value = state
    delegate?.session(self, changedFrom: old, to: state)
    return true
  }

  private func confirmed(_ user: User, _ token: Secret) {
    if user != state.user, persistence == .kept {
      let renewed = StoredSession(token: token, user: user)
      queueStoreWork("session.save") { store throws(TokenStoreError) in try await store.save(renewed) }
    }
    receive(.confirmed(user))
  }

  private func revoke(_ token: Secret) {
    let earlier = revocation
    revocation = Task { [effects, auth] in
      await earlier?.value
      _ = try? await effects.run("session.signOut") { await auth.signOut(token) }
    }
  }

  /// Runs work on the store after all that was asked before: a token that is cleared late must not be the next user's.
  private func storeWork<Value: Sendable>(
    _ label: String, _ work: @escaping @Sendable (any TokenStore) async throws(TokenStoreError) -> Value
  ) async -> Result<Value, TokenStoreError> {
    await queueStoreWork(label, work).value
  }

  @discardableResult private func queueStoreWork<Value: Sendable>(
    _ label: String, _ work: @escaping @Sendable (any TokenStore) async throws(TokenStoreError) -> Value
  ) -> Task<Result<Value, TokenStoreError>, Never> {
    let earlier = storeWork
    let task = Task { [effects, store] () -> Result<Value, TokenStoreError> in
      await earlier?.value
      do {
        return .success(try await effects.run(label) { try await work(store) })
      } catch {
        return .failure(error as? TokenStoreError ?? .failed("\(error)"))
      }
    }
    storeWork = Task { _ = await task.value }
    return task
  }
}

extension Result<Void, TokenStoreError> {
  fileprivate var persistence: Session.Persistence {
    switch self {
    case .success: .kept
    case .failure(let error): .untilQuit(error)
    }
  }
}
