import Foundation

/// Lists of feeds (OPML 1.0 to 2.0, http://opml.org/spec2.opml).
struct OPMLReader: XMLFeedReader {
  private let source: String
  private var list = ParsedOutline()
  /// The titles of what is open; `nil` for `head` and `body`.
  private var open: [String?] = []
  /// Those of ``open`` that are outlines: shared by all children of one outline.
  private var folders: [String] = []

  init(source: String) { self.source = source }

  mutating func begin(_ name: XMLName, _ attributes: ElementAttributes, base: String?) -> XMLContent {
    switch name.local {
    case "head", "body":
      open.append(nil)
      return .enter
    case "title": return folders.isEmpty ? .text : .skip
    case "outline":
      let outline = outline(attributes, base: base ?? Links.base(source))
      list.outlines.append(outline)
      open.append(outline.title)
      folders.append(outline.title)
      return .enter
    default: return .skip
    }
  }

  private func outline(_ attributes: ElementAttributes, base: String?) -> ParsedOutline.Outline {
    // Publishers write `xmlUrl`, `xmlurl` and `xmlURL`.
    let values = attributes.lowercased
    let title = (values["title"] ?? values["text"] ?? "").asPlainLine
    return ParsedOutline.Outline(
      title: title, about: (values["description"] ?? "").asPlainLine, feedURL: Self.feedURL(values, base),
      homeURL: values["htmlurl"].map { Links.resolve($0, base) }, folders: folders)
  }

  /// Only what is on the web: a list must not make its reader open files.
  private static func feedURL(_ values: [String: String], _ base: String?) -> String? {
    let isFeed = ["rss", "atom", "feed"].contains(values["type"]?.lowercased() ?? "")
    guard var written = values["xmlurl"] ?? (isFeed ? values["url"] : nil) else { return nil }
    // How desktop programs of old passed feeds to each other.
    if written.lowercased().hasPrefix("feed:") {
      written.removeFirst(5)
      if written.hasPrefix("//") { written = "http:" + written }
    }
    let url = Links.resolve(written, base)
    return Links.isWeb(url) ? url : nil
  }

  mutating func content(of name: XMLName, _ text: String, base: String?) {
    if list.title.isEmpty { list.title = text.asPlainLine }
  }

  mutating func leave() {
    guard let last = open.popLast(), last != nil else { return }
    folders.removeLast()
  }

  mutating func finish() -> FeedDocument { .outline(list) }
}
