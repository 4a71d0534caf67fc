import Foundation

/// The links in a piece of HTML, found without building a document, so that every other byte of it stays as it was written.
///
/// Tags are walked over as a browser's tokenizer does; text, comments, scripts and styles are left alone.
struct BodyLinks {
  private let html: String
  /// Where the relative ones are.
  private let links: [Range<Int>]
  /// The first picture that is more than a dot for counting readers, as written (entities decoded).
  let firstPicture: String?

  init(_ html: String) {
    self.html = html
    var html = html
    (links, firstPicture) = html.withUTF8 { Self.scan($0) }
  }

  /// The HTML with every relative link made absolute; the same text when there is none.
  /// - Parameters:
  ///   - base: what they are relative to.
  ///   - page: the page that the text is on, which `#section` belongs to.
  func resolved(base: String?, page: String?) -> String {
    guard !links.isEmpty else { return html }
    let bytes = Array(html.utf8)
    var result: [UInt8] = []
    var copied = 0
    for link in links {
      let written = String(decoding: bytes[link], as: UTF8.self).replacingASCII("&amp;", "&").trimmed
      guard !written.isEmpty, !Links.isAbsolute(written.utf8) else { continue }
      let absolute = Links.resolve(written, written.hasPrefix("#") ? page ?? base : base)
      guard absolute != written else { continue }
      result += bytes[copied..<link.lowerBound]
      Array(absolute.utf8).withUnsafeBufferPointer { result.appendEscaped($0) }
      copied = link.upperBound
    }
    guard copied > 0 else { return html }
    result += bytes[copied...]
    return String(decoding: result, as: UTF8.self)
  }

  private static let attributes: [StaticString] = ["href", "src", "poster", "cite", "data-src"]

  private static func scan(_ bytes: UnsafeBufferPointer<UInt8>) -> ([Range<Int>], String?) {
    var links: [Range<Int>] = []
    var picture: String?
    var scanner = TagScanner(bytes)
    while let tag = scanner.next() {
      let isPicture = scanner.has(tag.name, "img")
      var source: Range<Int>?
      var isDot = false
      for (name, value) in tag.attributes {
        if isPicture, scanner.has(name, "width") || scanner.has(name, "height") {
          if ["0", "1", "0px", "1px"].contains(String(decoding: bytes[value], as: UTF8.self)) { isDot = true }
        }
        guard attributes.contains(where: { scanner.has(name, $0) }) else { continue }
        if !Links.isAbsolute(bytes[value]) { links.append(value) }
        if isPicture, scanner.has(name, "src") { source = value }
      }
      guard picture == nil, let source, !isDot else { continue }
      let url = String(decoding: bytes[source], as: UTF8.self).replacingASCII("&amp;", "&").trimmed
      if !url.isEmpty, !url.lowercased().hasPrefix("data:") { picture = url }
    }
    return (links, picture)
  }
}
