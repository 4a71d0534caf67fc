import FeedFormats
import Foundation

/// Where a feed comes from, by what the reader typed or chose.
enum FeedSource {
  /// The address of a feed, or of a page.
  case address(String)
  /// The path of a file.
  case file(String)
  /// What nothing can be fetched from: a sentence for the reader.
  case neither(String)

  /// From what was typed: an address on the web, or the path of a file as a terminal or a file manager gives it.
  init(typed text: String) {
    let text = text.trimmingCharacters(in: .whitespacesAndNewlines)
    let (address, scheme) = (WebLinks.typed(text), URLComponents(string: text)?.scheme?.lowercased())
    if text.hasPrefix("/") || text.hasPrefix("~/") {
      self = .file(NSString(string: text).expandingTildeInPath)
    } else if scheme == "file", let url = URL(string: text), ["", "localhost"].contains(url.host ?? ""), !url.path.isEmpty {
      self = .file(url.path)
    } else if let url = URLComponents(string: address), ["http", "https"].contains(url.scheme?.lowercased()), url.host?.isEmpty == false,
      // Without a scheme that is an email address, or `mailto:`.
      url.user == nil || text.contains("://")
    {
      self = .address(address)
    } else if let scheme, text.contains("://"), !["http", "https", "feed"].contains(scheme) {
      self = .neither("“\(scheme)://” addresses are not fetched, only those on the web, such as https://example.org/feed.")
    } else {
      self = .neither("“\(text)” is no address, such as https://example.org/feed, and no path of a file, which begins with “/”.")
    }
  }
}
