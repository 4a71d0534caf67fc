import Runtime

extension ArticleBody {
  /// The plain text: a line for each block, and a caption or `alt` for each picture.
  public var plainText: String {
    blocks.map(\.plainText).filter { !$0.isEmpty }.joined(separator: "\n").streamSafe
  }

  /// The opening words on one line, cut at the end of a word with `…` when there is more.
  /// - Parameter characters: the most characters that come back, `…` included.
  public func teaser(characters: Int) -> String {
    var words = ""
    for block in blocks {
      if case .image = block { continue }
      let text = block.plainText
      guard !text.isEmpty else { continue }
      if !words.isEmpty { words += " " }
      words += text
      if words.utf8.count > characters * 32 { break }
    }
    return words.shortened(to: characters)
  }
}

extension ArticleBody.Block {
  var plainText: String {
    switch self {
    case .heading(_, let inlines), .paragraph(let inlines): inlines.map(\.text).joined()
    case .quote(let blocks): Self.plainText(blocks)
    case .list(let items):
      items.map { ($0.marker.isEmpty ? "" : $0.marker + " ") + Self.plainText($0.blocks) }.joined(separator: "\n")
    case .code(let text): text
    case .table(let table): table.plainText
    case .image(let image): image.caption.isEmpty ? image.alt : image.caption.map(\.text).joined()
    case .rule: ""
    }
  }

  fileprivate static func plainText(_ blocks: [Self]) -> String {
    blocks.map(\.plainText).filter { !$0.isEmpty }.joined(separator: "\n")
  }
}

extension ArticleBody.Table {
  /// A line a row.
  fileprivate var plainText: String {
    let lines = rows.map { row in row.map { ArticleBody.Block.plainText($0.blocks) }.filter { !$0.isEmpty }.joined(separator: " · ") }
    return ([caption.map(\.text).joined()] + lines).filter { !$0.isEmpty }.joined(separator: "\n")
  }
}

extension String {
  /// At most that many characters on one line, cut at the end of a word and marked with `…` when something was left out.
  func shortened(to characters: Int) -> String {
    let line = streamSafe.visibleText.collapsed
    guard line.count > characters else { return line }
    guard characters > 1 else { return characters == 1 ? "…" : "" }
    let cut = line.prefix(characters - 1)
    let isWhole = line[cut.endIndex] == " "
    var result = cut[...]
    // A single word longer than the whole line is cut where it must be.
    if !isWhole, let space = cut.lastIndex(of: " "), space > cut.startIndex { result = cut[..<space] }
    while let last = result.last, last.isWhitespace || ",;:–—-".contains(last) { result.removeLast() }
    return result + "…"
  }
}

extension ParsedItem {
  /// The title; for an untitled post its first words, or else its link. Never empty.
  public var displayTitle: String {
    if let title, !title.isEmpty { return title }
    let words = teaser(characters: 60)
    if !words.isEmpty { return words }
    return link.flatMap { $0.isEmpty ? nil : $0 } ?? "Untitled"
  }

  /// The opening, plain text on one line: of the summary where there is one, else of the body.
  /// - Parameter characters: the most characters that come back.
  public func teaser(characters: Int) -> String {
    let short = summary.isEmpty ? "" : Self.teaser(of: summary, characters)
    return short.isEmpty ? Self.teaser(of: body, characters) : short
  }

  private static func teaser(of html: String, _ characters: Int) -> String {
    ArticleBody(html: html.beginning(bytes: longestOpening)).teaser(characters: characters)
  }

  /// A body may have megabytes, and its first words come before so many bytes of markup.
  private static let longestOpening = 256 << 10
}
