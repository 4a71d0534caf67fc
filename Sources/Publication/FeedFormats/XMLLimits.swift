import Foundation

/// Limits on documents for which libxml2 would take more than linear time: it compares each attribute of an element with all before it,
/// each prefix with all namespaces in force, each name with a share of all others, and each word of a declared list with all before it.
enum XMLLimits {
  /// The most attributes of one element.
  static let attributes = 500
  /// The most namespaces in force.
  static let namespaces: Int32 = 256
  /// The most names of elements, attributes, instructions and entities in a document. libxml2's table of them stops growing at some size.
  static let names: Int32 = 100_000
  /// The most bytes of a document type declaration. Until the end of a list that it declares nothing is reported, and each element of one takes
  /// eighty bytes.
  static let declaration = 32_768

  /// Whether the document type declaration is too long. A mistake in it ends the reading, so that what stands behind one does not matter.
  static func hasLongDeclaration(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
    guard let start = startOfDeclaration(bytes) else { return false }
    let text = bytes[start...].prefix(declaration + 1)
    var (position, isInSubset, isInMarkup) = (start + 1, false, false)
    while position < text.endIndex {
      let byte = text[position]
      position += 1
      switch byte {
      case UInt8(ascii: "\""), UInt8(ascii: "'"):
        // Between declarations there are no quotes.
        position = text[position...].firstIndex(of: byte).map { $0 + 1 } ?? text.endIndex
      case UInt8(ascii: "<"):
        if let end = endOfAside(text, position - 1) { position = end } else { isInMarkup = true }
      case UInt8(ascii: ">") where isInMarkup: isInMarkup = false
      case UInt8(ascii: ">") where !isInSubset: return false
      case UInt8(ascii: "[") where !isInMarkup: isInSubset = true
      case UInt8(ascii: "]") where !isInMarkup: isInSubset = false
      default: break
      }
    }
    return text.count > declaration
  }

  /// What may stand before it: a mark of the encoding, instructions, comments and white space.
  private static func startOfDeclaration(_ bytes: UnsafeBufferPointer<UInt8>) -> Int? {
    var position = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
    while position < bytes.count {
      if bytes[position] == UInt8(ascii: "<") {
        if bytes[position...].starts(with: "<!DOCTYPE".utf8) { return position }
        guard let end = endOfAside(bytes[...], position) else { return nil }
        position = end
      } else if bytes[position] <= 0x20 {
        position += 1
      } else {
        return nil
      }
    }
    return nil
  }

  /// The end of the comment or the instruction that starts here; `nil` where neither does.
  private static func endOfAside(_ bytes: Slice<UnsafeBufferPointer<UInt8>>, _ start: Int) -> Int? {
    for (opening, closing) in [("<!--", "-->"), ("<?", "?>")] as [(StaticString, StaticString)] where bytes[start...].starts(with: opening)
    {
      return bytes.base.end(of: closing, from: start + opening.utf8CodeUnitCount) ?? bytes.endIndex
    }
    return nil
  }

  /// The place of the first element with too many attributes; `nil` when there is none.
  static func offsetOfFlood(_ bytes: UnsafeRawBufferPointer) -> Int? {
    guard let base = bytes.baseAddress else { return nil }
    func mark(from start: Int) -> Int? {
      guard start < bytes.count, let found = memchr(base + start, 0x3C, bytes.count - start) else { return nil }
      return UnsafeRawPointer(found) - base
    }
    var next = mark(from: 0)
    while let start = next {
      next = mark(from: start + 1)
      // A tag ends before the next `<`, and one that is short cannot have many.
      let end = next ?? bytes.count
      if end - start > attributes * 4, count(bytes[start..<end]) > attributes { return start }
    }
    return nil
  }

  /// How many `=` a tag has outside of quotes.
  private static func count(_ tag: Slice<UnsafeRawBufferPointer>) -> Int {
    var (count, quote) = (0, UInt8?.none)
    for byte in tag {
      switch (byte, quote) {
      case (UInt8(ascii: ">"), nil): return count
      case (UInt8(ascii: "="), nil): count += 1
      case (UInt8(ascii: "\""), nil), (UInt8(ascii: "'"), nil): quote = byte
      case (_, byte): quote = nil
      default: break
      }
    }
    return count
  }
}
