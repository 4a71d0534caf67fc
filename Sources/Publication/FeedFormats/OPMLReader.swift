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
    let title = attributes[ignoringCase: "title"] ?? attributes[ignoringCase: "text"]
    return ParsedOutline.Outline(
      title: title?.asPlainLine ?? "", about: attributes[ignoringCase: "description"]?.asPlainLine ?? "",
      feedURL: Self.feedURL(attributes, base), homeURL: attributes[ignoringCase: "htmlUrl"].map { Links.resolve($0, base) },
      folders: folders)
  }

  /// Only what is on the web: a list must not make its reader open files.
  private static func feedURL(_ attributes: ElementAttributes, _ base: String?) -> String? {
    var written = attributes[ignoringCase: "xmlUrl"]
    if written == nil, ["rss", "atom", "feed"].contains(attributes[ignoringCase: "type"]?.lowercased()) {
      written = attributes[ignoringCase: "url"]
    }
    guard var written else { return nil }
    // How desktop programs of old passed feeds to each other.
    if written.utf8.first.map({ $0 | 0x20 == UInt8(ascii: "f") }) == true, written.lowercased().hasPrefix("feed:") {
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
