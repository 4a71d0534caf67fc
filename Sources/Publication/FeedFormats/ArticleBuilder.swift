/// Builds blocks from the events of an HTML parser. Used once, on one thread.
final class ArticleBuilder {
  /// What text is at some place of the document.
  private struct Context {
    /// The level of the heading that it is in; 0 for none.
    var heading = 0
    var style: ArticleBody.Style = []
    var link: String?
    var isPreformatted = false
    /// In a recording or film, where words are for those who cannot play it.
    var isMedia = false
  }

  private struct Open {
    var name: String
    var outside: Context
    /// How many blocks were open before.
    var frames: Int
  }

  private static let maximumDepth = 512

  private let base: String?
  private var places = PlaceLinks()
  private var frames = ArticleFrames()
  private var context = Context()
  private var open: [Open] = []
  /// Where those of each name are among them, the innermost last. To look through all of them at each tag takes as long as many are open.
  private var openPlaces: [String: [Int]] = [:]
  private var inlines = InlineWriter()
  private var code: [UInt8] = []
  private var dropped: (name: String, count: Int)?

  init(base: String?) { self.base = base }

  func finish() -> [ArticleBody.Block] {
    endCode()
    flush()
    return places.settled(in: frames.finish())
  }

  /// Whether an element is open that is left out with its content.
  var isDropping: Bool { dropped != nil }

  // MARK: Elements

  func start(_ name: String, _ attributes: HTMLAttributes) {
    if let dropped {
      if dropped.name == name { self.dropped?.count += 1 }
      return
    }
    if HTMLElements.dropped.contains(name) {
      if name == "iframe" { media(.page, attributes["src"] ?? attributes["data-src"]) }
      dropped = (name, 1)
      return
    }
    if HTMLElements.blocks.contains(name) { flush() }
    if let ended = HTMLElements.ended[name], let index = innermost(ended.names, within: ended.scope) { end(at: index) }
    if let id = attributes["id"] ?? (name == "a" ? attributes["name"] : nil), places.add(id) { inlines.mark(id) }
    if startVoid(name, attributes) { return }
    guard open.count < Self.maximumDepth else { return }
    openPlaces[name, default: []].append(open.count)
    open.append(Open(name: name, outside: context, frames: frames.count))
    startContext(name, attributes)
    startBlock(name, attributes)
  }

  func end(_ name: String) {
    if let dropped, dropped.name == name { self.dropped = dropped.count > 1 ? (name, dropped.count - 1) : nil }
    guard dropped == nil else { return }
    if HTMLElements.blocks.contains(name) { flush() }
    // An element that starts without a tag may have ended without one too: no other element takes its end tag.
    guard let index = innermost([name], within: HTMLElements.ended[name]?.scope ?? []) else { return }
    if name == "q" { text("”") }
    end(at: index)
    if ["thead", "tbody", "tfoot"].contains(name) { frames.startRows(areHeaders: false) }
  }

  /// The place of the innermost element of those names, unless one of `scope` is further in.
  private func innermost(_ names: Set<String>, within scope: Set<String>) -> Int? {
    let innermost = { (names: Set<String>) in names.compactMap { self.openPlaces[$0]?.last }.max() }
    guard let index = innermost(names), index > innermost(scope) ?? -1 else { return nil }
    return index
  }

  /// Ends an open element, and those in it.
  private func end(at index: Int) {
    let (outside, count) = (open[index].outside, open[index].frames)
    for ended in open[index...] { openPlaces[ended.name]?.removeLast() }
    open.removeSubrange(index...)
    if context.isPreformatted, !outside.isPreformatted { endCode() }
    if frames.count > count {
      flush()
      frames.close(to: count)
    }
    context = outside
  }

  /// Elements that hold no text. They have no place on the stack.
  private func startVoid(_ name: String, _ attributes: HTMLAttributes) -> Bool {
    switch name {
    case "br": if context.isPreformatted { code.append(UInt8(ascii: "\n")) } else { inlines.breakLine() }
    case "hr": frames.append(.rule)
    case "img": picture(attributes)
    case "source": media(open.last?.name == "audio" ? .recording : .film, attributes["src"])
    case "embed": media(.page, attributes["src"])
    case "wbr", "input", "link", "meta", "param", "track", "area", "base", "col": break
    default: return false
    }
    return true
  }

