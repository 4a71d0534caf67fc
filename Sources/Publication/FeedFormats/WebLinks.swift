import Foundation

/// Which addresses get from a feed to a reader: those of the web. `javascript:`, `file:`, `data:` and whatever else a browser or a desktop
/// would open do not.
public enum WebLinks {
  /// An absolute http or https address as it is; `nil` for anything else, and for one of more than 8,192 bytes.
  public static func url(_ address: String?) -> String? { address.flatMap { Links.isWeb($0) ? $0 : nil } }

  /// Whether a person may be led there: an http, https or mailto address.
  public static func isOpenable(_ address: String) -> Bool {
    Links.isWeb(address) || Links.scheme(of: address) == "mailto"
  }

  /// HTML in which every link and every picture that leads elsewhere than to the web leads nowhere; links may be mail addresses. The same
  /// text where there is none.
  public static func html(_ html: String) -> String { BodyLinks(html).guarded }
}

extension Links {
  /// A link as an absolute http or https one; `nil` for one that leads elsewhere, or nowhere without a base.
  static func web(_ link: String, _ base: String?) -> String? {
    let url = resolve(link, base)
    return isWeb(url) ? url : nil
  }

  /// The scheme that a browser takes a link for, in lower case: it looks past blanks and control characters
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
    // A browser looks past them in an address, and a line break may stand between two.
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
    var result = ""
    var rest = unicodeScalars[...]
    while let scalar = rest.popFirst() {
      guard scalar == "&" else {
        result.unicodeScalars.append(scalar)
        continue
      }
      var name = String.UnicodeScalarView(
        rest.prefix { $0.isASCII && ($0 == "#" || $0.properties.isAlphabetic || $0.properties.numericType != nil) })
      var decoded: Unicode.Scalar?
      if name.first == "#" {
        let isHex = name.dropFirst().first.map { $0 == "x" || $0 == "X" } ?? false
        let digits = name.dropFirst(isHex ? 2 : 1).prefix {
          $0.isASCII && (isHex ? $0.properties.isASCIIHexDigit : $0.properties.numericType != nil)
        }
        name = String.UnicodeScalarView(name.prefix(digits.count + (isHex ? 2 : 1)))
        decoded = UInt32(String(String.UnicodeScalarView(digits)), radix: isHex ? 16 : 10).flatMap(Unicode.Scalar.init)
      } else {
        decoded = ["colon": ":", "Tab": "\t", "NewLine": "\n", "amp": "&", "AMP": "&", "nbsp": "\u{A0}"][String(name)]
      }
      guard let decoded else {
        result.unicodeScalars.append(scalar)
        continue
      }
      result.unicodeScalars.append(decoded)
      rest = rest.dropFirst(name.count)
      if rest.first == ";" { rest = rest.dropFirst() }
    }
    return result
  }
}
