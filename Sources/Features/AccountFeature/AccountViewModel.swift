import FeatureKit
import Foundation
import Runtime
import SessionService

/// The account screen: who is signed in, what they bought, and signing out. Isolated to the main actor.
@MainActor public final class AccountViewModel: Refreshable {
  /// What the coordinator does next.
  public enum Output: Equatable, Sendable {
    /// Signing out would cost the reader something: ask first.
    case confirmSignOut
    /// The reader wants premium access.
    case openPaywall
    /// The reader wants to see what they bought.
    case openPurchases
    /// The reader opens the settings of notifications.
    case openNotifications
    /// The reader wants to see what is counted of what they do.
    case openPrivacy
    /// The reader wants to see where they are signed in.
    case openSessions
    /// The reader wants another password.
    case changePassword
  }

  /// What the reader did.
  public enum Input: Codable, Equatable, Sendable {
    /// Loads the page again. A second press while that is under way does nothing.
    case refreshTapped
    /// The reader pressed "Sign out": asks first where that would cost them something.
    case signOutTapped
    /// The reader pressed "Unlock".
    case unlockTapped
    /// The reader pressed "Purchases".
    case purchasesTapped
    /// The reader pressed "Notifications".
    case notificationsTapped
    /// The reader pressed "Privacy".
    case privacyTapped
    /// The reader pressed "Sessions".
    case sessionsTapped
    /// The reader pressed "Change password".
    case changePasswordTapped
  }

  /// What the screen shows.
  @ViewState public private(set) var state = State()
  /// See `ScreenModel`.
  public func observe(_ observer: @escaping @MainActor (State) -> Void) { $state.observe(observer) }

  private let session: Session
  private let publication: LastValue<String?>
  private let premium: Observe<PremiumStatus>
  private let passes: LastValue<Int?>?
  private let payments: Observe<WaitingPayments>
  private let restorePurchases: @MainActor () async -> String?
  private let formatting: Formatting
  private let mayLeave: @MainActor () async -> Bool
  private let output: @MainActor (Output) -> Void
  /// Why the last refresh failed.
  private var problem: String?
  private var observations: [Observation] = []
  private var paymentsObservation: Observation?

  /// - Parameters:
  ///   - session: whose account it is.
  ///   - publication: the publication's name; `nil` while it is not known.
  ///   - premium: calls with the reader's status.
  ///   - passes: how many article passes the reader has, `nil` while that is not known.
  ///   - payments: calls with the payments that wait. The store is asked about them as long as they are observed.
  ///   - restorePurchases: requests the reader's purchases from the store again; ``premium`` then has the result. Returns what went wrong,
  ///       in a sentence; `nil` for nothing.
  ///   - formatting: how dates become text.
  ///   - mayLeave: returns whether signing out costs the reader nothing; may take a moment.
  ///   - output: called with what comes next.
  public init(
    session: Session, publication: LastValue<String?>, premium: @escaping Observe<PremiumStatus>,
    passes: LastValue<Int?>? = nil, payments: @escaping Observe<WaitingPayments>,
    restorePurchases: @escaping @MainActor () async -> String? = { nil },
    formatting: Formatting,
    mayLeave: @escaping @MainActor () async -> Bool = { true }, output: @escaping @MainActor (Output) -> Void
  ) {
    self.session = session
    self.publication = publication
    self.premium = premium
    self.passes = passes
    self.payments = payments
    self.restorePurchases = restorePurchases
    self.formatting = formatting
    self.mayLeave = mayLeave
    self.output = output
    showPublication()
    show(.unknown)
    show(session.state)
  }

  /// The screen is visible: follows the session and the purchases from here on.
  public func appear() {
    guard observations.isEmpty else { return }
    observations = [
      session.observe { [weak self] in self?.show($0) }, publication.observe { [weak self] _ in self?.showPublication() },
      passes?.observe { [weak self] in self?.show(passes: $0 ?? 0) }, premium { [weak self] in self?.show($0) },
    ].compactMap(\.self)
    observePayments()
    // What the page says of access is right while one looks: a refund may have ended it.
    Task { [restorePurchases] in _ = await restorePurchases() }
  }

  /// The screen went away.
  public func disappear() {
    (observations, paymentsObservation) = ([], nil)
  }

  /// Handles an input of the reader.
  public func send(_ input: Input) {
    switch input {
    case .refreshTapped: refreshTapped()
    case .signOutTapped: signOutTapped()
    case .unlockTapped: unlockTapped()
    case .purchasesTapped: leadOn(.openPurchases)
    case .notificationsTapped: leadOn(.openNotifications)
    case .privacyTapped: leadOn(.openPrivacy)
    case .sessionsTapped: leadOn(.openSessions)
    case .changePasswordTapped: leadOn(.changePassword)
    }
  }
  /// See `Refreshable`.
  public func refresh() { send(.refreshTapped) }

  private func refreshTapped() {
    observePayments()
    guard !state.isRefreshing else { return }
    state.isRefreshing = true
    Task { [weak self, restorePurchases] in
      let problem = await restorePurchases()
      self?.refreshed(problem)
    }
  }

  private func refreshed(_ problem: String?) {
    state.isRefreshing = false
    self.problem = problem
    show(session.state)
  }

  private func signOutTapped() {
    guard !state.isSigningOut, session.state.user != nil else { return }
    state.isSigningOut = true
    Task {
      guard await mayLeave() else {
        state.isSigningOut = false
        return output(.confirmSignOut)
      }
      await session.signOut()
      state.isSigningOut = false
    }
  }

  private func unlockTapped() {
    guard state.canUnlock, !state.isSigningOut else { return }
    output(.openPaywall)
  }

  private func leadOn(_ place: Output) { if !state.isSigningOut { output(place) } }

  private func observePayments() { paymentsObservation = payments { [weak self] in self?.show($0) } }

  private func show(_ payments: WaitingPayments) { state.payments = payments.sentence(formatting) }

  private func show(passes count: Int) {
    state.passes = count > 0 ? "You have \(formatting.count(count, "article pass", "article passes"))." : nil
  }

  private func showPublication() { state.publication = publication.value ?? "Membership" }

  private func show(_ session: Session.State) {
    var new = state
    // Without a user the screen is about to close: it keeps what it shows until then, but not beyond the end of the session.
    if let user = session.user {
      new.name = user.name
      new.email = user.email
      // Who came by an identity provider that told no address cannot sign in by a password.
      new.canChangePassword = !user.email.isEmpty
    } else if session.isSignedOut {
      new.name = ""
      new.email = ""
    }
    let unverified: String? =
      if case .unverified = session { "The publication could not be reached, so what you see may be out of date." } else { nil }
    let sentences = [problem ?? unverified, session.persistence?.sentence].compactMap { $0 }
    new.notice = sentences.isEmpty ? nil : sentences.joined(separator: " ")
    state = new
  }

  private func show(_ status: PremiumStatus) {
    var new = state
    switch status {
    case .unknown: new.premium = "Looking up your purchases…"
    case .none: new.premium = "You read without premium access."
    case .active(nil): new.premium = "You have premium access."
    case .active(let until?): new.premium = "You have premium access until \(formatting.day(until))."
    }
    new.canUnlock = status == .none
    state = new
  }
}
