import FeatureKit
import PublicationAPI
import ReaderContent
import Runtime

/// Account → Notifications: whether the reader is notified of new posts, at which times not, and of which fan clubs. Isolated to the main
/// actor.
@MainActor public final class NotificationsViewModel: Refreshable {
  /// Everything the page shows.
  public struct State: Equatable, Sendable {
    /// A fan club that the reader follows.
    public struct Club: Equatable, Sendable, Identifiable {
      /// Identifies the fan club.
      public var id: FanClub.ID
      /// The name of the fan club.
      public var name: String
      /// Whether the reader is notified of its new posts.
      public var isOn: Bool

      public init(id: FanClub.ID, name: String, isOn: Bool) {
        self.id = id
        self.name = name
        self.isOn = isOn
      }
    }

    /// Whether the reader is notified of new posts at all; otherwise the rest cannot be changed.
    public var isOn = true
    /// Whether there are hours in which nothing is said.
    public var hasQuietHours = false
    /// When they begin, in minutes since midnight.
    public var quietFrom = 0
    /// When they end, in minutes since midnight.
    public var quietTo = 0
    /// What the quiet hours are, in a sentence: "Nothing from 22:00 to 07:00. What comes then is told afterwards."
    public var quietSentence = ""
    /// The fan clubs that the reader follows, by name.
    public var clubs: [Club] = []
    /// The sentence in place of ``clubs`` while there are none; `nil` when there are.
    public var clubsSentence: String?

    /// The state before anything is loaded.
    public init() {}
  }

  /// What the reader did.
  public enum Input: Codable, Equatable, Sendable {
    /// Asks again which fan clubs the reader follows.
    case refreshTapped
    /// Notifications at all: the other way from now on.
    case onTapped
    /// Quiet hours: the other way from now on.
    case quietHoursTapped
    /// When the quiet hours begin, in minutes since midnight.
    case quietFromChanged(Int)
    /// When they end, in minutes since midnight.
    case quietToChanged(Int)
    /// Notifications of a fan club: the other way from now on.
    case clubTapped(FanClub.ID)
  }

  /// The single source of truth.
  @ViewState public private(set) var state = State()
  /// See `ScreenModel`.
  public func observe(_ observer: @escaping @MainActor (State) -> Void) { $state.observe(observer) }

  private let preferences: NotificationPreferences
  private let clubs: FollowedClubs
  private var observation: Observation?

  /// - Parameters:
  ///   - preferences: what is shown and changed.
  ///   - store: the reader's content.
  public init(_ preferences: NotificationPreferences, store: ContentStore) {
    self.preferences = preferences
    clubs = FollowedClubs(store: store)
    clubs.onChange = { [weak self] in self?.update() }
    update()
  }

  /// The page is on screen.
  public func appear() {
    guard observation == nil else { return }
    observation = preferences.settings.observe { [weak self] _ in self?.update() }
    clubs.appear()
    update()
  }

  /// The page is off screen.
  public func disappear() {
    observation = nil
    clubs.disappear()
  }

  /// Handles an input of the reader.
  public func send(_ input: Input) {
    switch input {
    case .refreshTapped: refreshTapped()
    case .onTapped: onTapped()
    case .quietHoursTapped: quietHoursTapped()
    case .quietFromChanged(let minutes): quietFromChanged(minutes)
    case .quietToChanged(let minutes): quietToChanged(minutes)
    case .clubTapped(let id): clubTapped(id)
    }
  }
  /// See `Refreshable`.
  public func refresh() { send(.refreshTapped) }

  private func refreshTapped() { clubs.refresh() }

  private func onTapped() { change { $0.isOn.toggle() } }
  private func quietHoursTapped() { change { $0.hasQuietHours.toggle() } }
  private func quietFromChanged(_ minutes: Int) { change { $0.quietFrom = Self.minute(minutes) } }
  private func quietToChanged(_ minutes: Int) { change { $0.quietTo = Self.minute(minutes) } }
  private func clubTapped(_ id: FanClub.ID) {
    preferences.set(!preferences.isOn(for: id), for: id)
    update()
  }

  private static func minute(_ minutes: Int) -> Int { min(max(0, minutes), 24 * 60 - 1) }

  private func change(_ body: (inout NotificationSettings) -> Void) {
    preferences.change(body)
    update()
  }

  private func update() {
    let settings = preferences.settings.value
    var new = state
    (new.isOn, new.hasQuietHours, new.quietFrom, new.quietTo) = (
      settings.isOn, settings.hasQuietHours, settings.quietFrom, settings.quietTo
    )
    new.quietSentence =
      settings.quietFrom == settings.quietTo
      ? "Choose two different times."
      : "Nothing from \(Self.time(settings.quietFrom)) to \(Self.time(settings.quietTo)). What came meanwhile is told afterwards."
    new.clubs = clubs.clubs.map { .init(id: $0.id, name: $0.name, isOn: preferences.isOn(for: $0.id)) }
    new.clubsSentence =
      new.clubs.isEmpty ? sentence : clubs.failure.map { "Not all of the fan clubs that you follow could be fetched. \($0)" }
    state = new
  }

  private var sentence: String {
    switch clubs.phase {
    case .loading: "Looking up the fan clubs that you follow…"
    case .ready, .empty: "You hear of new posts in fan clubs that you follow. You follow none yet."
    case .offline(let sentence), .failed(let sentence): sentence
    }
  }

  private static func time(_ minutes: Int) -> String {
    let two = { (number: Int) in number < 10 ? "0\(number)" : "\(number)" }
    return "\(two(minutes / 60)):\(two(minutes % 60))"
  }
}
