import ArticleFeature
import FeedFormats
import Gtk

/// Makes the widgets of an article's text.
@MainActor final class ArticleBlocks: SignalOwner {
  let scope = Scope()
  /// Called with the address of a link that was clicked.
  var onLink: ((String) -> Void)?
  /// How long the lines are at most, in pixels.
  var lineWidth: Int { didSet { for picture in shown { picture.lineWidth = lineWidth } } }
  private let pictures: Pictures
  /// Those of the text that is shown.
  private var shown: [ArticlePicture] = []
  /// What comes before the next label when the text is copied.
  private var separator = "\n\n"
  /// Where elements with a name begin in it.
  private var marked: [String: (label: Label, byte: Int)] = [:]

  init(pictures: Pictures, lineWidth: Int) { (self.pictures, self.lineWidth) = (pictures, lineWidth) }

  /// An opening, in place of what was made before.
  func teaser(_ text: String) -> Widget {
    (shown, marked) = ([], [:])
    return paragraph(Markup(text), style: .reading)
  }

  /// A text, in place of what was made before.
  func widgets(_ blocks: ArraySlice<ArticleBody.Block>) -> [Widget] {
    (shown, marked) = ([], [:])
    return moreWidgets(blocks)
  }

  /// What follows in the same text.
  func moreWidgets(_ blocks: ArraySlice<ArticleBody.Block>) -> [Widget] { blocks.map { widget(for: $0) } }

  /// Where an element of that name begins: in a label, at a byte of its text.
  func place(of id: String) -> (label: Label, byte: Int)? { marked[id] }

  private func widget(for block: ArticleBody.Block) -> Widget {
    switch block {
    case .heading(let level, let inlines):
      let heading = paragraph(inlines, style: level <= 2 ? .heading : .subheading)
      heading.setAccessibleRole(.heading(level: level))
      return heading
    case .paragraph(let inlines): return paragraph(inlines, style: .reading)
    case .quote(let blocks) where blocks.count == 1:
      let quoted = widget(for: blocks[0])
      quoted.setStyle("quote")
      return quoted
    case .quote(let blocks):
      let box = Box(.vertical, spacing: 10, styles: ["quote"], children: blocks.map { widget(for: $0) })
      box.turn(as: ArticleBody(blocks: blocks).plainText)
      return box
    case .list(let items): return list(items)
    case .table(let table): return rows(table)
    case .code(let code): return WideScroller(shared(Label(code, styles: ["code"], direction: .ofText)))
    case .image(let image): return picture(image)
    case .rule: return Separator()
    }
  }

  /// The files that belong to a post.
  /// - Parameter open: called with the one that is to be opened.
  func files(_ attachments: [Attachment], open: @escaping @MainActor (Attachment) -> Void) -> [Widget] {
    attachments.map { attachment in
      let name = Label(attachment.name, wraps: true, direction: .ofText)
      let facts = Label(attachment.facts, styles: [.caption, .dim], wraps: true)
      facts.isVisible = !attachment.facts.isEmpty
      let words = Box(.vertical, spacing: 2, children: [name, facts])
      words.expandsHorizontally = true
      words.vertical = .center
      let button = Button("Open", styles: [.pill, "compact"])
      button.setAccessibleName("Open \(attachment.name)")
      button.vertical = .center
      button.onClicked(self) { _ in open(attachment) }
      return Box(.horizontal, spacing: 12, styles: [.card, "file"], children: [words, button])
    }
  }

  /// In two columns, so that all texts begin at the same place, after markers of any width.
  private func list(_ items: [ArticleBody.ListItem]) -> Widget {
    let grid = Grid(spacing: 8, styles: ["article-list"])
    let words = ArticleBody(blocks: items.flatMap(\.blocks)).plainText
    grid.turn(as: words)
    for (row, item) in items.enumerated() {
      let marker = Label(item.marker, styles: [.reading, .dim], alignment: .end)
      marker.vertical = .start
      marker.turn(as: words)
      separator = row == 0 ? "\n\n" : "\n"
      if !item.marker.isEmpty {
        shared(marker)
        separator = " "
      }
      let text = Box(.vertical, spacing: 6, children: item.blocks.map { widget(for: $0) })
      text.expandsHorizontally = true
      grid.attach(marker, column: 0, row: row)
      grid.attach(text, column: 1, row: row)
    }
    return grid
  }