  private func startContext(_ name: String, _ attributes: HTMLAttributes) {
    if let style = HTMLElements.styles[name] { context.style.formUnion(style) }
    switch name {
    case "a": context.link = places.link(attributes["href"], base) ?? HTMLElements.link(attributes["href"], base) ?? context.link
    case "h1", "h2", "h3", "h4", "h5", "h6": context.heading = name.utf8.last.map { Int($0 - UInt8(ascii: "0")) } ?? 1
    case "pre", "listing", "xmp", "plaintext":
      if !context.isPreformatted { code = [] }
      context.isPreformatted = true
    case "q": text("“")
    case "video", "audio":
      if let poster = HTMLElements.webURL(attributes["poster"], base) { append(.init(url: poster)) }
      media(name == "audio" ? .recording : .film, attributes["src"])
      context.isMedia = true
    case "object": media(.page, attributes["data"])
    default: break
    }
  }

  private func startBlock(_ name: String, _ attributes: HTMLAttributes) {
    switch name {
    case "blockquote": frames.open(.quote)
    case "ul", "menu", "dir": frames.open(.list(nil))
    case "ol": frames.open(.list(ListNumbers(attributes)))
    case "li": startItem(attributes)
    case "dl": frames.open(.definitions)
    case "dd": frames.open(.item(marker: ""))
    case "figure": frames.open(.figure)
    case "figcaption": if case .figure = frames.kind { frames.open(.caption) } else { context.style.formUnion(.emphasis) }
    case "table": frames.open(.table)
    case "caption": if case .table = frames.kind { frames.open(.caption) } else { context.style.formUnion(.strong) }
    case "thead", "tbody", "tfoot": frames.startRows(areHeaders: name == "thead")
    case "tr": if case .table = frames.kind { frames.open(.row) }
    case "td", "th": startCell(isHeader: name == "th", attributes)
    default: return
    }
    // A heading ends where something else starts.
    if frames.count > open.last?.frames ?? 0 { context.heading = 0 }
  }

  private func startItem(_ attributes: HTMLAttributes) {
    // An entry without a list around it still counts as one.
    if case .list = frames.kind {} else { frames.open(.list(nil)) }
    frames.open(.item(marker: frames.nextMarker(value: attributes["value"].flatMap { Int($0) })))
  }

  private func startCell(isHeader: Bool, _ attributes: HTMLAttributes) {
    // A row may go without saying.
    if case .table = frames.kind { frames.open(.row) }
    guard case .row = frames.kind else { return }
    let spans = [attributes["colspan"], attributes["rowspan"]].map { $0.flatMap { Int($0) } ?? 1 }
    frames.open(.cell(isHeader: isHeader, columns: spans[0], rows: spans[1]))
  }

  // MARK: Pictures, sound and film

  private func picture(_ attributes: HTMLAttributes) {
    let alt = attributes["alt"]?.collapsed ?? ""
    let sizes = [attributes["width"], attributes["height"]].map { $0.flatMap(HTMLElements.pixels) }
    // Dots that count readers.
    if sizes.contains(where: { $0.map { $0 <= 1 } ?? false }) { return }
    let classes = attributes["class"] ?? ""
    // In a line of text, which it would break.
    let isSmall = sizes.contains { $0 != nil } && sizes.allSatisfy { $0.map { $0 <= Self.letterSize } ?? true }
    if isSmall { return text(alt) }
    let isLetter = classes.contains("emoji") || classes.contains("smiley")
    let url = HTMLElements.picture(attributes, base)
    guard let url, !isLetter || alt.isEmpty else { return text(alt) }
    append(.init(url: url, alt: alt, link: context.link, width: sizes[0], height: sizes[1]))
  }

  /// In pixels: what is no larger stands among letters.
  private static let letterSize = 32

  private func append(_ image: ArticleBody.Image) {
    endCode()
    flush()
    if case .image(let last) = frames.last, last.url == image.url { return }
    frames.append(.image(image))
  }

  /// A line that leads to what cannot be played here.
  private func media(_ kind: MediaLink, _ written: String?) {
    guard let link = kind.inline(HTMLElements.webURL(written, base)) else { return }
    endCode()
    flush()
    // Sources of one film are the same film.
    if context.isMedia, case .paragraph(let last) = frames.last, last.count == 1, last[0].text == link.text { return }
    if frames.last != .paragraph([link]) { frames.append(.paragraph([link])) }
  }

  // MARK: Text

  func text(_ bytes: UnsafeBufferPointer<UInt8>) {
    guard dropped == nil, !context.isMedia else { return }
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
    frames.append(context.heading > 0 ? .heading(level: context.heading, inlines) : .paragraph(inlines))
  }

  private func endCode() {
    var lines = code[...]
    if lines.first == UInt8(ascii: "\n") { lines.removeFirst() }
    while let last = lines.last, last.isASCIIBlank { lines.removeLast() }
    if !lines.isEmpty { frames.append(.code(String(decoding: lines, as: UTF8.self).streamSafe.replacingASCII("\r\n", "\n"))) }
    code = []
  }
}
