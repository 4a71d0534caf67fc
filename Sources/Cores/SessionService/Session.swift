import Runtime

/// One user's session with one publication: restored at the start, checked with the backend, kept in a token store, ended once.
///
/// Isolated to the main actor. There is one for each publication that the app has open, passed to what needs it.
@MainActor public final class Session {
  /// Notified of each change, once.
  public weak var delegate: (any SessionDelegate)?
  /// How long a session lasts on this machine, by what the token store has shown; changes only together with ``state``.
  public private(set) var persistence = Persistence.persisted

  /// The user whose session the backend ended, to be offered at the next sign-in; `nil` after a user has signed out.
  public private(set) var endedUser: User?

  private let auth: any AuthProvider
  private let store: any TokenStore
  private let tokens: TokenBox
  private let effects: Effects
  private let current = LastValue<State>(.restoring)
  /// How many inputs were ignored, in a state that does not expect them.
  public private(set) var ignoredInputs = 0
  /// Rises with each user: work that was begun for an earlier one has no effect.
  private var generation = 0
  /// What shows the backend that a request is this session's own, and not of somebody who has seen an access token: a refresh token of it.
  /// `nil` while nobody is signed in.
  public var proof: Secret? { refreshToken }
  /// The token to exchange for the next grant: the last one that the token store is known to hold, since the next start has that one. Where
  /// the store holds nothing, the first one.
  private var refreshToken: Secret?
  /// The refresh under way: all callers that need new tokens wait for it.
  private var refreshing: Task<AuthError?, Never>?
  private var refreshes = 0
  private var storeWork: Task<Void, Never>?
  private var forgetting: Task<Void, Never>?
  private var saving: Task<Void, Never>?
  private var revocation: Task<Void, Never>?

  /// - Parameters:
  ///   - auth: the backend.
  ///   - store: what keeps the token from one start to the next.
  ///   - tokens: where clients read the access token.
  ///   - effects: the door off the main actor.
  public init(auth: any AuthProvider, store: any TokenStore, tokens: TokenBox, effects: Effects) {
    self.auth = auth
    self.store = store
    self.tokens = tokens
    self.effects = effects
    tokens.onRefresh { [weak self] refused async throws(AuthError) in
      guard let self else { throw .ended }
      if let error = await self.accessRefused(refused) { throw error }
    }
  }

  /// Where the session stands.
  public var state: State { current.value }
  /// Calls an observer with this state at once, and then with each later one, before ``delegate`` is told.
  /// - Returns: what has to be held for as long as the observer is to be called.
  public func observe(_ observer: @escaping @MainActor (State) -> Void) -> Observation { current.observe(observer) }

  /// Loads the session that the last start stored, then asks the backend whether it still holds; returns when ``state`` has the result.
  ///
  /// For the start of the app, and for another try before a user has signed in.
  public func restore() async {
    guard receive(.restore) else { return }
    let generation = nextGeneration()
    let loaded: Result<StoredSession?, TokenStoreError> = await storeWork("session.load") { store throws(TokenStoreError) in
      try await store.load()
    }
    guard generation == self.generation else { return }
    switch loaded {
    case .success(let stored?):
      receive(.found(stored.user)) {
        persistence = .persisted
        refreshToken = stored.token
        tokens.open(nil)
      }
      await check()
    case .success(nil): receive(.foundNone) { persistence = .persisted }
    case .failure(let error): receive(.foundNone) { persistence = .untilQuit(error) }
    }
  }

  /// Asks the backend for new tokens, and by that whether the session still holds; returns when ``state`` has the result. It replaces such
  /// a request under way, which may hang.
  public func check() async {
    guard refreshToken != nil else { return }
    refreshing?.cancel()
    refreshing = nil
    _ = await refreshed()
  }

  /// Stops waiting for the check: the user continues with the data on this machine. A later answer to the check still counts.
  public func continueOffline() { receive(.unanswered) }

  /// Has a code mailed to an address, for a later sign-in by ``Credential/mailedCode(_:challenge:newPassword:)``.
  /// - Returns: the challenge of that credential.
  /// - Throws: ``AuthError``.
  public func requestCode(for email: String) async throws(AuthError) -> Secret {
    do { return try await effects.run("session.code") { [auth] in try await auth.requestCode(for: email) } } catch {
      throw AuthError(thrown: error)
    }
  }

