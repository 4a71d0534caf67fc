/// The text of an article as a list of blocks, ready to be drawn: no markup, nothing to execute.
public struct ArticleBody: Equatable, Sendable {
  /// How a run of text looks.
  public struct Style: OptionSet, Hashable, Sendable {
    /// The styles as bits.
    public let rawValue: UInt8
    /// A set of styles.
    public init(rawValue: UInt8) { self.rawValue = rawValue }
    /// Italics in most designs (`em`, `i`, `cite`).
    public static let emphasis = Style(rawValue: 1)
    /// Bold in most designs (`strong`, `b`).
    public static let strong = Style(rawValue: 2)
    /// Fixed width (`code`, `kbd`, `samp`, `tt`).
    public static let code = Style(rawValue: 4)
    /// Struck out (`del`, `s`, `strike`).
    public static let struck = Style(rawValue: 8)
    /// Raised (`sup`).
    public static let superscript = Style(rawValue: 16)
    /// Lowered (`sub`).
    public static let `subscript` = Style(rawValue: 32)
  }

  /// A run of text that looks the same. A line break is a `\n` in its text.
  public struct Inline: Equatable, Sendable {
    /// The text, entities decoded, white space collapsed.
    public var text: String
    /// How it looks.
    public var style: Style
    /// Where it leads: an absolute http, https or mailto URL.
    public var link: String?

    /// Makes one.
    public init(_ text: String, style: Style = [], link: String? = nil) {
      self.text = text
      self.style = style
      self.link = link
    }
  }

  /// One block, from margin to margin.
  public enum Block: Equatable, Sendable {
    /// A heading; the level is 1 to 6.
    case heading(level: Int, [Inline])
    /// A paragraph.
    case paragraph([Inline])
    /// A paragraph of somebody else's words.
    case quote([Inline])
    /// An entry of a list: `•` or `1.`, and how many lists it is in, from 1.
    case listItem(marker: String, depth: Int, [Inline])
    /// Preformatted text, lines and spaces kept.
    case code(String)
    /// A picture: an absolute http or https URL, and its words for those who cannot see it.
    case picture(url: String, alt: String)
    /// A line across.
    case rule
  }

  /// The blocks, in reading order.
  public var blocks: [Block]

  /// Blocks that exist already.
  public init(blocks: [Block]) { self.blocks = blocks }
}

extension ArticleBody {
  /// Reads HTML of any quality; nothing is executed or fetched, and what cannot be shown is left out.
  ///
  /// Scripts, styles, frames and forms are dropped with what is in them. Of links only http, https and mailto are kept, of pictures only
  /// http and https. What has no block of its own becomes paragraphs, so that no word is lost: a table is a paragraph a row.
  /// - Parameters:
  ///   - html: a fragment or a whole page.
  ///   - base: the URL that relative links are resolved against; without one they are dropped, their text is kept.
  public init(html: String, base: String? = nil) {
    let builder = ArticleBuilder(base: base)
    HTMLReader.read(html, into: builder)
    self.init(blocks: builder.finish())
  }
}
