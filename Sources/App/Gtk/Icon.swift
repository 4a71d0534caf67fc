import CGtk

/// A symbolic icon, drawn in the color of the text around it.
public struct Icon: Hashable, Sendable {
  /// As the icon naming specification or the theme calls it.
  public let name: String
  /// Whether it is one of the app's own, which the style sheet draws, and only ``Image`` shows. If it were added to the icon theme, GTK
  /// would read all of the desktop's icons twice at the start.
  let isOwn: Bool

  /// - Parameter name: of an icon of the desktop's theme; `Adwaita` has all of those below but the app's own.
  public init(_ name: String) { (self.name, isOwn) = (name, false) }

  private init(own name: String) { (self.name, isOwn) = (name, true) }

  /// One page back.
  public static let back = Icon("go-previous-symbolic")
  /// Leads on to another page.
  public static let forward = Icon("go-next-symbolic")
  /// Loads a page again.
  public static let refresh = Icon("view-refresh-symbolic")
  /// Closes or dismisses.
  public static let close = Icon("window-close-symbolic")
  /// A heart that the reader has not pressed. One of the app's own.
  public static let heartOutline = Icon(own: "matinee-heart-outline")
  /// A reaction, a heart.
  public static let heart = Icon("emblem-favorite-symbolic")
  /// A bookmark.
  public static let bookmark = Icon("user-bookmarks-symbolic")
  /// A bookmark that is set. One of the app's own.
  public static let bookmarkFilled = Icon(own: "matinee-bookmark")
  /// Something that the reader has no access to yet. One of the app's own.
  public static let lock = Icon(own: "matinee-lock")
  /// Something that the reader has access to.
  public static let unlocked = Icon("changes-allow-symbolic")
  /// The tab with the feed.
  public static let home = Icon("go-home-symbolic")
  /// Fan clubs.
  public static let people = Icon("system-users-symbolic")
  /// One person, the account.
  public static let person = Icon("avatar-default-symbolic")
  /// No network.
  public static let offline = Icon("network-offline-symbolic")
  /// Something failed.
  public static let failed = Icon("dialog-warning-symbolic")
  /// A picture that could not be had.
  public static let noPicture = Icon("image-missing-symbolic")
  /// Nothing is here yet.
  public static let empty = Icon("document-open-recent-symbolic")
  /// Waits for its turn.
  public static let waiting = Icon("document-open-recent-symbolic")
  /// Something that is done.
  public static let done = Icon("emblem-ok-symbolic")
  /// A thumb up.
  public static let thumb = Icon("emoji-body-symbolic")
  /// A laughing face.
  public static let laughing = Icon("face-laugh-symbolic")
  /// An astonished face.
  public static let astonished = Icon("face-surprise-symbolic")
  /// A sad face.
  public static let sad = Icon("face-sad-symbolic")
  /// A face without expression.
  public static let face = Icon("face-plain-symbolic")
  /// A comment.
  public static let comment = Icon("chat-message-new-symbolic")
  /// Looks for something.
  public static let search = Icon("system-search-symbolic")
  /// Empties a field.
  public static let clear = Icon("edit-clear-symbolic")
  /// More that can be done.
  public static let more = Icon("view-more-symbolic")
  /// Upwards.
  public static let up = Icon("go-up-symbolic")
  /// Adds something.
  public static let add = Icon("list-add-symbolic")
  /// Deletes something.
  public static let delete = Icon("user-trash-symbolic")
  /// Notifications.
  public static let notifications = Icon("preferences-system-notifications-symbolic")
  /// Muted notifications.
  public static let silent = Icon("notifications-disabled-symbolic")
  /// A menu.
  public static let menu = Icon("open-menu-symbolic")
  /// Something to know.
  public static let information = Icon("dialog-information-symbolic")

  /// Whether the desktop's theme has it, or the app itself; false also without a display. A missing icon is drawn as a broken picture.
  @MainActor public var isAvailable: Bool {
    if isOwn { return true }
    guard let display = gdk_display_get_default() else { return false }
    return gtk_icon_theme_has_icon(gtk_icon_theme_get_for_display(display), name) != 0
  }
}
