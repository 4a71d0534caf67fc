import Foundation

/// What an XML document says before its root element.
enum DocumentType {
  /// Returns the document without what its type declares of entities, elements and attributes: the internal subset (XML 1.0, 2.8). Lines stay
  /// where they are.
  ///
  /// No feed needs a declaration, and to libxml2 a few of them cost memory and time that grow with their square.
  static func withoutDeclarations(_ text: Data) -> Data {
    guard let subset = text.withUnsafeBytes({ internalSubset($0.bindMemory(to: UInt8.self)) }) else { return text }
    let place = (text.startIndex + subset.lowerBound)..<(text.startIndex + subset.upperBound)
    var text = text
    text.replaceSubrange(place, with: text[place].map { $0 == UInt8(ascii: "\n") ? $0 : UInt8(ascii: " ") })
    return text
  }

  /// From `[` to `]`, or to the end of the document where that is missing; `nil` without one. A mistake in it ends the reading, so that what
  /// stands behind one does not matter.
  private static func internalSubset(_ text: UnsafeBufferPointer<UInt8>) -> Range<Int>? {
    guard let declaration = start(text) else { return nil }
    var (position, subset, isInMarkup) = (declaration + 1, Int?.none, false)
    while position < text.count {
      let byte = text[position]
      position += 1
      switch byte {
      case UInt8(ascii: "\""), UInt8(ascii: "'"):
        // Between declarations there are no quotes.
        position = text[position...].firstIndex(of: byte).map { $0 + 1 } ?? text.count
      case UInt8(ascii: "<"):
        if let end = endOfAside(text, position - 1) { position = end } else { isInMarkup = true }
      case UInt8(ascii: ">") where isInMarkup: isInMarkup = false
      case UInt8(ascii: ">") where subset == nil: return nil
      case UInt8(ascii: "[") where subset == nil && !isInMarkup: subset = position - 1
      case UInt8(ascii: "]") where !isInMarkup:
        if let subset { return subset..<position }
      default: break
      }
    }
    return subset.map { $0..<text.count }
  }

  /// Where the declaration starts. Before it may stand a mark of the encoding, instructions, comments and white space.
  private static func start(_ text: UnsafeBufferPointer<UInt8>) -> Int? {
    var position = text.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
    while position < text.count {
      if text[position] == UInt8(ascii: "<") {
        if text[position...].starts(with: "<!DOCTYPE".utf8) { return position }
        guard let end = endOfAside(text, position) else { return nil }
        position = end
      } else if text[position] <= 0x20 {
        position += 1
      } else {
        return nil
      }
    }
    return nil
  }

  /// The end of the comment or the instruction that starts here; `nil` where neither does.
  private static func endOfAside(_ text: UnsafeBufferPointer<UInt8>, _ start: Int) -> Int? {
    for (opening, closing) in [("<!--", "-->"), ("<?", "?>")] as [(StaticString, StaticString)] where text[start...].starts(with: opening) {
      return text.end(of: closing, from: start + opening.utf8CodeUnitCount) ?? text.count
    }
    return nil
  }
}
