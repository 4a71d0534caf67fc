import Foundation
import PublicationAPI
import Runtime

/// When a reader is notified of new posts.
public struct NotificationSettings: Codable, Equatable, Sendable {
  /// Whether the reader is notified of new posts at all.
  public var isOn = true
  /// Whether there are hours in which nothing is said.
  public var hasQuietHours = false
  /// When they begin, in minutes since midnight.
  public var quietFrom = 22 * 60
  /// When they end, in minutes since midnight; when that is not after the beginning, on the day after.
  public var quietTo = 7 * 60
  /// Followed clubs of which the reader does not want to hear.
  public var muted: Set<FanClub.ID> = []

  /// As it is before the reader says anything.
  public init() {}

  /// Whether nothing is said at a moment.
  /// - Parameter timeZone: the reader's.
  public func isQuiet(at moment: Date, in timeZone: TimeZone) -> Bool {
    guard hasQuietHours, quietFrom != quietTo else { return false }
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = timeZone
    let time = calendar.dateComponents([.hour, .minute], from: moment)
    let minute = (time.hour ?? 0) * 60 + (time.minute ?? 0)
    return quietFrom < quietTo ? (quietFrom..<quietTo).contains(minute) : minute >= quietFrom || minute < quietTo
  }
}

/// One reader's ``NotificationSettings``, for every screen that shows or changes them. Isolated to the main actor.
@MainActor public final class NotificationPreferences {
  /// What holds now; setting it keeps it.
  public let settings: LastValue<NotificationSettings>
  private let persist: @MainActor (NotificationSettings) -> Void

  /// - Parameters:
  ///   - settings: what was kept.
  ///   - persist: called with each change.
  public init(
    _ settings: NotificationSettings = NotificationSettings(), persist: @escaping @MainActor (NotificationSettings) -> Void = { _ in }
  ) {
    self.settings = LastValue(settings)
    self.persist = persist
  }

  /// Changes the settings and keeps them; equal settings are no change.
  public func change(_ body: (inout NotificationSettings) -> Void) {
    var new = settings.value
    body(&new)
    guard new != settings.value else { return }
    settings.value = new
    persist(new)
  }

  /// Whether the reader is notified of new posts of a club that they follow.
  public func isOn(for club: FanClub.ID) -> Bool { !settings.value.muted.contains(club) }

  /// Turns notifications of a followed club's new posts on or off.
  public func set(_ isOn: Bool, for club: FanClub.ID) {
    change { if isOn { $0.muted.remove(club) } else { $0.muted.insert(club) } }
  }
}
