import Foundation

/// Relative links, resolved.
enum Links {
  /// The base that a source gives: itself, if it is on the web.
  static func base(_ source: String) -> String? { isWeb(source) ? source : nil }

  /// Nobody follows an address of more bytes: a list of a hundred would be a burden, and no server takes it.
  static let longest = 8192

  /// Whether that is an http or https URL.
  static func isWeb(_ link: String) -> Bool {
    let length = starts(link, "https://") ? 8 : starts(link, "http://") ? 7 : 0
    guard length > 0, link.utf8.count <= longest, let host = link.utf8.dropFirst(length).first else { return false }
    return !"/?#".utf8.contains(host)
  }

  /// Whether a link begins with something in lower case, however it is written itself.
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

  /// A link as an absolute one (RFC 3986, 5), or as it is when it is absolute already or there is no base.
  static func resolve(_ link: String, _ base: String?) -> String {
    let link = link.trimmed
    guard !isAbsolute(link.utf8) else { return link }
    guard let base, let baseURL = URL(string: base) else { return link.hasPrefix("//") ? "https:" + link : link }
    return URL(string: link, relativeTo: baseURL)?.absoluteString ?? link
  }
}
