/// The text of an article as blocks, ready to be drawn: no markup, nothing to execute.
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
    /// The styles that the text is drawn in.
    public var style: Style
    /// Where it leads: an absolute http, https or mailto URL, or `#` and one of the ``ids`` of this text.
    public var link: String?
    /// The names of the elements that start here, of those that a link in this text leads to.
    public var ids: [String]

    public init(_ text: String, style: Style = [], link: String? = nil, ids: [String] = []) {
      self.text = text
      self.style = style
      self.link = link
      self.ids = ids
    }
  }

  /// One block, from margin to margin. Blocks in blocks are at most ``maximumDepth`` deep, in every document.
  public indirect enum Block: Equatable, Sendable {
    /// A paragraph.
    case paragraph([Inline])
    /// A heading; the level is 1 to 6.
    case heading(level: Int, [Inline])
    /// A list, ordered or not, as the markers of its entries say.
    case list([ListItem])
    /// A quotation.
    case quote([Block])
    /// Preformatted text, with its lines and spaces.
    case code(String)
    /// A table of at least two rows and columns.
    case table(Table)
    /// A picture.
    case image(Image)
    /// A line across.
    case rule
  }

  /// An entry of a list.
  public struct ListItem: Equatable, Sendable {
    /// What stands before it: `•`, `1.`, `c.`, `iv.`; empty for the explanation of a term.
    public var marker: String
    /// What it says: a paragraph mostly, and lists in it.
    public var blocks: [Block]

    public init(_ marker: String, _ blocks: [Block]) {
      self.marker = marker
      self.blocks = blocks
    }
  }

  /// A table whose cells know their places, also where cells reach over several rows or columns.
  public struct Table: Equatable, Sendable {
    /// What stands above or below it; empty when nothing does.
    public var caption: [Inline]
    /// How many columns it has.
    public var columns: Int
    /// The rows from top to bottom, each from left to right. A row may have fewer cells than columns.
    public var rows: [[Cell]]

    public init(caption: [Inline] = [], columns: Int, rows: [[Cell]]) {
      self.caption = caption
      self.columns = columns
      self.rows = rows
    }
  }

  /// A cell of a table.
  public struct Cell: Equatable, Sendable {
    /// What it holds: a paragraph mostly; nothing in an empty one.
    public var blocks: [Block]
    /// Whether it names its row or column.
    public var isHeader: Bool
    /// Its column, from 0.
    public var column: Int
    /// How many columns it takes; they all exist.
    public var columns: Int
    /// How many rows it takes; they all exist.
    public var rows: Int

    public init(_ blocks: [Block], isHeader: Bool = false, column: Int, columns: Int = 1, rows: Int = 1) {
      self.blocks = blocks
      self.isHeader = isHeader
      self.column = column
      self.columns = columns
      self.rows = rows
    }
  }

  /// A picture in the text.
  public struct Image: Equatable, Sendable {
    /// Where it is: an absolute http or https URL.
    public var url: String
    /// Its words for those who cannot see it; may be empty.
    public var alt: String
    /// What stands below it; empty when nothing does.
    public var caption: [Inline]
    /// Where it leads: as ``Inline/link``.
    public var link: String?
    /// The width that its page plans for it, in pixels. Where ``height`` is given too, their ratio is the picture's.
    public var width: Int?
    /// The height that its page plans for it, in pixels: see ``width``.
    public var height: Int?

    public init(url: String, alt: String = "", caption: [Inline] = [], link: String? = nil, width: Int? = nil, height: Int? = nil) {
      self.url = url
      self.alt = alt
      self.caption = caption
      self.link = link
      self.width = width
      self.height = height
    }
  }

  /// The blocks, in reading order.
  public var blocks: [Block]

  /// How deep blocks can be in blocks.
  public static let maximumDepth = 16

  /// Blocks that exist already.
  public init(blocks: [Block]) { self.blocks = blocks }
}

extension ArticleBody {
  /// Reads HTML of any quality; nothing is executed or fetched, and what cannot be shown is left out.
  ///
  /// Scripts, styles and forms are dropped with what is in them; recordings, films and other pages inside the page become links. Of links
  /// only http, https and mailto stay, and those that lead to another place of the same text; of pictures only http and https. Text outside
  /// of blocks becomes paragraphs, so that no word is lost. So does a table with a single row or column, which serves the layout.
  /// - Parameters:
  ///   - html: a fragment or a whole page.
  ///   - base: the URL of the page that the text is on, which relative links are resolved against; without one they are dropped, their text
  ///     is kept.
  public init(html: String, base: String? = nil) {
    let builder = ArticleBuilder(base: base)
    HTMLReader.read(html, into: builder)
    self.init(blocks: builder.finish())
  }
}

extension ArticleBody.Block {
  /// How long its text is, in UTF-8; 0 for a picture.
  public var length: Int {
    switch self {
    case .paragraph(let inlines), .heading(_, let inlines): inlines.reduce(0) { $0 + $1.text.utf8.count }
    case .list(let items): items.reduce(0) { $0 + $1.blocks.reduce(0) { $0 + $1.length } }
    case .quote(let blocks): blocks.reduce(0) { $0 + $1.length }
    case .code(let code): code.utf8.count
    case .table(let table): table.rows.reduce(0) { $0 + $1.reduce(0) { $0 + $1.blocks.reduce(0) { $0 + $1.length } } }
    case .image, .rule: 0
    }
  }
}
