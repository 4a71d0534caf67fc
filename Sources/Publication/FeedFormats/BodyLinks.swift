import Foundation

/// The links in a piece of HTML, found without building a document, so that every other byte of it stays as it was written.
///
/// Tags are walked over as a browser's tokenizer does; text, comments, scripts and styles are left alone.
struct BodyLinks {
  private struct Link {
    var range: Range<Int>
    var attribute: String
    var isPicture: Bool
  }

  private let html: String
  private let links: [Link]
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
      let written = String(decoding: bytes[link.range], as: UTF8.self).replacing("&amp;", with: "&").trimmed
      guard !written.isEmpty, !Links.isAbsolute(written.utf8) else { continue }
      let absolute = Links.resolve(written, written.hasPrefix("#") ? page ?? base : base)
      guard absolute != written else { continue }
      result += bytes[copied..<link.range.lowerBound]
      Array(absolute.utf8).withUnsafeBufferPointer { result.appendEscaped($0) }
      copied = link.range.upperBound
    }
    guard copied > 0 else { return html }
    result += bytes[copied...]
    return String(decoding: result, as: UTF8.self)
  }

  private static let attributes: Set<String> = ["href", "src", "poster", "cite", "data-src"]

  private static func scan(_ bytes: UnsafeBufferPointer<UInt8>) -> ([Link], String?) {
    var links: [Link] = []
    var picture: String?
    var scanner = TagScanner(bytes)
    while let tag = scanner.next() {
      let isPicture = tag.name == "img"
      var source: Range<Int>?
      var isDot = false
      for (name, value) in tag.attributes {
        if isPicture, name == "width" || name == "height" {
          let size = String(decoding: bytes[value], as: UTF8.self)
          if ["0", "1", "0px", "1px"].contains(size) { isDot = true }
        }
        guard attributes.contains(name) else { continue }
        if !Links.isAbsolute(bytes[value]) { links.append(Link(range: value, attribute: name, isPicture: isPicture)) }
        if isPicture, name == "src" { source = value }
      }
      guard picture == nil, let source, !isDot else { continue }
      let url = String(decoding: bytes[source], as: UTF8.self).replacing("&amp;", with: "&").trimmed
      if !url.isEmpty, !url.lowercased().hasPrefix("data:") { picture = url }
    }
    return (links, picture)
  }
}

/// Finds the opening tags of a piece of HTML, one after another.
struct TagScanner {
  struct Tag {
    var name: String
    var attributes: [(name: String, value: Range<Int>)]
  }

  private let bytes: UnsafeBufferPointer<UInt8>
  private var position = 0

  init(_ bytes: UnsafeBufferPointer<UInt8>) { self.bytes = bytes }

  mutating func next() -> Tag? {
    while let start = find(UInt8(ascii: "<"), from: position) {
      position = start + 1
      guard position < bytes.count else { return nil }
      if starts(with: "!--") {
        skip(behind: "-->")
      } else if bytes[position].isASCIILetter {
        let tag = readTag()
        if tag.name == "script" || tag.name == "style" { skip(behind: "</" + tag.name) }
        return tag
      }
    }
    return nil
  }

  private mutating func readTag() -> Tag {
    var tag = Tag(name: readName(), attributes: [])
    while position < bytes.count, bytes[position] != UInt8(ascii: ">") {
      guard !bytes[position].isASCIIBlank, bytes[position] != UInt8(ascii: "/") else {
        position += 1
        continue
      }
      let name = readName()
      guard !name.isEmpty else {
        position += 1
        continue
      }
      if let value = readValue(), tag.attributes.count < 100 { tag.attributes.append((name, value)) }
    }
    return tag
  }

  private mutating func readName() -> String {
    let start = position
    while position < bytes.count, !bytes[position].isASCIIBlank, !">/=\"'".utf8.contains(bytes[position]) { position += 1 }
    return String(decoding: bytes[start..<position], as: UTF8.self).lowercased()
  }

  private mutating func readValue() -> Range<Int>? {
    skipBlanks()
    guard position < bytes.count, bytes[position] == UInt8(ascii: "=") else { return nil }
    position += 1
    skipBlanks()
    guard position < bytes.count else { return nil }
    let quote = bytes[position]
    if quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'") {
      let start = position + 1
      // An attribute that never ends is none: what follows is read as text again.
      guard let end = find(quote, from: start) else {
        position = bytes.count
        return nil
      }
      position = end + 1
      return start..<end
    }
    let start = position
    while position < bytes.count, !bytes[position].isASCIIBlank, bytes[position] != UInt8(ascii: ">") { position += 1 }
    return start..<position
  }

  private mutating func skipBlanks() {
    while position < bytes.count, bytes[position].isASCIIBlank { position += 1 }
  }

  private func find(_ byte: UInt8, from start: Int) -> Int? {
    guard start < bytes.count, let base = bytes.baseAddress, let found = memchr(base + start, Int32(byte), bytes.count - start) else {
      return nil
    }
    return UnsafeRawPointer(found) - UnsafeRawPointer(base)
  }

  private func starts(with text: String) -> Bool { bytes[position...].starts(with: text.utf8) }

  /// Moves behind the next occurrence, or to the end.
  private mutating func skip(behind text: String) {
    let first = text.utf8.first ?? 0
    while let found = find(first, from: position) {
      position = found
      if starts(with: text) {
        position += text.utf8.count
        return
      }
      position += 1
    }
    position = bytes.count
  }
}
