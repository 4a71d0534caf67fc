import AppCore

/// Records the notifications, and shows nothing: for tests and scenarios.
@MainActor public final class RecordingNotifier: Notifier {
  /// Everything that was shown, in order.
  public private(set) var shown: [DesktopNotification] = []
  /// What was not taken back.
  public private(set) var present: [DesktopNotification] = []
  /// Called with each notification that is shown.
  public var onShow: ((DesktopNotification) -> Void)?

  /// A desktop with nothing on it.
  public init() {}

  /// Adds the notification to those that were shown; a desktop sees nothing.
  public func show(_ notification: DesktopNotification) {
    shown.append(notification)
    present.removeAll { $0.id == notification.id }
    present.append(notification)
    onShow?(notification)
  }

  /// Takes it from ``present``.
  public func withdraw(_ id: DesktopNotification.ID) { present.removeAll { $0.id == id } }
}
