import FeatureKit
import Foundation
import PublicationAPI
import PublicationClient
import Runtime

/// Account → Sessions: where the reader is signed in, and the end of it. Isolated to the main actor.
@MainActor public final class SessionsViewModel: Refreshable {
  /// Everything the page shows.
  public struct State: Equatable, Sendable {
    /// How far the page is.
    public enum Phase: Equatable, Sendable {
      /// The sessions are being fetched.
      case loading
      /// The sessions are shown.
      case ready
      /// They could not be fetched; a sentence with what to do.
      case failed(String)
    }

    /// A session of the reader.
    public struct Row: Equatable, Sendable, Identifiable {
      /// Identifies the session, as ``Input/endTapped(_:)`` takes it.
      public var id: ReaderSession.ID
      /// What the device calls itself.
      public var device: String
      /// When it was last seen, and when the reader signed in there.
      public var detail: String
      /// Whether it is the one of this app, which "Sign out" ends.
      public var isCurrent: Bool
      /// Whether the request to end it is under way.
      public var isEnding: Bool

      public init(id: ReaderSession.ID, device: String, detail: String, isCurrent: Bool, isEnding: Bool) {
        self.id = id
        self.device = device
        self.detail = detail
        self.isCurrent = isCurrent
        self.isEnding = isEnding
      }
    }

    /// An identity provider, and whether an account there signs the reader in.
    public struct Provider: Equatable, Sendable, Identifiable {
      /// Identifies the provider by its issuer.
      public var id: IdentityProvider.ID
      /// What people know it as.
      public var name: String
      /// Whether it signs the reader in, or what to do while its page is waited for.
      public var detail: String
      /// Whether "Add" is offered.
      public var canAdd: Bool
      /// Whether "Remove" is offered.
      public var canRemove: Bool
      /// Whether either is under way.
      public var isWorking: Bool
      /// Whether the buttons can be pressed: one account at a time is added or removed.
      public var isSensitive: Bool

      public init(id: IdentityProvider.ID, name: String, detail: String, canAdd: Bool, canRemove: Bool, isWorking: Bool, isSensitive: Bool)
      {
        self.id = id
        self.name = name
        self.detail = detail
        self.canAdd = canAdd
        self.canRemove = canRemove
        self.isWorking = isWorking
        self.isSensitive = isSensitive
      }
    }

    /// How far the page is.
    public var phase = Phase.loading
    /// What the page shows in place of sessions; `nil` while there are some.
    public var statusPage: StatusPage? {
      switch phase {
      case .ready: nil
      case .loading: .loading("Looking up where you are signed in…")
      case .failed(let sentence): .failed(sentence)
      }
    }
    /// The reader's sessions: the one of this app, then the last seen first.
    public var rows: [Row] = []
    /// Where the reader may sign in besides; empty where that is nowhere.
    public var providers: [Provider] = []
    /// Whether "Sign out everywhere else" is offered.
    public var canEndOthers = false
    /// Whether the request to end all others is under way.
    public var isEndingOthers = false
    /// Whether the sessions that are shown are being fetched again.
    public var isRefreshing = false
    /// Why the reader's last input failed; `nil` when it succeeded.
    public var failure: String?

    /// The state before anything is loaded.
    public init() {}
  }

  /// What the coordinator does next.
  public enum Output: Equatable, Sendable {
    /// Show the reader what was done.
    case done(String)
  }

  /// What the reader did.
  public enum Input: Codable, Equatable, Sendable {
    /// Loads everything again. A second press while that is under way does nothing.
    case refreshTapped
    /// The reader wants a session to end. A second press while that is under way does nothing.
    case endTapped(ReaderSession.ID)
    /// The reader wants all sessions to end but the one of this app.
    case endOthersTapped
    /// The reader wants an account at a provider to sign them in: its page opens in the browser.
    case addProviderTapped(IdentityProvider.ID)
    /// The reader does not want to wait for that page.
    case cancelProviderTapped
    /// The reader does not want their account at a provider to sign them in any more.
    case removeProviderTapped(IdentityProvider.ID)
  }

  /// The single source of truth.
  @ViewState public private(set) var state = State()
  /// See `ScreenModel`.
  public func observe(_ observer: @escaping @MainActor (State) -> Void) { $state.observe(observer) }

  let client: APIClient
  let effects: Effects
  let output: @MainActor (Output) -> Void
  let authorize: (@Sendable (IdentityProvider.ID) async throws -> IDTokenCredentials)?
  var offered: [IdentityProvider] = []
  var linked: [ReaderIdentity] = []
  /// Counts the changes of ``linked``. An answer to a request from before a change is out of date.
  var linkedAge = 0
  /// The provider whose account is being added or removed.
  var linking: IdentityProvider.ID?
  var authorizing: Task<Void, Never>?
  private let formatting: Formatting
  private var sessions: [ReaderSession] = []
  private var ending: Set<ReaderSession.ID> = []
  private var isLoading = false

