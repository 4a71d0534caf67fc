/// Makes blocks of what an HTML parser reports. Used once, on one thread.
final class ArticleBuilder {
  /// What text is at some place of the document.
  private struct Context {
    enum Kind: Equatable {
      case paragraph
      case heading(Int)
      case quote
      /// The place of its marker in `markers`.
      case item(Int)
    }

    var kind = Kind.paragraph
    var style: ArticleBody.Style = []
    var link: String?
    var lists = 0
    var isPreformatted = false
  }

  private struct List {
    var isOrdered: Bool
    var next: Int
  }

  private static let maximumDepth = 512

  private let base: String?
  private var blocks: [ArticleBody.Block] = []
  private var context = Context()
  private var open: [(name: String, outside: Context)] = []
  private var lists: [List] = []
  private var markers: [String] = []
  private var inlines = InlineWriter()
  private var code: [UInt8] = []
  private var dropped: (name: String, count: Int)?

  init(base: String?) { self.base = base }

  func finish() -> [ArticleBody.Block] {
    endCode()
    flush()
    return blocks
  }

  /// Whether an element is open that is left out with its content.
  var isDropping: Bool { dropped != nil }

  // MARK: Elements

  func begin(_ name: String, _ attributes: HTMLAttributes) {
    if let dropped {
      if dropped.name == name { self.dropped?.count += 1 }
      return
    }
    if HTMLElements.dropped.contains(name) {
      dropped = (name, 1)
      return
    }
    if HTMLElements.blocks.contains(name) { flush() }
    if beginVoid(name, attributes) { return }
    guard open.count < Self.maximumDepth else { return }
    open.append((name, context))
    beginContext(name, attributes)
  }

  func end(_ name: String) {
    if let dropped, dropped.name == name { self.dropped = dropped.count > 1 ? (name, dropped.count - 1) : nil }
    guard dropped == nil else { return }
    if HTMLElements.blocks.contains(name) { flush() }
    guard let index = open.lastIndex(where: { $0.name == name }) else { return }
    if name == "q" { text("”") }
    let outside = open[index].outside
    open.removeSubrange(index...)
    if context.isPreformatted, !outside.isPreformatted { endCode() }
    if outside.lists < lists.count { lists.removeSubrange(outside.lists...) }
    context = outside
  }

  /// Elements that hold no text. They have no place on the stack.
  private func beginVoid(_ name: String, _ attributes: HTMLAttributes) -> Bool {
    switch name {
    case "br": if context.isPreformatted { code.append(UInt8(ascii: "\n")) } else { inlines.breakLine() }
    case "hr": blocks.append(.rule)
    case "img": picture(attributes)
    case "source": if let url = HTMLElements.webURL(attributes["src"], base) { media(name, url) }
    case "wbr", "input", "link", "meta", "param", "track", "area", "base", "col", "embed": break
    default: return false
    }
    return true
  }

  private func beginContext(_ name: String, _ attributes: HTMLAttributes) {
    if let style = HTMLElements.styles[name] { context.style.formUnion(style) }
    switch name {
    case "a": context.link = HTMLElements.link(attributes["href"], base) ?? context.link
    case "h1", "h2", "h3", "h4", "h5", "h6": context.kind = .heading(name.utf8.last.map { Int($0 - UInt8(ascii: "0")) } ?? 1)
    case "blockquote": context.kind = .quote
    case "pre", "listing", "xmp", "plaintext":
      if !context.isPreformatted { code = [] }
      context.isPreformatted = true
    case "ul", "menu", "dir", "dl": beginList(List(isOrdered: false, next: 1))
    case "ol": beginList(List(isOrdered: true, next: attributes["start"].flatMap { Int($0) } ?? 1))
    case "li": beginItem(attributes)
    case "dd":
      markers.append("")
      context.kind = .item(markers.count - 1)
    case "td", "th": inlines.separate(context.style)
    case "q": text("“")
    case "video", "audio":
      if let poster = HTMLElements.webURL(attributes["poster"], base) { blocks.append(.picture(url: poster, alt: "")) }
      if let url = HTMLElements.webURL(attributes["src"], base) { media(name, url) }
    default: break
    }
  }

