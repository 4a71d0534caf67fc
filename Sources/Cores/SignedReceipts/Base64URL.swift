import Foundation

/// Base64url without padding (RFC 4648, section 5), as JWS uses it: one text for each sequence of bytes, any other text is refused.
public enum Base64URL {
  private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)
  private static let values: [UInt8] = {
    var values = [UInt8](repeating: 0xFF, count: 256)
    for (value, letter) in alphabet.enumerated() { values[Int(letter)] = UInt8(value) }
    return values
  }()

  /// Whether a byte is a letter of the alphabet, in ASCII.
  public static func isLetter(_ byte: UInt8) -> Bool { values[Int(byte)] != 0xFF }

  /// The bytes as text.
  public static func encode(_ bytes: some Collection<UInt8>) -> String {
    var text: [UInt8] = []
    text.reserveCapacity((bytes.count * 4 + 2) / 3)
    var bits: UInt32 = 0
    var count: UInt32 = 0
    for byte in bytes {
      bits = bits << 8 | UInt32(byte)
      count += 8
      while count >= 6 {
        count -= 6
        text.append(alphabet[Int(bits >> count & 0x3F)])
      }
    }
    if count > 0 { text.append(alphabet[Int(bits << (6 - count) & 0x3F)]) }
    return String(decoding: text, as: UTF8.self)
  }

  /// The text's bytes; `nil` for padding, for any letter outside the alphabet, for a length that no bytes have, and for set bits after
  /// the last byte.
  public static func decode(_ text: some Collection<UInt8>) -> [UInt8]? {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(text.count * 3 / 4)
    var bits: UInt32 = 0
    var count: UInt32 = 0
    for letter in text {
      let value = values[Int(letter)]
      if value == 0xFF { return nil }
      bits = bits << 6 | UInt32(value)
      count += 6
      if count >= 8 {
        count -= 8
        bytes.append(UInt8(truncatingIfNeeded: bits >> count))
      }
    }
    // What remains is 0, 2 or 4 bits of zero; 6 would be a letter that carries no whole byte.
    guard count < 6, bits & (1 << count - 1) == 0 else { return nil }
    return bytes
  }

  /// The text's bytes, or `nil` for a text that no bytes have.
  public static func decode(_ text: String) -> [UInt8]? { decode(text.utf8) }
}
