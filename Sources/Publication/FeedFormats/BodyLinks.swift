import Foundation

/// The links in a piece of HTML, found without building a document, so that every other byte of it stays as it was written.
///
/// Tags are found as by a browser's tokenizer; text, comments, scripts and styles are not changed.
struct BodyLinks {
  private let html: String
  /// Where the relative ones are.
  private let links: [Range<Int>]
  /// The places that lead elsewhere than to the web: an address, or a whole tag.
  private let banned: [Range<Int>]
  /// The first picture that is larger than a tracking pixel, as written (entities decoded).
  let firstPicture: String?

  init(_ html: String) {
    self.html = html
    var html = html
    (links, banned, firstPicture) = html.withUTF8 { Self.scan($0) }
  }

  /// The HTML without addresses that lead elsewhere than to the web; see ``WebLinks/html(_:)``.
  var guarded: String {
    guard !banned.isEmpty else { return html }
    return replacing(banned.map { ($0, []) })
  }

  private func replacing(_ parts: [(range: Range<Int>, text: [UInt8])]) -> String {
    let bytes = Array(html.utf8)
    var result: [UInt8] = []
    var copied = 0
    for part in parts.sorted(by: { $0.range.lowerBound < $1.range.lowerBound }) where part.range.lowerBound >= copied {
      result += bytes[copied..<part.range.lowerBound]
      result += part.text
      copied = part.range.upperBound
    }
    return String(decoding: result + bytes[copied...], as: UTF8.self)
  }

  /// The HTML with relative links made absolute, and without what leads elsewhere than to the web; the same text when there is neither.
  /// ``Links/mostAdded(to:)`` bounds how much longer it becomes: the links behind that stay relative.
  /// - Parameters:
  ///   - base: what they are relative to.
  ///   - page: the page that the text is on, to which `#section` is relative; without a page such a link stays as it is.
  ///   - document: the links of the document that the text is in.
  func resolved(base: String?, page: String?, in document: DocumentLinks) -> String {
    guard !links.isEmpty || !banned.isEmpty else { return html }
    let bytes = Array(html.utf8)
    var parts = banned.map { (range: $0, text: [UInt8]()) }
    var left = Links.mostAdded(to: bytes.count)
    for link in links {
      let written = String(decoding: bytes[link], as: UTF8.self).replacingASCII("&amp;", "&").trimmed
      guard !written.isEmpty, !Links.isAbsolute(written.utf8) else { continue }
      // In a text without a page, it is a place in the text, and not in the feed's home page.
      let isPlace = written.hasPrefix("#")
      guard !isPlace || page != nil else { continue }
      let absolute = document.resolve(written, isPlace ? page : base, &left)
      guard left > 0 else { break }
      guard absolute != written else { continue }
      var text: [UInt8] = []
      Array(absolute.utf8).withUnsafeBufferPointer { text.appendEscaped($0, isAttribute: true) }
      parts.append((link, text))
    }
    return parts.isEmpty ? html : replacing(parts)
  }

  private static let attributes: [StaticString] = ["href", "src", "poster", "cite", "data-src"]
  /// These hold addresses too, which need not be resolved.
  private static let others: [StaticString] = [
    "action", "formaction", "data", "background", "xlink:href", "srcset", "data-srcset", "data-lazy-src", "data-original", "ping",
    "longdesc", "codebase", "classid", "dynsrc", "lowsrc", "srcdoc",
  ]
  /// These hold several.
  private static let lists: [StaticString] = ["srcset", "data-srcset", "ping"]
  /// In bytes.
  private static let longestList = 16_384
  /// These are read by people.
  private static let prose: [StaticString] = ["alt", "title", "aria-label", "summary", "label", "placeholder", "abbr"]
  /// As many attributes of a tag are read.
  private static let most = 100

  private static func scan(_ bytes: UnsafeBufferPointer<UInt8>) -> (links: [Range<Int>], banned: [Range<Int>], picture: String?) {
    var (links, banned): ([Range<Int>], [Range<Int>]) = ([], [])
    var picture: String?
    var scanner = TagScanner(bytes)
    while let tag = scanner.next() {
      if let text = tag.text, namesBanned(bytes[text]) { banned.append(text) }
      // Only a tag that hides something has as many.
      guard tag.attributes.count < most else {
        banned.append(tag.range)
        continue
      }
      let isPicture = scanner.has(tag.name, "img")
      var source: Range<Int>?
      var isDot = false
      for (name, value) in tag.attributes {
        if isPicture, scanner.has(name, "width") || scanner.has(name, "height") {
          if ["0", "1", "0px", "1px"].contains(String(decoding: bytes[value], as: UTF8.self)) { isDot = true }
        }
        guard !scanner.endsText(value) else {
          banned.append(value)
          continue
        }
        let isLink = attributes.contains { scanner.has(name, $0) }
        guard isLink || others.contains(where: { scanner.has(name, $0) }) else {
          if namesBanned(bytes[value]), !prose.contains(where: { scanner.has(name, $0) }) { banned.append(value) }
          continue
        }
        guard isHarmless(bytes[value], name, scanner) else {
          banned.append(value)
          continue
        }
        guard isLink else { continue }
        if !Links.isAbsolute(bytes[value]) { links.append(value) }
        if isPicture, scanner.has(name, "src") { source = value }
      }
      guard picture == nil, let source, !isDot else { continue }
      let url = String(decoding: bytes[source], as: UTF8.self).replacingASCII("&amp;", "&").trimmed
      if !url.isEmpty { picture = url }
    }
    return (links, banned + scanner.hidden, picture)
  }

  /// Whether an attribute that is no address contains one that must not reach a reader, such as an animation's values, a style, or the
  /// target of a `meta`.
  private static func namesBanned(_ value: Slice<UnsafeBufferPointer<UInt8>>) -> Bool {
    // Nearly all have none.
    guard value.contains(where: { $0 == UInt8(ascii: ":") || $0 == UInt8(ascii: "&") }) else { return false }
    return Links.namesBanned(String(decoding: value, as: UTF8.self))
  }

  private static func isHarmless(_ value: Slice<UnsafeBufferPointer<UInt8>>, _ name: Range<Int>, _ scanner: TagScanner) -> Bool {
    let isList = lists.contains { scanner.has(name, $0) }
    // What nearly all are.
    if !isList, value.starts(with: "https://".utf8) || value.starts(with: "http://".utf8) { return true }
    let text = String(decoding: value, as: UTF8.self)
    // A whole document in an attribute.
    if scanner.has(name, "srcdoc") { return false }
    // No picture has so many sizes, and each of their addresses takes time.
    if isList, value.count > longestList { return false }
    guard isList else { return Links.isHarmless(text, mayBeMail: scanner.has(name, "href")) }
    return text.split { $0.isWhitespace || $0 == "," }.allSatisfy { Links.isHarmless(String($0), mayBeMail: false) }
  }
}