  private func picture(_ image: ArticleBody.Image) -> Widget {
    var ratio = 16.0 / 9
    if let width = image.width, let height = image.height, width > 0, height > 0 { ratio = Double(width) / Double(height) }
    // A page may plan for anything. The picture itself says more, once it is there.
    let view = ArticlePicture(width: image.width, ratio: min(4, max(0.6, ratio)), lineWidth: lineWidth)
    view.show(image.url, altText: image.alt.isEmpty ? "Picture" : image.alt, from: pictures)
    view.onOpen = { [weak self] in self?.onLink?($0) }
    shown.append(view)
    guard !image.caption.isEmpty else { return view.root }
    return Box(.vertical, spacing: 6, children: [view.root, caption(image.caption)])
  }

  private func rows(_ table: ArticleBody.Table) -> Widget {
    let grid = Grid(styles: ["article-table"])
    grid.turn(as: ArticleBody(blocks: table.rows.flatMap { $0.flatMap(\.blocks) }).plainText)
    grid.horizontal = .start
    for (row, cells) in table.rows.enumerated() {
      for (index, cell) in cells.enumerated() {
        separator = index > 0 ? "\t" : row > 0 ? "\n" : "\n\n"
        let box = Box(
          .vertical, spacing: 6, styles: cell.isHeader ? ["cell", "header"] : ["cell"], children: cell.blocks.map { content(of: $0) })
        grid.attach(box, column: cell.column, row: row, columns: cell.columns, rows: cell.rows)
      }
    }
    let scroller = WideScroller(grid)
    guard !table.caption.isEmpty else { return scroller }
    return Box(.vertical, spacing: 6, children: [caption(table.caption), scroller])
  }

  /// A table is as wide as its cells, and scrolls: they say how wide they are, which text that wraps does not do by itself.
  private func content(of block: ArticleBody.Block) -> Widget {
    guard case .paragraph(let inlines) = block else { return widget(for: block) }
    let label = paragraph(inlines, style: "cell-text")
    let length = inlines.reduce(0) { $0 + $1.text.count }
    label.setMinimumWidth(characters: min(length, 26))
    label.setMaximumWidth(characters: 26)
    return label
  }

  private func caption(_ inlines: [ArticleBody.Inline]) -> Label {
    let label = paragraph(inlines, style: .caption)
    label.setStyle(.dim)
    return label
  }

  private func paragraph(_ inlines: [ArticleBody.Inline], style: Style) -> Label {
    let label = paragraph(markup(inlines), style: style)
    var byte = 0
    for inline in inlines {
      for id in inline.ids { marked[id] = (label, byte) }
      byte += inline.text.utf8.count
    }
    return label
  }

  private func paragraph(_ markup: Markup, style: Style) -> Label {
    let label = shared(Label(styles: [style], wraps: true, direction: .ofText))
    label.setMarkup(markup)
    label.onLink(self) { $0.onLink?($1) }
    return label
  }

  /// Part of what is selected and copied.
  @discardableResult private func shared(_ label: Label) -> Label {
    label.shareSelection(after: separator)
    separator = "\n\n"
    return label
  }

  private func markup(_ inlines: [ArticleBody.Inline]) -> Markup {
    inlines.reduce(Markup("")) { whole, inline in
      var part = Markup(inline.text)
      if inline.style.contains(.emphasis) { part = part.italic }
      if inline.style.contains(.strong) { part = part.bold }
      if inline.style.contains(.code) { part = part.monospaced }
      if inline.style.contains(.struck) { part = part.struck }
      if inline.style.contains(.superscript) { part = part.superscript }
      if inline.style.contains(.subscript) { part = part.subscript }
      if let link = inline.link { part = part.link(to: link) }
      return whole + part
    }
  }
}
