import Foundation

/// Limits on documents for which libxml2 would take more than linear time: it compares each attribute of an element with all before it,
/// each prefix with all namespaces in force, and each name with a share of all others.
enum XMLLimits {
  /// The most attributes of one element.
  static let attributes = 500
  /// The most namespaces in force.
  static let namespaces: Int32 = 256
  /// The most names of elements, attributes, instructions and entities in a document. libxml2's table of them stops growing at some size.
  /// As many different elements are the most, of which each prefix and each namespace make one more: a few hundred words make as many as a
  /// document has room for.
  static let names: Int32 = 100_000

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
      // Comments and CDATA sections have text.
      if end - start > attributes * 4, bytes[start + 1] != UInt8(ascii: "!"), count(bytes[start..<end]) > attributes { return start }
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
