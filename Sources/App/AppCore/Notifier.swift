import PublicationAPI

/// Something the desktop says while the reader looks elsewhere.
public struct DesktopNotification: Equatable, Sendable, Identifiable {
  /// One with the same name takes the place of the one before.
  public var id: String
  /// What is new, in a line: a post's headline.
  public var title: String
  /// Where it comes from: fan clubs by name.
  public var body: String
  /// What a click opens: a `matinee:` link, for ``AppCoordinator/open(uri:)``.
  public var link: String

  /// Memberwise initializer.
  public init(id: String, title: String, body: String, link: String) {
    self.id = id
    self.title = title
    self.body = body
    self.link = link
  }
}

/// Shows notifications on the desktop. Isolated to the main actor.
@MainActor public protocol Notifier: AnyObject {
  /// Shows one, in place of an earlier one with the same name.
  func show(_ notification: DesktopNotification)
  /// Takes one back, if it is still there.
  func withdraw(_ id: DesktopNotification.ID)
}

/// Keeps what would be on the desktop, and shows nothing: for tests and scenarios.
@MainActor public final class RecordingNotifier: Notifier {
  /// Everything that was shown, in order.
  public private(set) var shown: [DesktopNotification] = []
  /// What was not taken back.
  public private(set) var present: [DesktopNotification] = []
  /// Told of each that is shown.
  public var onShow: ((DesktopNotification) -> Void)?

  /// A desktop with nothing on it.
  public init() {}

  /// Keeps it.
  public func show(_ notification: DesktopNotification) {
    shown.append(notification)
    present.removeAll { $0.id == notification.id }
    present.append(notification)
    onShow?(notification)
  }

  /// Takes it from ``present``.
  public func withdraw(_ id: DesktopNotification.ID) { present.removeAll { $0.id == id } }
}
