import Foundation

/// Text from outside as Unicode's Stream-Safe Text Format has it (UAX 15, 13): no letter has more than thirty marks, which is enough for
/// every language.
///
/// Swift compares and hashes text in its composed form, and to put the marks of one letter in order takes time by the square of their
/// number: 80,000 of them take nine seconds. Code that takes text from strangers makes it safe first, so that no other code has to.
public enum StreamSafeText {
  private static let mostMarks = 30

  /// The bytes of a text in UTF-8 without the marks that are too many.
  /// - Returns: `nil` when it has none of these. What is no UTF-8 stays as it is.
  static func cut(_ bytes: UnsafeBufferPointer<UInt8>) -> [UInt8]? {
    var output: [UInt8] = []
    var (position, copied, marks) = (0, 0, 0)
    let raw = UnsafeRawBufferPointer(bytes)
    while position < bytes.count {
      // Most text has long runs of ASCII: eight bytes of it are looked at together.
      if position + 8 <= raw.count, raw.loadUnaligned(fromByteOffset: position, as: UInt64.self) & 0x8080_8080_8080_8080 == 0 {
        marks = 0
        position += 8
        continue
      }
      let length = markLength(bytes, at: position)
      guard length > 0 else {
        // Bytes within a character count as letters too, which its first byte was.
        marks = 0
        position += 1
        continue
      }
      marks += 1
      if marks > mostMarks {
        output += bytes[copied..<position]
        copied = position + length
      }
      position += length
    }
    return copied == 0 ? nil : output + bytes[copied...]
  }

  /// How many bytes the mark has that begins there; 0 when none does.
  private static func markLength(_ bytes: UnsafeBufferPointer<UInt8>, at start: Int) -> Int {
    let first = bytes[start]
    // The first mark is U+0300. Between U+4000 and U+9FFF is none.
    guard first >= 0xCC, !(0xE4...0xE9).contains(first) else { return 0 }
    let length = first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4
    guard start + length <= bytes.count else { return 0 }
    var value = UInt32(first) & (0x7F >> UInt32(length))
    for byte in bytes[(start + 1)..<(start + length)] {
      guard byte & 0xC0 == 0x80 else { return 0 }
      value = value << 6 | UInt32(byte & 0x3F)
    }
    guard let scalar = Unicode.Scalar(value) else { return 0 }
    switch value {
    // Three letters of Tibetan that are two marks each once they are taken apart.
    case 0x0F73, 0x0F75, 0x0F81: return length
    default: return scalar.properties.canonicalCombiningClass == .notReordered ? 0 : length
    }
  }
}

extension String {
  /// Without what ``StreamSafeText`` leaves out.
  public var streamSafe: String {
    var text = self
    return text.withUTF8 { StreamSafeText.cut($0) }.map { String(decoding: $0, as: UTF8.self) } ?? self
  }
}

extension Data {
  /// A text in UTF-8 without what ``StreamSafeText`` leaves out.
  public var streamSafe: Data {
    withUnsafeBytes { StreamSafeText.cut($0.bindMemory(to: UInt8.self)) }.map { Data($0) } ?? self
  }
}
