import Foundation

/// Which addresses of a feed readers get: those of the web. `javascript:`, `file:`, `data:` and all others that a browser or a desktop
/// would open are left out.
public enum WebLinks {
  /// An absolute http or https address as it is; `nil` for anything else, and for one of more than 2,048 bytes, which lists
  /// would carry to every reader.
  public static func url(_ address: String?) -> String? { address.flatMap { Links.isListed($0) ? $0 : nil } }

  /// Whether a person may be led there: an http, https or mailto address.
  public static func isOpenable(_ address: String) -> Bool {
    Links.isWeb(address) || Links.scheme(of: address) == "mailto"
  }

  /// HTML without the addresses of links and pictures that lead elsewhere than to the web; links may be mail addresses. Unchanged where
  /// there is none.
  public static func html(_ html: String) -> String { BodyLinks(html).guarded }
}

extension Links {
  /// The scheme that a browser sees in a link, in lower case: it ignores blanks and control characters
  /// (https://url.spec.whatwg.org/#concept-basic-url-parser). `nil` for a relative one.
  static func scheme(of link: String) -> String? {
    var scheme = ""
    for byte in link.utf8 where byte > 0x20 && byte != 0x7F {
      switch byte {
      case UInt8(ascii: ":"): return scheme.isEmpty ? nil : scheme.lowercased()
      case _ where byte.isASCIILetter: break
      case _ where !scheme.isEmpty && (byte.isASCIIDigit || "+-.".utf8.contains(byte)): break
      default: return nil
      }
      scheme.unicodeScalars.append(Unicode.Scalar(byte))
    }
    return nil
  }

  /// Whether a link in HTML may stay: a relative one, or one to the web, or from a text also to a mail address.
  /// - Parameter written: as it is written there, character references not decoded.
  static func isHarmless(_ written: String, mayBeMail: Bool) -> Bool {
    guard let scheme = scheme(of: written.referencesDecoded) else { return true }
    return scheme == "http" || scheme == "https" || (mayBeMail && scheme == "mailto")
  }

  /// Whether a script, a file or a document of its own is named anywhere in a text that may have addresses among other things. Pictures may.
  /// - Parameter written: as it is written in HTML, character references not decoded.
  static func namesBanned(_ written: String) -> Bool {
    let bytes = Array(written.referencesDecoded.utf8)
    func isControl(_ byte: UInt8) -> Bool { byte < 0x20 || byte == 0x7F }
    guard bytes.contains(where: isControl) else { return namesBanned(bytes) }
    // A browser ignores them in an address, and a line break may be between two.
    return namesBanned(bytes.filter { !isControl($0) }) || namesBanned(bytes.map { isControl($0) ? UInt8(ascii: " ") : $0 })
  }

  private static func namesBanned(_ bytes: [UInt8]) -> Bool {
    var start = 0
    for (index, byte) in bytes.enumerated() where !(byte.isASCIILetter || byte.isASCIIDigit || "+-.".utf8.contains(byte)) {
      defer { start = index + 1 }
      guard byte == UInt8(ascii: ":"), index - start <= longestBanned else { continue }
      let scheme = String(decoding: bytes[start..<index], as: UTF8.self).lowercased()
      guard banned.contains(scheme) else { continue }
      let isPicture = scheme == "data" && String(decoding: bytes[(index + 1)...].prefix(6), as: UTF8.self).lowercased() == "image/"
      if !isPicture { return true }
    }
    return false
  }

  private static let banned: Set<String> = ["javascript", "vbscript", "file", "data"]
  private static let longestBanned = 10
}

extension String {
  /// As a browser reads the beginning of an address: numeric character references, and the names of what a scheme can be hidden with.
  fileprivate var referencesDecoded: String {
    guard utf8.contains(UInt8(ascii: "&")) else { return self }
    var text = self
    return text.withUTF8 { bytes in
      var result: [UInt8] = []
      result.reserveCapacity(bytes.count)
      var position = 0
      while position < bytes.count {
        if bytes[position] == UInt8(ascii: "&"), let reference = CharacterReference(bytes[(position + 1)...]) {
          result.append(contentsOf: UTF8.encode(reference.scalar) ?? UTF8.encodedReplacementCharacter)
          position += 1 + reference.length
        } else {
          result.append(bytes[position])
          position += 1
        }
      }
      return String(decoding: result, as: UTF8.self)
    }
  }
}

/// A reference to a character in HTML. Nothing is allocated for it: a text may consist of ampersands.
private struct CharacterReference {
  let scalar: Unicode.Scalar
  /// How many bytes it has behind the ampersand.
  private(set) var length: Int

  /// - Parameter text: what is behind an ampersand.
  init?(_ text: Slice<UnsafeBufferPointer<UInt8>>) {
    guard let first = text.first, first == UInt8(ascii: "#") || first.isASCIILetter else { return nil }
    guard text.first == UInt8(ascii: "#") else {
      guard let (name, scalar) = Self.names.first(where: { name, _ in Self.isNamed(text, name) }) else { return nil }
      self.scalar = scalar
      length = name.utf8CodeUnitCount
      endWithSemicolon(text)
      return
    }
    let isHex = text.dropFirst().first.map { $0 | 0x20 == UInt8(ascii: "x") } ?? false
    let start = isHex ? 2 : 1
    var (value, digits) = (UInt32(0), 0)
    for byte in text.dropFirst(start) {
      guard let digit = byte.hexadecimal, isHex || digit < 10 else { break }
      // A number that is too large is invalid, with any further digits.
      value = min(value * (isHex ? 16 : 10) + UInt32(digit), 0x11_0000)
      digits += 1
    }
    guard digits > 0, let scalar = Unicode.Scalar(value) else { return nil }
    self.scalar = scalar
    length = start + digits
    endWithSemicolon(text)
  }

  private mutating func endWithSemicolon(_ text: Slice<UnsafeBufferPointer<UInt8>>) {
    if text.dropFirst(length).first == UInt8(ascii: ";") { length += 1 }
  }

  /// Whether a text starts with a name, and with no longer one.
  private static func isNamed(_ text: Slice<UnsafeBufferPointer<UInt8>>, _ name: StaticString) -> Bool {
    guard text.starts(with: name) else { return false }
    let next = text.dropFirst(name.utf8CodeUnitCount).first
    return next.map { !$0.isASCIILetter && !$0.isASCIIDigit } ?? true
  }

  private static let names: [(StaticString, Unicode.Scalar)] = [
    ("colon", ":"), ("Tab", "\t"), ("NewLine", "\n"), ("amp", "&"), ("AMP", "&"), ("nbsp", "\u{A0}"),
  ]
}
