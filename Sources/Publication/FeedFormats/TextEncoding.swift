import CXML2
import Foundation

/// Turns what a document is written in into UTF-8.
///
/// A claim is accepted if the bytes are valid by it. No encoding is guessed: invalid bytes are an error with their place, since half a text
/// in wrong letters is worse than an error.
enum TextEncoding {
  /// The text behind a mark of UTF-16 or UTF-32.
  static func utf8(_ data: Data, behind mark: ByteOrderMark) throws(DocumentError) -> Data {
    guard let converter = open(mark.encoding ?? "UTF-8") else { throw DocumentError(.wrongEncoding(unknown)) }
    defer { iconv_close(converter) }
    return try converted(data.dropFirst(mark.length), by: converter)
  }

  /// A text whose ASCII characters have one byte each, at least those at its beginning.
  /// - Returns: UTF-8; not checked when that is what was claimed.
  static func utf8(_ text: Data, _ claim: EncodingClaim) throws(DocumentError) -> Data {
    guard !claim.isUTF8 else { return text }
    // By far the most common false claim, and safe to correct: only UTF-8 is valid as UTF-8.
    if claim.isWestern, firstInvalid(in: text) == nil { return text }
    if claim.isLatin1 { return latin1(text) }
    guard let converter = claim.converter.flatMap({ open($0) }) else {
      throw DocumentError(.wrongEncoding(unknown), at: claim.offset, in: text)
    }
    defer { iconv_close(converter) }
    // A claim that destroys the document's first character is false, such as UTF-16 here.
    guard (try? converted(text.prefix(1), by: converter)) == text.prefix(1) else {
      throw DocumentError(.wrongEncoding(meaningless), at: claim.offset, in: text)
    }
    return try converted(text, by: converter)
  }

  /// The end of a sentence.
  static let meaningless = "some bytes mean nothing in it"
  private static let unknown = "the one it names is not known"

  // MARK: UTF-8

  /// How many bytes of a text are valid UTF-8 (RFC 3629); `nil` when all are.
  static func firstInvalid(in text: Data) -> Int? {
    text.withUnsafeBytes { raw in
      let bytes = raw.assumingMemoryBound(to: UInt8.self)
      var position = 0
      while position < bytes.count {
        if position + 8 <= bytes.count, raw.loadUnaligned(fromByteOffset: position, as: UInt64.self) & 0x8080_8080_8080_8080 == 0 {
          position += 8
          continue
        }
        let length = validLength(bytes[position...].prefix(4))
        guard length > 0 else { return position }
        position += length
      }
      return nil
    }
  }

  /// How many bytes the character has that starts here; 0 when none does.
  private static func validLength(_ bytes: Slice<UnsafeBufferPointer<UInt8>>) -> Int {
    let start = bytes.startIndex
    let length: Int
    var second: ClosedRange<UInt8> = 0x80...0xBF
    switch bytes[start] {
    case 0x00...0x7F: return 1
    case 0xC2...0xDF: length = 2
    case 0xE0: (length, second) = (3, 0xA0...0xBF)
    case 0xED: (length, second) = (3, 0x80...0x9F)
    case 0xE1...0xEF: length = 3
    case 0xF0: (length, second) = (4, 0x90...0xBF)
    case 0xF4: (length, second) = (4, 0x80...0x8F)
    case 0xF1...0xF3: length = 4
    default: return 0
    }
    guard bytes.count >= length, second.contains(bytes[start + 1]) else { return 0 }
    return bytes[(start + 2)..<(start + length)].allSatisfy { (0x80...0xBF).contains($0) } ? length : 0
  }

  // MARK: Everything else

  /// Windows-1252; undefined bytes are control characters, as in browsers.
  private static func latin1(_ text: Data) -> Data {
    var result: [UInt8] = []
    result.reserveCapacity(text.count + text.count / 8)
    for byte in text {
      if byte < 0x80 {
        result.append(byte)
      } else {
        let scalar = byte < 0xA0 ? windows1252[Int(byte - 0x80)] : UInt16(byte)
        result.append(contentsOf: UTF8.encode(Unicode.Scalar(scalar) ?? "\u{FFFD}") ?? UTF8.encodedReplacementCharacter)
      }
    }
    return Data(result)
  }

  private static let windows1252: [UInt16] = [
    0x20AC, 0x81, 0x201A, 0x0192, 0x201E, 0x2026, 0x2020, 0x2021, 0x02C6, 0x2030, 0x0160, 0x2039, 0x0152, 0x8D, 0x017D, 0x8F, 0x90,
    0x2018, 0x2019, 0x201C, 0x201D, 0x2022, 0x2013, 0x2014, 0x02DC, 0x2122, 0x0161, 0x203A, 0x0153, 0x9D, 0x017E, 0x0178,
  ]

  private static func open(_ name: String) -> iconv_t? {
    let converter = iconv_open("UTF-8", name)
    return converter == iconv_t(bitPattern: -1) ? nil : converter
  }

  private static func converted(_ text: Data, by converter: iconv_t) throws(DocumentError) -> Data {
    // Resets the converter, which may have converted another text before.
    iconv(converter, nil, nil, nil, nil)
    var (input, problem) = ([UInt8](text), Int32(0))
    // There is room for all of it: some converters of glibc never end where the room ends within a character that becomes two.
    let result = [UInt8](unsafeUninitializedCapacity: input.count * mostBytesForOne + 16) { output, count in
      var room = output.count
      input.withUnsafeMutableBytes { input in
        var from = input.baseAddress?.assumingMemoryBound(to: CChar.self)
        var left = input.count
        output.withMemoryRebound(to: CChar.self) { output in
          var to = output.baseAddress
          if iconv(converter, &from, &left, &to, &room) == -1 { problem = errno }
          // A character that may yet be joined by the next one.
          if problem == 0, iconv(converter, nil, nil, &to, &room) == -1 { problem = errno }
        }
      }
      count = output.count - room
    }
    switch problem {
    case 0: return Data(result)
    // The last character is not whole.
    case EINVAL: throw DocumentError(.cutOff, TextPlace(of: result.count, in: Data(result)))
    default: throw DocumentError(.wrongEncoding(meaningless), TextPlace(of: result.count, in: Data(result)))
    }
  }

  /// No encoding of ``EncodingClaim/converter`` becomes more bytes of UTF-8 for one of its own.
  private static let mostBytesForOne = 3
}
