/// What kind of widget an element is, by the numbers of AT-SPI.
public struct Role: Equatable, Sendable, CustomStringConvertible {
  private let number: UInt32
  /// The name that assistive technology uses; of a kind that no test looks for its number.
  public let description: String

  private init(_ number: UInt32, _ name: String) { (self.number, description) = (number, name) }

  init(number: UInt32) { self = Self.byNumber[number] ?? Role(number, "role \(number)") }

  /// A push button.
  public static let button = Role(43, "push button")
  /// A button that stays down.
  public static let toggle = Role(62, "toggle button")
  /// One of several that exclude one another, and a tab.
  public static let radio = Role(44, "radio button")
  /// A tab of a switcher.
  public static let tab = Role(37, "page tab")
  /// A line to type in.
  public static let entry = Role(61, "text")
  /// A line to type in that shows dots.
  public static let secret = Role(40, "password text")
  /// Text that is only read.
  public static let label = Role(29, "label")
  /// A title.
  public static let heading = Role(83, "heading")
  /// A list of rows.
  public static let list = Role(31, "list")
  /// A row of a list.
  public static let row = Role(32, "list item")
  /// A pane that scrolls what is in it.
  public static let scroller = Role(49, "scroll pane")
  /// A picture.
  public static let picture = Role(27, "image")
  /// A link.
  public static let link = Role(88, "link")
  /// Something that is read out at once: a message.
  public static let alert = Role(2, "alert")
  /// A window within the window.
  public static let dialog = Role(16, "dialog")
  /// A top-level window.
  public static let window = Role(23, "frame")

  private static let byNumber: [UInt32: Role] = {
    let all = [
      button, toggle, radio, tab, entry, secret, label, heading, list, row, scroller, picture, link, alert, dialog, window,
      Role(20, "filler"), Role(38, "page tab list"), Role(39, "panel"), Role(42, "progress bar"), Role(75, "application"),
    ]
    return Dictionary(uniqueKeysWithValues: all.map { ($0.number, $0) })
  }()

  /// Whether both name the same kind.
  public static func == (one: Role, other: Role) -> Bool { one.number == other.number }
}