  /// Signs in with an address and its password; see ``signIn(with:)``.
  /// - Throws: ``AuthError``.
  public func signIn(email: String, password: Secret) async throws(AuthError) {
    try await signIn(with: .password(email: email, password: password))
  }

  /// Signs in, and stores the token where that is possible: the call does not wait for that, and ``state`` has the result. A user who is
  /// still signed in is signed out first. A sign-in that is under way is given up: its caller gets ``AuthError/superseded``, and a session
  /// that the backend begins for it is ended.
  /// - Throws: ``AuthError``; ``state`` is then ``State/signedOut(_:)`` as before.
  public func signIn(with credential: Credential) async throws(AuthError) {
    if refreshToken != nil { await signOut() }
    guard receive(.signIn) else { throw .superseded }
    let generation = nextGeneration()
    let granted: SessionGrant
    do {
      granted = try await effects.run("session.signIn") { [auth] in try await auth.signIn(with: credential) }
    } catch {
      guard generation == self.generation else { throw .superseded }
      receive(.notGranted)
      throw AuthError(thrown: error)
    }
    guard generation == self.generation else {
      revoke(granted.refresh)
      throw .superseded
    }
    let saved = save(granted)
    saving = Task {
      let persistence = await saved.value.persistence
      // A sign-out happened meanwhile: its clearing of the store is queued behind this save.
      guard generation == self.generation else { return }
      receive(.saved(persistence)) { self.persistence = persistence }
    }
    receive(.granted(granted.user)) {
      persistence = .saving
      refreshToken = granted.refresh
      tokens.open(granted.access)
    }
  }

  /// Signs out: from the first moment on requests carry no token, then the store forgets it, then ``state`` says so. The backend is told
  /// meanwhile, if it can be reached: a store that does not answer must not keep the session alive.
  public func signOut() async {
    // A store that could not be read may have a session of earlier.
    let mayBePersisted = if case .untilQuit(.noService) = persistence { false } else { true }
    let old = refreshToken
    guard receive(.signOut, close) else { return }
    let generation = generation
    if let old { revoke(old) }
    let cleared = await storeWork("session.clear") { store throws(TokenStoreError) in try await store.clear() }
    guard generation == self.generation else { return }
    if case .failure(let error) = cleared, mayBePersisted {
      receive(.cleared(.byUserTokenNotErased(error)))
    } else {
      receive(.cleared(.byUser))
    }
  }

  /// Returns when the token store and the backend have answered all requests: for use before the app quits.
  public func finish() async {
    await forgetting?.value
    await storeWork?.value
    await saving?.value
    await revocation?.value
  }

  /// Ends the session at the backend where there is nothing that could store it, so that none is left which no start can continue. For use
  /// before the app quits, when no request needs it any more; returns when the backend has answered.
  public func endUnlessStored() async {
    guard case .untilQuit(.noService) = persistence, let refreshToken else { return }
    revoke(refreshToken)
    await revocation?.value
  }

  private func nextGeneration() -> Int {
    generation += 1
    return generation
  }

