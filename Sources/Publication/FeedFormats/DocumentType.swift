import Foundation

/// What an XML document says before its root element.
enum DocumentType {
  /// Returns the document without its document type declaration (XML 1.0, 2.8): without what it declares of entities, elements and attributes,
  /// and without the name of an external list of those. Lines stay where they are.
  ///
  /// No feed needs a declaration, and to libxml2 a few of them cost memory and time that grow with their square. So libxml2 gets a document
  /// in which there is none: one that this does not read as libxml2 does ends there at its first letter.
  /// - Throws: a ``DocumentError`` at a declaration that breaks the rules, at a second one, and at one without an end.
  static func removed(from text: Data) throws(DocumentError) -> Data {
    let place: Result<Range<Int>?, DocumentError> = text.withUnsafeBytes { bytes in
      let reader = Reader(text: bytes.bindMemory(to: UInt8.self))
      do throws(DocumentError) {
        guard let start = reader.start(from: 0) else { return .success(nil) }
        let end = try reader.end(of: start, in: text)
        if let second = reader.start(from: end) { throw malformed(at: second, in: text) }
        return .success(start..<end)
      } catch { return .failure(error) }
    }
    guard let place = try place.get() else { return text }
    let range = (text.startIndex + place.lowerBound)..<(text.startIndex + place.upperBound)
    var text = text
    text.replaceSubrange(range, with: text[range].map { $0 == UInt8(ascii: "\n") ? $0 : UInt8(ascii: " ") })
    return text
  }

  private static func malformed(at offset: Int, in text: Data) -> DocumentError {
    DocumentError(.malformed("its document type declaration breaks the rules"), at: offset, in: text)
  }

  private struct Reader {
    let text: UnsafeBufferPointer<UInt8>

    /// Where a declaration starts. Before it may stand a mark of the encoding, instructions, comments and white space.
    func start(from first: Int) -> Int? {
      var position = first == 0 && text.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : first
      while position < text.count {
        if text[position] == UInt8(ascii: "<") {
          if text[position...].starts(with: "<!DOCTYPE".utf8) { return position }
          guard let end = endOfAside(position) else { return nil }
          position = end
        } else if text[position] <= 0x20 {
          position += 1
        } else {
          return nil
        }
      }
      return nil
    }

    /// Behind the `>` of a declaration.
    func end(of start: Int, in document: Data) throws(DocumentError) -> Int {
      var (position, subset, isInMarkup) = (start + "<!DOCTYPE".utf8.count, Subset.none, false)
      while position < text.count {
        let byte = text[position]
        position += 1
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "'"):
          // Between declarations there are no quotes.
          position = text[position...].firstIndex(of: byte).map { $0 + 1 } ?? text.count
        case UInt8(ascii: "<") where subset == .open:
          if let end = endOfAside(position - 1) { position = end } else { isInMarkup = true }
        case UInt8(ascii: "<"): throw malformed(at: start, in: document)
        case UInt8(ascii: ">") where isInMarkup: isInMarkup = false
        case UInt8(ascii: ">") where subset != .open: return position
        case UInt8(ascii: "[") where subset == .none: subset = .open
        case UInt8(ascii: "]") where subset == .open && !isInMarkup: subset = .closed
        case 0x21... where subset == .closed: throw malformed(at: start, in: document)
        default: break
        }
      }
      throw DocumentError(.cutOff, at: start, in: document)
    }

    private enum Subset { case none, open, closed }

    /// The end of the comment or the instruction that starts here; `nil` where neither does.
    private func endOfAside(_ start: Int) -> Int? {
      for (opening, closing) in [("<!--", "-->"), ("<?", "?>")] as [(StaticString, StaticString)] where text[start...].starts(with: opening)
      {
        return text.end(of: closing, from: start + opening.utf8CodeUnitCount) ?? text.count
      }
      return nil
    }
  }
}
