/// One format that is written in XML. The parser reports elements from the root inwards, and the reader decides for each how its content is
/// read; so a reader sees only what it requested.
protocol XMLFeedReader {
  /// An element starts: a child of the root or of an element that the reader entered.
  /// - Returns: what to do with its content.
  mutating func start(_ name: XMLName, _ attributes: ElementAttributes, base: String?) -> XMLContent

  /// An element ends whose content the reader requested.
  /// - Parameters:
  ///   - text: its content, as text or as HTML.
  ///   - base: the `xml:base` in force in it, resolved.
  mutating func content(of name: XMLName, _ text: String, base: String?)

  /// An element ends that the reader entered.
  mutating func leave()

  /// What the document said, once it ended.
  mutating func finish() -> FeedDocument
}

/// What the parser does with the content of an element.
enum XMLContent: Equatable {
  /// Nothing in it is reported.
  case skip
  /// Its children are reported.
  case enter
  /// Its text is collected, with that of its children, whose tags are left out.
  case text
  /// Its text is HTML. Where it has children, they are HTML that the publisher forgot to escape: they become text again.
  case html
  /// Its children are XHTML, and become HTML.
  /// - Parameter unwrapped: whether a `div` around all of it is left out, as Atom requires.
  case xhtml(unwrapped: Bool)
  /// Reading ends: the document is malicious, and this says how.
  case refuse(String)
}
