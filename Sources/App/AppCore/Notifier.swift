import PublicationAPI

/// A notification on the desktop.
public struct DesktopNotification: Equatable, Sendable, Identifiable {
  /// One with the same name takes the place of the one before.
  public var id: String
  /// What is new, in a line: a post's headline.
  public var title: String
  /// Where it comes from: fan clubs by name.
  public var body: String
  /// What a click opens: a `matinee:` link, for ``AppCoordinator/open(uri:)``.
  public var link: String

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
