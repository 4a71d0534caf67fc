import FeedFormats

/// A text in blocks that can be laid out one after the other, while the window answers: a stranger's feed may have a paragraph, a list or a
/// whole text of any length.
struct ArticlePortions {
  /// How much of a text is shown, in characters: a long novel. What is laid out takes a hundred times its memory.
  static let longest = 1_000_000
  /// How long a paragraph is at most, in characters.
  static let longestParagraph = 8_000
  /// How many entries a list has at most.
  static let longestList = 100
  /// Stands below a text that is longer.
  static let rest = "The text goes on from here. Open it in the browser to read the rest."

  private var left = longest

  /// The blocks in their order, the long ones as several.
  static func of(_ blocks: [ArticleBody.Block]) -> [ArticleBody.Block] {
    var portions = ArticlePortions()
    let shown = portions.split(blocks)
    return portions.left > 0 ? shown : shown + [.paragraph([ArticleBody.Inline(rest, style: .emphasis)])]
  }

  private mutating func split(_ blocks: [ArticleBody.Block]) -> [ArticleBody.Block] {
    var result: [ArticleBody.Block] = []
    for block in blocks where left > 0 { result += split(block) }
    return result
  }

  private mutating func split(_ block: ArticleBody.Block) -> [ArticleBody.Block] {
    switch block {
    case .paragraph(let inlines): return split(inlines).map { .paragraph($0) }
    case .heading(let level, let inlines):
      let parts = split(inlines)
      return parts.prefix(1).map { .heading(level: level, $0) } + parts.dropFirst().map { .paragraph($0) }
    case .quote(let blocks): return [.quote(split(blocks))]
    case .list(let items):
      var rest: [ArticleBody.ListItem] = []
      for item in items where left > 0 { rest.append(ArticleBody.ListItem(item.marker, split(item.blocks))) }
      return stride(from: 0, to: rest.count, by: Self.longestList).map { .list(Array(rest[$0..<min($0 + Self.longestList, rest.count)])) }
    case .table(var table):
      for row in table.rows.indices {
        for cell in table.rows[row].indices { table.rows[row][cell].blocks = split(table.rows[row][cell].blocks) }
      }
      return [.table(table)]
    case .code(let code):
      let shown = code.unicodeScalars.count > left ? String(code.unicodeScalars.prefix(left)) : code
      left -= shown.unicodeScalars.count
      return [.code(shown)]
    case .image, .rule:
      // As much as some words take.
      left -= 10
      return [block]
    }
  }

  /// Between words, where there are any.
  private mutating func split(_ inlines: [ArticleBody.Inline]) -> [[ArticleBody.Inline]] {
    let length = inlines.reduce(0) { $0 + $1.text.unicodeScalars.count }
    left -= length
    guard length > Self.longestParagraph || left < 0 else { return [inlines] }
    var (parts, part, room): ([[ArticleBody.Inline]], [ArticleBody.Inline], Int) = ([], [], Self.longestParagraph)
    var shown = length + min(left, 0)
    for inline in inlines where shown > 0 {
      var rest = Substring(inline.text).unicodeScalars
      var ids = inline.ids
      while !rest.isEmpty, shown > 0 {
        let piece = Self.beginning(of: rest, upTo: min(room, shown))
        part.append(ArticleBody.Inline(String(piece), style: inline.style, link: inline.link, ids: ids))
        ids = []
        (room, shown) = (room - piece.count, shown - piece.count)
        rest = rest[piece.endIndex...]
        if room <= 0 || !rest.isEmpty { (parts, part, room) = (parts + [part], [], Self.longestParagraph) }
      }
    }
    return part.isEmpty ? parts : parts + [part]
  }

  /// With its last space, if there is one in its last tenth.
  private static func beginning(of text: Substring.UnicodeScalarView, upTo most: Int) -> Substring.UnicodeScalarView {
    guard let end = text.index(text.startIndex, offsetBy: most, limitedBy: text.endIndex), end < text.endIndex else { return text[...] }
    let piece = text[..<end]
    let tail = piece.index(piece.endIndex, offsetBy: -max(1, most / 10), limitedBy: piece.startIndex) ?? piece.startIndex
    guard let space = piece[tail...].lastIndex(where: \.properties.isWhitespace) else { return piece }
    return piece[...space]
  }
}