  /// The one place where the state changes.
  /// - Parameter change: what changes with it, before observers are notified.
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
    case .signedOut(.ended), .signedOut(.reused): endedUser = old.user ?? endedUser
    case .signingOut, .signedIn: endedUser = nil
    case .restoring, .checking, .unverified, .signingIn, .refreshing, .signedOut: break
    }
    current.value = state
    delegate?.session(self, changedFrom: old, to: state)
    return true
  }

  /// From here on requests carry no token, and answers to earlier requests have no effect.
  private func close() {
    _ = nextGeneration()
    refreshing?.cancel()
    refreshing = nil
    refreshToken = nil
    tokens.close()
    // The store may hang until the app quits, and the next start shall not find what was ended.
    forgetting = Task { [effects, store] in _ = try? await effects.run("session.forget") { await store.willClear() } }
  }

  // MARK: New tokens

  /// A client needs another access token than this one.
  private func accessRefused(_ refused: String?) async -> AuthError? {
    effects.deliver("session.refused")
    // Another caller's refresh may have ended on the way here.
    if let access = tokens.current, access != refused { return nil }
    return await refreshed()
  }

  /// Waits for new tokens: for the request that is under way, or for one of its own.
  /// - Returns: why there are no new tokens; `nil` when there are.
  private func refreshed() async -> AuthError? {
    let (generation, access) = (generation, tokens.current)
    while generation == self.generation, let refreshToken {
      let error = await (refreshing ?? refresh(refreshToken)).value
      if error != .superseded { return error }
      // Another refresh replaced this one, and may have ended before it.
      if generation == self.generation, let newer = tokens.current, newer != access { return nil }
    }
    return .ended
  }

  private func refresh(_ old: Secret) -> Task<AuthError?, Never> {
    receive(.refresh)
    refreshes += 1
    let (number, generation) = (refreshes, generation)
    let task = Task { [effects, auth] () -> AuthError? in
      let answer: Result<SessionGrant, AuthError>
      do {
        answer = .success(try await effects.run("session.refresh") { try await auth.refresh(old) })
      } catch { answer = .failure(AuthError(thrown: error)) }
      // Either the user signed out meanwhile, which ended the session for the backend too; or another refresh replaced this one, and the
      // tokens of this answer are worthless.
      guard generation == self.generation, number == refreshes else { return .superseded }
      refreshing = nil
      return received(answer, at: generation)
    }
    refreshing = task
    return task
  }

  private func received(_ answer: Result<SessionGrant, AuthError>, at generation: Int) -> AuthError? {
    switch answer {
    case .success(let granted):
      tokens.replace(with: granted.access)
      // A store that failed to keep the first token may have it nevertheless, such as one that answered too late: the first one stays the
      // token to exchange.
      if case .untilQuit = persistence {} else { persist(granted, at: generation) }
      receive(.confirmed(granted.user))
      return nil
    case .failure(.ended): return ended(.ended, .ended)
    case .failure(.reused): return ended(.reused, .reused)
    case .failure(let error):
      receive(.unanswered)
      return error
    }
  }

  /// Until the token store has the new token, the next start has the old one. So the old one is exchanged for the next tokens.
  private func persist(_ granted: SessionGrant, at generation: Int) {
    let (saved, number) = (save(granted), refreshes)
    saving = Task { [saving] in
      await saving?.value
      // A token that is being stored would be invalid once an earlier one was exchanged.
      guard case .success = await saved.value, generation == self.generation, number == refreshes else { return }
      refreshToken = granted.refresh
      if persistence != .persisted { receive(.saved(.persisted)) { persistence = .persisted } }
    }
  }

  private func ended(_ error: AuthError, _ cause: SignedOutCause) -> AuthError {
    receive(.ended(cause)) {
      close()
      queueStoreWork("session.clear") { store throws(TokenStoreError) in try await store.clear() }
    }
    return error
  }

  private func save(_ granted: SessionGrant) -> Task<Result<Void, TokenStoreError>, Never> {
    let stored = StoredSession(token: granted.refresh, user: granted.user)
    return queueStoreWork("session.save") { store throws(TokenStoreError) in try await store.save(stored) }
  }

  private func revoke(_ token: Secret) {
    let earlier = revocation
    revocation = Task { [effects, auth] in
      await earlier?.value
      _ = try? await effects.run("session.signOut") { await auth.signOut(token) }
    }
  }

  /// Runs work on the store after all earlier work: a token that is cleared late must not be the next user's.
  private func storeWork<Value: Sendable>(
    _ label: String, _ work: @escaping @Sendable (any TokenStore) async throws(TokenStoreError) -> Value
  ) async -> Result<Value, TokenStoreError> {
    await queueStoreWork(label, work).value
  }

  @discardableResult private func queueStoreWork<Value: Sendable>(
    _ label: String, _ work: @escaping @Sendable (any TokenStore) async throws(TokenStoreError) -> Value
  ) -> Task<Result<Value, TokenStoreError>, Never> {
    let (earlier, forgetting) = (storeWork, forgetting)
    let task = Task { [effects, store] () -> Result<Value, TokenStoreError> in
      await earlier?.value
      await forgetting?.value
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
    case .success: .persisted
    case .failure(let error): .untilQuit(error)
    }
  }
}

extension AuthError {
  /// From what an effect threw.
  fileprivate init(thrown error: any Error) { self = error as? AuthError ?? .unreachable("The publication cannot be reached.") }
}
