/// The open blocks of an article that is being read, from the whole body to the innermost.
struct ArticleFrames {
  typealias Block = ArticleBody.Block

  /// What is open.
  enum Kind {
    case body
    case quote
    case list(ListNumbers?)
    case item(marker: String)
    /// Terms and explanations. Terms are paragraphs, explanations are items without a marker.
    case definitions
    case figure
    case caption
    case table
    case row
    case cell(isHeader: Bool, columns: Int, rows: Int)
  }

  private struct Frame {
    var kind: Kind
    var blocks: [Block] = []
    var items: [ArticleBody.ListItem] = []
    var caption: [ArticleBody.Inline] = []
    var table = TableBuilder()
  }

  private var frames = [Frame(kind: .body)]

  var count: Int { frames.count }

  /// What is open innermost.
  var kind: Kind { frames[frames.count - 1].kind }

  /// Opens a block. One that would be too deep is not opened, and its content belongs to the block around it.
  mutating func open(_ kind: Kind) {
    guard frames.count < ArticleBody.maximumDepth else { return }
    frames.append(Frame(kind: kind))
  }

  /// Closes blocks until so many are open.
  mutating func close(to count: Int) {
    while frames.count > max(count, 1) { closeLast() }
  }

  /// Closes everything.
  mutating func finish() -> [Block] {
    close(to: 1)
    return frames[0].blocks
  }

  /// The last block of what is open, if any.
  var last: Block? { frames[frames.count - 1].blocks.last }

  /// Adds a block to what is open.
  mutating func append(_ block: Block) {
    let index = frames.count - 1
    switch frames[index].kind {
    case .list:
      // A list in a list without an entry around it belongs to the entry before it; anything else is an entry.
      if case .list = block, let last = frames[index].items.indices.last {
        frames[index].items[last].blocks.append(block)
      } else {
        frames[index].items.append(.init("", [block]))
      }
    case .definitions:
      endExplanations(index)
      frames[index].blocks.append(block)
    case .row where index > 0: frames[index - 1].blocks.append(block)
    default: frames[index].blocks.append(block)
    }
  }

  /// The marker of the next entry of the list that is open.
  mutating func nextMarker(value: Int?) -> String {
    guard case .list(var numbers?) = kind else { return "•" }
    let marker = numbers.next(value: value)
    frames[frames.count - 1].kind = .list(numbers)
    return marker
  }

  /// The rows that follow are those of a head, a body or a foot.
  mutating func startRows(areHeaders: Bool) {
    guard let index = frames.lastIndex(where: { if case .table = $0.kind { true } else { false } }) else { return }
    frames[index].table.startGroup(isHeader: areHeaders)
  }

  // MARK: Closing

  private mutating func endExplanations(_ index: Int) {
    guard !frames[index].items.isEmpty else { return }
    frames[index].blocks.append(.list(frames[index].items))
    frames[index].items = []
  }

  private mutating func closeLast() {
    let index = frames.count - 1
    if case .definitions = frames[index].kind { endExplanations(index) }
    var frame = frames.removeLast()
    switch frame.kind {
    case .quote: if !frame.blocks.isEmpty { append(.quote(frame.blocks)) }
    case .list(let numbers):
      numbers?.renumber(&frame.items)
      if !frame.items.isEmpty { append(.list(frame.items)) }
    case .item(let marker): close(item: .init(marker, frame.blocks))
    case .caption: frames[frames.count - 1].caption += Self.inlines(frame.blocks)
    case .figure: close(figure: frame)
    case .table: close(table: frame)
    case .row: frames[frames.count - 1].table.endRow()
    case .cell(let isHeader, let columns, let rows): close(cell: frame.blocks, isHeader, columns, rows)
    case .body, .definitions: for block in frame.blocks { append(block) }
    }
  }

  private mutating func close(item: ArticleBody.ListItem) {
    guard !item.blocks.isEmpty else { return }
    switch kind {
    case .list, .definitions: frames[frames.count - 1].items.append(item)
    default: append(.list([item]))
    }
  }

  private mutating func close(cell blocks: [Block], _ isHeader: Bool, _ columns: Int, _ rows: Int) {
    guard case .row = kind, frames.count > 1 else {
      for block in blocks { append(block) }
      return
    }
    frames[frames.count - 2].table.add(blocks, isHeader: isHeader, columns: columns, rows: rows)
  }

  private mutating func close(table frame: Frame) {
    var frame = frame
    // Text between cells has no place in a table; browsers show it above.
    for block in frame.blocks { append(block) }
    switch frame.table.finish() {
    case .table(var table):
      table.caption = frame.caption
      append(.table(table))
    case .layout(let blocks):
      for block in blocks { append(block) }
      appendCaption(frame.caption)
    }
  }

  /// What is written below belongs to the last picture, or to the table.
  private mutating func close(figure frame: Frame) {
    var blocks = frame.blocks
    var caption = frame.caption
    if let index = blocks.lastIndex(where: { $0.takesCaption }) {
      switch blocks[index] {
      case .image(var image):
        image.caption = caption
        blocks[index] = .image(image)
        caption = []
      case .table(var table) where table.caption.isEmpty:
        table.caption = caption
        blocks[index] = .table(table)
        caption = []
      default: break
      }
    }
    for block in blocks { append(block) }
    appendCaption(caption)
  }

  private mutating func appendCaption(_ caption: [ArticleBody.Inline]) {
    guard !caption.isEmpty else { return }
    append(
      .paragraph(
        caption.map { inline in
          var inline = inline
          inline.style.formUnion(.emphasis)
          return inline
        }))
  }

  /// The words of a caption on lines of their own.
  private static func inlines(_ blocks: [Block]) -> [ArticleBody.Inline] {
    var result: [ArticleBody.Inline] = []
    for block in blocks {
      let inlines: [ArticleBody.Inline]
      switch block {
      case .paragraph(let text), .heading(_, let text): inlines = text
      default: inlines = block.plainText.isEmpty ? [] : [.init(block.plainText)]
      }
      if !result.isEmpty, !inlines.isEmpty { result[result.count - 1].text += "\n" }
      result += inlines
    }
    return result
  }
}

extension ArticleBody.Block {
  fileprivate var takesCaption: Bool {
    switch self {
    case .image, .table: true
    default: false
    }
  }
}
