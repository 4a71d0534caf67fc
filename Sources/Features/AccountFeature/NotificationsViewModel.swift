import PublicationAPI
import PublicationClient

/// Account → Notifications: whether the reader hears of new posts, when not, and of which fan clubs. Isolated to the main actor.
@MainActor public final class NotificationsViewModel {
  /// Everything the page shows.
  public struct State: Equatable, Sendable {
    /// A fan club that the reader follows.
    public struct Club: Equatable, Sendable, Identifiable {
      /// The club.
      public var id: FanClub.ID
      /// Its name.
      public var name: String
      /// Whether the reader hears of its new posts.
      public var isOn: Bool

      /// Makes one.
      public init(id: FanClub.ID, name: String, isOn: Bool) {
        self.id = id
        self.name = name
        self.isOn = isOn
      }
    }

    /// Whether the reader hears of new posts at all; the rest cannot be changed without.
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
    /// What stands in the place of ``clubs`` while there are none; `nil` when there are.
    public var clubsSentence: String?

    /// A page that knows nothing yet.
    public init() {}
  }

  /// The single source of truth.
  public private(set) var state = State() { didSet { if state != oldValue { onChange?(state) } } }
  /// Called once on binding, then on each change.
  public var onChange: ((State) -> Void)? { didSet { onChange?(state) } }

  private let preferences: NotificationPreferences
  private let clubs: FollowedClubs
  private var watching: Task<Void, Never>?

  /// - Parameters:
  ///   - preferences: what is shown and changed.
  ///   - store: the reader's content.
  public init(_ preferences: NotificationPreferences, store: ContentStore) {
    self.preferences = preferences
    clubs = FollowedClubs(store: store)
    clubs.onChange = { [weak self] in self?.update() }
    update()
  }

  isolated deinit { watching?.cancel() }

  /// The page came on screen.
  public func appear() {
    guard watching == nil else { return }
    let changes = preferences.settings.stream()
    watching = Task { [weak self] in
      for await _ in changes where !Task.isCancelled { self?.update() }
    }
    clubs.appear()
    update()
  }

  /// The page is off screen.
  public func disappear() {
    watching?.cancel()
    watching = nil
    clubs.disappear()
  }

  /// Asks anew which fan clubs the reader follows.
  public func refreshTapped() { clubs.refresh() }

  /// Notifications at all: the other way from now on.
  public func onTapped() { change { $0.isOn.toggle() } }
  /// Quiet hours: the other way from now on.
  public func quietHoursTapped() { change { $0.hasQuietHours.toggle() } }
  /// When the quiet hours begin, in minutes since midnight.
  public func quietFromChanged(_ minutes: Int) { change { $0.quietFrom = Self.minute(minutes) } }
  /// When they end, in minutes since midnight.
  public func quietToChanged(_ minutes: Int) { change { $0.quietTo = Self.minute(minutes) } }
  /// Notifications of a fan club: the other way from now on.
  public func clubTapped(_ id: FanClub.ID) {
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
