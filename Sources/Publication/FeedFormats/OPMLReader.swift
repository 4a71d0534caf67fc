import Foundation

/// Lists of feeds (OPML 1.0 to 2.0, http://opml.org/spec2.opml).
struct OPMLReader: XMLFeedReader {
  private let links: DocumentLinks
  private var list = ParsedOutline()
  private var open: [Open] = []
  /// The titles of the outlines around the present one, made once for each folder and shared by its feeds.
  private var folders: [String] = []

  private struct Open {
    /// `nil` for `head` and `body`.
    var title: String?
    /// Whether ``folders`` holds it.
    var isFolder = false
  }

  /// - Parameter links: those of the document.
  init(links: DocumentLinks) { self.links = links }

  mutating func start(_ name: XMLName, _ attributes: ElementAttributes, base: String?) -> XMLContent {
    switch name.local {
    case "head", "body":
      open.append(Open())
      return .enter
    case "title": return open.last?.title == nil ? .text : .skip
    case "outline":
      guard list.outlines.count < FeedParser.mostItems else { return .refuse("it has more than \(FeedParser.mostItems) outlines") }
      enterFolder()
      let outline = outline(attributes, base: base ?? links.base)
      list.outlines.append(outline)
      open.append(Open(title: outline.title))
      return .enter
    default: return .skip
    }
  }

  /// The outline that is open has one inside.
  private mutating func enterFolder() {
    guard let last = open.indices.last, let title = open[last].title, !open[last].isFolder,
      folders.count < ParsedOutline.Outline.mostFolders
    else { return }
    open[last].isFolder = true
    folders.append(title)
  }

  private func outline(_ attributes: ElementAttributes, base: String?) -> ParsedOutline.Outline {
    let title = attributes[ignoringCase: "title"] ?? attributes[ignoringCase: "text"]
    return ParsedOutline.Outline(
      title: title?.asPlainLine ?? "", about: attributes[ignoringCase: "description"]?.asPlainLine ?? "",
      feedURL: feedURL(attributes, base), homeURL: attributes[ignoringCase: "htmlUrl"].flatMap { links.web($0, base) },
      folders: folders)
  }

  /// Only what is on the web: a list must not make its reader open files.
  private func feedURL(_ attributes: ElementAttributes, _ base: String?) -> String? {
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
    return links.web(written, base)
  }

  mutating func content(of name: XMLName, _ text: String, base: String?) {
    if list.title.isEmpty { list.title = text.asPlainLine }
  }

  mutating func leave() {
    if open.popLast()?.isFolder == true { folders.removeLast() }
  }

  mutating func finish() -> FeedDocument { .outline(list) }
}
