import Runtime

/// Collects runs of text and collapses white space as HTML does (CSS Text 3, 4.1.1): a run of it is one space, and none stands at the
/// beginning or end of a line.
struct InlineWriter {
  private struct Look: Equatable {
    var style: ArticleBody.Style
    var link: String?

    /// What is seen of it on a space: the lines through and beneath it.
    var onSpace: Look { Look(style: style.intersection(.struck), link: link) }

    /// What both have.
    func common(_ other: Look) -> Look { Look(style: style.intersection(other.style), link: link == other.link ? link : nil) }
  }

  private var finished: [[ArticleBody.Inline]] = []
  private var runs: [ArticleBody.Inline] = []
  private var bytes: [UInt8] = []
  private var look = Look(style: [], link: nil)
  /// The names of the elements that started where the present run did.
  private var ids: [String] = []
  /// Those that started since; they belong to the next word.
  private var nextIDs: [String] = []
  /// The look in which the white space before the next word was written.
  private var space: Look?
  private var breaks = 0

  /// Whether paragraphs are ready to be taken by ``takeParagraphs()``.
  var isNewParagraph: Bool { !finished.isEmpty }

  private var isEmpty: Bool { runs.isEmpty && bytes.isEmpty }

  mutating func add(_ text: UnsafeBufferPointer<UInt8>, style: ArticleBody.Style, link: String?) {
    let next = Look(style: style, link: link)
    var start = 0
    while start < text.count {
      if text[start].isASCIIBlank {
        if space == nil { space = next }
        start += 1
        continue
      }
      let end = text[start...].firstIndex(where: \.isASCIIBlank) ?? text.count
      startWord(next)
      bytes.append(contentsOf: text[start..<end])
      start = end
    }
  }

  /// An element of that name starts here.
  mutating func mark(_ id: String) { if nextIDs.count < Self.mostIDs { nextIDs.append(id) } }

  /// At one place of a text.
  private static let mostIDs = 16

  /// A line break; at the beginning of a paragraph there is nothing to break.
  mutating func breakLine() {
    space = nil
    if !isEmpty { breaks += 1 }
  }

  private mutating func startWord(_ next: Look) {
    if breaks > 1 {
      let paragraph = takeLast()
      if !paragraph.isEmpty { finished.append(paragraph) }
    } else if breaks == 1 {
      bytes.append(UInt8(ascii: "\n"))
      space = nil
    }
    breaks = 0
    let space = isEmpty ? nil : space?.onSpace.common(look).common(next)
    self.space = nil
    // No underline extends beyond a word, or joins two underlined words.
    guard let space else { return start(next) }
    if space != look.onSpace, space != next.onSpace { start(space, marked: false) }
    let endsRun = space == look.onSpace
    if endsRun { bytes.append(0x20) }
    start(next)
    if !endsRun { bytes.append(0x20) }
  }

  /// - Parameter marked: whether what is next belongs to the elements that started.
  private mutating func start(_ next: Look, marked: Bool = true) {
    guard next != look || marked && !nextIDs.isEmpty else { return }
    endRun()
    look = next
    if marked { (ids, nextIDs) = (nextIDs, []) }
  }

  private mutating func endRun() {
    guard !bytes.isEmpty else { return }
    runs.append(ArticleBody.Inline(String(decoding: bytes, as: UTF8.self).streamSafe, style: look.style, link: look.link, ids: ids))
    ids = []
    bytes.removeAll(keepingCapacity: true)
  }

  private mutating func takeLast() -> [ArticleBody.Inline] {
    endRun()
    let result = runs
    runs = []
    // A paragraph of hard spaces is how people make room.
    return result.contains { $0.text.contains { !$0.isWhitespace } } ? result : []
  }

  /// The paragraphs that two line breaks ended.
  mutating func takeParagraphs() -> [[ArticleBody.Inline]] {
    defer { finished = [] }
    return finished
  }

  /// The text so far; empty when there is nothing to read.
  mutating func take() -> [ArticleBody.Inline] {
    space = nil
    breaks = 0
    return takeLast()
  }
}
