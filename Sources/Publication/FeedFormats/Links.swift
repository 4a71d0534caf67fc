import Foundation

/// Relative links, resolved.
enum Links {
  /// The base that a source gives: itself, if it is on the web.
  static func base(_ source: String) -> String? { isWeb(source) ? source : nil }

  /// No address has more bytes: no server accepts longer ones.
  static let longest = 8192
  /// No address of a post, of a picture or of another file has more: the lists of all readers have them.
  static let longestListed = 2048
  /// No base that links are relative to has more bytes: it is read again for each of them.
  static let longestBase = 2048

  /// Whether it is an http or https URL whose host is what it seems to be. `https://bank.example@evil.example/` does not: what is before
  /// the `@` is a name for evil.example. Neither does one with controls of the direction, which no IRI has (RFC 3987, 4.1).
  static func isWeb(_ link: String) -> Bool {
    let length = starts(link, "https://") ? 8 : starts(link, "http://") ? 7 : 0
    guard length > 0, link.utf8.count <= longest else { return false }
    let authority = link.utf8.dropFirst(length).prefix { !"/?#".utf8.contains($0) }
    return !authority.isEmpty && !authority.contains(UInt8(ascii: "@")) && !link.unicodeScalars.contains(where: \.isHiddenControl)
  }

  /// The same for an address that stands for itself, and not in a text.
  static func isListed(_ link: String) -> Bool { link.utf8.count <= longestListed && isWeb(link) }

  /// Whether a link starts with something in lower case, however it is written itself.
  private static func starts(_ link: String, _ beginning: StaticString) -> Bool {
    var bytes = link.utf8.makeIterator()
    for index in 0..<beginning.utf8CodeUnitCount {
      guard let byte = bytes.next() else { return false }
      let isSame = byte == beginning.utf8Start[index] || (byte.isASCIILetter && byte | 0x20 == beginning.utf8Start[index])
      guard isSame else { return false }
    }
    return true
  }

  /// Whether a link names its scheme (RFC 3986, 3.1).
  static func isAbsolute(_ link: some Collection<UInt8>) -> Bool {
    guard let first = link.first, first.isASCIILetter else { return false }
    let scheme = link.prefix { $0.isASCIILetter || $0.isASCIIDigit || "+-.".utf8.contains($0) }
    return scheme.count > 1 && link.dropFirst(scheme.count).first == UInt8(ascii: ":")
  }

  /// A link as an absolute one (RFC 3986, 5), or as it is when it is absolute already, there is no base, or it would be too long.
  static func resolve(_ link: String, _ base: String?) -> String {
    let link = link.trimmed
    guard !isAbsolute(link.utf8) else { return link }
    guard let base, base.utf8.count <= longestBase, let baseURL = URL(string: base) else {
      return link.hasPrefix("//") ? "https:" + link : link
    }
    guard let url = URL(string: link, relativeTo: baseURL)?.absoluteString, url.utf8.count <= longest else { return link }
    return url
  }

  /// The same, as long as there is room for what that adds. A link that would be too long takes as much: its base is read all the same.
  static func resolve(_ link: String, _ base: String?, _ room: inout Int) -> String {
    guard room > 0, !isAbsolute(link.trimmed.utf8) else { return link.trimmed }
    let resolved = resolve(link, base)
    room -= max(resolved.utf8.count - link.utf8.count, base?.utf8.count ?? 0)
    return room >= 0 ? resolved : link
  }

  /// How many bytes resolved links may add to a text: a short link with a long base, a million times, would be gigabytes. No text with
  /// links that people follow has more.
  static func mostAdded(to bytes: Int) -> Int { 4096 + bytes }
}
