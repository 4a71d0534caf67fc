import Runtime
import SessionService
import Synchronization

/// The keyring of a scenario's computer, which may refuse its work or not answer. Safe from any thread.
final class ScenarioKeyring: TokenStore {
  private let memory = MemoryTokenStore()
  private let clock: any AppClock
  private let state = Mutex((behavior: Scenario.Keyring.works, waiting: [Task<Void, Never>]()))

  /// - Parameter clock: what a call that gets no answer sleeps on, so that it is nothing to wait for.
  init(clock: any AppClock) { self.clock = clock }

  /// How it behaves from here on. When it no longer is silent, those who wait get their answer.
  func become(_ behavior: Scenario.Keyring) {
    let waiting = state.withLock { state in
      state.behavior = behavior
      guard behavior != .silent else { return [Task<Void, Never>]() }
      defer { state.waiting = [] }
      return state.waiting
    }
    for task in waiting { task.cancel() }
  }

  private func answer() async throws(TokenStoreError) {
    let silence = state.withLock { state -> Task<Void, Never>? in
      guard state.behavior == .silent else { return nil }
      let silence = Task { [clock] in _ = try? await clock.sleep(for: .seconds(1_000_000_000)) }
      state.waiting.append(silence)
      return silence
    }
    await silence?.value
    switch state.withLock(\.behavior) {
    case .works, .silent, .forgetful: return
    case .absent: throw .noService("there is none in this scenario")
    case .locked: throw .locked
    }
  }

  func load() async throws(TokenStoreError) -> StoredSession? {
    try await answer()
    return memory.load()
  }

  func save(_ session: StoredSession) async throws(TokenStoreError) {
    try await answer()
    if state.withLock(\.behavior) != .forgetful { memory.save(session) }
  }

  func clear() async throws(TokenStoreError) {
    try await answer()
    memory.clear()
  }
}