  private func beginList(_ list: List) {
    lists.append(list)
    context.lists = lists.count
  }

  private func beginItem(_ attributes: HTMLAttributes) {
    var marker = "•"
    if let last = lists.indices.last, lists[last].isOrdered {
      let number = attributes["value"].flatMap { Int($0) } ?? lists[last].next
      lists[last].next = number == Int.max ? number : number + 1
      marker = "\(number)."
    }
    markers.append(marker)
    context.kind = .item(markers.count - 1)
  }

  // MARK: Pictures, sound and film

  private func picture(_ attributes: HTMLAttributes) {
    let alt = attributes["alt"]?.collapsed ?? ""
    let sizes = [attributes["width"], attributes["height"]].compactMap { $0.flatMap { Int($0.prefix(while: \.isNumber)) } }
    // Dots that count readers.
    if sizes.contains(where: { $0 <= 1 }) { return }
    let classes = attributes["class"] ?? ""
    let isLetter = classes.contains("emoji") || classes.contains("smiley")
    // What loads late names its real address beside a stand-in.
    let url = HTMLElements.webURL(attributes["data-src"], base) ?? HTMLElements.webURL(attributes["src"], base)
    guard let url, !isLetter || alt.isEmpty else { return text(alt) }
    flush()
    if case .picture(url, _) = blocks.last { return }
    blocks.append(.picture(url: url, alt: alt))
  }

  /// A line that leads to what cannot be played here.
  private func media(_ name: String, _ url: String) {
    let isSound = name == "audio" || open.last?.name == "audio"
    let line = ArticleBody.Block.paragraph([.init(isSound ? "Listen to the recording" : "Watch the video", link: url)])
    flush()
    // Sources of one film are the same film.
    if case .paragraph(let last) = blocks.last, last.count == 1, last.first?.text == "Watch the video", !isSound { return }
    blocks.append(line)
  }

  // MARK: Text

  func text(_ bytes: UnsafeBufferPointer<UInt8>) {
    guard dropped == nil else { return }
    if context.isPreformatted {
      code.append(contentsOf: bytes)
    } else {
      inlines.add(bytes, style: context.style, link: context.link)
      if inlines.isNewParagraph { splitAtBreaks() }
    }
  }

  private func text(_ text: String) { Array(text.utf8).withUnsafeBufferPointer { self.text($0) } }

  /// Two line breaks in a row are how many publishers write a paragraph.
  private func splitAtBreaks() {
    for paragraph in inlines.takeParagraphs() { append(paragraph) }
  }

  private func flush() {
    if context.isPreformatted {
      if let last = code.last, last != UInt8(ascii: "\n") { code.append(UInt8(ascii: "\n")) }
      return
    }
    splitAtBreaks()
    let inlines = inlines.take()
    if !inlines.isEmpty { append(inlines) }
  }

  private func append(_ inlines: [ArticleBody.Inline]) {
    switch context.kind {
    case .paragraph: blocks.append(.paragraph(inlines))
    case .heading(let level): blocks.append(.heading(level: level, inlines))
    case .quote: blocks.append(.quote(inlines))
    case .item(let index):
      blocks.append(.listItem(marker: markers[index], depth: max(context.lists, 1), inlines))
      // Further paragraphs of an entry have no marker of their own.
      markers[index] = ""
    }
  }

  private func endCode() {
    var lines = code[...]
    if lines.first == UInt8(ascii: "\n") { lines.removeFirst() }
    while let last = lines.last, last.isASCIIBlank { lines.removeLast() }
    if !lines.isEmpty { blocks.append(.code(String(decoding: lines, as: UTF8.self).replacing("\r\n", with: "\n"))) }
    code = []
  }
}
