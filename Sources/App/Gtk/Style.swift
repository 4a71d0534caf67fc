/// A class of the style sheet. The names below are in every GTK theme or in the app's own sheet (`Resources/ui/matinee.css`).
public struct Style: Hashable, Sendable, ExpressibleByStringLiteral {
  /// As the style sheet writes it, without the dot.
  public let name: String

  /// - Parameter name: as the style sheet writes it, without the dot.
  public init(_ name: String) { self.name = name }
  /// A literal is the name.
  public init(stringLiteral name: String) { self.name = name }

  /// The largest heading: an article's title, the brand.
  public static let title: Style = "title-1"
  /// A screen's heading.
  public static let heading: Style = "title-2"
  /// A card's or section's heading.
  public static let subheading: Style = "title-4"
  /// An article's text.
  public static let reading: Style = "reading"
  /// Dates, counts, bylines.
  public static let caption: Style = "caption"
  /// Less important than what is around it.
  public static let dim: Style = "dim-label"
  /// The one button that does what the screen is for.
  public static let suggested: Style = "suggested-action"
  /// A button that cannot be undone.
  public static let destructive: Style = "destructive-action"
  /// A button without a frame.
  public static let flat: Style = "flat"
  /// A button with round ends.
  public static let pill: Style = "pill"
  /// Children of a box drawn as one control.
  public static let linked: Style = "linked"
  /// A surface that stands out from the page.
  public static let card: Style = "card"
  /// A sentence that says what went wrong; an entry that must be corrected.
  public static let error: Style = "error"
  /// A small round mark, such as "Premium".
  public static let badge: Style = "badge"
  /// A control whose state is on.
  public static let on: Style = "on"
  /// What covers the window until the app knows where to go.
  public static let curtain: Style = "curtain"
  /// The page behind cards.
  public static let page: Style = "page"
  /// A list whose rows bring their own surface.
  public static let plainList: Style = "plain-list"
}
