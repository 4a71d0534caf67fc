import Foundation
import Runtime

/// A link in place of embedded content that cannot be shown here.
enum MediaLink {
  case recording
  case film
  /// Another page, such as a player.
  case page

  /// - Parameter url: an absolute http or https URL.
  /// - Returns: `nil` without one.
  func inline(_ url: String?) -> ArticleBody.Inline? {
    guard let url else { return nil }
    switch self {
    case .recording: return .init("Listen to the recording", link: url)
    case .film: return .init("Watch the video", link: url)
    case .page:
      let host = URL(string: url)?.host?.streamSafe.lowercased() ?? ""
      let isFilm = ["youtube.com", "youtube-nocookie.com", "vimeo.com", "dailymotion.com", "twitch.tv"].contains {
        host == $0 || host.hasSuffix("." + $0)
      }
      return .init(isFilm ? "Watch the video" : "Open what is embedded here", link: Self.page(url, host))
    }
  }

  /// YouTube does not play its page for embedding when that is opened by itself.
  private static func page(_ url: String, _ host: String) -> String {
    guard host.hasSuffix("youtube.com") || host.hasSuffix("youtube-nocookie.com"), let path = URL(string: url)?.path.streamSafe else {
      return url
    }
    for prefix in ["/embed/", "/v/"] where path.hasPrefix(prefix) {
      let film = path.dropFirst(prefix.count).prefix { $0.isLetter || $0.isNumber || $0 == "-" || $0 == "_" }
      if !film.isEmpty, film != "videoseries" { return "https://www.youtube.com/watch?v=\(film)" }
    }
    return url
  }
}
