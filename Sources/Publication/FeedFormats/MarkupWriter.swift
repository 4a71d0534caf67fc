import Foundation
import Runtime

/// Collects the content of one element, as text or as HTML.
struct MarkupWriter {
  private let content: XMLContent
  private let links: DocumentLinks
  private var bytes: [UInt8] = []
  /// Whether there was an element, after which text has to be escaped.
  private var hasElements = false
  private var depth = 0
  /// How many bytes of links were resolved.
  private var resolved = 0

  /// - Parameter links: those of the document.
  init(_ content: XMLContent, _ links: DocumentLinks) {
    self.content = content
    self.links = links
  }

  var text: String { String(decoding: bytes, as: UTF8.self).streamSafe }

  private static let void: Set<String> = [
    "area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "track", "wbr",
  ]

  mutating func add(_ text: UnsafeBufferPointer<UInt8>, isLiteral: Bool) {
    switch content {
    // A reference to a character comes alone.
    case .text where text.count == 1, .html where text.count == 1 && !hasElements: bytes.append(text[0])
    case .text: bytes.append(contentsOf: text)
    case .html where !hasElements || isLiteral: bytes.append(contentsOf: text)
    case .html, .xhtml: bytes.appendEscaped(text)
    case .skip, .enter, .refuse: break
    }
  }

  mutating func start(_ name: String, _ attributes: ElementAttributes, base: String?) {
    depth += 1
    guard writes(name) else { return }
    if !hasElements, content == .html {
      let plain = bytes
      bytes = []
      plain.withUnsafeBufferPointer { bytes.appendEscaped($0) }
    }
    hasElements = true
    bytes.append(UInt8(ascii: "<"))
    bytes.append(contentsOf: name.utf8)
    for (attribute, value) in attributes.plain {
      bytes.append(UInt8(ascii: " "))
      bytes.append(contentsOf: attribute.utf8)
      bytes.append(contentsOf: "=\"".utf8)
      let isLink =
        base != nil && (attribute == "href" || attribute == "src")
        // A place of the page that the text is on, which is not the feed's.
        && !value.hasPrefix("#")
      let mayGrow = isLink && resolved < Links.mostAdded(to: bytes.count - resolved)
      let written = mayGrow ? links.resolve(value, base) : value
      if mayGrow { resolved += written.utf8.count }
      Array(written.utf8).withUnsafeBufferPointer { bytes.appendEscaped($0, isAttribute: true) }
      bytes.append(UInt8(ascii: "\""))
    }
    bytes.append(UInt8(ascii: ">"))
  }

  mutating func end(_ name: String) {
    if writes(name), !Self.void.contains(name) {
      bytes.append(contentsOf: "</".utf8)
      bytes.append(contentsOf: name.utf8)
      bytes.append(UInt8(ascii: ">"))
    }
    depth -= 1
  }

  private func writes(_ name: String) -> Bool {
    switch content {
    case .html: true
    case .xhtml(let unwrapped): !(unwrapped && depth == 1 && name == "div")
    case .skip, .enter, .refuse, .text: false
    }
  }
}

extension [UInt8] {
  /// Adds text so that HTML reads it as text.
  /// - Parameter isAttribute: whether it is the value of an attribute, in double quotation marks; these stay as they are elsewhere.
  mutating func appendEscaped(_ text: UnsafeBufferPointer<UInt8>, isAttribute: Bool = false) {
    for byte in text {
      switch byte {
      case UInt8(ascii: "<"): append(contentsOf: "&lt;".utf8)
      case UInt8(ascii: ">"): append(contentsOf: "&gt;".utf8)
      case UInt8(ascii: "&"): append(contentsOf: "&amp;".utf8)
      case UInt8(ascii: "\"") where isAttribute: append(contentsOf: "&quot;".utf8)
      default: append(byte)
      }
    }
  }
}
