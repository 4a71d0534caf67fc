import CGtk
import Runtime

/// Text with emphasis and links for a ``Label``. Every text is escaped, and every tag is closed.
///
/// ```swift
/// label.setMarkup(Markup("By ") + Markup(author).bold + Markup(" on ") + Markup("their page").link(to: url))
/// ```
public struct Markup: Sendable, Equatable {
  /// As Pango reads it.
  let source: String
  let hasLink: Bool
  /// Whether it has words that are never broken, in a line of any width.
  let hasCodes: Bool

  private init(source: String, hasLink: Bool, hasCodes: Bool = false) {
    self.source = source
    self.hasLink = hasLink
    self.hasCodes = hasCodes
  }

  /// Plain text in which codes such as the number of an order stay on one line.
  public init(nonBreakingCodesIn text: String) {
    let text = text.drawable(most: Self.longest)
    var (source, rest) = ("", text.startIndex)
    for match in text.matches(of: /[A-Z0-9]{2,}(-[A-Z0-9]{2,})+/) {
      source += Self.escaped(String(text[rest..<match.range.lowerBound]))
      source += "<span allow_breaks=\"false\">\(Self.escaped(String(match.0)))</span>"
      rest = match.range.upperBound
    }
    self.init(source: source + Self.escaped(String(text[rest...])), hasLink: false, hasCodes: rest > text.startIndex)
  }

  /// Plain text, without any style or link.
  public init(_ text: String) { self.init(source: Self.escaped(text.drawable(most: Self.longest)), hasLink: false) }

  /// As much as a label that wraps shows, in Unicode scalars.
  private static let longest = 20_000

  /// The same in bold type.
  public var bold: Markup { wrapped("b") }
  /// The same in italics.
  public var italic: Markup { wrapped("i") }
  /// Of equal widths, for code.
  public var monospaced: Markup { wrapped("tt") }
  /// The same with a line through it.
  public var struck: Markup { wrapped("s") }
  /// Smaller, for counts beside a label.
  public var small: Markup { wrapped("small") }
  /// The same, smaller and raised, as for notes.
  public var superscript: Markup { wrapped("sup") }
  /// The same, smaller and lowered.
  public var `subscript`: Markup { wrapped("sub") }

  /// Marked, as with a pen: a match of a search. It stands out on light and on dark, and without colors.
  public var highlighted: Markup {
    Markup(source: "<span background=\"#f5c211\" background_alpha=\"38%\"><b>\(source)</b></span>", hasLink: hasLink)
  }

  /// A link; within another link, plain.
  public func link(to address: String) -> Markup {
    hasLink ? self : Markup(source: "<a href=\"\(Self.escaped(address))\">\(source)</a>", hasLink: true)
  }

  /// One after the other.
  public static func + (first: Markup, second: Markup) -> Markup {
    Markup(source: first.source + second.source, hasLink: first.hasLink || second.hasLink)
  }

  /// One after the other.
  public static func += (first: inout Markup, second: Markup) { first = first + second }

  /// A line of several facts with dots between them. The line has the interface's direction, and each fact that of its own letters.
  /// - Parameter continues: whether another fact stands before it, in another label.
  @MainActor public static func line(of facts: [Markup], continues: Bool = false) -> Markup {
    let isRightToLeft = gtk_widget_get_default_direction() == GTK_TEXT_DIR_RTL
    // A mark gives the line its direction, and an isolate keeps that of a fact to itself.
    let line = facts.map { "\u{2068}\($0.source)\u{2069}" }.joined(separator: "\u{a0}\u{a0}·  ")
    return Markup(
      source: "\(isRightToLeft ? "\u{200F}" : "\u{200E}")\(continues ? "·  " : "")\(line)", hasLink: facts.contains { $0.hasLink })
  }

  private func wrapped(_ tag: String) -> Markup { Markup(source: "<\(tag)>\(source)</\(tag)>", hasLink: hasLink) }

  /// GLib escapes characters with a meaning in XML; those that XML does not allow become the replacement character.
  static func escaped(_ text: String) -> String {
    let allowed = String(String.UnicodeScalarView(text.unicodeScalars.map { isAllowed($0) ? $0 : "\u{FFFD}" }))
    return takenString(g_markup_escape_text(allowed, -1)) ?? ""
  }

  private static func isAllowed(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0x09, 0x0A, 0x0D: true
    case 0..<0x20, 0x7F...0x9F, 0xFFFE, 0xFFFF: false
    default: true
    }
  }
}

extension String {
  /// Text without markup characters, for places that may or may not read markup: the body of a notification goes to the desktop as it is.
  /// Some desktops read markup there and some do not, so that escaped text would be wrong as well.
  var withoutMarkup: String { replacingScalars { $0 == "<" ? "‹" : $0 == ">" ? "›" : nil } }
}
