import FeedFormats
import Foundation

/// Addresses of feeds, as people type them and as servers redirect to them.
enum FeedAddress {
  private static let longest = 2000

  /// An absolute `http` or `https` URL, percent-encoded; `nil` for anything else. An address with a name and a password is refused: other
  /// readers would see them.
  /// - Parameter base: what a relative one belongs to.
  static func url(_ text: String, from base: String? = nil) -> String? {
    guard !text.isEmpty, text.utf8.count <= longest else { return nil }
    let url = URL(string: text, relativeTo: base.flatMap(URL.init(string:)))?.absoluteURL
    guard let url, var parts = URLComponents(url: url, resolvingAgainstBaseURL: true),
      ["http", "https"].contains(parts.scheme?.lowercased()), parts.host?.isEmpty == false, parts.user == nil, parts.password == nil
    else { return nil }
    parts.scheme = parts.scheme?.lowercased()
    parts.fragment = nil
    return parts.string
  }

  /// The same for what a person types: white space around it, no scheme, or the one that browsers hand to feed readers.
  static func typed(_ text: String) -> String? { url(WebLinks.typed(text)) }
}