  /// - Parameters:
  ///   - client: speaks for the reader.
  ///   - effects: the door off the main actor.
  ///   - formatting: how dates become text.
  ///   - authorize: has the reader sign in at a provider in the browser; called off the main actor, and throws `AuthError`. `nil` where no
  ///     page can be opened.
  ///   - output: called with what comes next.
  public init(
    client: APIClient, effects: Effects, formatting: Formatting,
    authorize: (@Sendable (IdentityProvider.ID) async throws -> IDTokenCredentials)? = nil, output: @escaping @MainActor (Output) -> Void
  ) {
    self.client = client
    self.authorize = authorize
    self.effects = effects
    self.formatting = formatting
    self.output = output
  }

  isolated deinit { authorizing?.cancel() }

  /// The page is on screen.
  public func appear() { load() }

  /// Handles an input of the reader.
  public func send(_ input: Input) {
    switch input {
    case .refreshTapped: load()
    case .endTapped(let id): endTapped(id)
    case .endOthersTapped: endOthersTapped()
    case .addProviderTapped(let issuer): addProviderTapped(issuer)
    case .cancelProviderTapped: cancelProviderTapped()
    case .removeProviderTapped(let issuer): removeProviderTapped(issuer)
    }
  }
  /// See `Refreshable`.
  public func refresh() { send(.refreshTapped) }

  private func load() {
    guard !isLoading else { return }
    isLoading = true
    show { state in
      if state.phase == .ready { state.isRefreshing = true } else { state.phase = .loading }
    }
    perform("sessions.load") { [client] in
      try await client.sessions()
    } then: { model, answer in
      model.isLoading = false
      switch answer {
      case .success(let sessions):
        model.sessions = sessions
        model.show { ($0.phase, $0.isRefreshing, $0.failure) = (.ready, false, nil) }
        model.loadProviders()
      case .failure(let error):
        model.show { state in
          if state.phase == .ready { state.failure = error.sentence } else { state.phase = .failed(error.sentence) }
          state.isRefreshing = false
        }
      }
    }
  }

  private func endTapped(_ id: ReaderSession.ID) {
    guard sessions.contains(where: { $0.id == id && !$0.isCurrent }), !state.isEndingOthers, ending.insert(id).inserted else { return }
    show { $0.failure = nil }
    perform("sessions.end") { [client] in
      // One that is over already is what the reader wanted.
      do { try await client.endSession(id) } catch let error as ClientError where error.isNotFound {}
    } then: { model, answer in
      model.ending.remove(id)
      switch answer {
      case .success:
        let device = model.sessions.first { $0.id == id }?.device ?? "a device without a name"
        model.sessions.removeAll { $0.id == id }
        model.show()
        model.output(.done("Signed out on \(device)."))
      case .failure(let error): model.show { $0.failure = error.sentence }
      }
    }
  }

  private func endOthersTapped() {
    guard state.canEndOthers, !state.isEndingOthers else { return }
    show { ($0.isEndingOthers, $0.failure) = (true, nil) }
    perform("sessions.endOthers") { [client] in
      try await client.endOtherSessions()
    } then: { model, answer in
      switch answer {
      case .success(let count):
        model.sessions.removeAll { !$0.isCurrent }
        model.show { $0.isEndingOthers = false }
        model.output(.done("\(model.formatting.count(count, "other session was", "other sessions were")) ended."))
      case .failure(let error): model.show { ($0.isEndingOthers, $0.failure) = (false, error.sentence) }
      }
    }
  }

  func perform<Answer: Sendable>(
    _ label: String, _ call: @escaping @Sendable () async throws -> Answer,
    then done: @escaping @MainActor (SessionsViewModel, Result<Answer, ClientError>) -> Void
  ) {
    Task { [weak self, effects] in
      let answer: Result<Answer, ClientError>
      do { answer = .success(try await effects.run(label) { try await call() }) } catch {
        answer = .failure(error as? ClientError ?? .cancelled)
      }
      if let self { done(self, answer) }
    }
  }

  /// Changes the state. Observers are called once, after the whole change.
  func show(_ change: (inout State) -> Void = { _ in }) {
    var new = state
    change(&new)
    // In their order but for the first, so that those that go leave the others where they are.
    new.rows = (sessions.filter(\.isCurrent) + sessions.filter { !$0.isCurrent }).map(row)
    new.providers = offered.map(providerRow)
    new.canEndOthers = sessions.contains { !$0.isCurrent }
    state = new
  }

  private func row(_ session: ReaderSession) -> State.Row {
    let began = "Signed in on \(formatting.day(session.began))."
    // The publication knows it to the hour.
    let isRecent = formatting.clock.now.timeIntervalSince(session.lastSeen) < 3600
    let seen = isRecent ? "Seen within the last hour." : "Last seen: \(formatting.date(session.lastSeen))."
    return State.Row(
      id: session.id, device: session.device ?? "A device without a name",
      detail: session.isCurrent ? "This app. \(began)" : "\(seen) \(began)",
      isCurrent: session.isCurrent, isEnding: ending.contains(session.id))
  }
}
