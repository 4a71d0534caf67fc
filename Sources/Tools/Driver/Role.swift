import CAtspi

/// What kind of widget an element is.
public struct Role: Equatable, Sendable, CustomStringConvertible {
  let rawValue: AtspiRole

  init(rawValue: AtspiRole) { self.rawValue = rawValue }

  /// A push button.
  public static let button = Role(rawValue: ATSPI_ROLE_PUSH_BUTTON)
  /// A button that stays down.
  public static let toggle = Role(rawValue: ATSPI_ROLE_TOGGLE_BUTTON)
  /// One of several that exclude one another, and a tab.
  public static let radio = Role(rawValue: ATSPI_ROLE_RADIO_BUTTON)
  /// A tab of a switcher.
  public static let tab = Role(rawValue: ATSPI_ROLE_PAGE_TAB)
  /// A line to type in.
  public static let entry = Role(rawValue: ATSPI_ROLE_TEXT)
  /// A line to type in that shows dots.
  public static let secret = Role(rawValue: ATSPI_ROLE_PASSWORD_TEXT)
  /// Text that is only read.
  public static let label = Role(rawValue: ATSPI_ROLE_LABEL)
  /// A title.
  public static let heading = Role(rawValue: ATSPI_ROLE_HEADING)
  /// A list of rows.
  public static let list = Role(rawValue: ATSPI_ROLE_LIST)
  /// A row of a list.
  public static let row = Role(rawValue: ATSPI_ROLE_LIST_ITEM)
  /// What scrolls.
  public static let scroller = Role(rawValue: ATSPI_ROLE_SCROLL_PANE)
  /// A picture.
  public static let picture = Role(rawValue: ATSPI_ROLE_IMAGE)
  /// A link.
  public static let link = Role(rawValue: ATSPI_ROLE_LINK)
  /// Something that is read out at once: a message.
  public static let alert = Role(rawValue: ATSPI_ROLE_ALERT)
  /// A window within the window.
  public static let dialog = Role(rawValue: ATSPI_ROLE_DIALOG)
  /// A top-level window.
  public static let window = Role(rawValue: ATSPI_ROLE_FRAME)

  /// The name that assistive technology uses.
  public var description: String {
    guard let name = atspi_role_get_name(rawValue) else { return "unknown" }
    defer { g_free(name) }
    return String(cString: name)
  }

  /// Whether both name the same kind.
  public static func == (one: Role, other: Role) -> Bool { one.rawValue.rawValue == other.rawValue.rawValue }
}
